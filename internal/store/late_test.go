package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestNewestMessage_IsThatOfTheSameChat(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.writes("m1", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"}, "t1")
	b.answers("t1", chat.Answer{Text: "the answer", Finish: "stop"})
	id, _ := b.next()
	newest := func() string {
		t.Helper()
		id, err := b.Deliveries.NewestMessage(t.Context(), chat.Outbound{ID: id})
		require.NoError(t, err)
		return id
	}
	require.Equal(t, "m1", newest())
	b.writes("m2", &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m2"}, "t2")
	require.Equal(t, "m2", newest())
	b.writes("m3", &chat.Address{ChatType: chat.ChatGroup, Chat: "g", Peer: "7", ReplyTo: "m3"}, "t3")
	b.writes("m4", &chat.Address{ChatType: chat.ChatDirect, Peer: "8", ReplyTo: "m4"}, "t4")
	require.Equal(t, "m2", newest(), "what was written elsewhere is no chance")
}
