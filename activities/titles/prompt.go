package titles

import (
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

//go:embed prompt.md
var system string

// requestOf builds the call in which a model names a conversation.
func requestOf(s chat.TitleSubject) llm.Request {
	text := material("person", s.Question) + "\n\n" + material("assistant", s.Answer) + "\n\nNow write the title, and nothing else."
	return llm.Request{System: strings.TrimSpace(system), Messages: []llm.Message{{Role: "user", Content: text}}}
}

// material marks a text as what is written about. It cannot end its own mark.
func material(tag, text string) string {
	return "<" + tag + ">\n" + strings.ReplaceAll(text, "</"+tag, "< /"+tag) + "\n</" + tag + ">"
}
