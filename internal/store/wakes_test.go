package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/store"
)

// noted keeps wakes.
type noted struct{ wakes []chat.Wake }

func (n *noted) Wake(wakes ...chat.Wake) { n.wakes = append(n.wakes, wakes...) }

// waking has the store note its wakes.
func (b *bundle) waking() *noted {
	n := &noted{}
	b.Store = store.New(b.pool, store.Options{Wakes: n})
	return n
}

func TestCommitted_WakesWhoFollowsATaskAndTheTurnThatHearsOfItsEnd(t *testing.T) {
	b := setup(t)
	n := b.waking()
	b.send("m1", "go on")
	b.claim("t1")
	step := b.begin("t1", 0)
	call := chat.ToolCall{ID: chat.NewCallID("t1", 0, 0), Name: "Shell", Class: chat.ClassExec, State: chat.CallOpen}
	_, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(t, err)
	require.Empty(t, n.wakes)
	require.NoError(t, b.Calls.FinishCall(t.Context(), call.ID, chat.ToolResult{Background: &chat.Background{Command: "make", StartedAt: time.Now()}}))
	require.Equal(t, []chat.Wake{{Kind: chat.WakeTask, ID: string(call.ID)}}, n.wakes)
	for range 2 {
		_, err = b.Calls.EndTask(t.Context(), call.ID, chat.TaskEnd{State: chat.TaskExited, Ended: time.Now(), Announcement: "it ended"})
		require.NoError(t, err)
	}
	require.Equal(t, chat.Wake{Kind: chat.WakeTurn, ID: string(key), User: b.user.ID, Text: "background task bg1 ended"}, n.wakes[1])
	require.Len(t, n.wakes, 2, "once")
}

func TestCommitted_WakesTheTurnOfAMessageWhoseFilesCame(t *testing.T) {
	b := setup(t)
	n := b.waking()
	in := b.inbound("m1", "look")
	in.To = &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}
	in.Files = []chat.Attachment{{Kind: "file", Key: "k", Name: "a.pdf"}}
	got, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	require.True(t, got.Fetch)
	for range 2 {
		require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
	}
	require.Equal(t, []chat.Wake{{Kind: chat.WakeTurn, ID: string(key), Channel: "web", User: b.user.ID, Text: "files came"}}, n.wakes)
}
