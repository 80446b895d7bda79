package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/window"
)

// worked makes a turn whose two calls gave these results, and closes it.
func (b *bundle) worked(turn chat.TurnID, results ...chat.ToolResult) {
	b.t.Helper()
	b.working(turn)
	for n, r := range results {
		require.NoError(b.t, b.Calls.FinishCall(b.t.Context(), chat.NewCallID(turn, 0, n), r))
	}
	b.finish(turn, chat.TurnDone)
}

func (b *bundle) window() chat.Window {
	b.t.Helper()
	w, err := b.Conversations.Window(b.t.Context(), key)
	require.NoError(b.t, err)
	return w
}

// hide masks calls, the later ones with a record of their own.
func (b *bundle) hide(calls ...chat.CallID) {
	b.t.Helper()
	for _, id := range calls {
		for _, l := range b.window().Lines {
			for _, c := range l.Message.ToolCalls {
				if c.ID != id {
					continue
				}
				mask := chat.Mask{ID: window.MaskID(id), Message: l.Message.ID, Call: id, Text: "📂 [masked:" + window.MaskID(id) + "] Shell", Bytes: len(c.Result)}
				_, _, err := b.Conversations.AddControl(b.t.Context(), key, chat.Control{Kind: chat.ControlMask, Message: l.Message.ID, Masks: []chat.Mask{mask}})
				require.NoError(b.t, err)
			}
		}
	}
}

func TestMasked_IsTheWholeResultAlsoOfAnOffloadedOne(t *testing.T) {
	b := setup(t)
	whole := strings.Repeat("all of 它\n", 3000)
	b.worked("t1", chat.ToolResult{Content: "📂 a summary", Offload: &chat.Offload{
		ID: "ol_0a1b2c3d4e", Summary: "📂 a summary", Body: whole, Tool: "Shell",
	}}, chat.ToolResult{Content: "as it is\n"})
	one, two := chat.NewCallID("t1", 0, 0), chat.NewCallID("t1", 0, 1)
	b.hide(one, two)

	got, err := b.Conversations.Masked(t.Context(), key, window.MaskID(one))
	require.NoError(t, err)
	require.Equal(t, whole, got)
	got, err = b.Conversations.Masked(t.Context(), key, window.MaskID(two))
	require.NoError(t, err)
	require.Equal(t, "as it is\n", got)
	_, err = b.Conversations.Masked(t.Context(), key, "mk_ffffffffff")
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	masks, err := b.Conversations.Masks(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, []string{"📂 [masked:" + window.MaskID(two) + "] Shell", "📂 [masked:" + window.MaskID(one) + "] Shell"}, masks)
}

func TestMasks_OfWhatWasTakenOutAreNotListed(t *testing.T) {
	b := setup(t)
	b.worked("t1", chat.ToolResult{Content: "one"}, chat.ToolResult{Content: "two"})
	b.worked("t2", chat.ToolResult{Content: "three"}, chat.ToolResult{Content: "four"})
	b.hide(chat.NewCallID("t1", 0, 0), chat.NewCallID("t2", 0, 0))
	second := b.window().Lines[2].Message
	require.Equal(t, chat.RoleUser, second.Role)
	_, err := b.pool.Exec(t.Context(), "UPDATE messages SET rewound_by = 1 WHERE id >= $1", second.ID)
	require.NoError(t, err)
	masks, err := b.Conversations.Masks(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, []string{"📂 [masked:" + window.MaskID(chat.NewCallID("t1", 0, 0)) + "] Shell"}, masks)
}

func TestEdits_AreTheNewestOfOneSession(t *testing.T) {
	b := setup(t)
	b.worked("t1", chat.ToolResult{Content: "one"}, chat.ToolResult{Content: "two"})
	other := chat.SessionKey("agent:main:web:thread:other")
	b.session(other)
	for i, k := range []string{"edit/a", "edit/b", "edit/c"} {
		session := []chat.SessionKey{key, other, key}[i]
		_, added, err := b.Conversations.AddControl(t.Context(), session, chat.Control{
			Kind: chat.ControlEdit, Message: 1, Key: k, Edit: &chat.Edit{Action: chat.EditDelete, Message: 1, Reason: k},
		})
		require.NoError(t, err)
		require.True(t, added)
	}
	edits, err := b.Conversations.Edits(t.Context(), key, 10)
	require.NoError(t, err)
	require.Len(t, edits, 2)
	require.Equal(t, "edit/c", edits[0].Edit.Reason)
	edits, err = b.Conversations.Edits(t.Context(), key, 1)
	require.NoError(t, err)
	require.Len(t, edits, 1)

	c, found, err := b.Conversations.Control(t.Context(), key, "edit/a")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, "edit/a", c.Edit.Reason)
	_, found, err = b.Conversations.Control(t.Context(), key, "edit/b")
	require.NoError(t, err)
	require.False(t, found, "that is another session's")
}

func TestWindow_OfATurnCutInItsMiddleKnowsWhatWasAsked(t *testing.T) {
	b := setup(t)
	b.working("t1")
	for n := range 2 {
		require.NoError(t, b.Calls.FinishCall(t.Context(), chat.NewCallID("t1", 0, n), chat.ToolResult{Content: "r"}))
	}
	_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 1), chat.Answer{Text: "on it", Finish: "stop", Model: "test/m"})
	require.NoError(t, err)
	lines := b.window().Lines
	require.Len(t, lines, 3)
	require.Nil(t, b.window().Asked)

	compact := func(upto chat.MessageID) {
		c, _, err := b.Conversations.AddControl(t.Context(), key, chat.Control{Kind: chat.ControlCompact, Message: upto, Compaction: &chat.Compaction{Summary: "S"}})
		require.NoError(t, err)
		_, err = b.pool.Exec(t.Context(), "UPDATE sessions SET compaction_id = $1 WHERE key = $2", c.ID, key)
		require.NoError(t, err)
	}
	compact(lines[1].Message.ID)
	w := b.window()
	require.Len(t, w.Lines, 1)
	require.Equal(t, "work", w.Asked.Message.Content)
	require.Equal(t, lines[0].Preface, w.Asked.Preface)
	require.Contains(t, window.View(w)[1].Message.Content, "work")

	b.finish("t1", chat.TurnDone)
	b.send("next", "and now?")
	_, ok := b.claim("t2")
	require.True(t, ok)
	compact(lines[2].Message.ID)
	require.Nil(t, b.window().Asked, "it begins with a message of a person")
}
