package window_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// conversation draws the rows of a conversation: turns of a message, groups, and an answer.
func conversation(t *rapid.T) []chat.Line {
	var lines []chat.Line
	id := chat.MessageID(rapid.Int64Range(1, 1000).Draw(t, "first"))
	add := func(m chat.Message) {
		m.ID = id
		lines = append(lines, chat.Line{Message: m, Opaque: []byte("{}")})
		id += chat.MessageID(rapid.Int64Range(1, 3).Draw(t, "gap"))
	}
	turns := rapid.IntRange(1, 8).Draw(t, "turns")
	if rapid.Bool().Draw(t, "begins with an answer") {
		add(chat.Message{Turn: "t0", Role: chat.RoleAssistant, Content: "I went on."})
	} else {
		add(chat.Message{Turn: "t0", Role: chat.RoleUser, Content: "Begin."})
	}
	for n := range turns {
		turn := chat.TurnID(fmt.Sprintf("t%d", n))
		if n > 0 {
			add(chat.Message{Turn: turn, Role: chat.RoleUser, Content: rapid.StringN(0, 40, -1).Draw(t, "message")})
		}
		for step := range rapid.IntRange(0, 12).Draw(t, "groups") {
			add(group(t, turn, step))
		}
		if n < turns-1 || rapid.Bool().Draw(t, "answered") {
			add(chat.Message{Turn: turn, Role: chat.RoleAssistant, Content: "A" + rapid.StringN(0, 40, -1).Draw(t, "answer")})
		}
		if rapid.IntRange(0, 9).Draw(t, "notice") == 0 {
			add(chat.Message{Turn: turn, Role: chat.RoleNotice, Content: "Stopped."})
		}
	}
	return lines
}

func group(t *rapid.T, turn chat.TurnID, step int) chat.Message {
	m := chat.Message{Turn: turn, Step: step, Role: chat.RoleAssistant}
	if rapid.IntRange(0, 3).Draw(t, "says") == 0 {
		m.Content = rapid.StringN(1, 30, -1).Draw(t, "text")
	}
	for n := range rapid.IntRange(1, 3).Draw(t, "calls") {
		path := rapid.SampledFrom([]string{"a.go", "b.go", "c.go", "d.go", "e.go", "f.go", "g.go", "/w/a.go"}).Draw(t, "path")
		arguments, _ := json.Marshal(map[string]string{"path": path, "content": strings.Repeat("x", rapid.IntRange(0, 400).Draw(t, "long"))})
		m.ToolCalls = append(m.ToolCalls, chat.ToolCall{
			ID: chat.NewCallID(turn, step, n), Name: "Read", Arguments: string(arguments), Summary: path, State: chat.CallDone,
			Result: strings.Repeat("result ", rapid.SampledFrom([]int{0, 3, 60, 500, 2000}).Draw(t, "size")),
		})
	}
	return m
}

// window draws a conversation with control records of all kinds, as the layers would have made them.
func drawWindow(t *rapid.T) chat.Window {
	w := chat.Window{Session: "agent:main:main", Lines: conversation(t)}
	if rapid.Bool().Draw(t, "compacted") {
		w.Compaction = &chat.Control{ID: 1, Kind: chat.ControlCompact, Message: w.Lines[0].Message.ID - 1, Compaction: &chat.Compaction{Summary: "what was"}}
		if w.Lines[0].Message.Role == chat.RoleAssistant {
			w.Asked = &chat.Line{Message: chat.Message{Turn: w.Lines[0].Message.Turn, Role: chat.RoleUser, Content: "the task"}}
		}
	}
	for n := range rapid.IntRange(0, 6).Draw(t, "edits") {
		w.Controls = append(w.Controls, chat.Control{ID: chat.ControlID(10 + n), Kind: chat.ControlEdit, Edit: drawEdit(t, w.Lines)})
	}
	if len(w.Controls) > 0 && rapid.Bool().Draw(t, "undo") {
		w.Controls = append(w.Controls, chat.Control{ID: 20, Kind: chat.ControlUndo, Undo: 10})
	}
	ratio := rapid.Float64Range(0, 1.2).Draw(t, "ratio")
	if masks := window.Mask(window.View(w), window.Masked(w.Controls), ratio, size); len(masks) > 0 {
		w.Controls = append(w.Controls, chat.Control{ID: 30, Kind: chat.ControlMask, Masks: masks})
	}
	return w
}

func drawEdit(t *rapid.T, lines []chat.Line) *chat.Edit {
	l := rapid.SampledFrom(lines).Draw(t, "line").Message
	e := &chat.Edit{
		Action:  rapid.SampledFrom([]string{chat.EditDeleteTurn, chat.EditDelete, chat.EditTruncate, chat.EditReplace}).Draw(t, "action"),
		Message: l.ID, Turn: l.Turn, MaxChars: rapid.IntRange(0, 300).Draw(t, "max"), Old: "res", New: "R", Regex: rapid.Bool().Draw(t, "regex"),
	}
	if len(l.ToolCalls) > 0 && rapid.Bool().Draw(t, "of a call") {
		e.Call = rapid.SampledFrom(l.ToolCalls).Draw(t, "call").ID
	}
	return e
}

// size measures texts as tests need it: four bytes are a token.
func size(text string) int { return (len(text) + 3) / 4 }

func lineSize(l chat.Line) int {
	n := size(l.Message.Content)
	for _, c := range l.Message.ToolCalls {
		n += size(c.Arguments) + size(c.Result)
	}
	return n
}

func total(lines []chat.Line) (n int) {
	for _, l := range lines {
		n += lineSize(l)
	}
	return n
}

// frozen is a copy to compare with.
func frozen(t require.TestingT, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func TestView_TellsAWindowTheSameEachTimeAndLeavesItAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindow(t)
		before := frozen(t, w)
		first := frozen(t, window.View(w))
		require.Equal(t, first, frozen(t, window.View(w)))
		require.Equal(t, before, frozen(t, w))
	})
}

func TestView_KeepsTheOrderAndPairsOfTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindow(t)
		known := map[chat.MessageID]chat.Line{}
		calls := map[chat.CallID]bool{}
		for _, l := range w.Lines {
			known[l.Message.ID] = l
			for _, c := range l.Message.ToolCalls {
				calls[c.ID] = true
			}
		}
		newest, seen := chat.MessageID(0), map[chat.CallID]bool{}
		for i, l := range window.View(w) {
			m := l.Message
			if m.ID == 0 {
				require.Equal(t, chat.RoleUser, m.Role)
				require.Less(t, i, 2, "what has no row comes first")
				continue
			}
			require.Greater(t, m.ID, newest)
			newest = m.ID
			require.Contains(t, known, m.ID)
			require.Equal(t, known[m.ID].Message.Role, m.Role)
			require.NotEqual(t, chat.RoleNotice, m.Role)
			for _, c := range m.ToolCalls {
				require.Equal(t, chat.CallDone, c.State)
				require.False(t, seen[c.ID], "each id once")
				require.True(t, calls[c.ID] || c.Name == window.RecallMasked)
				require.True(t, json.Valid([]byte(c.Arguments)))
				seen[c.ID] = true
			}
		}
	})
}

func TestView_NeverTouchesTheSummary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindow(t)
		view := window.View(w)
		if w.Compaction == nil {
			require.False(t, len(view) > 0 && view[0].Message.ID == 0)
			return
		}
		require.True(t, strings.HasPrefix(view[0].Message.Content, window.CompactedMark))
		require.True(t, strings.HasSuffix(view[0].Message.Content, "what was"))
	})
}

func TestView_IsTheRowsWhereNothingChangesThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := slices.DeleteFunc(conversation(t), func(l chat.Line) bool { return l.Message.Role == chat.RoleNotice })
		require.Equal(t, frozen(t, lines), frozen(t, window.View(chat.Window{Lines: lines})))
	})
}

func TestMask_MasksOnceAndNeverMakesTheViewLarger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := chat.Window{Lines: conversation(t)}
		ratio := rapid.Float64Range(0, 1.2).Draw(t, "ratio")
		before := window.View(w)
		masks := window.Mask(before, window.Masked(w.Controls), ratio, size)
		require.Equal(t, masks, window.Mask(before, window.Masked(w.Controls), ratio, size), "a repeated activity makes the same")
		if ratio < 0.6 {
			require.Empty(t, masks)
		}
		if len(masks) == 0 {
			return
		}
		w.Controls = []chat.Control{{Kind: chat.ControlMask, Masks: masks}}
		after := window.View(w)
		require.Less(t, total(after), total(before))
		require.LessOrEqual(t, len(after), len(before))
		require.Empty(t, window.Mask(after, window.Masked(w.Controls), ratio, size), "what is masked stays masked, the rest stays")
		said := frozen(t, after)
		for _, m := range masks {
			require.Contains(t, said, m.ID, "each id can be seen")
		}
	})
}

func TestMask_KeepsTheNewestGroupsAndFewerTheFullerItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := conversation(t)
		last := -1
		for _, step := range []struct {
			ratio float64
			keep  int
		}{{0.65, 12}, {0.75, 8}, {0.85, 5}, {0.95, 3}} {
			masks := window.Mask(lines, window.Masked(nil), step.ratio, size)
			protected := map[chat.MessageID]bool{}
			for i, kept := len(lines)-1, 0; i >= 0 && kept < step.keep; i-- {
				if len(lines[i].Message.ToolCalls) > 0 {
					protected[lines[i].Message.ID] = true
					kept++
				}
			}
			for _, m := range masks {
				require.False(t, protected[m.Message])
			}
			if len(masks) == 0 {
				continue // it was not worth it
			}
			require.GreaterOrEqual(t, len(masks), last)
			last = len(masks)
		}
	})
}

func TestCut_LeavesWhatFitsAndTheNewestMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindow(t)
		view := window.View(w)
		keep := rapid.IntRange(0, 4000).Draw(t, "keep")
		n := window.Cut(view, keep, lineSize)
		require.GreaterOrEqual(t, n, 0)
		if n == 0 {
			return
		}
		require.Less(t, n, len(view))
		require.NotZero(t, view[n-1].Message.ID, "the summary alone is nothing to summarize")
		tail := view[n:]
		newest := -1
		for i, l := range view {
			if l.Message.Role == chat.RoleUser && l.Message.ID != 0 {
				newest = i
			}
		}
		if len(tail) > 1 {
			require.LessOrEqual(t, total(tail), keep)
		}
		if newest >= 0 && n > newest {
			require.Greater(t, total(view[newest:]), keep, "the running turn is cut only where it must be")
		} else if newest >= 0 {
			require.Equal(t, chat.RoleUser, tail[0].Message.Role, "older turns stay whole")
		}
	})
}

func TestPrune_ShortensOldResultsAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := conversation(t)
		before := frozen(t, lines)
		fill := rapid.Float64Range(0, 1).Draw(t, "fill")
		out, changed := window.Prune(lines, fill)
		require.Equal(t, before, frozen(t, lines), "in memory of the request only")
		require.Equal(t, changed, before != frozen(t, out))
		require.Len(t, out, len(lines))
		require.LessOrEqual(t, total(out), total(lines))
		if fill < 0.3 {
			require.False(t, changed)
		}
		for i := range out {
			for k := range out[i].Message.ToolCalls {
				out[i].Message.ToolCalls[k].Result = lines[i].Message.ToolCalls[k].Result
			}
		}
		require.Equal(t, before, frozen(t, out))
	})
}

func TestView_KeepsItsPrefixAsTheConversationGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindow(t)
		before := window.View(w)
		newest := w.Lines[len(w.Lines)-1].Message
		m := group(t, newest.Turn, 99)
		m.ID = newest.ID + 1
		w.Lines = append(slices.Clone(w.Lines), chat.Line{Message: m})
		after := window.View(w)
		if deletes(w.Controls, newest.Turn) {
			return // the new group is deleted with its turn
		}
		require.Equal(t, frozen(t, before), frozen(t, after[:len(before)]), "a provider's cache needs the same beginning")
		require.Len(t, after, len(before)+1)
	})
}

func deletes(controls []chat.Control, turn chat.TurnID) bool {
	return slices.ContainsFunc(window.Edits(controls), func(c chat.Control) bool { return c.Edit.Action == chat.EditDeleteTurn && c.Edit.Turn == turn })
}

func BenchmarkView(b *testing.B) {
	lines := make([]chat.Line, 0, 6000)
	for i := range 2000 {
		for _, l := range working(2) {
			l.Message.ID += chat.MessageID(3 * i)
			l.Message.Turn = chat.TurnID(fmt.Sprint("t", i))
			for k := range l.Message.ToolCalls {
				l.Message.ToolCalls[k].ID = chat.NewCallID(l.Message.Turn, l.Message.Step, k)
			}
			lines = append(lines, l)
		}
	}
	w := chat.Window{Lines: lines}
	w.Controls = []chat.Control{{Kind: chat.ControlMask, Masks: window.Mask(lines, window.Masked(nil), 0.7, size)}}
	b.ReportAllocs()
	for b.Loop() {
		window.View(w)
	}
}
