package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxFile is the limit of one file in a prompt, in characters.
const maxFile = 20_000

// maxFileBytes is the number of bytes of a file that are read for that limit.
const maxFileBytes = maxFile * utf8.UTFMax

// clean makes text storable: valid UTF-8 without NUL.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// capped returns the text up to a number of characters, with a line that reports the cut. total is the size of the whole in bytes, which may
// be more than the read part.
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
