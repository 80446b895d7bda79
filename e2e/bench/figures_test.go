package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFigures_ReplaceThoseOfThePageAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.md")
	require.NoError(t, os.WriteFile(path, []byte("# Figures\n\nBefore.\n\n"+figuresBegin+"old\n"+figuresEnd+"\nAfter.\n"), 0o644))
	sections := add(nil, "Turns", []figure{{"plain turn p50", 16.04444, "ms", "18"}})
	sections = add(sections, "Memory", []figure{{"idle", 324, "MB", ""}})
	sections = add(sections, "Turns", []figure{{"plain turn p95", 25, "ms", "30"}})
	for range 2 { // the second time over what the first has written
		require.NoError(t, writeFigures(path, "85bc252", sections))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Regexp(t, "(?s)^# Figures\n\nBefore.\n\n"+figuresBegin+"\nCommit `85bc252`, \\d+ cores, one run.\n\n## Turns\n\n.*"+
			"\\| plain turn p50 \\| 16.04 ms \\| 18 \\|\n\\| plain turn p95 \\| 25 ms \\| 30 \\|\n\n## Memory\n\n.*\\| idle \\| 324 MB \\| – \\|\n\n"+
			figuresEnd+"\nAfter.\n$", string(got))
	}
}

func TestFigures_OfAPageWithoutAPlaceForThemAreAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.md")
	require.NoError(t, os.WriteFile(path, []byte("# Figures\n"+figuresEnd), 0o644))
	require.Error(t, writeFigures(path, "85bc252", nil))
}

func TestFigures_ThePageHasAPlaceForThem(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/figures.md")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "figures.md")
	require.NoError(t, os.WriteFile(path, page, 0o644))
	require.NoError(t, writeFigures(path, "85bc252", nil))
}
