package groupchat

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of the lines in a member's prompt, in bytes.
const (
	maxLine  = 8_000
	maxLines = 40_000
)

// Chat has the topic, members and limit of a chat.
type Chat struct {
	ID     string
	Topic  string
	Names  []string
	Rounds int // at most
}

// Round returns the round of the next line, from 1.
func (c Chat) Round(lines []Line) int {
	n := 0
	for _, l := range lines {
		if l.Speaker != Moderator {
			n++
		}
	}
	return min(n/len(c.Names)+1, c.Rounds)
}

// Ask returns the prompt for a member that is to speak: the lines that it has not heard, from index heard on.
func (c Chat) Ask(speaker int, lines []Line, heard int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[group chat %s · round %d of %d · you are %s]\nTopic:\n%s\n", c.ID, c.Round(lines), c.Rounds, c.Names[speaker], c.Topic)
	others := make([]string, 0, len(c.Names))
	for n, name := range c.Names {
		if n != speaker {
			others = append(others, "@"+name)
		}
	}
	fmt.Fprintf(&b, "With you: %s. moderator made the chat.\n", strings.Join(others, ", "))
	if news := c.Transcript(unheard(lines, speaker, heard), maxLines); news != "" {
		b.WriteString("\nSince you were told last:\n" + news + "\n")
	}
	b.WriteString("\nSay your part: your answer goes to all as it is. Write @name where somebody is to speak next. With nothing to add answer " + Pass +
		"; when nobody has anything to add, the chat is over.")
	return b.String()
}

func unheard(lines []Line, speaker, heard int) (out []Line) {
	for i, l := range lines {
		if i >= heard && l.Speaker != speaker {
			out = append(out, l)
		}
	}
	return out
}

// Transcript returns lines as an agent reads them, the newest that fit into most bytes.
func (c Chat) Transcript(lines []Line, most int) string {
	parts, left, size := make([]string, 0, len(lines)), 0, 0
	for i, line := range slices.Backward(lines) {
		text := c.show(line)
		if size += len(text) + 1; size > most && len(parts) > 0 {
			left = i + 1
			break
		}
		parts = append(parts, text)
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("[%d earlier lines are left out]", left))
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}

func (c Chat) show(l Line) string {
	name := "moderator"
	if l.Speaker != Moderator {
		name = c.Names[l.Speaker]
	}
	text := l.Text
	switch {
	case l.Failed:
		text = strings.TrimSpace("(could not answer) " + text)
	case l.Passed:
		text = "(nothing to add)"
	}
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + fmt.Sprintf(" [cut: %d bytes in all]", len(l.Text))
	}
	return name + ": " + text
}

// reasons are the texts about ended chats for their creators.
var reasons = map[End]string{
	Rounds: "all rounds are over", Agreed: "nobody had more to add", Failed: "its members could not answer",
	Closed: "it was ended", Budget: "its agents have taken all the tokens that one request may", Gone: "a person has deleted the conversation of a member",
}

// The ends that do not follow from the lines.
const (
	Closed End = "closed"
	Budget End = "budget"
	Gone   End = "gone" // a member was deleted
)

// EndReport returns the report about a chat's end to its creator. whole is the id of the full transcript; empty: the report has all of it.
func (c Chat) EndReport(lines []Line, end End, transcript, whole string) string {
	text := fmt.Sprintf("[group chat %s ended: %s · %d lines]\nTopic: %s\n\n%s", c.ID, reasons[end], len(lines), c.Topic, transcript)
	if whole != "" {
		text += "\n\nAll of it: offload_recall " + whole
	}
	return text
}
