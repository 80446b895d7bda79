package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestModelWanted_ASubagentIsWhereTheConversationAboveAllIs(t *testing.T) {
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `
		UPDATE sessions SET channel = 'qq', chat_type = 'group', scene = 'work', origin = '{"account_id": "ops"}' WHERE key = $1`, key)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		INSERT INTO sessions (key, user_id, channel, chat_type, root) SELECT 'below', user_id, 'subagent', 'subagent', key FROM sessions WHERE key = $1`, key)
	require.NoError(t, err)
	want := chat.Spot{Channel: "qq", Account: "ops", ChatType: chat.ChatGroup, Scene: chat.SceneWork}
	for _, k := range []chat.SessionKey{key, "below"} {
		w, err := b.ModelWanted(t.Context(), k)
		require.NoError(t, err)
		require.Equal(t, want, w.Above, k)
	}
}
