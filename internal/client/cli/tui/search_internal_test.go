package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/history"
)

func TestSearch_FindsWhatWasTypedInOtherSessions(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.m.o.History = history.File{Path: filepath.Join(t.TempDir(), "cli", "history.jsonl")}
	for _, text := range []string{"make the tests green", "explain the build", "make it fast"} {
		require.NoError(t, s.m.o.History.Add(text))
	}
	s.typed("a draft")
	s.ctrl('r')
	s.shows("search: ")
	s.typed("MAKE")
	require.Equal(t, "make it fast", s.m.input.Value())
	s.ctrl('r')
	require.Equal(t, "make the tests green", s.m.input.Value())
	s.ctrl('r')
	s.shows("nothing older with: MAKE")
	s.ctrl('s')
	require.Equal(t, "make it fast", s.m.input.Value())
	s.ctrl('g')
	require.Equal(t, "a draft", s.m.input.Value())
	s.lacks("search:")

	s.ctrl('r')
	s.typed("buildx")
	s.shows("nothing older with: buildx")
	s.typed("", tea.KeyBackspace)
	require.Equal(t, "explain the build", s.m.input.Value())
	s.typed("", tea.KeyTab)
	s.typed(" again", tea.KeyEnter)
	s.shows("you said explain the build again.")

	s.ctrl('r')
	s.typed("fast", tea.KeyEnter)
	s.shows("you said make it fast.")
	kept, err := s.m.o.History.Load()
	require.NoError(t, err)
	require.Equal(t, []string{"make the tests green", "explain the build", "explain the build again", "make it fast"}, kept)

	s.ctrl('r')
	s.ctrl('c') // leaves the search, and nothing else
	require.Nil(t, s.m.search)
	s.typed("", tea.KeyUp)
	require.Equal(t, "make it fast", s.m.input.Value(), "the arrows go on as ever")
}

func TestSearch_KeepsNoSecretsAndNoAnswers(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	path := filepath.Join(t.TempDir(), "cli", "history.jsonl")
	s.m.o.History = history.File{Path: path}
	s.typed("my password: hunter2", tea.KeyEnter)
	s.shows("you said my password")
	s.typed(" between us", tea.KeyEnter)
	s.shows("you said between us")
	_, err := os.Stat(path)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestColumn_ProseIsNarrowTablesAndCodeAreNot(t *testing.T) {
	t.Parallel()
	prose, code, cell := strings.Repeat("word ", 40), strings.Repeat("x", 150), strings.Repeat("cell ", 25)
	source := prose + "\n\n| a | b |\n|---|---|\n| " + cell + " | 2 |\n\n```\n" + code + "\n```\n\n| s | t |\n|---|---|\n| 1 | 2 |\n"
	for _, width := range []int{60, 100, 200} {
		c := newColumn(newTheme(true, true), width)
		lines := c.markdown.Draw(source, c.inner(), c.full())
		widest := map[string]int{}
		for _, line := range lines {
			require.LessOrEqual(t, len([]rune(line)), width-4)
			for _, kind := range []string{"word", "xxxx", "cell"} {
				if strings.Contains(line, kind) {
					widest[kind] = max(widest[kind], len([]rune(strings.TrimRight(line, " "))))
				}
			}
		}
		require.LessOrEqual(t, widest["word"], maxColumn-4, "prose at %d columns", width)
		if width == 200 {
			require.GreaterOrEqual(t, widest["xxxx"], 150, "code at %d columns", width)
			require.Greater(t, widest["cell"], 120, "a table at %d columns", width)
			c.wide = true
			lines = c.markdown.Draw(source, c.inner(), c.full())
			require.Greater(t, len(lines[0]), 150, "who asks for it gets wide prose")
		}
		require.Less(t, len(strings.TrimSpace(lines[len(lines)-1])), 20, "a small table is not stretched")
	}
}
