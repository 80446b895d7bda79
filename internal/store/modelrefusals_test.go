package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
)

func refusedTool(name, digest string) chat.RefusedTool {
	return chat.RefusedTool{Model: "p/a", Tool: name, Digest: digest, Reason: "its schema"}
}

// refuse records refused tools in the turn t1, with a notice.
func (b *bundle) refuse(tools ...chat.RefusedTool) bool {
	b.t.Helper()
	added, err := b.ModelRefusals.RecordRefusedTools(b.t.Context(), chat.Step{Session: key, Turn: "t1"}, tools, func(i18n.Lang) string { return "it is refused" })
	require.NoError(b.t, err)
	return added
}

func (b *bundle) refusals(of chat.SessionKey) chat.Refusals {
	b.t.Helper()
	w, err := b.Conversations.Window(b.t.Context(), of)
	require.NoError(b.t, err)
	return w.Refusals
}

func (b *bundle) refusalNotices() (n int) {
	b.t.Helper()
	for _, m := range b.transcript().Messages {
		if m.Role == chat.RoleNotice && m.Content == "it is refused" {
			n++
		}
	}
	return n
}

func TestRecordRefusedTools_NotifiesOncePerDefinition(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	require.True(t, b.refuse(refusedTool("one", "d1")))
	require.False(t, b.refuse(refusedTool("one", "d1")), "as another attempt does")
	require.Equal(t, 1, b.refusalNotices())
	require.True(t, b.refuse(refusedTool("one", "d2"), refusedTool("two", "d1")))
	require.Equal(t, 2, b.refusalNotices())
	known := b.refusals(key)
	require.True(t, known.Refuses("p/a", "one", "d2"))
	require.False(t, known.Refuses("p/a", "one", "d1"), "another definition is offered again")
	require.False(t, known.Refuses("p/b", "one", "d2"), "and it is to another model")
	b.finish("t1", chat.TurnDone)
	require.False(t, b.refuse(refusedTool("three", "d1")), "a turn that has ended has no notices")
	require.Equal(t, 2, b.refusalNotices())
}

func TestRecordRefusedTools_WithoutANoticeSaysNothing(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	added, err := b.ModelRefusals.RecordRefusedTools(t.Context(), chat.Step{Session: key, Turn: "t1"}, []chat.RefusedTool{refusedTool("one", "d1")}, nil)
	require.NoError(t, err)
	require.True(t, added)
	require.Zero(t, b.refusalNotices())
}

func TestRecordRefusedTools_ATurnOfAnotherConversationChangesNothing(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	added, err := b.ModelRefusals.RecordRefusedTools(t.Context(), chat.Step{Session: peerKey, Turn: "t1"}, []chat.RefusedTool{refusedTool("one", "d1")}, nil)
	require.NoError(t, err)
	require.False(t, added)
	require.Empty(t, b.refusals(key).Tools)
}

func TestRecordRefusedRequest_ARefusalOfOneRequestLeavesTheWindow(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	b.exchange("t0", "q0")
	require.NoError(t, b.ModelRefusals.RecordRefusedRequest(ctx, key, chat.RefusedRequest{Model: "p/a", Hash: "h0"}))
	require.Equal(t, chat.RefusedRequest{Model: "p/a", Hash: "h0"}, b.refusals(key).Request("p/a"))
	require.NoError(t, b.ModelRefusals.RecordRefusedRequest(ctx, key, chat.RefusedRequest{Model: "p/a", Window: 8000, Hash: "h1"}))
	require.NoError(t, b.ModelRefusals.RecordRefusedRequest(ctx, key, chat.RefusedRequest{Model: "p/a", Hash: "h2"}))
	require.Equal(t, chat.RefusedRequest{Model: "p/a", Window: 8000, Hash: "h2"}, b.refusals(key).Request("p/a"))
	require.Zero(t, b.refusals(key).Request("p/b"))
	require.NoError(t, b.ModelRefusals.RecordRefusedRequest(ctx, "agent:main:web:thread:gone", chat.RefusedRequest{Model: "p/a", Hash: "h0"}), "it was deleted meanwhile")
}

func TestRefusals_GoWithTheirConversationAndIntoItsCopies(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	b.exchange("t0", "q0")
	b.send("m1", "hello")
	b.claim("t1")
	require.True(t, b.refuse(refusedTool("one", "d1")))
	require.NoError(t, b.ModelRefusals.RecordRefusedRequest(ctx, key, chat.RefusedRequest{Model: "p/a", Window: 8000, Hash: "h1"}))
	b.finish("t1", chat.TurnDone)
	b.fork(conversation.NewFork{Title: "copy"})
	require.Equal(t, b.refusals(key), b.refusals(copyKey))
	_, err := b.pool.Exec(ctx, "DELETE FROM sessions WHERE key = $1", string(copyKey))
	require.NoError(t, err)
	for _, table := range []string{"refused_tools", "refused_requests"} {
		var n int
		require.NoError(t, b.pool.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&n))
		require.Equal(t, 1, n, table)
	}
}
