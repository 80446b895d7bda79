package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"xbot/internal/chat"
	"xbot/internal/client/cli/markdown"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
)

// Measures of the conversation.
const (
	maxColumn    = 100 // cells; longer lines of prose are hard to read
	runningLines = 3   // of the output of a command that runs
	detailLines  = 40  // of an output that is unfolded; the middle of more is left out
)

// column draws the entries of a story below each other. Entries that have not changed are not drawn again.
type column struct {
	theme   theme
	width   int  // of the terminal
	details bool // outputs and reasoning are unfolded
	wide    bool // prose uses the whole width, too
	now     time.Time

	gallery  *gallery
	markdown markdown.Drawer
	kept     map[*story.Entry]drawnEntry
	took     time.Duration // the last drawing of an answer that is being written
	drewLive time.Time
}

type drawnEntry struct {
	changes int
	lines   []string
}

func newColumn(t theme, width int) *column {
	return &column{theme: t, width: width, kept: map[*story.Entry]drawnEntry{}, markdown: markdown.Drawer{Style: t.markdown}}
}

// forget drops what was drawn, because the look has changed.
func (c *column) forget() {
	c.kept = map[*story.Entry]drawnEntry{}
}

// inner returns the width of prose, which is indented by two.
func (c *column) inner() int {
	if c.wide {
		return c.full()
	}
	return min(c.full(), maxColumn-4)
}

// full returns the width of tables, code and outputs.
func (c *column) full() int { return max(c.width-4, 10) }

// entries returns the lines of a story's entries. running is the turn that is at work, whose commands show how long
// they take and what they print.
func (c *column) entries(s *story.Story, now time.Time) []string {
	c.now = now
	var lines []string
	kept := make(map[*story.Entry]drawnEntry, len(s.Entries))
	for i, entry := range s.Entries {
		if i > 0 && !joined(s.Entries[i-1], entry) {
			lines = append(lines, "")
		}
		d := c.entry(entry)
		kept[entry] = d
		if command := s.Apart(i); command != nil {
			lines = append(lines, c.theme.dim.Render(cut("$ "+text.Command(command.Content), c.inner())))
		}
		lines = append(lines, d.lines...)
	}
	c.kept = kept
	return lines
}

// joined reports whether an entry is directly below another: the tools of one turn read as one list, and the outcome of a message is below it.
func joined(above, entry *story.Entry) bool {
	if entry.Kind == story.Notice && entry.Outcome != "" {
		return above.Inbox == entry.Inbox
	}
	return above.Kind == story.Assistant && entry.Kind == story.Assistant && above.Turn == entry.Turn &&
		len(above.Calls) > 0 && entry.Content == "" && entry.Reasoning == "" && len(entry.Calls) > 0
}

func (c *column) entry(e *story.Entry) drawnEntry {
	old, known := c.kept[e]
	if known && old.changes == e.Changes && !c.moving(e) {
		return old
	}
	if known && e.Live && c.now.Sub(c.drewLive) < 5*c.took {
		return old // drawing takes long here; a part of the time is left for everything else
	}
	began := time.Now()
	d := drawnEntry{changes: e.Changes}
	switch e.Kind {
	case story.Person:
		d.lines = c.drawMessage(e)
	case story.Notice:
		d.lines = c.drawNotice(e)
	default:
		d.lines = c.answer(e)
	}
	d.lines = append(d.lines, c.gallery.lines(e, c.inner())...)
	if foot := foot(e); foot != "" {
		d.lines = append(d.lines, "", "  "+c.theme.dim.Render(foot))
	}
	if e.Live {
		c.took, c.drewLive = time.Since(began), c.now
	}
	return d
}

// moving reports whether an entry shows the time.
func (c *column) moving(e *story.Entry) bool {
	for _, call := range e.Calls {
		if call.State == chat.CallRunning {
			return true
		}
	}
	return false
}

// drawMessage draws a user's message or command, or a message of the product to the model.
func (c *column) drawMessage(e *story.Entry) []string {
	switch e.Origin {
	case chat.OriginCommand:
		return each(c.wrap(e.Content), func(line string) string {
			return c.theme.dim.Render("$ ") + c.theme.bold.Render(strings.TrimPrefix(line, "!"))
		})
	case chat.OriginBackground, chat.OriginCron, chat.OriginHook, chat.OriginSubagent, chat.OriginPeer, chat.OriginHeartbeat:
		first, rest, _ := strings.Cut(e.Content, "\n")
		return c.aside(strings.Trim(text.Line(first), "[]"), rest)
	case chat.OriginOverheard:
		return c.aside(text.Count(text.Listed(e.Content), "message")+" said before", text.After(e.Content))
	case chat.OriginSummarized:
		return c.aside(text.Count(text.Listed(e.Content), "message")+" that no longer fitted in the queue", text.After(e.Content))
	case chat.OriginContinue:
		return []string{"  " + c.theme.dim.Render("asked to go on")}
	}
	lines := c.person(e.Content, stateOf(e))
	if e.Sender != "" {
		lines = append([]string{c.theme.accent.Render("▌ " + cut(text.Line(e.Sender), c.inner()))}, lines...)
	}
	return lines
}

// stateOf returns the state of a message that is no separate question.
func stateOf(e *story.Entry) string {
	switch {
	case e.Origin == chat.OriginSuperseded:
		return "superseded by the next message"
	case e.Taken:
		return "taken in while it worked"
	default:
		return ""
	}
}

// aside draws an entry outside the conversation: one line, and with details the rest.
func (c *column) aside(head, rest string) []string {
	lines := []string{"  " + c.theme.dim.Render(cut("◆ "+head, c.inner()))}
	if c.details {
		lines = append(lines, c.block(rest, "    "+c.theme.dim.Render("│")+" ", c.full()-4)...)
	}
	return lines
}

// person draws a user's message, with its state below if there is one.
func (c *column) person(said, state string) []string {
	lines := each(c.wrap(said), func(line string) string { return c.theme.accent.Render("▌ ") + c.theme.bold.Render(line) })
	if state != "" {
		lines = append(lines, "  "+c.theme.dim.Render(state))
	}
	return lines
}

// drawNotice draws a notice of the product: the answer of a command, a change of the context, or a warning.
func (c *column) drawNotice(e *story.Entry) []string {
	switch e.Origin {
	case chat.OriginCommand:
		return indent(c.markdown.Draw(e.Content, c.inner(), c.full()))
	case chat.OriginContext:
		return []string{c.theme.dim.Render(cut("── "+text.Line(e.Content)+" ──", c.inner()))}
	case chat.OriginReset:
		return []string{c.rule(text.Line(e.Content))}
	}
	if e.Outcome != "" { // it is below the message that it is about
		return indent(paint(c.theme.dim, c.wrap(e.Content)))
	}
	return c.notice(e.Content)
}

// rule draws a line over the whole width, with words in it: the part above is over.
func (c *column) rule(words string) string {
	head := "── " + strings.TrimSuffix(words, ".") + " "
	return c.theme.dim.Render(cut(head+strings.Repeat("─", max(2, c.inner()-ansi.StringWidth(head))), c.inner()))
}

func (c *column) notice(said string) []string {
	mark := "! "
	return each(c.wrap(said), func(line string) string {
		line, mark = mark+line, "  "
		return c.theme.warn.Render(line)
	})
}

// wrap breaks a text into the lines of prose.
func (c *column) wrap(said string) []string {
	return markdown.Wrap(strings.TrimSpace(text.Plain(said)), c.inner())
}

func (c *column) answer(e *story.Entry) []string {
	lines := c.reasoning(e)
	if e.Restarted {
		lines = append(lines, "  "+c.theme.dim.Render("resumed after a restart"))
	}
	if e.Silent {
		return append(lines, "  "+c.theme.dim.Italic(true).Render("(chose not to answer)"))
	}
	said := c.markdown.Draw(e.Content, c.inner(), c.full())
	if e.Undelivered {
		said = append(said, c.theme.warn.Render("not delivered: the send policy keeps answers from this channel"))
	}
	if e.Gap {
		said = append(said, c.theme.dim.Render("…"))
	}
	lines = append(lines, indent(said)...)
	if len(said) > 0 && len(e.Calls) > 0 {
		lines = append(lines, "")
	}
	for _, call := range e.Calls {
		lines = append(lines, c.call(call)...)
	}
	if e.Retry != "" {
		lines = append(lines, indent(paint(c.theme.warn, markdown.Wrap(text.Line(e.Retry), c.inner())))...)
	}
	if e.Unfinished {
		lines = append(lines, "  "+c.theme.dim.Render("(not finished)"))
	}
	return lines
}

func (c *column) reasoning(e *story.Entry) []string {
	thought := strings.TrimSpace(text.Plain(e.Reasoning))
	if thought == "" {
		return nil
	}
	if c.details {
		return append(indent(paint(c.theme.dim.Italic(true), markdown.Wrap(thought, c.inner()))), "")
	}
	if e.Live && e.Content == "" {
		lines := markdown.Wrap(thought, c.inner()-2)
		return []string{"  " + c.theme.dim.Italic(true).Render("∴ "+lines[len(lines)-1])}
	}
	if e.Content == "" && len(e.Calls) > 0 {
		return nil // the list of tools is not torn apart by a line without content
	}
	return []string{"  " + c.theme.dim.Render("∴ reasoning"), ""}
}

// foot returns the quiet line below the last entry of a turn.
func foot(e *story.Entry) string {
	t := e.Ended
	if t == nil {
		return ""
	}
	var parts []string
	if t.State != chat.TurnDone && e.Kind != story.Notice { // a notice has its own words for it
		parts = append(parts, string(t.State))
	}
	if t.Model != "" {
		parts = append(parts, text.Line(t.Model))
	}
	if t.Usage.PromptTokens+t.Usage.CompletionTokens > 0 {
		parts = append(parts, tokens(t.Usage.PromptTokens)+" in, "+tokens(t.Usage.CompletionTokens)+" out")
	}
	if t.EndedAt != nil {
		parts = append(parts, text.Lasted(t.EndedAt.Sub(t.StartedAt)))
	}
	return strings.Join(parts, " · ")
}

// each returns lines that are made of others.
func each(lines []string, draw func(line string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = draw(line)
	}
	return out
}

func paint(style lipgloss.Style, lines []string) []string {
	return each(lines, func(line string) string { return style.Render(line) })
}

// indent moves lines to the right by what the marks of entries take.
func indent(lines []string) []string {
	return each(lines, func(line string) string {
		if line == "" {
			return ""
		}
		return "  " + line
	})
}

// window returns which of n rows are visible where at most some fit, around the chosen one.
func window(chosen, n, most int) (first, end int) {
	first = max(0, min(chosen-most/2, n-most))
	return first, min(first+most, n)
}

// tokens writes a count of tokens: 950, 1.2k, 34k.
func tokens(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	default:
		return fmt.Sprintf("%dk", n/1000)
	}
}

// seconds writes a duration that is still growing.
func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", max(int(d.Seconds()), 0))
	}
	return text.Lasted(d)
}

// spread puts one text at the left and one at the right end of a line; the left one gives way.
func spread(left, right string, width int) string {
	room := width - ansi.StringWidth(right)
	if room < 4 {
		return ansi.Truncate(left, width, "…")
	}
	if right != "" {
		room--
	}
	left = ansi.Truncate(left, room, "…")
	return left + strings.Repeat(" ", max(0, width-ansi.StringWidth(left)-ansi.StringWidth(right))) + right
}

// cut shortens one line to a width.
func cut(line string, width int) string {
	return ansi.Truncate(strings.ReplaceAll(line, "\t", "    "), width, "…")
}
