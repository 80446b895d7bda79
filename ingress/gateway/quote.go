package gateway

import (
	"strings"

	"xbot/internal/chat"
)

// contextOf is what the model is told beside what somebody wrote: before it what they answer to, behind it the names of their
// files. What they meant (a command, an answer, a prefix that calls the bot) is decided by their own words alone.
func contextOf(e chat.Envelope) (before, after string) {
	if e.Quote != nil && strings.TrimSpace(e.Quote.Text) != "" {
		var b strings.Builder
		for line := range strings.Lines(e.Quote.Text) {
			b.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
		}
		before = b.String() + "\n"
	}
	return before, chat.AttachmentLines(e.Attachments[:min(len(e.Attachments), chat.MaxAttachments)])
}

// inContext is a text with what stands around it.
func (m *inboundRequest) inContext(text string) string {
	before, after := contextOf(m.e)
	return strings.TrimSpace(before + text + after)
}
