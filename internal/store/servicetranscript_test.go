package store_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/user/users"
)

// saidIn adds a message to a conversation of a consumer: one of theirs, or of the agent.
func (b *bundle) saidIn(c service.Conversation, role chat.Role, origin, text string) (id chat.MessageID) {
	b.t.Helper()
	var inbox *int64
	if role == chat.RoleUser && origin == "" {
		require.NoError(b.t, b.pool.QueryRow(b.t.Context(), `INSERT INTO inbox (session_key, user_id, kind, channel, platform_id, body, outcome)
			VALUES ($1, $2, 'message', 'svc', gen_random_uuid()::text, $3, 'claimed') RETURNING id`, c.Session, c.User, text).Scan(&inbox))
	}
	require.NoError(b.t, b.pool.QueryRow(b.t.Context(), `INSERT INTO messages (session_key, role, origin, content, inbox_id) VALUES ($1, $2, $3, $4, $5) RETURNING id`,
		c.Session, role, origin, text, inbox).Scan(&id))
	return id
}

// compress has the model of a conversation see nothing up to a message any more.
func (b *bundle) compress(c service.Conversation, upTo chat.MessageID) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), `WITH c AS (INSERT INTO controls (session_key, kind, message_id, body) VALUES ($1, 'compact', $2, '{}') RETURNING id)
		UPDATE sessions SET compaction_id = c.id FROM c WHERE key = $1`, c.Session, upTo)
	require.NoError(b.t, err)
}

func whoSaid(said []service.TranscriptEntry) (out []string) {
	for _, m := range said {
		out = append(out, m.Who()+": "+m.Text)
	}
	return out
}

func TestServiceSaid_IsOfOneConversationAsItsConsumerSeesIt(t *testing.T) {
	b := setup(t)
	c := b.consumer()
	other := b.beginWith(b.caller(b.key(service.Service{ID: c.Service})))
	b.saidIn(other, chat.RoleUser, "", "of another consumer")
	b.saidIn(c, chat.RoleUser, "", "my boat is red")
	b.saidIn(c, chat.RoleUser, chat.OriginCron, "[System Instruction - From Admin] tell them the news")
	b.saidIn(c, chat.RoleNotice, "", "a notice")
	last := b.saidIn(c, chat.RoleAssistant, "", "a fine boat")
	b.saidIn(c, chat.RoleAssistant, chat.OriginPerson, "says a person")
	read := func(q service.TranscriptQuery) []string {
		said, err := b.Services.ConsumerTranscript(t.Context(), c.Session, q)
		require.NoError(t, err)
		return whoSaid(said)
	}
	require.Equal(t, []string{"user (api): my boat is red", "assistant: a fine boat", "assistant (person): says a person"}, read(service.TranscriptQuery{N: 10}))
	require.Equal(t, []string{"user (api): my boat is red"}, read(service.TranscriptQuery{N: 10, Before: last}))
	require.Equal(t, []string{"assistant (person): says a person"}, read(service.TranscriptQuery{N: 1}))
	require.Empty(t, read(service.TranscriptQuery{N: 10, Unseen: true}), "the model sees all of it")
	b.compress(c, last)
	require.Equal(t, []string{"user (api): my boat is red", "assistant: a fine boat"}, read(service.TranscriptQuery{N: 10, Unseen: true}))
	said, err := b.Services.ConsumerTranscript(t.Context(), key, service.TranscriptQuery{N: 10})
	require.NoError(t, err)
	require.Empty(t, said, "a session of the house")
}

func TestServiceSaid_AnAdministratorReadsWhatIsOfTheirServicesAndNobodyElseDoes(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	c := b.consumer()
	b.saidIn(c, chat.RoleUser, "", "my boat is red")
	_, err := b.contact(c, "t1.0.0", "He wants a blue one.")
	require.NoError(t, err)
	second, err := b.Users.CreateUser(ctx, "second", users.RoleAdmin)
	require.NoError(t, err)
	member, err := b.Users.CreateUser(ctx, "member", users.RoleMember)
	require.NoError(t, err)
	// found counts what a user gets by all ways.
	found := func(user chat.UserID) string {
		list, err := b.Services.ConversationsOfAdmin(ctx, user, service.ListQuery{N: 10})
		require.NoError(t, err)
		items, err := b.Services.ItemsOfAdmin(ctx, user, "", 10)
		require.NoError(t, err)
		said, err := b.Services.AdminTranscript(ctx, user, c.ID, service.TranscriptQuery{N: 10})
		if len(said) == 0 {
			require.Equal(t, fault.NotFound, b.kind(err))
		}
		return fmt.Sprint(len(list), len(items), len(said))
	}
	require.Equal(t, "1 1 1", found(b.user.ID))
	for _, user := range []chat.UserID{second.ID, member.ID, c.User, 0} {
		require.Equal(t, "0 0 0", found(user), user)
	}
	for _, role := range []string{"role = 'member'", "role = 'admin', disabled_at = now()"} {
		_, err = b.pool.Exec(ctx, "UPDATE users SET "+role+" WHERE id = $1", b.user.ID)
		require.NoError(t, err)
		require.Equal(t, "0 0 0", found(b.user.ID), role)
	}
	_, err = b.pool.Exec(ctx, "UPDATE users SET disabled_at = NULL WHERE id = $1", b.user.ID)
	require.NoError(t, err)
	require.Equal(t, "1 1 1", found(b.user.ID))
	for _, id := range []string{"", "x", "' OR true", string(c.Session), strings.Repeat("0", 10), "\x00"} {
		_, err := b.Services.AdminTranscript(ctx, b.user.ID, id, service.TranscriptQuery{N: 10})
		require.Equal(t, fault.NotFound, b.kind(err), id)
	}
	require.NoError(t, b.Search.IndexWords(ctx, slog.New(slog.DiscardHandler)))
	for q, want := range map[service.ListQuery]int{
		{N: 10, Text: "BOAT"}: 1, {N: 10, Text: "car"}: 0, {N: 10, Service: "help desk"}: 1, {N: 10, Service: c.Service}: 1, {N: 10, Service: "x\x00"}: 0, {N: 10, Text: "%"}: 0,
	} {
		list, err := b.Services.ConversationsOfAdmin(ctx, b.user.ID, q)
		require.NoError(t, err)
		require.Len(t, list, want, q)
	}
	items, err := b.Services.ItemsOfAdmin(ctx, b.user.ID, service.ItemHandled, 10)
	require.NoError(t, err)
	require.Empty(t, items)
	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, c))
	require.Equal(t, "0 0 0", found(b.user.ID), "it is being deleted")
}
