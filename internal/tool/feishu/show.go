package feishu

import (
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/tokens"
)

// maxList bounds a list that is shown, and maxItem one of it, in bytes.
const (
	maxList = 48 << 10
	maxItem = 8 << 10
)

// Size returns the size of a page: the requested one, at most most.
func Size(asked, usual, most int) int {
	if asked <= 0 {
		return usual
	}
	return min(asked, most)
}

// List shows one page of what others wrote, and how to come by the next.
func List(what string, items []string, next string) chat.ToolResult {
	var out strings.Builder
	for i, item := range items {
		item = tool.Bound(item, maxItem)
		if out.Len()+len(item) > maxList {
			fmt.Fprintf(&out, "[… %s left out: ask for smaller pages …]\n", tool.Count(len(items)-i, "item"))
			break
		}
		out.WriteString(item + "\n")
	}
	if len(items) == 0 {
		out.WriteString("(nothing)\n")
	}
	text := tool.Marked(what, strings.TrimSuffix(out.String(), "\n"))
	if next != "" {
		text += "\nThere is more: page_token=" + tool.OneLine(next, 200)
	}
	return tool.Text(text)
}

// Next returns the token of the next page, empty if there is none.
func Next(more *bool, token *string) string {
	if !True(more) {
		return ""
	}
	return Text(token)
}

// Compact returns a value on one line.
func Compact(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// Part shows so many tokens of a text of others from an offset on, and adds how it continues.
func Part(what, text string, offset, most int) chat.ToolResult {
	if offset < 0 {
		return tool.Fail("offset must not be negative")
	}
	from := tokens.Skip(text, offset)
	if offset > 0 && from == len(text) {
		return tool.Fail("offset %d is behind the end", offset)
	}
	to := tokens.Skip(text, offset+most)
	out := tool.Marked(what, text[from:to])
	if to < len(text) {
		out += fmt.Sprintf("\nThere is more: offset=%d", offset+most)
	}
	return tool.Text(out)
}
