package transcript

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
)

// maxHeading bounds the title made from a conversation, in characters.
const maxHeading = 60

// Heading returns the title of a conversation, or the first words that a user wrote in it.
func (t Transcript) Heading() string {
	if t.Title != "" {
		return t.Title
	}
	for _, m := range t.Messages {
		if m.Role == chat.RoleUser && m.Origin == "" {
			return chat.FirstWords(m.Content, maxHeading)
		}
	}
	return ""
}

// Markdown writes a conversation for users: senders, times and texts, calls with their results in blocks.
func Markdown(w io.Writer, t Transcript) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s\n\n%s, begun %s\n", strings.TrimSpace(t.Heading()), t.ID, t.Created.UTC().Format("2006-01-02 15:04 UTC"))
	for _, m := range t.Messages {
		who := string(m.Role)
		if m.Sender != "" {
			who = m.Sender
		}
		fmt.Fprintf(out, "\n---\n\n**%s** · %s%s\n", who, m.CreatedAt.UTC().Format("2006-01-02 15:04:05"), became(m))
		if m.Content != "" {
			fmt.Fprintf(out, "\n%s\n", m.Content)
		}
		pictures(out, m.Content, m.Pictures)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(out, "\n`%s`\n\n%s\n\n%s\n", c.Name, fenced(c.Arguments), fenced(c.Result))
			pictures(out, c.Result, c.Pictures)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	return nil
}

// pictures names the pictures of a text, unless it does so itself. Their bytes are not written.
func pictures(out io.Writer, text string, shown []chat.PictureRef) {
	for _, p := range shown {
		if p.Path != "" && strings.Contains(text, p.Path) {
			continue
		}
		name := cmp.Or(p.Path, p.Name, "without a name")
		fmt.Fprintf(out, "\n*Picture: %s (%d × %d)*\n", markdown.Escaped(name), p.Width, p.Height) // a failed write fails the last Flush, too
	}
}

// became describes the fate of a message, if it is not the usual one.
func became(m chat.Message) string {
	switch {
	case m.Origin == chat.OriginSuperseded:
		return " · superseded by a newer message"
	case m.Origin == chat.OriginOverheard:
		return " · overheard"
	case m.Silent:
		return " · kept silent"
	case m.Undelivered:
		return " · not delivered"
	}
	return ""
}

// fenced shows a text literally, with any content.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
