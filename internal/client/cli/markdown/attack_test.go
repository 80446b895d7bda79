package markdown_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/markdown"
)

func TestAttack_AnswersInATerminal(t *testing.T) {
	const size = 50_000
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	for name, answer := range map[string]string{
		"quotes in quotes":             fill(">") + "a",
		"quotes, with later lines":     strings.Repeat(">", size/3) + "a\n" + strings.Repeat("b\n", size/3),
		"lists in lists":               fill("- ") + "a",
		"emphasis that is not closed":  fill("*a **a "),
		"brackets":                     fill("["),
		"links that are not closed":    fill("[a](b"),
		"references to one address":    "[a]: http://" + strings.Repeat("x", size/2) + "\n\n" + strings.Repeat("[a] ", size/8),
		"a table of cells left out":    strings.Repeat("|a", size/8) + "|\n" + strings.Repeat("|-", size/8) + "|\n" + strings.Repeat("|\n", size/4),
		"backticks":                    fill("`a ``b "),
		"HTML that is not closed":      fill("<a "),
		"one word":                     fill("a"),
		"control letters of terminals": fill("\x1b[2J"),
		"letters with many accents":    fill("a\u0300\u0301"),
		"pictures":                     fill("![a](b)"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			var d markdown.Drawer
			runtime.ReadMemStats(&before)
			lines := d.Draw(answer, 80, 120)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30))
			total := 0
			for _, line := range lines {
				require.NotContains(t, line, "\x1b[2J")
				total += len(line)
			}
			require.Less(t, total, 80*size)
		})
	}
}
