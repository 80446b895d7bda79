package persona_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/user/persona"
)

const sample = `---
image_refs: [face.png]
output_contract:
  hidden_tags: [Thought, thought]
  reply_will_tag: reply_will
  reply_will_field: will
  motion_tag: <motion>
  suppress_token: "[[SILENT]]"
---

# Who you are

A quiet librarian.
`

func TestParse_ReadsTheFrontMatterAndTheBody(t *testing.T) {
	t.Parallel()
	s, notes := persona.Parse(strings.ReplaceAll(sample, "\n", "\r\n"))
	require.Empty(t, notes)
	require.Equal(t, persona.Soul{
		Body: "# Who you are\n\nA quiet librarian.", ImageRefs: []string{"face.png"},
		Contract: persona.Contract{Tokens: []string{"[[SILENT]]"}, Tags: []string{"thought", "reply_will", "motion"}},
	}, s)
}

func TestParse_NamesWhatItDoesNotUnderstandAndGoesOn(t *testing.T) {
	t.Parallel()
	s, notes := persona.Parse("---\ncolour: red\noutput_contract: {suppress_token: X, volume: 3, hiden_tags: [x], hidden_tags: ['a b'], motion_tag: [m]}\n---\nbody")
	require.Equal(t, "body", s.Body)
	require.Equal(t, []string{"X"}, s.Tokens)
	require.Empty(t, s.Tags)
	require.Equal(t, []string{
		"colour is not known and has no effect; known here: image_refs, output_contract",
		"output_contract.volume is not known and has no effect; known here: hidden_tags, motion_tag, reply_will_field, reply_will_tag, suppress_token",
		"output_contract.hiden_tags is not known and has no effect; did you mean hidden_tags?",
		"output_contract.motion_tag has no effect: a single text is expected",
		`"a b" is no name of a tag and hides nothing`,
	}, notes)
	s, notes = persona.Parse("---\noutput_contract: {hidden_tags: thought, suppress_token: X}\n---\nbody")
	require.Equal(t, []string{"output_contract.hidden_tags has no effect: a list is expected"}, notes)
	require.Equal(t, []string{"X"}, s.Tokens, "what is understood holds")
	require.Equal(t, "body", s.Body)
	_, notes = persona.Parse("---\nonly a line\n---\nbody")
	require.Equal(t, []string{"the front matter is no list of keys with values, so it is taken for a part of the text"}, notes)
	for _, text := range []string{"---\n[broken\n---\nbody", "---\nno: end", "no front matter\n---\n", "----\na: b\n---\n"} {
		s, _ := persona.Parse(text)
		require.Equal(t, strings.TrimSpace(text), s.Body, "%q", text)
		require.Empty(t, s.Tags)
	}
	s, notes = persona.Parse(strings.Repeat("x", persona.MaxBytes+1))
	require.Len(t, s.Body, persona.MaxBytes)
	require.Len(t, notes, 1)
}

func TestLoad_ReadsTextsAndFilesOfTheDataFolderOnly(t *testing.T) {
	t.Parallel()
	home, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, "souls"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "souls", "SOUL.md"), []byte(sample), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(home, "link.md")))
	for _, setting := range []string{"souls/SOUL.md", filepath.Join(home, "souls", "SOUL.md"), sample} {
		s, _, err := persona.Load(home, setting)
		require.NoError(t, err)
		require.Contains(t, s.Body, "librarian")
	}
	_, _, err := persona.Load(home, "missing.md")
	require.True(t, fault.Is(err, fault.NotFound))
	for _, setting := range []string{"../" + filepath.Base(outside) + "/secret", filepath.Join(outside, "secret"), "link.md", "souls"} {
		s, _, err := persona.Load(home, setting)
		require.Error(t, err, setting)
		require.Empty(t, s.Body)
	}
	s, _, err := persona.Load(home, "")
	require.NoError(t, err)
	require.Empty(t, s.Body)
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("---\n---\n")
	f.Add("---\na: &a [*a]\n---")
	f.Fuzz(func(t *testing.T, text string) {
		s, _ := persona.Parse(text)
		if len(s.Body) > persona.MaxBytes*3 {
			t.Fatal("longer than it may be")
		}
		_, _ = s.Show(text)
	})
}
