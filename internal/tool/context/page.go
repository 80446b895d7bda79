package context

import (
	"fmt"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// How much of a recalled text one call shows, in characters.
const (
	defaultPage = 8000
	maxPage     = 16000
)

// page shows the characters of a text from an offset on, exactly as they are, and on a separate line where it continues.
// Pages put together are the text.
func page(text string, offset, limit int) (chat.ToolResult, error) {
	total := utf8.RuneCountInString(text)
	switch {
	case offset < 0 || limit < 0:
		return tool.Fail("offset and limit must not be negative"), nil
	case offset > 0 && offset >= total:
		return tool.Fail("offset %d is behind the end: there are %d characters", offset, total), nil
	case limit == 0:
		limit = defaultPage
	}
	from := skip(text, offset)
	length := skip(text[from:], min(limit, maxPage))
	part := text[from : from+length]
	if from+length == len(text) {
		return tool.Text(part + fmt.Sprintf("\n[characters %d to %d of %d: the end]", offset, total, total)), nil
	}
	next := offset + utf8.RuneCountInString(part)
	return tool.Text(part + fmt.Sprintf("\n[characters %d to %d of %d: go on with offset %d]", offset, next, total, next)), nil
}

// skip returns the bytes that the first n characters of a text take.
func skip(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}
