package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxFile is how much of one file a prompt takes, in characters.
const maxFile = 20_000

// maxFileBytes is how many bytes of a file are read to have that much.
const maxFileBytes = maxFile * utf8.UTFMax

// clean makes text storable: valid UTF-8 without NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// capped is the text up to a number of characters, with a line that says so where it is cut. total is the size of the
// whole in bytes, which may be more than what was read.
func capped(text string, limit int, total int64) string {
	text = strings.TrimSpace(clean(text))
	end, n := len(text), 0
	for i := range text {
		if n == limit {
			end = i
			break
		}
		n++
	}
	if end == len(text) && total <= maxFileBytes {
		return text
	}
	return fmt.Sprintf("%s\n[TRUNCATED: the first %d characters of %d bytes]", text[:end], limit, total)
}
