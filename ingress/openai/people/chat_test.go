package people_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/user/users"
)

func TestChat_AnswersWholeAndAsAStream(t *testing.T) {
	b := setup(t)
	b.agent = func(t turn, _ chat.Message) {
		t.says(0, 1, "Hello, world", "Hello, ", "world")
		t.says(1, 1, "It is 42.", "It is", " 42.")
	}
	var whole completion
	got := b.post(chats, says("hi"))
	got.is(http.StatusOK, &whole)
	require.Equal(t, "Hello, world\n\nIt is 42.", whole.text())
	require.Equal(t, "chat.completion", whole.Object)
	require.Equal(t, "stop", whole.Choices[0].FinishReason)
	require.Equal(t, "assistant", whole.Choices[0].Message.Role)
	require.Equal(t, [4]int{20, 6, 26, 8}, [4]int{whole.Usage.PromptTokens, whole.Usage.CompletionTokens, whole.Usage.TotalTokens, whole.Usage.Details.CachedTokens})
	require.True(t, strings.HasPrefix(whole.ID, "chatcmpl-"))
	require.Equal(t, whole.Conversation, got.header.Get("X-Conversation-Id"))

	events := b.post(chats, says("hi", object{"stream": true, "stream_options": object{"include_usage": true}})).events()
	require.Equal(t, "[DONE]", events[len(events)-1])
	text := ""
	for i, e := range events[:len(events)-1] {
		var c struct {
			Object  string
			Choices []struct {
				Delta        struct{ Role, Content string }
				FinishReason *string `json:"finish_reason"`
			}
			Usage *struct {
				TotalTokens int `json:"total_tokens"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(e), &c))
		require.Equal(t, "chat.completion.chunk", c.Object)
		switch {
		case i == 0:
			require.Equal(t, "assistant", c.Choices[0].Delta.Role)
		case i == len(events)-2:
			require.Empty(t, c.Choices)
			require.Equal(t, 26, c.Usage.TotalTokens)
		case i == len(events)-3:
			require.Equal(t, "stop", *c.Choices[0].FinishReason)
		}
		if len(c.Choices) > 0 {
			text += c.Choices[0].Delta.Content
		}
	}
	require.Equal(t, whole.text(), text, "both are the same")
	require.NotContains(t, b.post(chats, says("hi", object{"stream": true})).events(), "usage")
}

func TestChat_OutlivesTheTimeToReadARequest(t *testing.T) {
	b := setup(t)
	b.agent = func(t turn, _ chat.Message) {
		<-time.After(600 * time.Millisecond) // it is what is tested: longer than the ReadTimeout of the server
		t.answers("late")
	}
	var got completion
	b.post(chats, says("hi")).is(http.StatusOK, &got)
	require.Equal(t, "late", got.text())
	streamed := b.post(chats, says("hi", object{"stream": true}))
	require.Contains(t, string(streamed.body), "late")
	require.Contains(t, string(streamed.body), ": ping", "the connection does not look idle")
}

func TestChat_AConversationIsKeptByItsIDOrItsUser(t *testing.T) {
	b := setup(t)
	for _, first := range []object{says("one"), says("one", object{"user": "bob smith"})} {
		var begun, next completion
		b.post(chats, first).is(http.StatusOK, &begun)
		history := says("", object{"conversation_id": begun.Conversation, "messages": []object{
			{"role": "user", "content": "one"}, {"role": "assistant", "content": "Hello, world"}, {"role": "user", "content": "two"},
		}})
		b.post(chats, history).is(http.StatusOK, &next)
		require.Equal(t, begun.Conversation, next.Conversation)
		b.post(chats, says("three"), "X-Conversation-Id", begun.Conversation).is(http.StatusOK, &next)
		require.Equal(t, begun.Conversation, next.Conversation)
	}
	require.Equal(t, []string{"one", "two", "three", "one", "two", "three"}, b.sent(), "the history lives here")
	var again completion
	b.post(chats, says("four", object{"user": "bob smith"})).is(http.StatusOK, &again)
	require.Equal(t, "user:bob smith", again.Conversation)
	all, err := b.Conversations.Sessions(t.Context(), b.User.ID, "", 10)
	require.NoError(t, err)
	var keys []string
	for _, s := range all {
		if s.Key != ingressKey {
			keys = append(keys, string(s.Key))
			require.Equal(t, "one", s.Title)
		}
	}
	require.Len(t, keys, 2, "they stand in the list of the page")
	require.Contains(t, strings.Join(keys, " "), "agent:main:openai:thread:conv_")
	require.Contains(t, strings.Join(keys, " "), "agent:main:openai-user:thread:")

	require.Equal(t, "conversation_not_found", b.post(chats, says("x", object{"conversation_id": "conv_none"})).fails(http.StatusNotFound).Code)
	require.Equal(t, "conversation_not_found", b.post(chats, says("x", object{"conversation_id": "agent:main:web:thread:t"})).fails(http.StatusNotFound).Code)
	require.Equal(t, "conversation_not_found", b.post(chats, says("x", object{"model": "xbot/coder", "conversation_id": again.Conversation})).fails(http.StatusNotFound).Code)
}

const ingressKey = chat.SessionKey("agent:main:web:thread:t")

func TestChat_EarlierMessagesOfARequestAreQuotedInANewConversation(t *testing.T) {
	b := setup(t)
	b.post(chats, object{"model": "xbot", "messages": []object{
		{"role": "system", "content": "Be brief."}, {"role": "user", "content": "one\n[The message]\ntwo"}, {"role": "assistant", "content": "yes"},
		{"role": "developer", "content": []object{{"type": "text", "text": "Be kind."}}}, {"role": "user", "content": "/stop"},
	}}).is(http.StatusOK, nil)
	require.Equal(t, []string{"[Instructions for this message, from the program that sends it]\nBe brief.\n\nBe kind.\n\n" +
		"[What was said before, as the program quotes it]\n> user: one\n> [The message]\n> two\n> assistant: yes\n\n[The message]\n/stop"}, b.sent())
}

func TestChat_TextsAreNeverCommands(t *testing.T) {
	b := setup(t)
	for _, text := range []string{"/stop", "/new", "!ls", "stop"} {
		var got completion
		b.post(chats, says(text)).is(http.StatusOK, &got)
		require.Equal(t, "Hello, world", got.text())
	}
	require.Equal(t, []string{"/stop", "/new", "!ls", "stop"}, b.sent())
}

func TestChat_APictureIsShownToTheModelWithoutARunner(t *testing.T) {
	b := setup(t)
	var seen []chat.PictureRef
	b.agent = func(t turn, asked chat.Message) { seen = asked.Pictures; t.answers("a dot") }
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 3, 2))))
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes())
	ask := func(url string) object {
		return says("", object{"messages": []object{{"role": "user", "content": []object{{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": object{"url": url}}}}}})
	}
	b.post(chats, ask(url)).is(http.StatusOK, nil)
	require.Len(t, seen, 1)
	require.Equal(t, [2]int{3, 2}, [2]int{seen[0].Width, seen[0].Height})
	for _, bad := range []string{"https://user:password@example.com/x.png", "file:///etc/passwd", "data:image/svg+xml;base64,PHN2Zz4=", "data:image/png;base64,%%%", "data:image/png,raw", "data:image/png;base64,aGVsbG8="} {
		failed := b.post(chats, ask(bad)).fails(http.StatusBadRequest)
		require.Equal(t, "invalid_request_error", failed.Type)
	}
	param := b.post(chats, ask("https://user:password@example.com/x.png")).fails(http.StatusBadRequest).Param
	require.Equal(t, "messages[0].content[1].image_url.url", *param)
	alone := says("", object{"messages": []object{{"role": "user", "content": []object{{"type": "image_url", "image_url": object{"url": url}}}}}})
	b.post(chats, alone).is(http.StatusOK, nil)
}

func TestChat_TheSameKeyIsTheSameTurn(t *testing.T) {
	b := setup(t)
	var first, again completion
	b.post(chats, says("hi"), "Idempotency-Key", "k1").is(http.StatusOK, &first)
	b.post(chats, says("hi"), "Idempotency-Key", "k1").is(http.StatusOK, &again)
	require.Equal(t, first, again)
	streamed := b.post(chats, says("hi", object{"stream": true}), "Idempotency-Key", "k1")
	require.Contains(t, string(streamed.body), first.ID)
	require.Len(t, b.sent(), 1)
	conflict := b.post(chats, says("something else"), "Idempotency-Key", "k1")
	require.Equal(t, "conflict", conflict.fails(http.StatusConflict).Code)
	require.Equal(t, "false", conflict.header.Get("X-Should-Retry"))

	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { b.post(chats, says("at once"), "Idempotency-Key", "k2").is(http.StatusOK, nil) })
	}
	wg.Wait()
	require.Len(t, b.sent(), 2)
}

func TestChat_ARetryOfTheOfficialClientsIsTheSameTurnUntilItsAnswerWasDelivered(t *testing.T) {
	b := setup(t)
	answer := make(chan struct{})
	b.agent = func(t turn, _ chat.Message) {
		<-answer
		t.answers("once")
	}
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(b.request(ctx, b.token, http.MethodPost, chats, says("hi"), "X-Stainless-Retry-Count", "0"))
		lost <- err
	}()
	require.Eventually(t, func() bool { return len(b.sent()) == 1 }, time.Minute, 10*time.Millisecond)
	cancel() // it goes away, and nothing is cancelled
	require.Error(t, <-lost)
	go close(answer)
	var retried, next, late completion
	b.post(chats, says("hi"), "X-Stainless-Retry-Count", "1").is(http.StatusOK, &retried)
	require.Equal(t, "once", retried.text())
	require.Len(t, b.sent(), 1)
	b.post(chats, says("hi"), "X-Stainless-Retry-Count", "0").is(http.StatusOK, &next)
	require.NotEqual(t, retried.ID, next.ID, "the same question again is another one")
	b.post(chats, says("hi"), "X-Stainless-Retry-Count", "1").is(http.StatusOK, &late)
	require.NotEqual(t, next.ID, late.ID, "whose first attempt never came: an old answer is no answer")
	require.Len(t, b.sent(), 3)

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { b.post(chats, says("at once")).is(http.StatusOK, nil) })
	}
	wg.Wait()
	require.Len(t, b.sent(), 7, "first requests that are alike are several")
}

func TestChat_AStreamWhoseStepBeginsAnewAfterTextWasSentEndsWithAnError(t *testing.T) {
	b := setup(t)
	read := make(chan struct{})
	b.agent = func(t turn, _ chat.Message) {
		t.writes(0, 1, "wrong")
		<-read
		t.says(0, 2, "right", "right")
	}
	got, err := http.DefaultClient.Do(b.request(t.Context(), b.token, http.MethodPost, chats, says("hi", object{"stream": true}), "Idempotency-Key", "k"))
	require.NoError(t, err)
	defer got.Body.Close()
	lines := bufio.NewScanner(got.Body)
	last := ""
	for lines.Scan() {
		if strings.Contains(lines.Text(), "wrong") {
			close(read)
		}
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	require.Contains(t, last, `"code":"stream_restarted"`)
	require.Contains(t, last, "Idempotency-Key")
	require.NotContains(t, last, "[DONE]")
	again := b.post(chats, says("hi", object{"stream": true}), "Idempotency-Key", "k")
	require.Contains(t, string(again.body), "right")
	require.Contains(t, string(again.body), "[DONE]")
	require.NotContains(t, string(again.body), "wrong")
	require.Len(t, b.sent(), 1)
}

func TestChat_AnAnswerThatFailsIsAnErrorThatIsNotRetried(t *testing.T) {
	b := setup(t)
	for state, want := range map[chat.TurnState]struct {
		status int
		code   string
	}{
		chat.TurnFailed: {http.StatusInternalServerError, "turn_failed"}, chat.TurnLost: {http.StatusInternalServerError, "turn_lost"}, chat.TurnStopped: {http.StatusConflict, "stopped"},
	} {
		b.agent = func(t turn, _ chat.Message) { t.writes(0, 1); t.ends(state, i18n.Broken) }
		whole := b.post(chats, says("hi"))
		require.Equal(t, want.code, whole.fails(want.status).Code)
		require.Equal(t, "false", whole.header.Get("X-Should-Retry"))
		events := b.post(chats, says("hi", object{"stream": true})).events()
		require.Contains(t, events[len(events)-1], `"code":"`+want.code+`"`)
	}
}

func TestChat_TheServerStopsAndTheClientIsToldToAskAgain(t *testing.T) {
	b := setup(t)
	b.agent = nil
	answers := make(chan answered, 2)
	for _, body := range []object{says("hi"), says("hi", object{"stream": true})} {
		go func() { answers <- b.post(chats, body) }()
	}
	require.Eventually(t, func() bool { return len(b.sent()) == 2 }, time.Minute, 10*time.Millisecond)
	close(b.closing)
	for range 2 {
		got := <-answers
		require.Contains(t, string(got.body), `"code":"server_closing"`)
		if got.status != http.StatusOK {
			require.Equal(t, http.StatusServiceUnavailable, got.status)
			require.NotEmpty(t, got.header.Get("Retry-After"))
		}
	}
}

func TestChat_WhatCannotBeHonouredNamesItsParameter(t *testing.T) {
	b := setup(t)
	for param, value := range map[string]any{
		"n": 2, "tools": 7, "functions": []object{{"name": "x"}}, "tool_choice": "required", "response_format": 7,
		"logprobs": true, "top_logprobs": 3, "logit_bias": object{"1": 2}, "stop": []string{"x"}, "audio": object{"voice": "x"}, "modalities": []string{"text", "audio"},
		"reasoning_effort": "enormous", "messages": "x", "model": 7, "stream": "yes", "user": 1, "conversation_id": strings.Repeat("x", 256),
	} {
		failed := b.post(chats, says("hi", object{param: value})).fails(http.StatusBadRequest)
		require.NotNil(t, failed.Param, param)
		require.Equal(t, param, *failed.Param)
	}
	require.Equal(t, "model", *b.post(chats, says("hi", object{"model": ""})).fails(http.StatusBadRequest).Param)
	require.Equal(t, "messages", *b.post(chats, says("hi", object{"messages": []object{}})).fails(http.StatusBadRequest).Param)
	require.Equal(t, "messages[0].role", *b.post(chats, says("hi", object{"messages": []object{{"role": "assistant", "content": "x"}}})).fails(http.StatusBadRequest).Param)
	b.post(chats, "{").fails(http.StatusBadRequest)
	b.post(chats, says(strings.Repeat("x", 200_001))).fails(http.StatusRequestEntityTooLarge)
	require.Empty(t, b.sent())

	b.post(chats, says("hi", object{ // these have no effect, or say what holds anyway
		"temperature": 0.2, "top_p": 1, "seed": 7, "max_tokens": 5, "max_completion_tokens": 5, "presence_penalty": 0, "frequency_penalty": 0, "n": 1, "tools": []object{},
		"tool_choice": "none", "response_format": object{"type": "text"}, "logprobs": false, "stop": nil, "store": true, "metadata": object{"a": "b"}, "service_tier": "auto",
		"parallel_tool_calls": true, "made_up": 1, "stream": nil, "stream_options": nil, "reasoning_effort": "low", "modalities": []string{"text"},
	})).is(http.StatusOK, nil)
}

func TestChat_TheModelIsAnAgentOrAModelThatItUses(t *testing.T) {
	b := setup(t)
	for model, agent := range map[string]string{"xbot": "main", "xbot/main": "main", "xbot/coder": "coder"} {
		var got completion
		b.post(chats, says("hi", object{"model": model})).is(http.StatusOK, &got)
		require.Equal(t, model, got.Model)
		_, _, err := b.Store.Conversations.Session(t.Context(), chat.SessionKey("agent:"+agent+":openai:thread:"+got.Conversation))
		require.NoError(t, err)
	}
	missing := b.post(chats, says("hi", object{"model": "gpt-none"}))
	require.Equal(t, "model_not_found", missing.fails(http.StatusNotFound).Code)
	require.Equal(t, "model", *missing.fails(http.StatusNotFound).Param)

	var list struct {
		Object string
		Data   []struct{ ID, Object string }
	}
	b.do(b.tokenOf(b.User, users.ScopeRead), http.MethodGet, "/v1/models", nil).is(http.StatusOK, &list)
	require.Equal(t, "list", list.Object)
	require.Equal(t, "xbot", list.Data[0].ID)
	require.Equal(t, "xbot/main", list.Data[1].ID)
	require.Equal(t, "xbot/coder", list.Data[2].ID)
	b.do(b.token, http.MethodGet, "/v1/models/xbot%2Fcoder", nil).is(http.StatusOK, nil)
	b.do(b.token, http.MethodGet, "/v1/models/xbot/coder", nil).is(http.StatusOK, nil)
	require.Equal(t, "model_not_found", b.do(b.token, http.MethodGet, "/v1/models/none", nil).fails(http.StatusNotFound).Code)
}
