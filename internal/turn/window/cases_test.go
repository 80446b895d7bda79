package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// working is a turn with n groups of one call, each with a large result of a file of its own.
func working(n int) []chat.Line {
	lines := []chat.Line{{Message: chat.Message{ID: 1, Turn: "t", Role: chat.RoleUser, Content: "Read them all."}}}
	for i := range n {
		path := fmt.Sprintf("f%d.go", i)
		lines = append(lines, chat.Line{Message: chat.Message{ID: chat.MessageID(2 + i), Turn: "t", Step: i, Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{
			ID: chat.NewCallID("t", i, 0), Name: "Read", Arguments: `{"path":"` + path + `"}`, Summary: path, State: chat.CallDone,
			Result: strings.Repeat("some line\n", 500),
		}}}})
	}
	return lines
}

func masked(t *testing.T, w chat.Window, ratio float64) chat.Window {
	t.Helper()
	masks := window.Mask(window.View(w), window.Masked(w.Controls), ratio, size)
	require.NotEmpty(t, masks)
	w.Controls = append(w.Controls, chat.Control{ID: chat.ControlID(len(w.Controls) + 1), Kind: chat.ControlMask, Masks: masks})
	return w
}

func TestView_CollapsesNeighbouringGroupsIntoOnePair(t *testing.T) {
	w := masked(t, chat.Window{Lines: working(20)}, 0.65)
	view := window.View(w)
	require.Len(t, view, 1+1+12, "the message, one pair for eight groups, the newest twelve")
	require.Len(t, view[1].Message.ToolCalls, 1)
	call := view[1].Message.ToolCalls[0]
	require.Equal(t, window.RecallMasked, call.Name)
	require.Equal(t, chat.MessageID(9), view[1].Message.ID, "a summary of this line covers all that it stands for")
	require.True(t, strings.HasPrefix(call.Result, "📂 Results of 8 earlier calls in 8 steps are masked:\n[masked:"+window.MaskID("t.0.0")+"] Read · f0.go · 5 kB\n"), call.Result)
	require.Contains(t, call.Result, "f7.go")
	require.NotContains(t, call.Result, "f8.go")
}

func TestView_AGroupWithAWordKeepsItsPlaceholder(t *testing.T) {
	lines := working(16)
	lines[2].Message.Content = "Now the second one."
	view := window.View(masked(t, chat.Window{Lines: lines}, 0.65))
	require.Equal(t, "Now the second one.", view[2].Message.Content)
	require.Equal(t, "📂 [masked:"+window.MaskID("t.1.0")+"] Read · f1.go · 5 kB", view[2].Message.ToolCalls[0].Result)
	require.Equal(t, "Read", view[2].Message.ToolCalls[0].Name)
}

func TestView_OldMaskedGroupsLeaveBehindOneLine(t *testing.T) {
	lines := working(250)
	lines[3].Message.Content = "This file matters."
	w := masked(t, chat.Window{Lines: lines}, 0.65)
	require.Len(t, w.Controls[0].Masks, 238)
	view := window.View(w)
	var listed int
	for _, l := range view {
		for _, c := range l.Message.ToolCalls {
			listed += strings.Count(c.Result, "[masked:mk_")
		}
	}
	require.Equal(t, 200, listed)
	require.Equal(t, "📂 38 older results are masked; list shows them all.", view[1].Message.ToolCalls[0].Result)
	require.Equal(t, "This file matters.", view[2].Message.Content, "what the model said stays")
	require.Empty(t, view[2].Message.ToolCalls)
	require.Len(t, view, 1+1+1+1+12)
}

func TestView_WarnsOfAFileThatHasChanged(t *testing.T) {
	w := chat.Window{Lines: working(2), Controls: []chat.Control{
		{ID: 1, Kind: chat.ControlStale, Stale: &chat.Stale{Offload: "ol_0a1b", Call: "t.0.0", Path: "f0.go"}},
		{ID: 2, Kind: chat.ControlStale, Stale: &chat.Stale{Offload: "ol_0a1c", Call: "t.1.0", Path: "f1.go", Missing: true}},
	}}
	view := window.View(w)
	require.Contains(t, view[1].Message.ToolCalls[0].Result, "f0.go has changed since this call read it. Read it again")
	require.Contains(t, view[1].Message.ToolCalls[0].Result, "[offload:ol_0a1b]")
	require.Contains(t, view[2].Message.ToolCalls[0].Result, "f1.go is gone")
}

func TestView_RepeatsTheMessageOfATurnThatIsCutInItsMiddle(t *testing.T) {
	lines := working(9)
	w := chat.Window{
		Compaction: &chat.Control{ID: 7, Message: 5, Compaction: &chat.Compaction{Summary: "S"}},
		Asked:      &lines[0], Lines: lines[5:],
	}
	view := window.View(w)
	require.Contains(t, view[1].Message.Content, "Read them all.")
	require.Zero(t, view[1].Message.ID)
	require.Equal(t, chat.MessageID(6), view[2].Message.ID)
	w.Controls = []chat.Control{{ID: 8, Kind: chat.ControlEdit, Edit: &chat.Edit{Action: chat.EditDeleteTurn, Turn: "t"}}}
	require.Len(t, window.View(w), 1, "with the turn its message goes")
}

func TestView_EditsInTheirOrderUntilTheyAreTakenBack(t *testing.T) {
	lines := working(2)
	edit := func(id chat.ControlID, e chat.Edit) chat.Control {
		return chat.Control{ID: id, Kind: chat.ControlEdit, Edit: &e}
	}
	w := chat.Window{Lines: lines, Controls: []chat.Control{
		edit(1, chat.Edit{Action: chat.EditReplace, Message: 1, Old: `(\w+) them`, New: "$1 not", Regex: true}),
		edit(2, chat.Edit{Action: chat.EditReplace, Message: 1, Old: "not", New: "some of"}),
		edit(3, chat.Edit{Action: chat.EditTruncate, Message: 2, Call: "t.0.0", MaxChars: 9}),
		edit(4, chat.Edit{Action: chat.EditDelete, Message: 3, Call: "t.1.0"}),
	}}
	view := window.View(w)
	require.Equal(t, "Read some of all.", view[0].Message.Content)
	require.Equal(t, "some line [… 4991 characters left out …] ", view[1].Message.ToolCalls[0].Result)
	require.Equal(t, "[result removed from the context]", view[2].Message.ToolCalls[0].Result)
	w.Controls = append(w.Controls, chat.Control{ID: 5, Kind: chat.ControlUndo, Undo: 2}, chat.Control{ID: 6, Kind: chat.ControlUndo, Undo: 4})
	view = window.View(w)
	require.Equal(t, "Read not all.", view[0].Message.Content)
	require.Equal(t, lines[2].Message.ToolCalls[0].Result, view[2].Message.ToolCalls[0].Result)
}

func TestView_ShortensTheArgumentsOfARemovedResult(t *testing.T) {
	lines := working(1)
	call := &lines[1].Message.ToolCalls[0]
	call.Name, call.Arguments = "FileCreate", `{"path":"a.go","content":"`+strings.Repeat("x", 900)+`","n":12345678901234567890}`
	view := window.View(chat.Window{Lines: lines, Controls: []chat.Control{{ID: 1, Kind: chat.ControlEdit, Edit: &chat.Edit{Action: chat.EditDelete, Message: 2, Call: call.ID}}}})
	require.Equal(t, `{"content":"`+strings.Repeat("x", 200)+` [… 700 characters left out …] ","n":12345678901234567890,"path":"a.go"}`,
		view[1].Message.ToolCalls[0].Arguments)
}

func TestMask_LeavesGroupsThatTouchFilesInWork(t *testing.T) {
	lines := working(20)
	last := &lines[len(lines)-1].Message.ToolCalls[0]
	last.Name, last.Arguments = "Shell", `{"command":"cd /src && gofmt -l /src/f0.go ./f2.go; wc -l 'f3.go' | sort > f5.txt"}`
	lines[2].Message.ToolCalls[0].Arguments = `{"path":"gofmt"}`
	var paths []string
	for _, m := range window.Mask(lines, window.Masked(nil), 0.65, size) {
		paths = append(paths, string(m.Call))
	}
	require.Equal(t, []string{"t.1.0", "t.4.0", "t.5.0", "t.6.0", "t.7.0"}, paths)
}

func TestMask_LeavesShortAndOpenResults(t *testing.T) {
	lines := working(20)
	lines[1].Message.ToolCalls[0].Result = strings.Repeat("行", 299)
	lines[2].Message.ToolCalls[0].State = chat.CallRunning
	lines[3].Message.ToolCalls[0].Result = strings.Repeat("行", 300)
	masks := window.Mask(lines, window.Masked(nil), 0.65, size)
	require.Equal(t, chat.CallID("t.2.0"), masks[0].Call)
}

func TestMask_WaitsUntilItIsWorthAChangedPrefix(t *testing.T) {
	w := masked(t, chat.Window{Lines: working(40)}, 0.65)
	w.Lines = working(41)
	again := func(ratio float64) []chat.Mask {
		return window.Mask(window.View(w), window.Masked(w.Controls), ratio, size)
	}
	require.NotEmpty(t, again(0.65), "one result of thirteen")
	w.Lines[0].Message.Content = strings.Repeat("A long story. ", 10_000)
	require.Empty(t, again(0.65), "one small result beside a long story")
	require.NotEmpty(t, again(0.95), "when it is nearly full, anything")
}

func TestCut_CutsALongTurnBetweenItsGroups(t *testing.T) {
	lines := working(20)
	require.Equal(t, 16, window.Cut(lines, 6500, lineSize), "five groups of 1250 and their arguments weigh 6500")
	require.Zero(t, window.Cut(lines, 1_000_000, lineSize))
	require.Equal(t, 20, window.Cut(lines, 0, lineSize), "the newest line stays")
	require.Zero(t, window.Cut(nil, 0, lineSize))
}

func TestPrune_ClearsTheOldestOnlyUntilThereIsRoom(t *testing.T) {
	lines := working(60)
	out, changed := window.Prune(lines, 0.9)
	require.True(t, changed)
	require.Contains(t, out[1].Message.ToolCalls[0].Result, "cleared")
	require.Contains(t, out[57].Message.ToolCalls[0].Result, "the first and last 1500 of 5000 characters")
	require.Equal(t, lines[58:], out[58:], "three answers are protected")
	gentle, _ := window.Prune(lines, 0.4)
	require.Contains(t, gentle[1].Message.ToolCalls[0].Result, "[… shortened")
}

func TestPrune_KeepsTheIdsOfWhatCanBeRecalled(t *testing.T) {
	lines := working(80)
	for i := 1; i < 40; i++ {
		lines[i].Message.ToolCalls[0].Result = "📂 [offload:ol_00" + fmt.Sprint(10+i) + "]\n" + strings.Repeat("x", 3000)
	}
	out, _ := window.Prune(lines, 1)
	require.Equal(t, "📂 [offload:ol_0011]\n[old tool result cleared to save room]", out[1].Message.ToolCalls[0].Result)
}

func TestLoop_CountsTheSameCallsWithTheSameResults(t *testing.T) {
	lines := working(6)
	_, times := window.Loop(lines)
	require.Equal(t, 1, times)
	for i := 3; i <= 6; i++ {
		c := &lines[i].Message.ToolCalls[0]
		c.Arguments, c.Offload = `{"path": "same.go"}`, fmt.Sprintf("ol_%04x", i)
		c.Result = "📂 [offload:" + c.Offload + "] the same"
	}
	lines[6].Message.ToolCalls[0].Arguments = `{"path":"same.go"}`
	call, times := window.Loop(lines)
	require.Equal(t, 4, times)
	require.Equal(t, "Read", call.Name)
	lines[4].Message.ToolCalls[0].IsError = true
	lines[4].Message.ToolCalls[0].Result = "another"
	_, times = window.Loop(lines)
	require.Equal(t, 2, times)
	lines[6].Message.ToolCalls[0].State = chat.CallOpen
	_, times = window.Loop(lines)
	require.Zero(t, times)
	_, times = window.Loop(lines[:1])
	require.Zero(t, times)
}

func TestLimits_LeaveRoomForTheAnswer(t *testing.T) {
	usual := window.Limits{Context: 200_000, Output: 32_768}
	require.Equal(t, 120_000, usual.MaskAt())
	require.Equal(t, 150_000, usual.CompressAt())
	require.InDelta(t, 0.6, usual.Fill(120_000), 1e-9)
	require.InDelta(t, 0.75, usual.Fill(150_000), 1e-9)
	require.InDelta(t, 1, usual.Fill(200_000), 1e-9)

	talkative := window.Limits{Context: 32_000, Output: 16_000}
	require.Equal(t, 16_000, talkative.CompressAt())
	require.Equal(t, 12_800, talkative.MaskAt())
	require.InDelta(t, 0.6, talkative.Fill(12_800), 1e-9, "masking begins where it is to begin")
	require.InDelta(t, 0.3, talkative.Fill(6_400), 1e-9)

	require.Equal(t, 5_000, window.Limits{Context: 10_000, Output: 64_000}.CompressAt())
	require.Equal(t, 90_000, window.Limits{Context: 100_000, MaskShare: 0.5, CompressShare: 0.9}.CompressAt())
	require.Equal(t, 50_000, window.Limits{Context: 100_000, MaskShare: 0.5, CompressShare: 0.9}.MaskAt())
}
