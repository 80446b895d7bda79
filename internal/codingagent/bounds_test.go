package codingagent_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
)

func TestSubject_WritesOutWhatPeopleWouldNotSee(t *testing.T) {
	require.Equal(t, `echo safe\u202e fr- mr`, codingagent.Subject("echo safe\u202e fr- mr"))
	require.Equal(t, `ls \u001b[2K\u001b[1Grm x`, codingagent.Subject("ls \x1b[2K\x1b[1Grm x"))
	require.Equal(t, "a\n\tb", codingagent.Subject("a\n\tb"), "lines stay")
	require.Equal(t, "你好 👨‍👩‍👧", codingagent.Subject("你好 👨‍👩‍👧"), "what is seen stays")
}

func TestComplaint_IsTheLastLineOfStderrThatSaysWhyAProgramEnded(t *testing.T) {
	for _, c := range []struct{ name, stderr, want string }{
		{"nothing", "", ""},
		{"a warning that codex 0.171 writes each time", "WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper binaries\n", ""},
		{"a warning behind the reason", "error: unknown option '--effort'\nWARN: old config\n", "error: unknown option '--effort'"},
		{"colours, as tracing writes them", "\x1b[2m2026-11-30T04:51:22Z\x1b[0m \x1b[31mERROR\x1b[0m codex_core: \x1b[3mstream\x1b[0m failed\n", "2026-11-30T04:51:22Z ERROR codex_core: stream failed"},
		{"a warning of tracing", "\x1b[2m2026-11-30T04:51:22Z\x1b[0m \x1b[33m WARN\x1b[0m codex_core: could not load plugins\n", ""},
		{"a link and a title", "\x1b]0;claude\x07\x1b]8;;https://e.org\x1b\\Error: no key\x1b]8;;\x1b\\\n", "Error: no key"},
		{"a stack of Node.js", "TypeError: x is not a function\n    at failed (/a.js:1:2)\n    at b\n\nNode.js v22.1.0\n", "TypeError: x is not a function"},
		{"a panic of Rust", "thread 'main' panicked at src/main.rs:1:\nlegacy Landlock\nnote: run with RUST_BACKTRACE=1\n", "thread 'main' panicked at src/main.rs:1:"},
		{"progress", "Loading 10%\rLoading 100%\n", ""},
		{"no text", "\xff\xfe\x00", ""},
		{"a deprecation", "(node:1) [DEP0040] DeprecationWarning: The `punycode` module failed\n", ""},
	} {
		require.Equal(t, c.want, codingagent.Complaint([]byte(c.stderr)), c.name)
	}
	long := codingagent.Complaint([]byte("error: " + strings.Repeat("x", 10_000)))
	require.Equal(t, 200, utf8.RuneCountInString(long), "it is bounded")
}

func FuzzComplaint_IsOneBoundedLineThatPeopleSeeInFull(f *testing.F) {
	f.Add([]byte("\x1b[31merror\x1b[0m: x\r\n"))
	f.Add([]byte("\x1b]8;;error"))
	f.Fuzz(func(t *testing.T, stderr []byte) {
		said := codingagent.Complaint(stderr)
		require.LessOrEqual(t, utf8.RuneCountInString(said), 200)
		require.NotContains(t, said, "\x1b")
		require.NotContains(t, said, "\n")
		require.True(t, utf8.ValidString(said))
	})
}

func TestTitle_LeavesOutWhatPeopleDoNotSee(t *testing.T) {
	for _, clean := range []func(string) string{codingagent.Title, codingagent.Paragraph, codingagent.Output} {
		require.Equal(t, "ab", clean("a\x1b[31m\u200b\u202eb\x00"))
	}
}
