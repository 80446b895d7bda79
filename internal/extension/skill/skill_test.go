package skill_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/skill"
	"xbot/internal/fault"
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

func TestDescribe_ReadsWhatOthersWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		want skill.Entry
	}{
		"all keys of the format":     {"---\nname: pdf\ndescription: Fills forms.\nlicense: MIT\nallowed-tools: Read Bash(git:*)\nmetadata:\n  version: \"1\"\ncompatibility: any\n---\nx", skill.Entry{Name: "pdf", Description: "Fills forms."}},
		"without front matter":       {"# Ship it\n\nSteps.", skill.Entry{Name: "folder", Description: "Ship it"}},
		"without a description":      {"---\nname: a\n---\n\n## Does this\n", skill.Entry{Name: "a", Description: "Does this"}},
		"a colon that YAML refuses":  {"---\nname: a\ndescription: Use when: asked\n---\n", skill.Entry{Name: "a", Description: "Use when: asked"}},
		"a name of another kind":     {"---\nname: [x]\ndescription: d\n---\n", skill.Entry{Name: "folder", Description: "d"}},
		"a number for a name":        {"---\nname: 7\ndescription: d\n---\n", skill.Entry{Name: "7", Description: "d"}},
		"front matter without end":   {"---\nname: a\n", skill.Entry{Name: "folder", Description: "name: a"}},
		"a name that goes on and on": {"---\nname: " + strings.Repeat("n", 300) + "\ndescription: d\n---\n", skill.Entry{Name: strings.Repeat("n", skill.MaxName), Description: "d"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := skill.Describe([]byte(c.file), "folder")
			require.True(t, ok)
			require.Equal(t, c.want, got)
		})
	}
	_, ok := skill.Describe([]byte("---\n---\n\n"), "folder")
	require.False(t, ok, "a file that says nothing")
}

func FuzzDescribe_NamesAreOneLine(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: b: c\n---\n# d"))
	f.Add([]byte("---\nname: &a [*a]\n---\n\xff\x00"))
	f.Fuzz(func(t *testing.T, head []byte) {
		e, ok := skill.Describe(head, "folder")
		if ok && (e.Name == "" || e.Description == "" || strings.ContainsAny(e.Name, "\n\t") || len([]rune(e.Name)) > skill.MaxName) {
			t.Fatalf("%+q", e)
		}
		front, body := skill.Split(head)
		if !utf8.Valid(front) || !utf8.Valid(body) || bytes.ContainsRune(body, 0) {
			t.Fatalf("%q %q", front, body)
		}
	})
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
