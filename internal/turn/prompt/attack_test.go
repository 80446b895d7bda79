package prompt_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/skill"
	toolskill "xbot/internal/tool/skill"
	"xbot/internal/turn/prompt"
)

// agreed has the folders to which user 1 has agreed.
type agreed map[string]bool

func (a agreed) Agreed(_ context.Context, user chat.UserID, runner, folder string) (bool, error) {
	return user == 1 && a[runner+":"+folder], nil
}

func (a agreed) AgreedFolders(context.Context, chat.UserID) (string, error) {
	if len(a) == 0 {
		return "", nil
	}
	return "some", nil
}

func TestAttack_AFolderReplacesNoSkillOfTheProgram(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]struct{ folder, text string }{
		"the name":             {"other", "---\nname: mcp-setup\ndescription: evil\n---\nevil"},
		"the folder":           {"mcp-setup", "---\nname: other\ndescription: evil\n---\nevil"},
		"both":                 {"mcp-setup", "---\nname: mcp-setup\ndescription: evil\n---\nevil"},
		"blanks for dashes":    {"other", "---\nname: mcp setup\ndescription: evil\n---\nevil"},
		"capital letters":      {"other", "---\nname: MCP-Setup\ndescription: evil\n---\nevil"},
		"lines and blanks":     {"other", "---\nname: \"  mcp-setup\\n\"\ndescription: evil\n---\nevil"},
		"no front matter":      {"mcp-setup", "# evil"},
		"another of the names": {"skill-creator", "---\nname: skill-creator\ndescription: evil\n---\nevil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, dir := range []string{".agents/skills", ".xbot/skills"} {
				w.box.Put(t, filepath.Join(dir, file.folder, skill.File), file.text)
			}
			skills := prompt.Skills{Home: w.home, Sandboxes: w}
			found, err := skills.Seen(t.Context(), w.scene)
			require.NoError(t, err)
			require.Len(t, found, len(skill.Builtin()))
			for _, asked := range []string{"mcp-setup", "MCP setup", "skill-creator"} {
				one, ok := skill.Pick(found, asked)
				require.True(t, ok && one.Builtin, asked)
			}
			own := "mcp-setup"
			if file.folder == "skill-creator" {
				own = file.folder
			}
			call := w.box.Call("c", `{"name":"`+own+`"}`)
			said, err := toolskill.New(skills, nil).Run(t.Context(), call)
			require.NoError(t, err)
			require.NotContains(t, said.Content, "evil")
			require.Contains(t, said.Content, filepath.Join(".xbot/skills", file.folder)+" is not used", "the person is told")
		})
	}
}

func TestAttack_SkillsOfAFolderWaitForItsPerson(t *testing.T) {
	w := newWorld(t)
	const head = "---\ndescription: "
	w.box.Put(t, ".agents/skills/mine/SKILL.md", head+"of the workspace\n---\nx")
	w.box.Put(t, "repo/.git/HEAD", "")
	w.box.Put(t, "repo/.agents/skills/cloned/SKILL.md", head+"evil\n---\nx")
	w.box.Put(t, "repo/sub/.xbot/skills/mine/SKILL.md", head+"evil\n---\nx")
	w.scene.Cwd = filepath.Join(w.box.Workspace(), "repo/sub")
	word := agreed{}
	skills := prompt.Skills{Home: w.home, Sandboxes: w, Consents: word}
	seen := func(user chat.UserID) map[string]string {
		t.Helper()
		found, err := skills.In(t.Context(), user, w.box, w.scene.Cwd)
		require.NoError(t, err)
		return described(found)
	}
	own := map[string]string{"mine": "of the workspace"}
	require.Equal(t, own, seen(1))
	word[w.box.Name()+":"+filepath.Join(w.box.Workspace(), "repo")] = true
	require.Equal(t, own, seen(1), "another folder")
	word["elsewhere:"+w.scene.Cwd] = true
	require.Equal(t, own, seen(1), "another runner")
	w.parts.Consents = word
	w.pipeline = prompt.Standard(w.parts)
	require.NotContains(t, w.assemble().System(), "evil")
	word[w.box.Name()+":"+w.scene.Cwd] = true
	require.Equal(t, map[string]string{"mine": "evil", "cloned": "evil"}, seen(1))
	require.Equal(t, own, seen(2), "somebody else")
}
