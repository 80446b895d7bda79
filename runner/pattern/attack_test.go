package pattern

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

func TestAttack_ExpressionsAreRefusedBeforeTheyAreCompiledLarge(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a repetition of repetitions":     `((a{1000}){1000})`,
		"nested counts within Go's bound": strings.Repeat(`((((x{10}){10}){10})|`, 40) + "y" + strings.Repeat(")", 40),
		"many counts beside each other":   strings.Repeat(`(a{1000})`, 100),
		"optional counts":                 strings.Repeat(`(.{0,1000})`, 100),
		"a text of 1 MB":                  strings.Repeat("a", 1<<20),
		"alternatives of 1 MB":            strings.Repeat("ab|", 1<<18),
		"brackets of 1 MB":                "[" + strings.Repeat("a-z", 1<<18) + "]",
		"deep groups":                     strings.Repeat("(", 5000) + strings.Repeat(")", 5000),
		"deep groups of 1 MB":             strings.Repeat("(", 1<<19) + strings.Repeat(")", 1<<19),
		"a count without an end":          `a{1000000000000000000000}`,
		"a count of the largest number":   `a{9223372036854775807}`,
		"what is no UTF-8":                "\xff\xfe(",
		"an open bracket":                 `[a`,
		"a backreference":                 `(a)\1`,
		"a look ahead":                    `(?=a)b`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CompileExpression(text)
			require.True(t, wire.IsKind(err, wire.Invalid), "%v", err)
			require.Less(t, len(err.Error()), 20_000)
		})
	}
}

func TestAttack_ASearchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	line := bytes.Repeat([]byte("ab"), 1<<19)
	for name, text := range map[string]string{
		"ends of lines":        strings.Repeat(".*", 100) + "=x",
		"counted dots":         `(.{0,100}){10}x`,
		"any letters":          `(\pL{0,1000}\pN{1,1000})+x`,
		"one of two, counted":  `(a|b){1000}x`,
		"everything, twice":    `(?s)(.*)(.*)(.*)z{500}`,
		"folded letters":       `(?i)(abababab){100}k`,
		"a class, repeated":    `([a-z]{1,100}[a-z]{1,100}){5}[0-9]`,
		"nothing, many times":  `(a?){1000}a{1000}x`,
		"words, many at once":  `\b(\w+\b){300}x`,
		"empty alternatives":   `(|a|b|ab){900}y`,
		"an end far away":      `a(.{999})\z x`,
		"alternatives of text": strings.Repeat("(a.|b.c)", 60) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			e, err := CompileExpression(text)
			require.NoError(t, err)
			require.False(t, e.Fits(len(line)), "it is searched at once: %d instructions", e.program)
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			r := &runes{ctx: ended, data: line}
			require.False(t, e.MatchReader(r))
			require.LessOrEqual(t, r.read, lookEvery, "characters read after the end")
			require.False(t, e.Finds(ended, line))
		})
	}
}

func TestExpression_FindsTheSameEitherWay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`b{500}c`, `^a.*z$`, `(?i)Ä{2}`, `\bx\b`, `\xff`, `日本$`, `nothing{300}`} {
		e, err := CompileExpression(text)
		require.NoError(t, err)
		for _, data := range []string{"", "abz", strings.Repeat("b", 500) + "c", "a" + strings.Repeat("日", 3000) + "z", "ää x", "日本", "\xff"} {
			long := e.MatchReader(&runes{ctx: t.Context(), data: []byte(data)})
			require.Equal(t, e.MatchString(data), long, "%s in %.20q", text, data)
		}
	}
}

func TestAttack_Patterns(t *testing.T) {
	deep := strings.Repeat("a/", 2000) + "b"
	for name, text := range map[string]string{
		"stars in a segment":     strings.Repeat("*a", 500) + "b",
		"folders at any depth":   strings.Repeat("**/a/", 200) + "c",
		"alternatives, doubled":  strings.Repeat("{a,b}", 20),
		"alternatives, nested":   strings.Repeat("{a,", 300) + "b" + strings.Repeat("}", 300),
		"braces that hold none":  strings.Repeat("{", 1000),
		"empty braces":           strings.Repeat("{}", 500),
		"an open bracket":        strings.Repeat("[", 1000),
		"a range turned around":  "[z-a]" + strings.Repeat("*", 1000),
		"1 MB":                   strings.Repeat("*", 1<<20),
		"slashes alone":          strings.Repeat("/", 1000),
		"parents":                strings.Repeat("../", 300),
		"escapes":                strings.Repeat(`\*`, 500),
		"what is no UTF-8":       strings.Repeat("\xff*", 400),
		"question marks":         strings.Repeat("?", 1000),
		"commas between nothing": "{" + strings.Repeat(",", 1000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			allocated := testing.AllocsPerRun(1, func() {
				p, err := Compile(text)
				if err != nil {
					require.True(t, wire.IsKind(err, wire.Invalid))
					require.Less(t, len(err.Error()), 2000)
					return
				}
				require.LessOrEqual(t, len(p.alternatives), maxAlternatives)
				p.Match(deep)
				p.MayHold(deep)
				p.Match(strings.Repeat("a", 10_000))
			})
			require.Less(t, allocated, 10_000.0)
		})
	}
}
