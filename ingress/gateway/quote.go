package gateway

import (
	"context"
	"strings"

	"xbot/internal/chat"
)

// contextOf returns the text around that of a message for the model: before it the message that it answers, after it the names
// of its files. Only the text itself decides whether it is a command, an answer, or addresses the bot.
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

// dropRecalledQuote leaves out the message that a message answers, if it was taken back.
func (m *inboundRequest) dropRecalledQuote(ctx context.Context) error {
	if m.e.Quote == nil || m.e.Parent == "" {
		return nil
	}
	gone, err := m.Stores.Edits.IsRecalled(ctx, m.amendedKey(m.e.Parent))
	if gone {
		m.e.Quote = nil
	}
	return err
}

// inContext returns a text with its context.
func (m *inboundRequest) inContext(text string) string {
	before, after := contextOf(m.e)
	return strings.TrimSpace(before + text + after)
}
