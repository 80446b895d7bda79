package window

import (
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// RecallMasked is the tool that returns masked results. The view uses its name for a pair that replaces many.
const RecallMasked = "recall_masked"

// Bounds of the masked results in a view. Older ones are removed from it; they can still be recalled.
const (
	maxMasked      = 200
	maxMaskedBytes = 2 << 20 // size of the masked results
)

const maskMark = "📂 "

// Masked returns a function that reports whether a call has a mask.
func Masked(controls []chat.Control) func(chat.CallID) bool {
	masks := masksOf(controls)
	return func(id chat.CallID) bool {
		_, ok := masks[id]
		return ok
	}
}

func masksOf(controls []chat.Control) map[chat.CallID]chat.Mask {
	masks := map[chat.CallID]chat.Mask{}
	for _, c := range controls {
		if c.Kind != chat.ControlMask {
			continue
		}
		for _, m := range c.Masks {
			masks[m.Call] = m
		}
	}
	return masks
}

// mask replaces results by placeholders, and removes the groups beyond the bounds.
func (f *fold) mask(controls []chat.Control) {
	masks := masksOf(controls)
	if len(masks) == 0 {
		return
	}
	count, bytes, left, oldest := 0, 0, 0, -1
	for i := len(f.lines) - 1; i >= 0; i-- {
		calls := f.lines[i].Message.ToolCalls
		for k := range calls {
			if m, ok := masks[calls[k].ID]; ok && !f.removed[calls[k].ID] {
				calls[k].Result, calls[k].Pictures = m.Text, nil
				f.masks[m.Call] = m
				count, bytes = count+1, bytes+m.Bytes
			}
		}
		if f.hidden(f.lines[i]) && (count > maxMasked || bytes > maxMaskedBytes) {
			left, oldest = left+len(calls), i
			f.leave(&f.lines[i])
		}
	}
	if oldest >= 0 {
		note := fmt.Sprintf("%s%d older results are masked; list shows them all.", maskMark, left)
		f.lines[oldest].Message.ToolCalls = []chat.ToolCall{listing(chat.CallID(fmt.Sprintf("masked.%d", f.lines[oldest].Message.ID)), note)}
	}
}

// hidden reports whether all results of a group are masked.
func (f *fold) hidden(l chat.Line) bool {
	calls := l.Message.ToolCalls
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c chat.ToolCall) bool { _, ok := f.masks[c.ID]; return !ok })
}

// leave removes the calls of a group from the view. The text of the model stays.
func (f *fold) leave(l *chat.Line) {
	l.Message.ToolCalls, l.Opaque = nil, nil
	if strings.TrimSpace(l.Message.Content) == "" {
		l.Message.Content, l.Message.Reasoning = "", ""
	}
}

// collapse merges neighbouring groups of placeholders, and removes the lines that show nothing.
func (f *fold) collapse() {
	out := f.lines[:0] // never ahead of the line that is read
	var run []chat.Line
	flush := func() {
		if len(run) > 0 {
			out = append(out, f.merge(run))
		}
		run = nil
	}
	for _, l := range f.lines {
		m := l.Message
		switch {
		case m.Role == chat.RoleAssistant && plain(m) && len(m.ToolCalls) == 0: // nothing to show
		case plain(m) && f.hidden(l):
			run = append(run, l)
		default:
			flush()
			out = append(out, l)
		}
	}
	flush()
	f.lines = out
}

// merge replaces a run of groups by one pair: a call whose result lists them.
func (f *fold) merge(run []chat.Line) chat.Line {
	var calls []chat.ToolCall
	for _, l := range run {
		calls = append(calls, l.Message.ToolCalls...)
	}
	last := run[len(run)-1]
	if len(calls) == 1 {
		return last
	}
	text := make([]string, 0, len(calls)+1)
	text = append(text, fmt.Sprintf("%sResults of %d earlier calls in %d steps are masked:", maskMark, len(calls), len(run)))
	for _, c := range calls {
		text = append(text, strings.TrimPrefix(f.masks[c.ID].Text, maskMark))
	}
	last.Message.ToolCalls, last.Opaque = []chat.ToolCall{listing(calls[0].ID, strings.Join(text, "\n"))}, nil
	return last
}

// listing returns a pair that lists the masked results in the format of the tool.
func listing(id chat.CallID, result string) chat.ToolCall {
	return chat.ToolCall{
		ID: id, Name: RecallMasked, Class: chat.ClassRead, Arguments: `{"list":true}`, State: chat.CallDone, Result: result,
	}
}
