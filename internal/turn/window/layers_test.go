package window_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// layers is a conversation that is kept within its budget as the product does it, with a summary of a fixed size.
type layers struct {
	t      *rapid.T
	w      chat.Window
	limits window.Limits
	next   chat.ControlID
	masks  int
	cuts   int
}

func (l *layers) view() []chat.Line { return window.View(l.w) }

func (l *layers) add(c chat.Control) {
	l.next++
	c.ID = l.next
	l.w.Controls = append(l.w.Controls, c)
}

// say appends a row and has the layers do their work before the next request.
func (l *layers) say(m chat.Message) {
	l.w.Lines = append(slices.Clone(l.w.Lines), chat.Line{Message: m})
	used := total(l.view())
	if used >= l.limits.MaskAt() {
		if masks := window.Mask(l.view(), window.Masked(l.w.Controls), l.limits.Fill(used), size); len(masks) > 0 {
			l.masks += len(masks)
			l.add(chat.Control{Kind: chat.ControlMask, Masks: masks})
		}
	}
	if total(l.view()) >= l.limits.CompressAt() {
		l.compress()
	}
}

func (l *layers) compress() {
	view := l.view()
	n := window.Cut(view, l.limits.Context/5, lineSize)
	require.Positive(l.t, n, "there is something to summarize")
	l.cuts++
	l.next++
	l.w = window.After(l.w, chat.Control{
		ID: l.next, Kind: chat.ControlCompact, Message: view[n-1].Message.ID, Compaction: &chat.Compaction{Summary: strings.Repeat("s", 800)},
	})
}

func TestLayers_KeepAConversationOfAnyLengthWithinItsBudget(t *testing.T) {
	masks, cuts := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := &layers{t: t, limits: window.Limits{Context: 16_000, Output: 2000}}
		id := chat.MessageID(0)
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			id++
			turn := chat.TurnID(fmt.Sprint("t", id))
			l.say(chat.Message{ID: id, Turn: turn, Role: chat.RoleUser, Content: strings.Repeat("m", rapid.IntRange(1, 3000).Draw(t, "message"))})
			for step := range rapid.IntRange(0, 40).Draw(t, "groups") {
				id++
				m := group(t, turn, step)
				for i := range m.ToolCalls {
					m.ToolCalls[i].Result = m.ToolCalls[i].Result[:min(len(m.ToolCalls[i].Result), 3500)]
				}
				m.ID = id
				l.say(m)
				require.Less(t, total(l.view()), l.limits.CompressAt())
				require.Equal(t, m.ID, l.view()[len(l.view())-1].Message.ID, "the newest is there")
				require.True(t, slices.ContainsFunc(l.view(), func(v chat.Line) bool {
					return v.Message.Role == chat.RoleUser && v.Message.Turn == turn
				}), "what was asked is there")
			}
			id++
			l.say(chat.Message{ID: id, Turn: turn, Role: chat.RoleAssistant, Content: "Done."})
			require.Less(t, total(l.view()), l.limits.CompressAt())
		}
		masks, cuts = masks+l.masks, cuts+l.cuts
	})
	require.Positive(t, masks)
	require.Positive(t, cuts)
}
