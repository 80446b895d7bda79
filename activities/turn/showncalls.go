package turn

import (
	"context"
	"strings"
	"unicode/utf8"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/tool/toolset"
)

// shownCalls are the calls of an answer as users see them while they are written: no more of them than is kept in the end, under the same
// names. Arguments that a hook may change or refuse are not shown before it was asked.
type shownCalls struct {
	to    Stream
	tools *toolset.Set
	hooks hookedTools
	shown map[int]*characters // the arguments of calls
}

func (s *shownCalls) begin(call int, name string) {
	if call >= maxCalls {
		return
	}
	name = s.tools.Name(activities.Clean(name))
	s.to.ToolCall(call, name)
	if !s.hooks.has(name) {
		s.shown[call] = &characters{}
	}
}

func (s *shownCalls) grow(call int, piece string) {
	c := s.shown[call]
	if c == nil {
		return
	}
	if piece = c.next(piece); piece != "" {
		s.to.Arguments(call, piece)
	}
}

// hookedTools knows before calls of which tools hooks are asked. It looks when a model first calls one, and keeps what it has found.
type hookedTools struct {
	ctx   context.Context //nolint:containedctx // it is part of one attempt and ends with it
	files hooks.Files     // nil: there are no hooks
	of    chat.SessionKey
	set   *hook.Set
}

func (h *hookedTools) has(tool string) bool {
	if h.files == nil {
		return false
	}
	if h.set == nil {
		h.set = new(h.files.For(h.ctx, h.of))
	}
	return h.set.MayChange(tool)
}

// characters cleans a text that comes in pieces, as activities.Clean does the whole: a character may be cut anywhere.
type characters struct {
	cut     string // the beginning of a character
	garbled bool   // what came last is no text, and was replaced
}

// next returns what a piece adds to the text.
func (c *characters) next(piece string) string {
	text := c.cut + piece
	c.cut = ""
	var out strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		broken := r == utf8.RuneError && size == 1
		switch {
		case broken && !utf8.FullRuneInString(text):
			c.cut = text
			return out.String()
		case broken && c.garbled:
		case broken:
			out.WriteString("\uFFFD")
		case r != 0:
			out.WriteString(text[:size])
		}
		c.garbled = broken
		text = text[size:]
	}
	return out.String()
}
