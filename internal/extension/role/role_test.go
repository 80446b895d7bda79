package role_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

func TestParse_ReadsWhatAFileSays(t *testing.T) {
	t.Parallel()
	file := "\xef\xbb\xbf---\r\nname: Scout\r\ndescription: >\r\n  Looks\r\n  around.\r\ntier: swift\r\ntools: Read, Grep , task_*\r\n" +
		"capabilities: {memory: true, spawn_agent: true, send_message: false}\r\ncolor: red\r\n---\r\nYou look.\r\n\r\n---\r\nTwice.\r\n"
	got, err := role.Parse([]byte(file), "file")
	require.NoError(t, err)
	require.Equal(t, role.Role{
		Name: "Scout", Description: "Looks around.", Tier: role.Swift, Tools: []string{"Read", "Grep", "task_*"},
		Memory: true, SpawnAgent: true, Prompt: "You look.\n\n---\nTwice.",
	}, got)

	got, err = role.Parse([]byte("---\ndescription: d\nmodel: vanguard\ntools: [a]\ncapabilities: [send_message]\n---"), "侦察员")
	require.NoError(t, err)
	require.Equal(t, role.Role{Name: "侦察员", Description: "d", Tier: role.Vanguard, Tools: []string{"a"}, SendMessage: true}, got)

	got, err = role.Parse([]byte("---\ndescription: d\nmodel: openai/x\nmodel_tier: Balance\n---\n"), "f")
	require.NoError(t, err)
	require.Equal(t, role.Role{Name: "f", Description: "d", Model: "openai/x", Tier: role.Balance}, got)
}

func TestParse_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"no front matter":                                                "does not begin with front matter",
		"---\nname: a:b\ndescription: d\n---\n":                          `the name "a:b" is none`,
		"---\nname: ../a\ndescription: d\n---\n":                         "is none",
		"---\ndescription: d\ntier: best\n---\n":                         `there is no tier "best"`,
		"---\ndescription: d\ncapabilities: x\n---\n":                    `there is no capability "x"`,
		"---\ndescription: d\ntools: {a: 3}\n---\n":                      "cannot be read",
		"---\nname: a\n---\n":                                            "no description",
		"---\ndescription: d\n---\n" + strings.Repeat("x", role.MaxFile): "more than 65536 bytes",
	} {
		_, err := role.Parse([]byte(file), "f")
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%q", file)
		require.ErrorContains(t, err, want, "%.60q", file)
	}
}

func TestDir_NamesFilesThatAreNoRoles(t *testing.T) {
	t.Parallel()
	roles, broken, err := role.Dir(fstest.MapFS{
		"a.md": {Data: []byte("---\ndescription: d\n---\nbody")}, "b.md": {Data: []byte("nothing")}, "c.txt": {Data: []byte("---\ndescription: d\n---\n")},
	})
	require.NoError(t, err)
	require.Equal(t, []role.Role{{Name: "a", Description: "d", Prompt: "body", From: "a.md"}}, roles)
	require.Len(t, broken, 1)
	require.Equal(t, "b.md", broken[0].File)
}

func TestMerge_TheLastLevelWins(t *testing.T) {
	t.Parallel()
	all := role.Merge(role.Builtin(), []role.Role{{Name: "Explorer", Description: "ours"}}, []role.Role{{Name: "aa"}})
	require.Equal(t, "Explorer", all[0].Name)
	require.Equal(t, "ours", all[0].Description)
	require.Equal(t, "aa", all[1].Name)
	_, ok := role.Find(all, " EXPLORER ")
	require.True(t, ok)
	_, ok = role.Find(all, "none")
	require.False(t, ok)
}

func TestBuiltin_AreWholeAndCannotHandWorkOnWithoutSayingSo(t *testing.T) {
	t.Parallel()
	var names []string
	for _, r := range role.Builtin() {
		names = append(names, r.Name)
		require.NotEmpty(t, r.Prompt, r.Name)
		require.NotEmpty(t, r.Tools, r.Name)
		require.Less(t, len(r.Description), 120, "it stands in every prompt: %s", r.Name)
		require.Less(t, len(r.Prompt), 2000, r.Name)
	}
	require.Equal(t, []string{"coder", "explorer", "memory", "planner", "researcher", "reviewer", "tester"}, names)
}

func FuzzParse(f *testing.F) {
	for _, r := range []string{"---\nname: a\ndescription: d\ntools: [x]\n---\nbody", "---\ndescription: d\ncapabilities: {memory: true}\n---", "---\n---\n", "---\ndescription: &a [*a]\n---"} {
		f.Add([]byte(r))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := role.Parse(file, "file")
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v is no Invalid", err)
			}
			return
		}
		if !role.ValidName(r.Name) || r.Description == "" {
			t.Fatalf("%+v", r)
		}
	})
}
