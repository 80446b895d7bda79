package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
	"xbot/internal/user/notices"
	"xbot/internal/user/users"
)

// noticed are the deliveries of notices, with their states.
func (b *bundle) noticed() (texts []string) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), `SELECT m.content || ' ' || o.state FROM outbound o JOIN messages m ON m.id = o.message_id WHERE o.session_key = $1 ORDER BY o.id`, string(notices.Conversation))
	require.NoError(b.t, err)
	for rows.Next() {
		var text string
		require.NoError(b.t, rows.Scan(&text))
		texts = append(texts, text)
	}
	require.NoError(b.t, rows.Err())
	return texts
}

func TestTellOperator_IsOnItsWayOnceForEachKeyToThePlaceThatIsNamed(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	n := notices.Notice{Key: "k1", Owner: b.user.ID, Title: "Notices", Text: "started", To: chat.Address{ChatType: chat.ChatDirect, Peer: "7", Channel: "napcat"}}
	for range 3 {
		require.NoError(t, b.Notices.NotifyOperator(t.Context(), n))
	}
	require.Equal(t, []string{"started waiting"}, b.noticed())
	next, ok, err := b.Deliveries.NextOutbound(t.Context(), notices.Conversation)
	require.NoError(t, err)
	require.True(t, ok)
	o, err := b.Deliveries.Outbound(t.Context(), next.ID)
	require.NoError(t, err)
	require.Equal(t, "7", o.Place.Peer)
	require.Equal(t, "napcat", o.Channel)
	require.True(t, o.Place.Aside, "who answers to it does not come into the administrator's conversation")
	require.Equal(t, b.user.ID, b.owner(notices.Conversation))
	listed, err := b.Conversations.Sessions(t.Context(), b.user.ID, "", 10)
	require.NoError(t, err)
	require.NotContains(t, keysOf(listed), notices.Conversation, "it is in the archive")
}

func keysOf(sessions []chat.Session) (keys []chat.SessionKey) {
	for _, s := range sessions {
		keys = append(keys, s.Key)
	}
	return keys
}

func TestTellOperator_OfNoticesThatNobodyBeganToSendTheNewestIsSent(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	n := notices.Notice{Key: "k1", Owner: b.user.ID, Text: "first", To: chat.Address{ChatType: chat.ChatDirect, Peer: "7", Channel: "napcat"}}
	require.NoError(t, b.Notices.NotifyOperator(t.Context(), n))
	n.Key, n.Text = "k2", "second"
	require.NoError(t, b.Notices.NotifyOperator(t.Context(), n))
	require.Equal(t, []string{"first expired", "second waiting"}, b.noticed())
	next, _, err := b.Deliveries.NextOutbound(t.Context(), notices.Conversation)
	require.NoError(t, err)
	o, err := b.Deliveries.Outbound(t.Context(), next.ID)
	require.NoError(t, err)
	o.Pieces = []chat.Piece{{Text: "second", Seq: 1, State: chat.PieceTried}}
	require.NoError(t, b.Deliveries.SavePieces(t.Context(), &o, true))
	n.Key, n.Text = "k3", "third"
	require.NoError(t, b.Notices.NotifyOperator(t.Context(), n))
	require.Equal(t, []string{"first expired", "second waiting", "third waiting"}, b.noticed(), "what may have arrived is settled")
}

func TestTellOperator_WithoutSuchABotNothingIsWritten(t *testing.T) {
	b := setup(t)
	err := b.Notices.NotifyOperator(t.Context(), notices.Notice{Key: "k1", Owner: b.user.ID, Text: "started", To: chat.Address{Channel: "qq", Peer: "7"}})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.Empty(t, b.noticed())
	_, err = b.Users.SessionOwner(t.Context(), notices.Conversation)
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestTellOperator_TheConversationIsThatOfWhoIsTheFirstAdministratorNow(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleAdmin)
	require.NoError(t, err)
	n := notices.Notice{Key: "k1", Owner: bob.ID, Text: "first", To: chat.Address{ChatType: chat.ChatDirect, Peer: "7", Channel: "napcat"}}
	require.NoError(t, b.Notices.NotifyOperator(t.Context(), n))
	n.Key, n.Owner = "k2", b.user.ID
	require.NoError(t, b.Notices.NotifyOperator(t.Context(), n))
	require.Equal(t, b.user.ID, b.owner(notices.Conversation))
}

func TestTellAdministrator_OnceWhereOneOfThemWritesAndAgainWhenItChanged(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	ctx := t.Context()
	of := chat.NoticeKey{Topic: chat.TopicCause, About: "model one", What: "denied"}
	text := "the key is wrong"
	tell := func() bool {
		told, err := b.Notices.NotifyAdministrator(ctx, of, func(i18n.Lang) string { return text })
		require.NoError(t, err)
		return told
	}
	require.True(t, tell())
	require.False(t, tell())
	require.Empty(t, b.noticed(), "no administrator writes on a platform: it stands in the conversation of notices")
	require.Equal(t, b.user.ID, b.owner(notices.Conversation))

	person, hers := b.met("napcat", "8")
	_, err := b.Turns.Accept(ctx, engine.NewRow{
		Session: hers, User: person.ID, Channel: "napcat", PlatformID: "m1", Text: "hello", To: &chat.Address{ChatType: chat.ChatDirect, Peer: "8", ReplyTo: "m1", Channel: "napcat"},
	})
	require.NoError(t, err)
	of.What, text = "rate_limited", "too often"
	require.True(t, tell(), "another cause")
	require.Empty(t, b.noticed(), "a member is told nothing")

	_, err = b.pool.Exec(ctx, "UPDATE users SET role = 'admin' WHERE id = $1", person.ID)
	require.NoError(t, err)
	of.What, text = "denied", "the key is wrong"
	require.True(t, tell())
	require.False(t, tell())
	require.Equal(t, []string{"the key is wrong waiting"}, b.noticed())
	next, ok, err := b.Deliveries.NextOutbound(ctx, notices.Conversation)
	require.NoError(t, err)
	require.True(t, ok)
	o, err := b.Deliveries.Outbound(ctx, next.ID)
	require.NoError(t, err)
	require.Equal(t, "8", o.Place.Peer)
	require.Empty(t, o.Place.ReplyTo, "it answers no message")
	require.True(t, o.Place.Aside)

	require.NoError(t, b.Notices.NotifyOperator(ctx, notices.Notice{Key: "start-1", Owner: b.user.ID, Text: "started", To: chat.Address{ChatType: chat.ChatDirect, Peer: "7", Channel: "napcat"}}))
	require.Equal(t, []string{"the key is wrong waiting", "started waiting"}, b.noticed(), "what is said once is not withdrawn for other news")
}

func TestTellSender_AnswersTheMessageOnceADayInTheLanguageOfWhoWroteIt(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	ctx := t.Context()
	of := chat.NoticeKey{Topic: chat.TopicFiles, Channel: "napcat", About: "7", What: "runner"}
	tell := func(id chat.InboxID) bool {
		told, err := b.Notices.NotifySender(ctx, id, of, func(l i18n.Lang) string { return "nowhere " + string(l) })
		require.NoError(t, err)
		return told
	}
	first := b.sends("m1", chat.QueueFollowup, twoFiles...)
	second := b.sends("m2", chat.QueueFollowup, twoFiles...)
	require.True(t, tell(first.ID))
	require.False(t, tell(first.ID), "an attempt that is repeated")
	require.False(t, tell(second.ID))
	require.Equal(t, []string{"nowhere en > m1"}, b.answering())
	_, err := b.pool.Exec(ctx, "UPDATE told_once SET told_at = told_at - interval '1 day'")
	require.NoError(t, err)
	require.NoError(t, b.Settings.SetUserSetting(ctx, b.user.ID, "language", "zh"))
	require.True(t, tell(second.ID), "a day later")
	require.Equal(t, []string{"nowhere en > m1", "nowhere zh > m2"}, b.answering())
	require.False(t, tell(4711), "of a conversation that is gone nobody is told")
}

// answering are the deliveries that wait, with the messages that they answer.
func (b *bundle) answering() (all []string) {
	b.t.Helper()
	rows, err := b.pool.Query(b.t.Context(), `SELECT m.content || ' > ' || (o.place ->> 'reply_to') FROM outbound o JOIN messages m ON m.id = o.message_id WHERE o.state = 'waiting' ORDER BY o.id`)
	require.NoError(b.t, err)
	for rows.Next() {
		var text string
		require.NoError(b.t, rows.Scan(&text))
		all = append(all, text)
	}
	require.NoError(b.t, rows.Err())
	return all
}

func TestTellAdministrator_WhatIsSaidOnceIsNeverRepeated(t *testing.T) {
	b := setup(t)
	of := chat.NoticeKey{Topic: chat.TopicCause, About: "workspace", What: "/home/alice", Once: true}
	tell := func(of chat.NoticeKey) bool {
		told, err := b.Notices.NotifyAdministrator(t.Context(), of, func(i18n.Lang) string { return "as before" })
		require.NoError(t, err)
		return told
	}
	daily := chat.NoticeKey{Topic: chat.TopicCause, About: "model one", What: "denied"}
	require.True(t, tell(of))
	require.True(t, tell(daily))
	_, err := b.pool.Exec(t.Context(), "UPDATE told_once SET told_at = told_at - interval '400 days'")
	require.NoError(t, err)
	require.True(t, tell(daily), "it also removes what is old")
	require.False(t, tell(of))
	of.What = "/home/bob"
	require.True(t, tell(of), "another folder")
	require.False(t, tell(of))
}
