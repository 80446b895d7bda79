package window

import (
	"slices"
	"strings"

	"xbot/internal/chat"
)

// CompactedMark begins the line that holds the summary of a compaction.
const CompactedMark = "[Compacted context]"

const (
	compactedNote = " What was said and done before, in short. What stands behind an id (ol_…, mk_…) can be recalled.\n\n"
	askedNote     = "[The message that this turn answers, repeated]\n"
	maxAsked      = 8000 // runes of a message that is repeated; the summary covers the rest
)

// View returns the conversation as the model sees it. Lines without a row have the message id 0: the summary, which comes first, and the
// message of a turn in the middle of which the window begins. A line that replaces several has the id of the newest.
func View(w chat.Window) []chat.Line {
	f := newFold(w)
	f.edit(w.Controls)
	f.warn(w.Controls)
	f.mask(w.Controls)
	opening := f.opening(w)
	f.collapse()
	if len(opening) == 0 {
		return f.lines // a long conversation has many of them
	}
	return append(opening, f.lines...)
}

// fold is a view under construction. It owns its lines and their calls.
type fold struct {
	lines   []chat.Line
	removed map[chat.CallID]bool // results that an edit removed: other layers skip them
	masks   map[chat.CallID]chat.Mask
}

func newFold(w chat.Window) *fold {
	f := &fold{lines: make([]chat.Line, 0, len(w.Lines)), removed: map[chat.CallID]bool{}, masks: map[chat.CallID]chat.Mask{}}
	for _, l := range w.Lines {
		if l.Message.Role == chat.RoleNotice {
			continue // notices are for users
		}
		l.Message.ToolCalls = slices.Clone(l.Message.ToolCalls)
		f.lines = append(f.lines, l)
	}
	return f
}

// opening returns the summary and the lines that belong to it.
func (f *fold) opening(w chat.Window) []chat.Line {
	if w.Compaction == nil || w.Compaction.Compaction == nil {
		return nil
	}
	said := CompactedMark + compactedNote + w.Compaction.Compaction.Summary
	out := []chat.Line{{Message: chat.Message{Session: w.Session, Role: chat.RoleUser, Content: said}}}
	if w.Asked == nil || !f.holds(w.Asked.Message.Turn) {
		return out
	}
	asked := *w.Asked
	asked.Message.ID = 0
	asked.Message.Content = askedNote + ends(asked.Message.Content, maxAsked/2, maxAsked/2)
	return append(out, asked)
}

// holds reports whether the view has a line of a turn.
func (f *fold) holds(turn chat.TurnID) bool {
	return slices.ContainsFunc(f.lines, func(l chat.Line) bool { return l.Message.Turn == turn })
}

// warn replaces results that show an outdated state of a file.
func (f *fold) warn(controls []chat.Control) {
	stale := map[chat.CallID]chat.Stale{}
	for _, c := range controls {
		if c.Kind == chat.ControlStale && c.Stale != nil {
			stale[c.Stale.Call] = *c.Stale
		}
	}
	if len(stale) == 0 {
		return
	}
	for _, l := range f.lines {
		for i := range l.Message.ToolCalls {
			call := &l.Message.ToolCalls[i]
			if s, ok := stale[call.ID]; ok && !f.removed[call.ID] {
				call.Result, call.Pictures = warning(s), nil
			}
		}
	}
}

func warning(s chat.Stale) string {
	if s.Missing {
		return "⚠️ STALE [offload:" + s.Offload + "] " + s.Path + " is gone since this call read it. What it was then can be recalled with the id."
	}
	return "⚠️ STALE [offload:" + s.Offload + "] " + s.Path + " has changed since this call read it. Read it again before you rely on it."
}

// ends returns the first and the last runes of a text with the number of omitted runes between them. A text that would not get shorter is
// returned unchanged.
func ends(text string, head, tail int) string {
	if len(text) <= head+tail {
		return text
	}
	runes := []rune(text)
	left := len(runes) - head - tail
	if left <= 0 {
		return text
	}
	short := string(runes[:head]) + leftOut(left) + string(runes[len(runes)-tail:])
	if len(short) >= len(text) {
		return text
	}
	return short
}

// plain reports whether a message of the model has only calls.
func plain(m chat.Message) bool {
	return strings.TrimSpace(m.Content) == "" && strings.TrimSpace(m.Reasoning) == ""
}
