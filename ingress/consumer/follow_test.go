package consumer_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

func (b *bundle) watches(c service.Conversation, after string) *reader {
	b.T.Helper()
	return b.stream(b.key, http.MethodGet, at(c, "/events?follow=true"), nil, "Last-Event-ID", after)
}

func (b *bundle) read(c service.Conversation) (read consumer.ConversationWithMessages) {
	b.T.Helper()
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	return read
}

func (b *bundle) admin() servicestore.Actor { return servicestore.Actor{User: b.User.ID, Name: "Ada"} }

func (b *bundle) takes(c service.Conversation) {
	b.T.Helper()
	_, err := b.Services.TakeIn(b.T.Context(), c, b.admin(), nil)
	require.NoError(b.T, err)
}

func (b *bundle) gives(c service.Conversation) {
	b.T.Helper()
	given, err := b.Services.GiveConversation(b.T.Context(), c)
	require.NoError(b.T, err)
	require.True(b.T, given)
}

func (b *bundle) personSays(c service.Conversation, id, text string) {
	b.T.Helper()
	_, err := b.Services.Say(b.T.Context(), c, b.admin(), id, text)
	require.NoError(b.T, err)
}

// live plays what may go on in a conversation: an answer with a tool, a person who takes it, writes and gives it back, and another answer.
func (b *bundle) live(c service.Conversation) {
	b.T.Helper()
	b.chats(c, "hello").until("accepted")
	one := b.claims(c, "t1")
	one.begins(0)
	one.calls(one.says(0, "I look.", "Read")[0], "found")
	b.personSays(c, "s0", "I read along.")
	one.begins(1)
	one.says(1, "Sow in May.")
	one.ends(chat.TurnDone, "")
	b.takes(c)
	b.chats(c, "are you a person?").until("done")
	b.personSays(c, "s1", "I am.")
	b.gives(c)
	b.chats(c, "thanks").until("accepted")
	b.claims(c, "t2").answers("You are welcome.")
}

// played is what a reader is told of that, of what lasts.
var played = []string{
	"accepted", "message", "tool_call", "tool_result", "said", "message", "done",
	"answers", "accepted", "said", "answers",
	"accepted", "message", "done",
}

// lasting are the events with an id, up to a number of them.
func (r *reader) lasting(n int) (all []told) {
	r.b.T.Helper()
	for len(all) < n {
		e, ok := r.next()
		require.True(r.b.T, ok, "the stream ended after %v", kinds(all))
		if e.id != "" {
			all = append(all, e)
		}
	}
	return all
}

func TestFollow_TellsAnswersAndWhatPeopleSayWhoeverBeginsIt(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.watches(c, "")
	b.live(c)
	all := r.lasting(len(played))
	require.Equal(t, played, kinds(all))
	require.Equal(t, []any{"I read along.", "person"}, []any{all[4].data["content"], all[4].data["by"]})
	require.Equal(t, []any{"person", "agent"}, []any{all[7].data["by"], all[10].data["by"]})
	require.Equal(t, "I am.", all[9].data["content"])
	read := b.read(c)
	require.Equal(t, "agent", read.Answers)
	var byPerson []string
	for _, m := range read.Transcript {
		if m.By == "person" {
			byPerson = append(byPerson, m.ID)
		}
	}
	require.Equal(t, []string{all[4].data["message_id"].(string), all[9].data["message_id"].(string)}, byPerson, "as the transcript has them")
	b.takes(c)
	require.Equal(t, "person", b.read(c).Answers)
}

func TestFollow_GoesOnAfterAnyEventWithNothingTwiceAndNothingMissing(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	first := b.read(c).Seq
	b.chats(c, "before").until("accepted")
	b.claims(c, "t0").answers("Before.")
	begin := b.read(c).Seq
	require.Greater(t, begin, first)
	b.live(c)
	r := b.watches(c, strconv.FormatInt(begin, 10))
	all := r.lasting(len(played))
	r.close()
	require.Equal(t, played, kinds(all))
	for i, e := range all[:len(all)-1] {
		again := b.watches(c, e.id)
		require.Equal(t, all[i+1:], again.lasting(len(all)-i-1), "after %d: %s", i, e.kind())
		again.close()
		require.Eventually(t, func() bool { return b.api.Followers(c) == 0 }, ingresstest.Limit, time.Millisecond, "who leaves makes room")
	}
}

// The seq of a new conversation is 0, which was taken for no cursor: events before the stream opened were lost.
func TestFollow_BeginsWithTheFirstEventAfterTheSeqOfANewConversation(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	seq := b.read(c).Seq
	require.Zero(t, seq)
	b.live(c)
	require.Equal(t, played, kinds(b.watches(c, strconv.FormatInt(seq, 10)).lasting(len(played))))
	_, err := b.Pool.Exec(t.Context(), "DELETE FROM feed_events WHERE session_key = $1 AND seq < 5", c.Session)
	require.NoError(t, err)
	e, _ := b.watches(c, strconv.FormatInt(seq, 10)).next()
	require.Equal(t, "changed", e.kind())
}

func TestFollow_TellsTheRestOfAnAnswerThatIsBeingWritten(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.chats(c, "hello").until("accepted")
	turn := b.claims(c, "t1")
	turn.begins(0)
	turn.writes(0, "Sow ")
	r := b.watches(c, strconv.FormatInt(b.read(c).Seq, 10))
	require.Equal(t, []string{"restart", "token"}, kinds(r.until("token")), "pieces that a reader may have are void, then it is told what there is")
	turn.says(0, "Sow in May.")
	turn.ends(chat.TurnDone, "")
	require.Equal(t, "Sow in May.", r.until("message")[0].data["content"])
	r.until("done")
	b.personSays(c, "s1", "Or in June.")
	require.Equal(t, "Or in June.", r.until("said")[0].data["content"])
}

// schedules has a job's time come in a conversation.
func (b *bundle) schedules(c service.Conversation, key string) {
	b.T.Helper()
	_, err := b.Inbox.Post(b.T.Context(), chat.InternalMessage{Session: c.Session, Key: key, Origin: chat.OriginCron, Text: "[cron] say something"})
	require.NoError(b.T, err)
}

func TestFollow_WhatATaskBeginsIsMarkedInEventsAndMessages(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.chats(c, "hello").until("accepted")
	b.claims(c, "t1").answers("Hello.")
	r := b.watches(c, "")
	b.schedules(c, "j1")
	task := b.claims(c, "t2")
	begun := object{"type": "begun", "turn_id": "t2", "origin": "task"}
	require.Equal(t, begun, r.until("begun")[0].data)
	require.Equal(t, chat.TurnID("t2"), b.read(c).Task)
	answer := b.stream(b.key, http.MethodGet, at(c, "/events"), nil)
	require.Equal(t, begun, answer.until("begun")[1].data, "who reads the answer alone is told, too")
	task.begins(0)
	task.calls(task.says(0, "I look.", "Read")[0], "found")
	b.personSays(c, "s0", "I read along.")
	task.begins(1)
	task.says(1, "The shop is closed.")
	task.ends(chat.TurnDone, "")
	require.Equal(t, []string{"message", "tool_call", "tool_result", "said", "message", "done"}, kinds(r.until("done")), "begun once")

	b.schedules(c, "j2")
	b.claims(c, "t3").answers("Open again.")
	b.chats(c, "thanks").until("accepted")
	b.claims(c, "t4").answers("You are welcome.")
	read := b.read(c)
	require.Empty(t, read.Task)
	var marks [][]string
	for _, m := range read.Transcript {
		marks = append(marks, []string{m.Content, m.Origin, string(m.Turn)})
	}
	require.Equal(t, [][]string{
		{"hello", "", ""}, {"Hello.", "", "t1"},
		{"I look.", "task", "t2"}, {"I read along.", "", ""}, {"The shop is closed.", "task", "t2"},
		{"Open again.", "task", "t3"},
		{"thanks", "", ""}, {"You are welcome.", "", "t4"},
	}, marks)

	b.schedules(c, "j3")
	b.claims(c, "t5").begins(0)
	_, err := b.Pool.Exec(t.Context(), "DELETE FROM feed_events WHERE session_key = $1", c.Session)
	require.NoError(t, err)
	require.Equal(t, "t5", b.stream(b.key, http.MethodGet, at(c, "/events"), nil).until("begun")[1].data["turn_id"], "also where its events are not kept")
}

func TestFollow_ReadersAreBoundedAndTakeNoPlaceOfMessages(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 10_000, Concurrent: 1}.Patch()})
	c := b.conversation()
	var readers []*reader
	for range 8 {
		readers = append(readers, b.watches(c, ""))
	}
	refused := b.do(b.key, http.MethodGet, at(c, "/events?follow=true"), nil)
	require.Equal(t, "rate_limited", refused.problem(http.StatusTooManyRequests))
	require.Equal(t, "30", refused.header.Get("Retry-After"))
	b.do(b.key, http.MethodGet, at(c, "/events"), nil).is(http.StatusTooManyRequests, nil)
	b.watches(b.conversation(), "")
	asks := b.chats(c, "there is a place")
	asks.until("accepted")
	require.Equal(t, 9, b.api.Followers(c), "who waits for an answer reads, too")
	asks.close()
	readers[0].close()
	require.Eventually(t, func() bool { return b.api.Followers(c) == 7 }, ingresstest.Limit, time.Millisecond)
	b.watches(c, "").close()
}

func TestFollow_SaysThatTheConversationIsToBeReadAnewWhereEventsAreNotKept(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.live(c)
	_, err := b.Pool.Exec(t.Context(), "DELETE FROM feed_events WHERE session_key = $1 AND seq < 5", c.Session)
	require.NoError(t, err)
	e, _ := b.watches(c, "2").next()
	require.Equal(t, "changed", e.kind())
	e, _ = b.watches(c, "999").next()
	require.Equal(t, "changed", e.kind(), "the database is older than the cursor")
}

func TestFollow_WhoSendsTheSameMessageAgainIsOneMoreReader(t *testing.T) {
	b := setup(t)
	for path, body := range map[string]func(service.Conversation) object{
		"/api/v1/chat":  func(c service.Conversation) object { return object{"conversation_id": c.ID, "message": "hi"} },
		completionsPath: func(c service.Conversation) object { return says("hi", "conversation_id", c.ID, "stream", true) },
	} {
		c, before := b.conversation(), b.queued()
		var readers []*reader
		for range 8 {
			readers = append(readers, b.streamOf(path, body(c), "same"))
		}
		refused := b.do(b.key, http.MethodPost, path, body(c), "Idempotency-Key", "same")
		require.Equal(t, http.StatusTooManyRequests, refused.status, "%s: %s", path, refused.body)
		require.NotEmpty(t, refused.header.Get("Retry-After"))
		b.streamOf(path, body(c), "another").close()
		require.Equal(t, before+2, b.queued(), "both messages wait")
		for _, r := range readers {
			r.close()
		}
		require.Eventually(t, func() bool { return b.api.Followers(c) == 0 }, ingresstest.Limit, time.Millisecond, "who leaves makes room")
	}
}
