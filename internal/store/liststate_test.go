package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// listed are the keys of the conversations on shelves.
func (b *bundle) listed(shelves ...chat.ListState) (keys []chat.SessionKey) {
	b.t.Helper()
	found, err := b.Conversations.Sessions(b.t.Context(), b.user.ID, "", 10, shelves...)
	require.NoError(b.t, err)
	for _, s := range found {
		keys = append(keys, s.Key)
	}
	return keys
}

func TestShelf_AMessageBringsAnArchivedConversationBackAndACommandDoesNot(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.Conversations.SetListState(t.Context(), key, chat.Archived))
	require.Empty(t, b.listed())
	require.Equal(t, []chat.SessionKey{key}, b.listed(chat.Archived))
	mine, err := b.Routing.Mine(t.Context(), b.user.ID, 10)
	require.NoError(t, err)
	require.Empty(t, mine, "/session list obeys, too")

	_, err = b.Turns.Command(t.Context(), engine.NewRow{Session: key, User: b.user.ID, Channel: "web", PlatformID: "c1", Text: "/archive"}, func(context.Context) (string, error) { return "Archived.", nil })
	require.NoError(t, err)
	require.Empty(t, b.listed())
	b.send("m1", "hello")
	require.Equal(t, []chat.SessionKey{key}, b.listed())
	require.Empty(t, b.listed(chat.Archived))
	require.True(t, fault.Is(b.Conversations.SetListState(t.Context(), "agent:main:web:thread:none", chat.Archived), fault.NotFound))
}

func TestShelf_OneShotsStayOutOfTheListUntilAPersonMovesThem(t *testing.T) {
	b := setup(t)
	const once = chat.SessionKey("agent:main:cli:thread:once")
	_, err := b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: once, Owner: b.user.ID, Channel: "cli", Shelf: chat.OneShots})
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: once, User: b.user.ID, Channel: "cli", PlatformID: "m1", Text: "hello"})
	require.NoError(t, err)
	require.Equal(t, []chat.SessionKey{key}, b.listed())
	require.Equal(t, []chat.SessionKey{once}, b.listed(chat.OneShots))
	require.Equal(t, []chat.SessionKey{once, key}, b.listed(chat.Listed, chat.Archived, chat.OneShots), "the newest first")
	require.NoError(t, b.Conversations.SetListState(t.Context(), once, chat.Listed))
	require.Equal(t, []chat.SessionKey{once, key}, b.listed())
}
