package consumer_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/service"
)

// tells has a task of the service begin a turn in a conversation.
func (b *bundle) tells(c service.Conversation, id chat.TurnID) turn {
	b.T.Helper()
	_, err := b.Inbox.Post(b.T.Context(), chat.InternalMessage{Session: c.Session, Key: string(id), Origin: chat.OriginCron, Text: "[cron] tell them the news"})
	require.NoError(b.T, err)
	turn := b.claims(c, id)
	turn.begins(0)
	return turn
}

// asks sends a message whose turn a test plays.
func (b *bundle) asks(c service.Conversation, text string, id chat.TurnID) turn {
	b.T.Helper()
	b.chats(c, text).until("accepted")
	turn := b.claims(c, id)
	turn.begins(0)
	return turn
}

// ends is what a message says, and how its turn ended.
func ends(all []consumer.Message) (out []string) {
	for _, m := range all {
		text := m.Content
		if m.Stopped {
			text += " (stopped)"
		}
		if m.Error != "" {
			text += " (failed)"
		}
		out = append(out, text)
	}
	return out
}

func TestTranscript_ATaskThatSaysNothingShowsNothingHoweverItEnds(t *testing.T) {
	b := setup(t)
	for _, state := range []chat.TurnState{chat.TurnStopped, chat.TurnFailed, chat.TurnLost} {
		c := b.conversation()
		b.asks(c, "hello", chat.TurnID("asked-"+c.ID)).answers("Hello!")
		task := b.tells(c, chat.TurnID("task-"+c.ID))
		if state == chat.TurnStopped {
			b.takes(c)
		}
		task.ends(state, i18n.Broken)
		require.Equal(t, []string{"hello", "Hello!"}, ends(b.read(c).Transcript), state)
	}
}

func TestTranscript_HowATurnEndedIsSaidOfItsOwnWordsAlone(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	turn := b.asks(c, "hello", "t1")
	turn.calls(turn.says(0, "I look.", "Read")[0], "found")
	b.personSays(c, "s1", "I read along.")
	turn.ends(chat.TurnStopped, i18n.Stopped)
	task := b.tells(c, "t2")
	task.calls(task.says(0, "The news:", "Read")[0], "found")
	task.ends(chat.TurnFailed, i18n.Broken)
	b.personSays(c, "s2", "There are none.")
	b.asks(c, "and now?", "t3").ends(chat.TurnFailed, i18n.Broken)
	b.personSays(c, "s3", "Ask me.")
	require.Equal(t, []string{
		"hello", "I look. (stopped)", "I read along.", "The news: (failed)", "There are none.", "and now?", " (failed)", "Ask me.",
	}, ends(b.read(c).Transcript))
}

func TestTranscript_APersonWhoSpeaksWithinAnAnswerEndsItNot(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	turn := b.asks(c, "hello", "t1")
	turn.calls(turn.says(0, "I look.", "Read")[0], "found")
	b.personSays(c, "s1", "I read along.")
	turn.begins(1)
	turn.calls(turn.says(1, "I look again.", "Read")[0], "found")
	turn.ends(chat.TurnStopped, i18n.Stopped)
	require.Equal(t, []string{"hello", "I look.", "I read along.", "I look again. (stopped)"}, ends(b.read(c).Transcript))
}

// past writes turns of a message and two steps each into a conversation; every fifth was stopped.
func (b *bundle) past(c service.Conversation, turns int) {
	b.T.Helper()
	exec := func(query string, args ...any) {
		_, err := b.Pool.Exec(b.T.Context(), query, args...)
		require.NoError(b.T, err)
	}
	exec(`INSERT INTO turns (id, session_key, run_id, state, ended_at)
		SELECT $1 || '-' || n, $1, 'r', CASE WHEN n % 5 = 0 THEN 'stopped' ELSE 'done' END, now() FROM generate_series(1, $2::int) n`, c.Session, turns)
	exec(`INSERT INTO inbox (session_key, user_id, kind, channel, platform_id, body, outcome, turn_id)
		SELECT $1, $2, 'message', 'svc', t.id, 'question ' || split_part(t.id, '-', -1), 'claimed', t.id FROM turns t WHERE t.session_key = $1`, c.Session, c.User)
	exec(`INSERT INTO messages (session_key, turn_id, step, role, content, inbox_id)
		SELECT $1, i.turn_id, nullif(s, -1), CASE s WHEN -1 THEN 'user' ELSE 'assistant' END, 'step ' || s || ' of ' || n, CASE s WHEN -1 THEN i.id END
		FROM generate_series(1, $2::int) n JOIN inbox i ON i.turn_id = $1 || '-' || n CROSS JOIN generate_series(-1, 1) s ORDER BY n, s`, c.Session, turns)
}

// before reads what was said before a message.
func (b *bundle) before(c service.Conversation, id string) (read consumer.ConversationWithMessages) {
	b.T.Helper()
	b.do(b.key, http.MethodGet, at(c, "?before="+id), nil).is(http.StatusOK, &read)
	return read
}

func TestTranscript_AllOfAConversationIsReadInParts(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.past(c, 400)
	b.chats(c, "waits").until("accepted")
	var want []string
	for n := 1; n <= 400; n++ {
		stopped := ""
		if n%5 == 0 {
			stopped = " (stopped)"
		}
		want = append(want, fmt.Sprint("question ", n), fmt.Sprint("step 0 of ", n), fmt.Sprint("step 1 of ", n)+stopped)
	}
	part := b.read(c)
	all, parts := ends(part.Transcript), 1
	for ; part.More; parts++ {
		part = b.before(c, part.Transcript[0].ID)
		require.LessOrEqual(t, len(part.Transcript), 500)
		require.Contains(t, part.Transcript[0].Content, "question", "a part begins with a turn")
		all = append(ends(part.Transcript), all...)
	}
	require.Equal(t, append(want, "waits"), all)
	require.Equal(t, 3, parts)
	require.Equal(t, b.read(c).Seq, part.Seq)
	require.Equal(t, want[:1], ends(b.before(c, part.Transcript[1].ID).Transcript), "before an answer, too")
	require.Empty(t, b.before(c, part.Transcript[0].ID).Transcript)
}

func TestTranscript_WhatIsNotShownHidesNothingOlder(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.asks(c, "hello", "t1").answers("Hello!")
	_, err := b.Pool.Exec(t.Context(), `INSERT INTO messages (session_key, role, content, silent) SELECT $1, 'assistant', 'nothing to tell', true FROM generate_series(1, 1200)`, c.Session)
	require.NoError(t, err)
	b.chats(c, "are you there?").until("accepted")
	read := b.read(c)
	require.Equal(t, []string{"hello", "Hello!", "are you there?"}, ends(read.Transcript))
	require.False(t, read.More)
}

func TestTranscript_ReadsBeforeMessagesOfItsOwnAlone(t *testing.T) {
	b := setup(t)
	c, other := b.conversation(), b.conversation()
	b.asks(c, "mine", "t1").answers("yours")
	b.asks(other, "theirs", "t2").answers("not yours")
	b.chats(c, "waits").until("accepted")
	mine, theirs := b.read(c).Transcript, b.read(other).Transcript
	require.Equal(t, []string{"mine", "yours"}, ends(b.before(c, theirs[1].ID).Transcript), "of its own conversation, whatever is named")
	for _, id := range []string{theirs[0].ID, mine[2].ID, "u999999"} {
		require.Equal(t, "not_found", b.do(b.key, http.MethodGet, at(c, "?before="+id), nil).problem(http.StatusNotFound), id)
	}
	for _, id := range []string{"1", "a", "a0", "a-1", "t1", "u1x", "a9999999999999999999", "%00"} {
		require.Equal(t, "invalid", b.do(b.key, http.MethodGet, at(c, "?before="+id), nil).problem(http.StatusUnprocessableEntity), id)
	}
	b.do(b.keyOf(b.service), http.MethodGet, at(c, "?before="+mine[1].ID), nil).is(http.StatusNotFound, nil)
}
