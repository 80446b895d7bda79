package prompt

import (
	_ "embed"
	"fmt"
	"strings"

	"xbot/internal/llm"
)

//go:embed compact.md
var compact string

//go:embed flush.md
var flush string

// NoReply is the answer of a model that has nothing to reply.
const NoReply = "NO_REPLY"

// Compact returns the system prompt with which a model summarizes a conversation.
func Compact() string { return strings.TrimSpace(compact) }

// Flush returns the system prompt with which a model saves lasting notes before a conversation is shortened.
func Flush() string { return strings.TrimSpace(flush) }

// Summarize builds the call that turns a part of a conversation into a summary. earlier is the summary of the text before the part, if it is
// not in the transcript itself; chars is the maximum length.
func Summarize(transcript, earlier, focus string, chars int) llm.Request {
	var b strings.Builder
	fmt.Fprintf(&b, "Write the summary in at most %d characters.\n", chars)
	if focus != "" {
		b.WriteString("The person asked to keep this in mind above all: " + focus + "\n")
	}
	if earlier != "" {
		b.WriteString("\nYour summary of what comes before; write one summary of both:\n\n<summary>\n" + earlier + "\n</summary>\n")
	}
	b.WriteString("\n<transcript>\n" + transcript + "\n</transcript>\n\nNow write the summary with its seven headings.")
	return llm.Request{System: Compact(), Messages: []llm.Message{{Role: "user", Content: b.String()}}}
}

// Correct adds to the call an unusable summary, and the reason.
func Correct(r llm.Request, summary, complaint string) llm.Request {
	first := r.Messages[0]
	r.Messages = []llm.Message{first, {Role: "assistant", Content: summary}, {
		Role: "user", Content: "This summary cannot be used: " + complaint + "\nWrite the whole summary again, mended, and nothing else.",
	}}
	return r
}

// Notes builds the call in which a model saves lasting notes about a part of a conversation. remembered is the memory in current prompts; it
// can be empty.
func Notes(transcript, remembered string, tools []llm.Tool) llm.Request {
	if remembered != "" {
		remembered = "<memory>\n" + strings.ReplaceAll(remembered, "</memory>", "</memory >") + "\n</memory>\n\n"
	}
	return llm.Request{
		System: Flush(), Tools: tools,
		Messages: []llm.Message{{Role: "user", Content: remembered + "<conversation>\n" + transcript + "\n</conversation>\n\nSave what is lasting, then answer " + NoReply + "."}},
	}
}
