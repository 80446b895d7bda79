package permission

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Commands are checked before each call, by rules of users and models.
func TestAttack_CommandsAreReadInBoundedMemory(t *testing.T) {
	for name, text := range map[string]string{
		"parentheses in parentheses": strings.Repeat("(", maxScript-1),
		"substitutions":              strings.Repeat("$(", maxScript/2),
		"substitutions in backticks": strings.Repeat("`", maxScript),
		"arithmetic":                 strings.Repeat("$((", maxScript/3),
		"braces":                     strings.Repeat("{", maxScript),
		"quotes that open":           strings.Repeat("'\"", maxScript/2),
		"pipes":                      strings.Repeat("a|", maxScript/2),
		"and, and":                   strings.Repeat("a&&", maxScript/3),
		"here documents":             strings.Repeat("a<<b\n", maxScript/5),
		"words":                      strings.Repeat("a ", maxScript/2),
		"escapes":                    strings.Repeat(`\`, maxScript),
		"if, and if":                 strings.Repeat("if a;then ", maxScript/10),
		"cases":                      strings.Repeat("case a in b) ", maxScript/13),
		"functions":                  strings.Repeat("f(){ ", maxScript/5),
		"shells in shells":           strings.Repeat("sh -c ", maxScript/6),
		"programs of programs":       strings.Repeat("env ", maxScript/4) + "rm",
		"extended globs":             strings.Repeat("@(a|", maxScript/4),
		"parameters":                 strings.Repeat("${a:-", maxScript/5),
		"one over the bound":         strings.Repeat("a", maxScript+1),
		"1 MB":                       strings.Repeat("a;", 1<<19),
		"what is no UTF-8":           strings.Repeat("\xff", maxScript),
		"letters of no width":        strings.Repeat("\u200b", maxScript/3),
		"comments":                   strings.Repeat("#\n", maxScript/2),
		"redirections":               strings.Repeat(">a ", maxScript/3),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c := readCommand(text)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
			require.LessOrEqual(t, len(c.found), len(text))
		})
	}
}

func TestAttack_PatternsOfNames(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"1 MB":              strings.Repeat("*", 1<<20),
		"one over":          strings.Repeat("a", maxName+1),
		"an open bracket":   "[",
		"an open escape":    `\`,
		"a blank":           "a b",
		"a line break":      "a\nb",
		"a turn of letters": "a\u202eb",
	} {
		require.NotEqual(t, fault.Internal, fault.KindOf(CheckName(text)), name)
		require.Error(t, CheckName(text), name)
	}
	tool := strings.Repeat("a", 10_000)
	for _, text := range []string{strings.Repeat("*a", maxName/2) + "b", strings.Repeat("?", maxName), strings.Repeat("[a-z]", maxName/5), strings.Repeat("*", maxName)} {
		require.Equal(t, strings.Trim(text, "*") == "", means(text, chat.RuleDeny, Call{Tool: tool}), text)
	}
}
