package people_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/user/users"
)

// response is what a client reads of one.
type response struct {
	ID, Object, Status, Model string
	Error                     *struct{ Code, Message string }
	Output                    []struct {
		Type, Role, Status string
		Content            []struct{ Type, Text string }
	}
	Usage *struct {
		InputTokens  int `json:"input_tokens"`
		OutputTokens int `json:"output_tokens"`
	}
	Conversation struct{ ID string }
}

func (r response) text() string {
	var out strings.Builder
	for _, item := range r.Output {
		for _, c := range item.Content {
			out.WriteString(c.Text)
		}
	}
	return out.String()
}

const responses = "/v1/responses"

// respond asks for a response and returns it.
func (b *bundle) respond(input any, more ...object) (out response) {
	b.T.Helper()
	body := object{"model": "xbot", "input": input}
	for _, m := range more {
		maps.Copy(body, m)
	}
	b.post(responses, body).is(http.StatusOK, &out)
	return out
}

func TestResponse_IsMadeKeptAndFollowed(t *testing.T) {
	b := setup(t)
	first := b.respond("hi", object{"instructions": "Be brief.", "reasoning": object{"effort": "low"}, "text": object{"format": object{"type": "text"}}})
	require.Equal(t, "completed", first.Status)
	require.Equal(t, "response", first.Object)
	require.Equal(t, "Hello, world", first.text())
	require.Equal(t, 10, first.Usage.InputTokens)
	var again response
	b.do(b.token, http.MethodGet, responses+"/"+first.ID, nil).is(http.StatusOK, &again)
	require.Equal(t, first, again)

	second := b.respond([]object{{"role": "user", "content": []object{{"type": "input_text", "text": "and then?"}}}}, object{"previous_response_id": first.ID})
	require.Equal(t, first.Conversation, second.Conversation)
	third := b.respond([]object{{"type": "message", "role": "user", "content": "and?"}, {"type": "reasoning"}}, object{"conversation": first.Conversation.ID})
	require.Equal(t, first.Conversation, third.Conversation)
	require.Equal(t, first.Conversation, b.respond("x", object{"conversation": object{"id": first.Conversation.ID}}).Conversation)
	require.Equal(t, []string{"[Instructions for this message, from the program that sends it]\nBe brief.\n\n[The message]\nhi", "and then?", "and?", "x"}, b.sent())

	old := b.post(responses, object{"model": "xbot", "input": "x", "previous_response_id": first.ID}).fails(http.StatusBadRequest)
	require.Equal(t, "previous_response_id", *old.Param)
	last := b.respond("y", object{"conversation": first.Conversation.ID})
	for range 2 {
		b.post(responses, object{"model": "xbot", "input": "z", "previous_response_id": last.ID}, "Idempotency-Key", "k").is(http.StatusOK, nil)
	}
	require.Len(t, b.sent(), 6, "a retry follows the same response")
}

func TestResponse_IsAStreamOfTheDocumentedEvents(t *testing.T) {
	b := setup(t)
	got := b.post(responses, object{"model": "xbot", "input": "hi", "stream": true})
	var kinds []string
	text, last := "", response{}
	for i, e := range got.events() {
		var event struct {
			Type     string
			Number   int `json:"sequence_number"`
			Delta    string
			Response *response
			ItemID   string `json:"item_id"`
		}
		require.NoError(t, json.Unmarshal([]byte(e), &event))
		require.Equal(t, i, event.Number)
		require.Contains(t, string(got.body), "event: "+event.Type+"\n")
		if len(kinds) == 0 || kinds[len(kinds)-1] != event.Type {
			kinds = append(kinds, event.Type)
		}
		text += event.Delta
		if event.Response != nil {
			last = *event.Response
		}
	}
	require.Equal(t, []string{
		"response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
		"response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
	}, kinds)
	require.Equal(t, "Hello, world", text)
	require.Equal(t, text, last.text())
	require.Equal(t, "completed", last.Status)
	require.NotContains(t, string(got.body), "[DONE]")
}

func TestResponse_InTheBackgroundIsLookedAtAndCancelled(t *testing.T) {
	b := setup(t)
	begun := make(chan struct{}, 10)
	b.agent = func(t turn, _ chat.Message) {
		t.writes(0, 1, "Hel")
		begun <- struct{}{}
		if !eventually(func() bool {
			stop, err := t.Turns.StopRequested(t.T.Context(), t.session, t.id)
			return err != nil || stop
		}) {
			return
		}
		t.ends(chat.TurnStopped, i18n.Stopped)
	}
	runs := b.respond("hi", object{"background": true})
	require.Equal(t, "queued", runs.Status)
	<-begun
	var now response
	b.do(b.token, http.MethodGet, responses+"/"+runs.ID, nil).is(http.StatusOK, &now)
	require.Equal(t, "in_progress", now.Status)
	waits := b.respond("wait", object{"background": true, "conversation": runs.Conversation.ID})
	behind := b.respond("behind", object{"background": true, "conversation": runs.Conversation.ID})
	b.post(responses+"/"+waits.ID+"/cancel", nil).is(http.StatusOK, &now)
	require.Equal(t, "cancelled", now.Status)
	b.do(b.token, http.MethodGet, responses+"/"+runs.ID, nil).is(http.StatusOK, &now)
	require.Equal(t, "in_progress", now.Status, "another one of the same conversation goes on")
	b.post(responses+"/"+runs.ID+"/cancel", nil).is(http.StatusOK, &now)
	require.Equal(t, "cancelled", now.Status)
	<-begun
	b.do(b.token, http.MethodGet, responses+"/"+behind.ID, nil).is(http.StatusOK, &now)
	require.Equal(t, "in_progress", now.Status, "what waits behind is answered")
	b.post(responses+"/"+behind.ID+"/cancel", nil).is(http.StatusOK, &now)
	b.post(responses+"/"+behind.ID+"/cancel", nil).is(http.StatusOK, &now)
	require.Equal(t, "cancelled", now.Status, "cancelled twice it stays so")
}

func eventually(done func() bool) bool {
	for range 2000 {
		if done() {
			return true
		}
		<-time.After(5 * time.Millisecond) // it plays a turn that looks now and then
	}
	return false
}

func TestResponse_ThatFailsSaysSo(t *testing.T) {
	b := setup(t)
	b.agent = func(t turn, _ chat.Message) { t.writes(0, 1); t.ends(chat.TurnFailed, i18n.Broken) }
	require.Equal(t, "turn_failed", b.post(responses, object{"model": "xbot", "input": "hi"}).fails(http.StatusInternalServerError).Code)
	events := b.post(responses, object{"model": "xbot", "input": "hi", "stream": true}).events()
	require.Contains(t, events[len(events)-1], `"type":"response.failed"`)
	require.Contains(t, events[len(events)-1], `"code":"turn_failed"`)
	failed := b.respond("hi", object{"background": true})
	require.Eventually(t, func() bool {
		b.do(b.token, http.MethodGet, responses+"/"+failed.ID, nil).is(http.StatusOK, &failed)
		return failed.Status == "failed"
	}, time.Minute, 10*time.Millisecond)
	require.NotEmpty(t, failed.Error.Message)
}

func TestResponse_WhatCannotBeHonouredNamesItsParameter(t *testing.T) {
	b := setup(t)
	for param, value := range map[string]any{
		"tools": 7, "input": 1, "prompt": object{"id": "x"}, "conversation": 7, "instructions": []string{"x"}, "background": "x", "previous_response_id": 1, "text": 1, "top_logprobs": 2,
	} {
		body := object{"model": "xbot", "input": "hi"}
		body[param] = value
		require.Equal(t, param, *b.post(responses, body).fails(http.StatusBadRequest).Param)
	}
	for param, body := range map[string]object{
		"text.format":      {"input": "x", "text": object{"format": object{"type": "json_schema"}}},
		"reasoning.effort": {"input": "x", "reasoning": object{"effort": "enormous"}},
		"tools[0].type":    {"input": "x", "tools": []object{{"type": "code_interpreter"}}},
		"input[0].type":    {"input": []object{{"type": "computer_call"}}},
		"input[0].role":    {"input": []object{{"role": "assistant", "content": "x"}}},
		"input[0].content": {"input": []object{{"role": "user", "content": ""}}},
		"model":            {"input": "x", "model": nil},
	} {
		if _, named := body["model"]; !named {
			body["model"] = "xbot"
		}
		require.Equal(t, param, *b.post(responses, body).fails(http.StatusBadRequest).Param)
	}
	require.Equal(t, "stream", *b.do(b.token, http.MethodGet, responses+"/resp_x?stream=true", nil).fails(http.StatusBadRequest).Param)
	require.Empty(t, b.sent())
}

// Vercel's AI SDK names what a response said by its item (packages/openai/src/responses/convert-to-openai-responses-input.ts).
func TestResponse_AnItemIsRecalledByItsReference(t *testing.T) {
	b := setup(t)
	first := b.respond("hi")
	var made struct{ Output []struct{ ID string } }
	b.do(b.token, http.MethodGet, responses+"/"+first.ID, nil).is(http.StatusOK, &made)
	reference := object{"type": "item_reference", "id": made.Output[0].ID}
	input := []object{{"role": "user", "content": "hi"}, reference, {"role": "user", "content": "and then?"}}
	second := b.respond(input)
	require.NotEqual(t, first.Conversation.ID, second.Conversation.ID)
	require.Contains(t, b.sent()[1], "> user: hi\n> assistant: Hello, world\n")
	b.respond(input, object{"conversation": second.Conversation.ID})
	require.Equal(t, "and then?", b.sent()[2], "in a conversation that is kept it says nothing new")

	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	his := b.tokenOf(bob, users.ScopeChat)
	ask := func(items ...object) object {
		return object{"model": "xbot", "input": append(items, object{"role": "user", "content": "x"})}
	}
	require.Contains(t, b.do(his, http.MethodPost, responses, ask(reference)).fails(http.StatusBadRequest).Message, "there is no item")
	for _, id := range []string{"msg_", "msg_1", "rs_1", ""} {
		b.post(responses, ask(object{"type": "item_reference", "id": id})).is(map[bool]int{true: http.StatusOK, false: http.StatusBadRequest}[id == ""], nil)
	}
	require.Contains(t, b.post(responses, ask(slices.Repeat([]object{reference}, 129)...)).fails(http.StatusBadRequest).Message, "more than 128 items")
	b.do(b.token, http.MethodDelete, responses+"/"+first.ID, nil).is(http.StatusOK, nil)
	b.post(responses, ask(reference)).fails(http.StatusBadRequest)
}
