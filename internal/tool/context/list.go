package context

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/window"
)

// What one list shows.
const (
	maxLines   = 100 // messages
	maxLargest = 5
	maxEdits   = 20
	fewChars   = 1000 // what has fewer is not among the largest
	lineWords  = 60   // characters of a text
)

// list shows the messages that edits can name, from the target on, the largest parts of all, and the edits that were made.
func (e edit) list(ctx context.Context, call tool.Call, w chat.Window, p editParams) (chat.ToolResult, error) {
	edits, err := e.records.Edits(ctx, call.Session, maxAudit)
	if err != nil {
		return tool.FromError(err)
	}
	lines := window.Editable(w)
	from := 0
	if p.Target != "" {
		m, _, err := find(w, p.Target)
		if err != nil {
			return tool.FromError(err)
		}
		from = slices.IndexFunc(lines, func(l chat.Line) bool { return l.Message.ID == m.ID })
	}
	var out []string
	if w.Compaction != nil {
		out = append(out, "summary of what came before (protected)")
	}
	out = append(out, listed(lines, from)...)
	if end := from + maxLines; end < len(lines) {
		out = append(out, fmt.Sprintf("(%d more; list with target m%d goes on)", len(lines)-end, lines[end].Message.ID))
	}
	out = append(out, largest(lines)...)
	out = append(out, audit(edits)...)
	return tool.Text(strings.Join(out, "\n")), nil
}

// listed describes lines, each with its results below it. Sizes are characters as the model sees them.
func listed(lines []chat.Line, from int) []string {
	var out []string
	turn := chat.TurnID("")
	for i, l := range lines {
		if i < from || i >= from+maxLines {
			continue
		}
		m := l.Message
		if m.Turn != turn {
			out, turn = append(out, "turn:"), m.Turn
		}
		note := ""
		if window.Protected(lines, i) {
			note = " (protected)"
		}
		out = append(out, fmt.Sprintf("  m%d %s %d%s %s", m.ID, m.Role, window.Weight(l), note, tool.OneLine(m.Content, lineWords)))
		for n, c := range m.ToolCalls {
			out = append(out, fmt.Sprintf("    m%d.%d %d %s", m.ID, n+1, window.CallWeight(c), subject(c)))
		}
	}
	return out
}

func subject(c chat.ToolCall) string {
	if strings.HasPrefix(c.Result, "📂 ") {
		head, _, _ := strings.Cut(c.Result, "\n")
		return tool.OneLine(head, 2*lineWords)
	}
	return strings.TrimSpace(c.Name + " " + tool.OneLine(c.Summary, lineWords))
}

// largest names the parts that take most space.
func largest(lines []chat.Line) []string {
	type part struct {
		name string
		size int
	}
	var parts []part
	for i, l := range lines {
		if window.Protected(lines, i) {
			continue
		}
		for n, c := range l.Message.ToolCalls {
			parts = append(parts, part{fmt.Sprintf("m%d.%d", l.Message.ID, n+1), window.CallWeight(c)})
		}
		l.Message.ToolCalls = nil
		parts = append(parts, part{fmt.Sprintf("m%d", l.Message.ID), window.Weight(l)})
	}
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.size < fewChars })
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.size, a.size) })
	if len(parts) == 0 {
		return nil
	}
	names := make([]string, 0, maxLargest)
	for _, p := range parts[:min(len(parts), maxLargest)] {
		names = append(names, fmt.Sprintf("%s (%d)", p.name, p.size))
	}
	return []string{"largest: " + strings.Join(names, ", ")}
}

// audit lists the edits that were made, newest first, and marks those that were undone.
func audit(edits []chat.Control) []string {
	undone := undone(edits)
	edits = slices.DeleteFunc(slices.Clone(edits), func(c chat.Control) bool { return c.Kind != chat.ControlEdit })
	if len(edits) == 0 {
		return nil
	}
	out := []string{"edits, newest first:"}
	for _, c := range edits[:min(len(edits), maxEdits)] {
		text := fmt.Sprintf("  e%d %s", c.ID, describe(c))
		if undone[c.ID] {
			text += " (undone)"
		}
		if c.Edit.Reason != "" {
			text += ": " + c.Edit.Reason
		}
		out = append(out, text)
	}
	return out
}

// describe returns what an edit does.
func describe(c chat.Control) string {
	e := c.Edit
	name := fmt.Sprintf("m%d", c.Message)
	if _, _, n, ok := e.Call.Split(); ok {
		name += fmt.Sprintf(".%d", n+1)
	}
	switch e.Action {
	case chat.EditDeleteTurn:
		return "delete_turn of the turn up to " + name
	case chat.EditTruncate:
		return fmt.Sprintf("truncate %s to %d", name, e.MaxChars)
	case chat.EditReplace:
		return fmt.Sprintf("replace %q in %s", tool.OneLine(e.Old, lineWords), name)
	}
	return e.Action + " " + name
}
