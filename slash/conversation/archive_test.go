package conversation_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/conversation"
)

type shelves map[chat.SessionKey]chat.ListState

func (s shelves) SetListState(_ context.Context, key chat.SessionKey, shelf chat.ListState) error {
	s[key] = shelf
	return nil
}

func TestArchive_PutsAwayAndBringsBack(t *testing.T) {
	on := shelves{}
	archive := conversation.Archive{Sessions: on}
	for _, c := range []struct {
		args, says string
		shelf      chat.ListState
	}{{"", "brings it back", chat.Archived}, {"OFF", "in the list again", chat.Listed}} {
		said, err := archive.Run(t.Context(), slashcommand.Request{Session: "k"}, c.args)
		require.NoError(t, err)
		require.Contains(t, said, c.says)
		require.Equal(t, shelves{"k": c.shelf}, on)
	}
	_, err := archive.Run(t.Context(), slashcommand.Request{Session: "k"}, "everything")
	require.True(t, fault.Is(err, fault.Invalid))
	require.Equal(t, shelves{"k": chat.Listed}, on)
}
