package prompt_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/extension/skill"
	"xbot/internal/turn/prompt"
)

// shelf is what person 1 has installed, and which skills nobody has.
type shelf struct {
	skills []skill.Found
	roles  []role.Role
	off    []string
	err    error
}

func (s *shelf) InstalledSkills(_ context.Context, user chat.UserID) ([]skill.Found, error) {
	if user != 1 {
		return nil, nil
	}
	return s.skills, nil
}

func (s *shelf) InstalledRoles(_ context.Context, user chat.UserID) ([]role.Role, []role.Broken, error) {
	if user != 1 {
		return nil, nil, nil
	}
	return s.roles, nil, nil
}

func (s *shelf) DisabledSkills(context.Context) ([]string, error) { return s.off, s.err }

func described(found []skill.Found) map[string]string {
	out := map[string]string{}
	for _, f := range found {
		if !f.Builtin {
			out[f.Name] = f.Description
		}
	}
	return out
}

func copied(name string) skill.Found {
	return skill.Found{Entry: skill.Entry{Name: name, Description: "installed"}, Folder: skill.Builtin()[0].Folder}
}

func TestInstalled_StandsBetweenTheServersAndTheWorkspaces(t *testing.T) {
	w := newWorld(t)
	const head = "---\ndescription: "
	w.put("skills/both/SKILL.md", head+"of the server\n---\nx")
	w.put("skills/ours/SKILL.md", head+"of the server\n---\nx")
	w.box.Put(t, ".agents/skills/near/SKILL.md", head+"of the workspace\n---\nx")
	s := &shelf{skills: []skill.Found{copied("both"), copied("near"), copied("mine")}}
	skills := prompt.Skills{Home: w.home, Sandboxes: w, Installed: s, Disabled: s}
	found, err := skills.Seen(t.Context(), w.scene)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"both": "installed", "mine": "installed", "near": "of the workspace", "ours": "of the server"}, described(found))
	found, err = skills.In(t.Context(), 1, nil, "")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"both": "installed", "mine": "installed", "near": "installed", "ours": "of the server"}, described(found), "without a machine")
	found, err = skills.In(t.Context(), 2, nil, "")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"both": "of the server", "ours": "of the server"}, described(found), "others do not have it")

	w.put("agents/both.md", head+"of the server\n---\np")
	own := &owned{roles: role.UserRoles{Switches: []role.Switch{{Key: "unwanted"}}, Roles: []role.OwnRole{{RoleDefinition: role.RoleDefinition{Name: "own", Description: "mine", Prompt: "p", Enabled: true}}}}}
	for _, name := range []string{"both", "own", "unwanted", "scribe"} {
		s.roles = append(s.roles, role.Role{Name: name, Description: "installed", Prompt: "p"})
	}
	roles, err := prompt.Roles{Home: w.home, Own: own, Installed: s}.Find(t.Context(), w.scene)
	require.NoError(t, err)
	got := map[string]string{}
	for _, name := range []string{"both", "own", "unwanted", "scribe"} {
		if r, ok := role.Find(roles.Roles, name); ok {
			got[name] = r.Description
		}
	}
	require.Equal(t, map[string]string{"both": "installed", "own": "mine", "scribe": "installed"}, got, "what the person has written wins, and what they have switched off is off")
}

func TestDisabled_SkillsAreNowhere(t *testing.T) {
	w := newWorld(t)
	w.put("skills/deploy/SKILL.md", "---\nname: Deploy it\ndescription: d\n---\nx")
	w.box.Put(t, ".agents/skills/deploy-it/SKILL.md", "---\nname: another\ndescription: d\n---\nx")
	s := &shelf{skills: []skill.Found{copied("deploy-it"), copied("mine")}, off: []string{"DEPLOY-IT"}}
	skills := prompt.Skills{Home: w.home, Sandboxes: w, Installed: s, Disabled: s}
	found, err := skills.Seen(t.Context(), w.scene)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"mine": "installed"}, described(found), "in whatever case, by its name or that of its folder")
	for name, want := range map[string]bool{"deploy-it": true, "Deploy it": true, " deploy  it ": true, "deploy": false} {
		off, err := skills.Off(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, want, off, name)
	}
	s.err = context.DeadlineExceeded
	_, err = skills.Seen(t.Context(), w.scene)
	require.Error(t, err, "while nobody knows what is switched off, none is there")
}

func TestInstalled_SkillsAreListedAnewWhenTheyOrTheSwitchesChange(t *testing.T) {
	w, s, own := newWorld(t), &shelf{}, &owned{}
	w.parts.Installed, w.parts.Disabled, w.parts.Own = s, s, own
	w.pipeline = prompt.Standard(w.parts)
	require.NotContains(t, w.system(), "# Skills")
	s.skills, own.prompts.Skills = []skill.Found{copied("mine")}, "1.abc"
	require.Contains(t, w.system(), "- mine: installed")
	s.skills, own.prompts.Skills = []skill.Found{copied("mine"), copied("second")}, "1.abc 2.def"
	require.Contains(t, w.system(), "- second: installed")
	s.off = []string{"mine"}
	text := w.system()
	require.NotContains(t, text, "- mine: installed")
	require.Contains(t, text, "- second: installed")
}

func TestInstalled_AProjectsSkillOfAnotherSpellingIsTheNearest(t *testing.T) {
	w := newWorld(t)
	w.box.Put(t, ".agents/skills/x/SKILL.md", "---\nname: Ship It\ndescription: of the workspace\n---\nx")
	s := &shelf{skills: []skill.Found{copied("ship-it")}}
	found, err := prompt.Skills{Home: w.home, Sandboxes: w, Installed: s}.Seen(t.Context(), w.scene)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"Ship It": "of the workspace"}, described(found))
	one, ok := skill.Pick(found, "ship-it")
	require.True(t, ok)
	require.Equal(t, "of the workspace", one.Description)
}

// forAll says what is installed for everybody, and that person 1 has words of their own.
type forAll struct{ skills string }

func (f *forAll) OwnPrompts(_ context.Context, user chat.UserID) (chat.OwnPrompts, error) {
	if user != 0 {
		return chat.OwnPrompts{Skills: "another"}, nil
	}
	return chat.OwnPrompts{Skills: f.skills}, nil
}

func TestInstalled_GroupsLearnOfWhatIsThereForEverybody(t *testing.T) {
	w, s, own := newWorld(t), &shelf{}, &forAll{}
	w.scene.Group = true
	w.parts.Installed, w.parts.Own = s, own
	w.pipeline = prompt.Standard(w.parts)
	require.NotContains(t, w.system(), "# Skills")
	s.skills, own.skills = []skill.Found{copied("mine")}, "1.abc"
	require.Contains(t, w.system(), "- mine: installed")
	s.skills, own.skills = nil, ""
	require.NotContains(t, w.system(), "- mine: installed", "and when it is gone")
}
