package consumer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/service"
)

// completion is an answer in OpenAI's form, whole or a piece.
type completion struct {
	Conversation string `json:"conversation_id"`
	Object       string
	Model        string
	Choices      []struct {
		Message, Delta struct{ Content string }
		Finish         string `json:"finish_reason"`
	}
	Usage struct {
		Total int `json:"total_tokens"`
	}
	Error struct{ Message, Type, Code string }
}

func says(text string, more ...any) object {
	out := object{"model": "any", "messages": []object{{"role": "user", "content": text}}}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

const completionsPath = "/api/v1/chat/completions"

// completes sends a request, and answers it as soon as it is accepted in a conversation.
func (b *bundle) completes(body object, text string, headers ...string) (out completion) {
	b.T.Helper()
	before := b.queued()
	got := make(chan answered, 1)
	go func() { got <- b.do(b.key, http.MethodPost, completionsPath, body, headers...) }()
	c := b.awaits(before)
	b.claims(c, chat.TurnID("t-"+time.Now().Format("150405.000000000"))).answers(text)
	(<-got).is(http.StatusOK, &out)
	return out
}

func (b *bundle) queued() (n int) {
	b.T.Helper()
	require.NoError(b.T, b.Pool.QueryRow(b.T.Context(), "SELECT count(*) FROM inbox").Scan(&n))
	return n
}

// awaits waits until another message is queued, and returns its conversation.
func (b *bundle) awaits(before int) (c service.Conversation) {
	b.T.Helper()
	require.Eventually(b.T, func() bool { return b.queued() > before }, 20*time.Second, 5*time.Millisecond)
	var id string
	require.NoError(b.T, b.Pool.QueryRow(b.T.Context(), "SELECT c.id FROM inbox i JOIN service_conversations c ON c.session_key = i.session_key ORDER BY i.id DESC LIMIT 1").Scan(&id))
	c, err := b.Services.ConsumerConversation(b.T.Context(), b.caller(b.key), id)
	require.NoError(b.T, err)
	return c
}

func TestCompletions_AnswerInOpenAIsFormInTheConversationThatIsNamed(t *testing.T) {
	b := setup(t)
	first := b.completes(says("hello"), "hi there")
	require.Equal(t, []any{"chat.completion", "hi there", "stop", 13}, []any{first.Object, first.Choices[0].Message.Content, first.Choices[0].Finish, first.Usage.Total})
	require.True(t, service.IsConversation(first.Conversation))
	require.Equal(t, b.service.ID, first.Model, "whatever the request calls it")
	second := b.completes(says("and now?", "conversation_id", first.Conversation), "later")
	require.Equal(t, first.Conversation, second.Conversation)
	third := b.completes(says("hello"), "hi again")
	require.NotEqual(t, first.Conversation, third.Conversation, "else each is a new one")
	lena := b.completes(says("I am Lena", "user", "lena"), "hi Lena")
	again := b.completes(says("who am I?", "user", "lena"), "Lena")
	require.Equal(t, lena.Conversation, again.Conversation)
	other := b.completes(says("who am I?", "user", "mark"), "who knows")
	require.NotEqual(t, lena.Conversation, other.Conversation)

	var out completion
	b.do(b.keyOf(b.service), http.MethodPost, completionsPath, says("hi", "conversation_id", first.Conversation)).is(http.StatusNotFound, &out)
	require.NotEmpty(t, out.Error.Message)
	b.do("sk-svc-wrong", http.MethodPost, completionsPath, says("hi")).is(http.StatusUnauthorized, &out)
	require.Equal(t, []string{"invalid_request_error", "invalid_api_key"}, []string{out.Error.Type, out.Error.Code})
	b.do(b.key, http.MethodPost, completionsPath, says("hi", "n", 2)).is(http.StatusBadRequest, &out)
}

func TestCompletions_OneThatAPersonReadsSaysSoAndIsKept(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.takes(c)
	var out completion
	got := b.do(b.key, http.MethodPost, completionsPath, says("are you a person?", "conversation_id", c.ID)).is(http.StatusConflict, &out)
	require.Equal(t, []string{"taken", i18n.Say(i18n.English, i18n.ServiceTaken)}, []string{out.Error.Code, out.Error.Message})
	require.Equal(t, "false", got.header.Get("X-Should-Retry"))
	require.Equal(t, "are you a person?", b.read(c).Transcript[0].Content)

	stream := b.do(b.key, http.MethodPost, completionsPath, says("are you?", "conversation_id", c.ID, "stream", true)).is(http.StatusOK, nil)
	require.Contains(t, string(stream.body), `"code":"taken"`)
	require.Len(t, b.read(c).Transcript, 2)
}

func TestCompletions_AStreamHidesToolsAndEndsAsOpenAIs(t *testing.T) {
	b := setup(t)
	before := b.queued()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := b.request(ctx, b.key, http.MethodPost, completionsPath, says("look it up", "stream", true, "stream_options", object{"include_usage": true}))
	defer got.Body.Close()
	require.Equal(t, http.StatusOK, got.StatusCode)
	turn := b.claims(b.awaits(before), "t1")
	turn.begins(0)
	turn.argues(0, 0, 0, `{"secret argument`)
	turn.calls(turn.says(0, "", "Read")[0], "secret result")
	turn.begins(1)
	turn.argues(1, 0, 0, `{"secret argument`)
	turn.writes(1, "found ")
	turn.says(1, "found it")
	turn.ends(chat.TurnDone, "")
	body, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.NotContains(t, string(body), "secret")
	require.True(t, strings.HasSuffix(string(body), "data: [DONE]\n\n"), "%s", body)
	text, total := "", 0
	for lines := bufio.NewScanner(strings.NewReader(string(body))); lines.Scan(); {
		data, is := strings.CutPrefix(lines.Text(), "data: {")
		if !is {
			continue
		}
		var c completion
		require.NoError(t, json.Unmarshal([]byte("{"+data), &c))
		for _, choice := range c.Choices {
			text += choice.Delta.Content
		}
		total = max(total, c.Usage.Total)
	}
	require.Equal(t, "found it", text)
	require.Equal(t, 26, total)
}

func TestCompletions_ARetryIsTheSameMessageAndAFailureNamesNothingOfTheHouse(t *testing.T) {
	b := setup(t)
	lost, cancel := context.WithCancel(t.Context())
	before := b.queued()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r, err := http.NewRequestWithContext(lost, http.MethodPost, b.url+completionsPath, strings.NewReader(`{"model":"any","messages":[{"role":"user","content":"hello"}]}`))
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+b.key)
			if got, err := http.DefaultClient.Do(r); err == nil {
				_ = got.Body.Close()
			}
		}
	}()
	c := b.awaits(before)
	cancel()
	<-gone
	b.claims(c, "t1").answers("hi")
	var out completion
	b.do(b.key, http.MethodPost, completionsPath, []byte(`{"model":"any","messages":[{"role":"user","content":"hello"}]}`), "X-Stainless-Retry-Count", "1").is(http.StatusOK, &out)
	require.Equal(t, c.ID, out.Conversation)
	require.Equal(t, "hi", out.Choices[0].Message.Content)
	require.Equal(t, before+1, b.queued(), "it was answered once")
	for _, text := range []string{"named", "named"} {
		if b.queued() == before+1 {
			out = b.completes(says(text), "once", "Idempotency-Key", "mine")
			continue
		}
		var again completion
		b.do(b.key, http.MethodPost, completionsPath, says(text), "Idempotency-Key", "mine").is(http.StatusOK, &again)
		require.Equal(t, out.Conversation, again.Conversation)
	}
	require.Equal(t, before+2, b.queued())

	before = b.queued()
	failed := make(chan answered, 1)
	go func() { failed <- b.do(b.key, http.MethodPost, completionsPath, says("你好")) }()
	b.claims(b.awaits(before), "t9").ends(chat.TurnFailed, i18n.ModelRefused, "secret-host says no")
	got := <-failed
	require.GreaterOrEqual(t, got.status, 400)
	require.NotContains(t, string(got.body), "secret-host")
}

func TestCompletions_ARefusedRequestLeavesNoConversationBehind(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 1}.Patch()})
	b.chats(b.conversation(), "it waits").until("accepted")
	var out completion
	got := b.do(b.key, http.MethodPost, completionsPath, says("one too many")).is(http.StatusTooManyRequests, &out)
	require.Equal(t, "rate_limit_error", out.Error.Type)
	require.NotEmpty(t, got.header.Get("Retry-After"))
	var n int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM service_conversations").Scan(&n))
	require.Equal(t, 1, n)
}

func TestCompletions_AMessageThatNoConversationIsBegunForTakesNoPlaceOfTheKey(t *testing.T) {
	b := setup(t, service.Patch{MaxConversations: new(1), Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 1}.Patch()})
	c := b.conversation()
	require.Equal(t, http.StatusConflict, b.do(b.key, http.MethodPost, completionsPath, says("hello")).status, "there are as many as may be")
	b.chats(c, "hello").until("accepted")
}

func TestCompletions_ANameWithANulIsRefused(t *testing.T) {
	b := setup(t)
	for _, name := range []string{"user", "model", "conversation_id"} {
		var out completion
		b.do(b.key, http.MethodPost, completionsPath, says("hello", name, "a\x00b")).is(http.StatusBadRequest, &out)
		require.Contains(t, out.Error.Message, name)
	}
}

func TestCompletions_OneThatWasAcceptedIsToldAgainWhateverLimitIsReached(t *testing.T) {
	b := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 4, TokensPerDay: 100}.Patch()})
	for n, request := range []object{says("hello"), says("hello", "user", "ann")} {
		key := fmt.Sprint("k", n)
		first := b.completes(request, "hi there", "Idempotency-Key", key)
		b.completes(says("more"), "more", "Idempotency-Key", key+"b") // the place of the first one is known to be free by then
		_, err := b.Pool.Exec(t.Context(), "INSERT INTO service_tokens (service_id, day, key_id, model, prompt_tokens) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 'k', $2, 1000)", b.service.ID, key)
		require.NoError(t, err)
		require.Equal(t, http.StatusTooManyRequests, b.do(b.key, http.MethodPost, completionsPath, request, "Idempotency-Key", "another").status)
		var again completion
		b.do(b.key, http.MethodPost, completionsPath, request, "Idempotency-Key", key).is(http.StatusOK, &again)
		require.Equal(t, []string{first.Conversation, "hi there"}, []string{again.Conversation, again.Choices[0].Message.Content})
		_, err = b.Pool.Exec(t.Context(), "DELETE FROM service_tokens")
		require.NoError(t, err)
	}
}

func TestCompletions_OneThatIsTooLongBeginsNoConversationAndKeepsNoPicture(t *testing.T) {
	b := setup(t, service.Patch{MaxConversations: new(1)})
	long := strings.Repeat("x", 200_001)
	for range 3 {
		var out completion
		b.do(b.key, http.MethodPost, completionsPath, says(long)).is(http.StatusRequestEntityTooLarge, &out)
		require.Contains(t, out.Error.Message, "at most")
	}
	c := b.conversation() // the only one that there may be
	require.Equal(t, "too_large", b.do(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": []object{
		{"type": "text", "text": long}, {"type": "image_url", "image_url": object{"url": "data:image/png;base64," + redDot}},
	}}).problem(http.StatusRequestEntityTooLarge))
	var kept int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pictures").Scan(&kept))
	require.Zero(t, kept)
}

func TestCompletions_OnesWithoutANameMakeRoomForEachOther(t *testing.T) {
	b := setup(t, service.Patch{MaxConversations: new(2)})
	first := b.completes(says("hello"), "hi")
	lena := b.completes(says("hello", "user", "lena"), "hi Lena")
	_, err := b.Pool.Exec(t.Context(), "UPDATE sessions SET last_interaction_at = now() - interval '2 hours'")
	require.NoError(t, err)
	b.completes(says("hello", "user", "mark"), "hi Mark", "Idempotency-Key", "mark")
	require.Equal(t, http.StatusNotFound, b.do(b.key, http.MethodGet, "/api/v1/conversations/"+first.Conversation, nil).status)
	require.Equal(t, http.StatusOK, b.do(b.key, http.MethodGet, "/api/v1/conversations/"+lena.Conversation, nil).status, "whoever has a name keeps theirs")
	require.Equal(t, http.StatusConflict, b.do(b.key, http.MethodPost, completionsPath, says("hello")).status)
}

func TestCompletions_OneForWhosePicturesThereIsNoRoomBeginsNoConversation(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	b.chats(c, "hello").until("accepted")
	_, err := b.Pool.Exec(t.Context(), `
		INSERT INTO inbox_files (inbox_id, n, user_id, kind, key, name, size, state, path, stored_at)
		SELECT i.id, 1, i.user_id, 'file', '', 'big', 10::bigint << 30, 'stored', 'big', now() FROM inbox i WHERE i.session_key = $1`, c.Session)
	require.NoError(t, err)
	picture := []object{{"type": "image_url", "image_url": object{"url": "data:image/png;base64," + redDot}}}
	body := object{"model": "any", "messages": []object{{"role": "user", "content": picture}}}
	require.Equal(t, http.StatusRequestEntityTooLarge, b.do(b.key, http.MethodPost, completionsPath, body).status)
	require.Equal(t, "too_large", b.do(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": b.conversation().ID, "message": picture}).problem(http.StatusRequestEntityTooLarge), "in no other conversation either")
	var n int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM service_conversations").Scan(&n))
	require.Equal(t, 2, n)
}
