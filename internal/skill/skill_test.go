package skill_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/skill"
)

func TestParse_ReadsNameAndDescription(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		want skill.Entry
	}{
		"plain":                {"---\nname: deploy\ndescription: Ships it.\n---\nbody", skill.Entry{Name: "deploy", Description: "Ships it."}},
		"without a name":       {"---\ndescription: Ships it.\n---\n", skill.Entry{Name: "folder", Description: "Ships it."}},
		"folded":               {"---\nname: a\ndescription: >\n  one\n  two\n---\n", skill.Entry{Name: "a", Description: "one two"}},
		"quoted, with a colon": {"---\nname: \"a\"\ndescription: 'when: always'\n---", skill.Entry{Name: "a", Description: "when: always"}},
		"more than is asked":   {"---\nname: a\ntags: [x, y]\ndescription: d\nmodel: {tier: swift}\n---\n", skill.Entry{Name: "a", Description: "d"}},
		"Windows":              {"\xef\xbb\xbf---\r\nname: a\r\ndescription: d\r\n---\r\nx", skill.Entry{Name: "a", Description: "d"}},
		"a name of two lines":  {"---\nname: \"a\\n# b\"\ndescription: d\n---\n", skill.Entry{Name: "a # b", Description: "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := skill.Parse([]byte(c.file), "folder")
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestParse_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":                                   "does not begin with front matter",
		"# A skill\n---\nname: a\n---\n":     "does not begin with front matter",
		"---\nname: a\ndescription: d\n":     "does not begin with front matter",
		"---\nname: a\n---\n":                "no description",
		"---\nname: [\n---\n":                "cannot be read",
		"---\nname: {}\ndescription: 1\n---": "cannot be read",
	} {
		_, err := skill.Parse([]byte(file), "folder")
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%q", file)
		require.ErrorContains(t, err, want, "%q", file)
	}
}

func TestDir_ListsSkillsAndPassesOverTheRest(t *testing.T) {
	t.Parallel()
	head := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + name + "\ndescription: d\n---\n" + strings.Repeat("x", 1<<20))}
	}
	root := fstest.MapFS{
		"one/SKILL.md": head("one"), "two/SKILL.md": {Data: []byte("no front matter")}, "three/README.md": head("three"), "SKILL.md": head("top"),
		"deep/er/SKILL.md": head("deeper"),
	}
	got, err := skill.Dir(root)
	require.NoError(t, err)
	require.Equal(t, []skill.Entry{{Name: "one", Description: "d", Path: "one/SKILL.md"}}, got)
}

func FuzzParse_GivesOneLineNamesOrAnError(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: d\n---\n"))
	f.Add([]byte("---\nname: &a [*a]\ndescription: *a\n---\n"))
	f.Add([]byte("---\n\n---"))
	f.Fuzz(func(t *testing.T, head []byte) {
		e, err := skill.Parse(head, "folder")
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v has no kind", err)
			}
			return
		}
		if e.Name == "" || e.Description == "" || strings.ContainsAny(e.Name, "\n\t") || !utf8.ValidString(e.Name+e.Description) {
			t.Fatalf("%+q", e)
		}
	})
}
