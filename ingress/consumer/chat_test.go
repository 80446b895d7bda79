package consumer_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/conversation"
)

func TestChat_TellsTheAnswerWithItsToolsAndUsage(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "how do I sow?")
	require.Equal(t, "accepted", kinds(r.until("accepted"))[0])
	turn := b.claims(c, "t1")
	turn.begins(0)
	turn.writes(0, "I ", "look.")
	pieces := r.until("token")
	require.Contains(t, []any{"I ", "I look."}, pieces[len(pieces)-1].data["content"])
	call := turn.says(0, "I look.", "Read")[0]
	turn.calls(call, strings.Repeat("x", 20_000))
	turn.begins(1)
	turn.says(1, "Sow in May.")
	turn.ends(chat.TurnDone, "")
	all := r.until("done")
	var durable []string
	for _, e := range all {
		if e.id != "" {
			durable = append(durable, e.kind())
		}
	}
	require.Equal(t, []string{"message", "tool_call", "tool_result", "message", "done"}, durable)
	for _, e := range all {
		switch e.kind() {
		case "tool_call":
			require.Equal(t, []any{string(call), "Read", `{"a":1}`}, []any{e.data["id"], e.data["name"], e.data["args"]})
		case "tool_result":
			require.Equal(t, true, e.data["ok"])
			require.Less(t, len(e.data["content"].(string)), 9000)
		case "done":
			require.Equal(t, object{"type": "done", "finish_reason": "stop", "usage": object{"prompt_tokens": 20.0, "completion_tokens": 6.0, "total_tokens": 26.0}}, e.data)
		}
	}
	_, more := r.next()
	require.False(t, more, "the stream ends")

	var read consumer.ConversationWithMessages
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	require.Equal(t, "how do I sow?", read.Title)
	require.False(t, read.Running)
	require.Len(t, read.Transcript, 3)
	require.Equal(t, []string{"how do I sow?", "I look.", "Sow in May."}, []string{read.Transcript[0].Content, read.Transcript[1].Content, read.Transcript[2].Content})
	require.Equal(t, "Read", read.Transcript[1].ToolCalls[0].Name)
	require.Equal(t, service.ConsumerName(b.service.ID, c.Key, c.ID), b.userName(c), "as operators see it in Temporal")
}

// argued are the arguments of calls, as their pieces tell them.
func argued(all []told) map[any]string {
	calls := map[any]string{}
	for _, e := range all {
		switch e.kind() {
		case "tool_call_chunk":
			calls[e.data["id"]] += e.data["args_delta"].(string)
		case "restart":
			clear(calls)
		}
	}
	return calls
}

func TestChat_TellsTheArgumentsOfCallsWhileTheyAreWritten(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "how do I sow?")
	r.until("accepted")
	turn := b.claims(c, "t1")
	turn.begins(0)
	turn.argues(0, 0, 0, `{"a`)
	turn.argues(0, 1, 0, `{"a":`)
	turn.argues(0, 0, 3, `":1}`)
	turn.argues(0, 1, 5, `1}`)
	var all []told
	for argued(all)["t1.0.1"] != `{"a":1}` {
		all = append(all, r.until("tool_call_chunk")...)
		last := all[len(all)-1]
		require.Empty(t, last.id, "a piece has no id: whoever comes again is told them anew")
		require.Equal(t, "Read", last.data["name"])
	}
	require.Equal(t, map[any]string{"t1.0.0": `{"a":1}`, "t1.0.1": `{"a":1}`}, argued(all), "pieces of calls do not mix")
	turn.calls(turn.says(0, "", "Read", "Read")[0], "found")
	all = r.until("tool_call")
	require.Equal(t, []any{"t1.0.0", `{"a":1}`}, []any{all[len(all)-1].data["id"], all[len(all)-1].data["args"]}, "the call that they are of")
}

func TestChat_WhoComesAgainAmongArgumentsReadsThemWholeOnce(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.chats(c, "how do I sow?").until("accepted")
	turn := b.claims(c, "t1")
	turn.begins(0)
	turn.argues(0, 0, 0, `{"a`)
	r := b.watches(c, strconv.FormatInt(b.read(c).Seq, 10))
	first := r.until("tool_call_chunk")
	require.Equal(t, []string{"restart", "tool_call_chunk"}, kinds(first))
	turn.argues(0, 0, 3, `":1}`)
	require.Equal(t, map[any]string{"t1.0.0": `{"a":1}`}, argued(append(first, r.until("tool_call_chunk")...)))
}

func TestChat_PiecesOfArgumentsShowNoMoreThanTheCall(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "how do I sow?")
	r.until("accepted")
	turn := b.claims(c, "t1")
	turn.begins(0)
	arguments := `{"content":"` + strings.Repeat("字", 10_000) + `"}`
	for at := 0; at < len(arguments); at += 996 { // between characters
		turn.argues(0, 0, at, arguments[at:min(at+996, len(arguments))])
	}
	pieces := r.until("tool_call_chunk")
	for len(argued(pieces)["t1.0.0"]) < 8<<10-utf8.UTFMax {
		pieces = append(pieces, r.until("tool_call_chunk")...)
	}
	id := chat.NewCallID("t1", 0, 0)
	_, err := b.Turns.CommitStep(t.Context(), turn.step(0), chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{{ID: id, Name: "Read", Class: chat.ClassRead, Arguments: arguments}}})
	require.NoError(t, err)
	turn.calls(id, "found")
	all := r.until("tool_call")
	shown := all[len(all)-1].data["args"].(string)
	require.Less(t, len(shown), 9000)
	require.Equal(t, shown, argued(append(pieces, all...))[string(id)]+"…")
}

func (b *bundle) userName(c service.Conversation) string {
	b.T.Helper()
	who, err := b.Users.UserByID(b.T.Context(), c.User)
	require.NoError(b.T, err)
	return who.Name
}

func TestChat_ATextIsNeverACommand(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	for i, text := range []string{"/stop", "/new", "!ls", "stop", "yes"} {
		b.chats(c, text).until("accepted")
		var read consumer.ConversationWithMessages
		b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
		require.Len(t, read.Transcript, i+1, "it waits")
		require.Equal(t, text, read.Transcript[i].Content)
		require.True(t, read.Running)
	}
}

func TestChat_WhoeverGoesAwayStopsNothingAndGoesOnAfterTheLastEvent(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "hello", "Idempotency-Key", "k1")
	first := r.until("accepted")
	turn := b.claims(c, "t1")
	turn.begins(0)
	call := turn.says(0, "one", "Read")[0]
	first = append(first, r.until("message")...)
	last := first[len(first)-1].id
	require.NotEmpty(t, last)
	r.close()

	turn.calls(call, "found")
	turn.begins(1)
	turn.says(1, "two")
	turn.ends(chat.TurnDone, "")
	for _, again := range []*reader{
		b.stream(b.key, http.MethodGet, at(c, "/events"), nil, "Last-Event-ID", last),
		b.stream(b.key, http.MethodGet, at(c, "/events?after="+last), nil),
		b.chats(c, "hello", "Idempotency-Key", "k1", "Last-Event-ID", last),
	} {
		require.Equal(t, []string{"tool_call", "tool_result", "message", "done"}, kinds(again.until("done")))
	}
	require.Equal(t, []string{"accepted", "message", "tool_call", "tool_result", "message", "done"}, kinds(b.chats(c, "hello", "Idempotency-Key", "k1").until("done")), "from its start")
	require.Equal(t, []string{"done"}, kinds(b.stream(b.key, http.MethodGet, at(c, "/events"), nil).until("done")), "nothing runs")

	whole := b.chats(c, "hello", "Idempotency-Key", "k1").until("done")
	for _, known := range []string{whole[len(whole)-1].id, strconv.FormatInt(b.read(c).Seq, 10)} {
		end := b.chats(c, "hello", "Idempotency-Key", "k1", "Last-Event-ID", known).until("done")
		require.Equal(t, []string{"done"}, kinds(end), "a stream that ends without it was cut off")
		require.Equal(t, told{data: whole[len(whole)-1].data}, end[0])
	}
	require.Equal(t, kinds(whole), kinds(b.chats(c, "hello", "Idempotency-Key", "k1", "Last-Event-ID", "999999").until("done")), "no such cursor was ever given")

	require.Equal(t, "conflict", b.do(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": "another"}, "Idempotency-Key", "k1").problem(http.StatusConflict))
	turns, err := b.Conversations.Turns(t.Context(), c.Session, 10)
	require.NoError(t, err)
	require.Len(t, turns, 1, "it was answered once")
}

func TestChat_ACursorLeadsToTheAnswerThatWasBrokenOffAlsoWhenAnotherRuns(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "first")
	r.until("accepted")
	one := b.claims(c, "t1")
	one.begins(0)
	call := one.says(0, "1a", "Read")[0]
	last := r.until("message")
	r.close()
	one.calls(call, "x")
	one.begins(1)
	one.says(1, "1b")
	one.ends(chat.TurnDone, "")
	b.chats(c, "second").until("accepted")
	two := b.claims(c, "t2")
	two.begins(0)
	again := b.stream(b.key, http.MethodGet, at(c, "/events"), nil, "Last-Event-ID", last[len(last)-1].id).until("done")
	require.Equal(t, "1b", again[len(again)-2].data["content"])
	now := b.stream(b.key, http.MethodGet, at(c, "/events"), nil)
	two.says(0, "2")
	two.ends(chat.TurnDone, "")
	all := now.until("done")
	require.Equal(t, "2", all[len(all)-2].data["content"])
}

func TestChat_StopKeepsWhatWasWritten(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	r := b.chats(c, "tell me")
	r.until("accepted")
	turn := b.claims(c, "t1")
	turn.begins(0)
	turn.says(0, "once upon", "Read")
	r.until("message")
	second := b.chats(c, "and then?")
	second.until("accepted")
	var stopped consumer.Stopped
	b.do(b.key, http.MethodPost, at(c, "/stop"), nil).is(http.StatusOK, &stopped)
	require.True(t, stopped.Stopped)
	end := second.until("done")
	require.Equal(t, "stopped", end[len(end)-1].data["finish_reason"], "what waited gets no answer")
	turn.ends(chat.TurnStopped, i18n.Stopped)
	end = r.until("done")
	require.Equal(t, "stopped", end[len(end)-1].data["finish_reason"])
	b.do(b.key, http.MethodPost, at(c, "/stop"), nil).is(http.StatusOK, &stopped)
	require.False(t, stopped.Stopped)
	var read consumer.ConversationWithMessages
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	require.Equal(t, "once upon", read.Transcript[1].Content)
	require.True(t, read.Transcript[1].Stopped)
	require.NotContains(t, string(b.do(b.key, http.MethodGet, at(c, ""), nil).body), "Stopping", "sentences of the house are not shown")
}

func TestChat_WhatConcernsTheHouseIsToldToNobodyOutside(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	for text, of := range map[string]struct {
		say  i18n.ID
		args []any
		want i18n.ID
	}{
		"hi":  {i18n.ModelNotCalled, []any{"the subscription secret-host is empty"}, i18n.ConsumerFailed},
		"你好":  {i18n.ModelRefused, []any{"secret-host says 401"}, i18n.ConsumerRefused},
		"hey": {i18n.ModelFailed, []any{5, "secret-host"}, i18n.ConsumerBusy},
		"ho":  {i18n.ModelTooLong, nil, i18n.ConsumerTooLong},
		"ha":  {i18n.StepLimit, []any{7}, i18n.ConsumerSteps},
		"he":  {i18n.Broken, nil, i18n.ConsumerFailed},
	} {
		c := b.conversation()
		r := b.chats(c, text)
		r.until("accepted")
		id := chat.TurnID("t-" + c.ID)
		turn := b.claims(c, id)
		_, err := b.Turns.CountFailure(ctx, turn.step(0), func(int, i18n.Lang) (chat.Retry, bool) {
			return chat.Retry{Turn: id, Attempt: 2, Failed: 1, Max: 5, Reason: "secret-host", Text: "secret-host"}, true
		})
		require.NoError(t, err)
		waiting := r.until("waiting")
		require.Equal(t, i18n.Say(i18n.Of(text), i18n.ConsumerWaitsModel), waiting[len(waiting)-1].data["content"])
		turn.ends(chat.TurnFailed, of.say, of.args...)
		all := r.until("error")
		want := i18n.Say(i18n.Of(text), of.want)
		require.Equal(t, want, all[len(all)-1].data["content"])
		require.Equal(t, "failed", all[len(all)-1].data["code"])
		got := b.do(b.key, http.MethodGet, at(c, ""), nil)
		var read consumer.ConversationWithMessages
		got.is(http.StatusOK, &read)
		require.Len(t, read.Transcript, 2)
		require.Equal(t, want, read.Transcript[1].Error)
		require.NotContains(t, fmt.Sprint(all)+string(got.body), "secret-host")
	}
}

func TestChat_PicturesAreKeptWithTheConversationAndShownToNobodyElse(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	var drawn bytes.Buffer
	require.NoError(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 8, 8))))
	red := "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn.Bytes())
	message := func(texts ...string) []object {
		out := []object{{"type": "image_url", "image_url": object{"url": red}}}
		for _, text := range texts {
			out = append(out, object{"type": "text", "text": text})
		}
		return out
	}
	send := func(once string, message any) answered {
		ctx := b.T.Context()
		got := b.request(ctx, b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": message}, "Idempotency-Key", once)
		defer got.Body.Close()
		if got.StatusCode == http.StatusOK {
			return answered{b.T, got.StatusCode, got.Header, nil}
		}
		return b.do(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": message}, "Idempotency-Key", once)
	}
	send("a", message("what is this?")).is(http.StatusOK, nil)
	send("b", message()).is(http.StatusOK, nil)
	require.Equal(t, "conflict", send("a", "what is this?").problem(http.StatusConflict), "without the picture it is another message")
	for what, bad := range map[string]any{
		"a password":     []object{{"type": "image_url", "image_url": object{"url": "https://user:password@example.com/a.png"}}},
		"another type":   []object{{"type": "input_audio"}},
		"no picture":     []object{{"type": "image_url", "image_url": object{"url": "data:image/png;base64,aGVsbG8="}}},
		"nothing":        []object{},
		"an empty text":  "  ",
		"another scheme": []object{{"type": "image_url", "image_url": object{"url": "file:///etc/passwd"}}},
	} {
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, send("x", bad).status, what)
	}
	var read consumer.ConversationWithMessages
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	require.Len(t, read.Transcript, 2)
	require.Equal(t, []string{"what is this?", ""}, []string{read.Transcript[0].Content, read.Transcript[1].Content})
	file := read.Transcript[0].Attachments[0]
	got := b.do(b.key, http.MethodGet, at(c, "/attachments/"+file.Path), nil).is(http.StatusOK, nil)
	require.Equal(t, "image/png", got.header.Get("Content-Type"))
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))
	require.Contains(t, got.header.Get("Content-Security-Policy"), "sandbox")
	require.Equal(t, "not_found", b.do(b.key, http.MethodGet, at(b.conversation(), "/attachments/"+file.Path), nil).problem(http.StatusNotFound))
	b.ClaimTurn(c.Session, "t1")
	all, err := b.Conversations.Messages(t.Context(), c.Session, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, all.Messages[0].Pictures, 1, "the model is shown it")
}

func TestStream_EndsAtOnceWhenItsKeyOrServiceIsNotGoodAnyMore(t *testing.T) {
	for what, withdraw := range map[string]func(b *bundle) error{
		"the key is revoked": func(b *bundle) error {
			return b.Services.RevokeServiceKey(b.T.Context(), b.service.ID, b.caller(b.key).Key)
		},
		"the service is withdrawn": func(b *bundle) error {
			_, err := b.Services.ChangeService(b.T.Context(), b.service.ID, 0, service.Patch{Published: new(false)})
			return err
		},
		"the conversation is gone": func(b *bundle) error { return b.deleteAll() },
		"the service is deleted":   func(b *bundle) error { return b.Services.DeleteService(b.T.Context(), b.service.ID, b.User.ID) },
		"the key has another secret": func(b *bundle) error {
			_, _, err := b.Services.RotateServiceKey(b.T.Context(), b.service.ID, b.caller(b.key).Key)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			b := setup(t)
			b.api.Answers.PingEvery = time.Hour // the change itself ends the stream, and no ping that looks again
			c := b.conversation()
			r := b.chats(c, "hello")
			r.until("accepted")
			watching := b.watches(c, "")
			require.NoError(t, withdraw(b))
			r.until("error")
			watching.until("error")
		})
	}
}

func (b *bundle) deleteAll() error {
	list, err := b.Services.ServiceConversations(b.T.Context(), b.service.ID, servicestore.Page{Limit: 10})
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := b.Services.DeleteConsumerConversation(b.T.Context(), c); err != nil {
			return err
		}
	}
	return nil
}

func TestChat_AStreamOutlivesTheTimeInWhichItsRequestIsRead(t *testing.T) {
	b := setup(t)
	server := httptest.NewUnstartedServer(b.api)
	server.Config.ReadTimeout = time.Second
	server.Start()
	t.Cleanup(server.Close)
	b.url = server.URL
	c, slow := b.conversation(), b.conversation()
	chats := b.chats(c, "hello", "Idempotency-Key", "k")
	chats.until("accepted")
	follows := b.stream(b.key, http.MethodGet, at(c, "/events"), nil)
	follows.until("accepted")

	body, write := io.Pipe()
	late := make(chan int, 1)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/chat", body)
		if err != nil {
			late <- 0
			return
		}
		r.Header.Set("Authorization", "Bearer "+b.key)
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			late <- 0
			return
		}
		late <- got.StatusCode
		_ = got.Body.Close()
	}()
	_, err := io.WriteString(write, `{"conversation_id": "`+slow.ID+`", `)
	require.NoError(t, err)
	<-time.After(6 * time.Second) // longer than a body that is small may take
	_, err = io.WriteString(write, `"message": "by a slow line"}`)
	require.NoError(t, err)
	require.NoError(t, write.Close())
	require.Equal(t, http.StatusOK, <-late)
	b.claims(c, "t1").answers("hi there")
	chats.until("done")
	follows.until("done")
}

// full has no room for more pictures.
type full struct{ consumer.Attachments }

func (full) CheckSpace(context.Context, chat.UserID, int64) error {
	return fault.Errorf(fault.TooLarge, "there is no room")
}

func TestChat_APictureThatWasAcceptedIsKnownAgainWhereThereIsNoRoomForMore(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	send := func(once string, size int) int {
		var drawn bytes.Buffer
		require.NoError(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, size, size))))
		message := []object{{"type": "image_url", "image_url": object{"url": "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn.Bytes())}}}
		got := b.request(t.Context(), b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": message}, "Idempotency-Key", once)
		require.NoError(t, got.Body.Close())
		return got.StatusCode
	}
	require.Equal(t, http.StatusOK, send("a", 8))

	config := b.api.Config
	config.Attachments = full{config.Attachments}
	server := httptest.NewServer(consumer.New(config))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	b.url = server.URL
	require.Equal(t, http.StatusOK, send("a", 8), "it is there already")
	require.Equal(t, http.StatusConflict, send("a", 9), "it came with another picture")
	require.Equal(t, http.StatusRequestEntityTooLarge, send("b", 8))
	var kept int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pictures").Scan(&kept))
	require.Equal(t, 1, kept, "nothing is kept of what was refused")
}
