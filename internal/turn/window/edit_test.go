package window_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// FuzzChange: whatever the model writes as a replacement, the text stays valid, within bounds, and what Go's own
// replacement would make of it.
func FuzzChange(f *testing.F) {
	f.Add("a text of words", "o(.)", "$1$1", true)
	f.Add("aaa", "a*", "b", true)
	f.Add("", "", "x", true)
	f.Add("第一行", "", "${x}", false)
	f.Add("a|b", "|", "$0", true)
	f.Fuzz(func(t *testing.T, text, old, with string, regex bool) {
		if !utf8.ValidString(text) || !utf8.ValidString(old) || !utf8.ValidString(with) {
			return // rows and arguments are valid
		}
		e := chat.Edit{Action: chat.EditReplace, Old: old, New: with, Regex: regex}
		got := window.Change(e, text)
		require.True(t, utf8.ValidString(got))
		require.LessOrEqual(t, len(got), len(text)+64<<10)
		if !regex || got == text {
			return
		}
		require.Equal(t, regexp.MustCompile(old).ReplaceAllString(text, with), got)
	})
}

// FuzzRemovedArguments: arguments that are JSON stay JSON when the result of their call is removed, and grow never.
func FuzzRemovedArguments(f *testing.F) {
	f.Add(`{"path":"a","content":"` + strings.Repeat("<&>", 300) + `"}`)
	f.Add(`[1e999,"` + strings.Repeat("\\u0000", 300) + `"]`)
	f.Add(`{"a":{"b":["` + strings.Repeat("第", 500) + `"]}} {}`)
	f.Add(`{"path":`)
	f.Fuzz(func(t *testing.T, arguments string) {
		lines := working(1)
		lines[1].Message.ToolCalls[0].Arguments = arguments
		edit := &chat.Edit{Action: chat.EditDelete, Message: 2, Call: "t.0.0"}
		got := window.View(chat.Window{Lines: lines, Controls: []chat.Control{{ID: 1, Kind: chat.ControlEdit, Edit: edit}}})[1].Message.ToolCalls[0].Arguments
		require.LessOrEqual(t, len(got), len(arguments))
		require.Equal(t, json.Valid([]byte(arguments)), json.Valid([]byte(got)))
	})
}

func TestChange_LeavesATextThatWouldFillTheContext(t *testing.T) {
	text := strings.Repeat("word ", 10_000)
	big := strings.Repeat("x", 2000)
	for _, e := range []chat.Edit{{Old: "word", New: big}, {Old: "w", New: big, Regex: true}, {Old: "", New: big, Regex: true}, {Old: "x*", New: "y", Regex: true}} {
		e.Action = chat.EditReplace
		require.Equal(t, text, window.Change(e, text))
	}
	require.Equal(t, strings.Repeat("w", 10_000), window.Change(chat.Edit{Action: chat.EditReplace, Old: `(w)\S+\s`, New: "$1", Regex: true}, text))
}
