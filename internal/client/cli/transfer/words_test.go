package transfer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/transfer"
)

func TestWords_SplitsAsAShellDoes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"":                         nil,
		"  a  b ":                  {"a", "b"},
		`"a b" c`:                  {"a b", "c"},
		`'a "b' c`:                 {`a "b`, "c"},
		`a\ b c`:                   {"a b", "c"},
		`say" it"`:                 {"say it"},
		`"" x`:                     {"", "x"},
		`"open to the end`:         {"open to the end"},
		"\u6587\u4ef6.txt\tto.txt": {"\u6587\u4ef6.txt", "to.txt"},
	} {
		require.Equal(t, want, transfer.Words(args), args)
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`a "b c" \d 'e`)
	f.Fuzz(func(t *testing.T, args string) {
		for _, word := range transfer.Words(args) {
			if len(word) > len(args)*3 { // a byte that is no text becomes the three of U+FFFD
				t.Fatalf("%q has the word %q", args, word)
			}
		}
	})
}
