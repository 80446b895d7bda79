package ingresstest

import (
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// Visitor makes another user, and the session one of the given kind.
func (b *Bundle) Visitor(kind string) users.User {
	b.T.Helper()
	bob, err := b.Users.CreateUser(b.T.Context(), "bob", users.RoleMember)
	require.NoError(b.T, err)
	_, err = b.Pool.Exec(b.T.Context(), `UPDATE sessions SET chat_type = $1 WHERE key = $2`, kind, Key)
	require.NoError(b.T, err)
	return bob
}

// LastAnswer returns the text of the last message of a session.
func (b *Bundle) LastAnswer(key chat.SessionKey) string {
	b.T.Helper()
	messages := b.Transcript(key).Messages
	require.NotEmpty(b.T, messages)
	return messages[len(messages)-1].Content
}
