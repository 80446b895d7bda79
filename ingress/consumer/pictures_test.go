package consumer_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/document/webpicture/webpicturetest"
	"xbot/internal/service"
	conversationrows "xbot/internal/turn/conversation"
)

// shown is a message with a picture of an address; without a text it says nothing else.
func shown(address string, texts ...string) []object {
	out := []object{{"type": "image_url", "image_url": object{"url": address, "detail": "high"}}}
	for _, text := range texts {
		out = append(out, object{"type": "text", "text": text})
	}
	return out
}

// sends sends a message, and does not wait for its answer.
func (b *bundle) sends(key, conversation string, message any, headers ...string) answered {
	b.T.Helper()
	got := b.request(b.T.Context(), key, http.MethodPost, "/api/v1/chat", object{"conversation_id": conversation, "message": message}, headers...)
	if got.StatusCode == http.StatusOK {
		require.NoError(b.T, got.Body.Close())
		return answered{b.T, got.StatusCode, got.Header, nil}
	}
	require.NoError(b.T, got.Body.Close())
	return b.do(key, http.MethodPost, "/api/v1/chat", object{"conversation_id": conversation, "message": message}, headers...)
}

// completing is a request in OpenAI's form that has a picture.
func completing(address string, more ...any) object {
	return says("", append([]any{"messages", []object{{"role": "user", "content": shown(address, "what is this?")}}}, more...)...)
}

func (b *bundle) pictures(key chat.SessionKey) []chat.PictureRef {
	b.T.Helper()
	all, err := b.Conversations.Messages(b.T.Context(), key, conversationrows.Page{Limit: 10})
	require.NoError(b.T, err)
	return all.Messages[0].Pictures
}

func TestPictures_OneOfAnAddressIsShownToTheModelWhicheverFormTheRequestHas(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	c := b.conversation()
	b.sends(b.key, c.ID, shown(site.URL+"/cat.png?token=secret-token", "what is this?")).is(http.StatusOK, nil)
	b.ClaimTurn(c.Session, "t1")
	require.Len(t, b.pictures(c.Session), 1)
	require.Equal(t, webpicturetest.Width, b.pictures(c.Session)[0].Width)
	read := b.read(c)
	require.Equal(t, "what is this?", read.Transcript[0].Content)
	require.Len(t, read.Transcript[0].Attachments, 1)
	require.NotContains(t, string(b.do(b.key, http.MethodGet, at(c, ""), nil).body), "secret-token")
	b.do(b.key, http.MethodGet, at(c, "/attachments/"+read.Transcript[0].Attachments[0].Path), nil).is(http.StatusOK, nil)

	whole := b.completes(completing(site.URL+"/cat.png"), "a cat")
	where, err := b.Services.ConsumerConversation(t.Context(), b.caller(b.key), whole.Conversation)
	require.NoError(t, err)
	require.Len(t, b.pictures(where.Session), 1)
	require.Equal(t, 2, site.Asked())
}

func TestPictures_ARetryIsTheSameMessageWhateverIsAtTheAddressByThen(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	c := b.conversation()
	both := append(shown(site.URL+"/cat.png", "what is this?"), shown("data:image/png;base64,"+redDot)...)
	b.sends(b.key, c.ID, both, "Idempotency-Key", "a").is(http.StatusOK, nil)
	b.sends(b.key, c.ID, shown(site.URL+"/cat.png"), "Idempotency-Key", "b").is(http.StatusOK, nil)
	first := b.completes(completing(site.URL+"/cat.png"), "a cat", "Idempotency-Key", "c")
	queued := b.queued()
	require.Equal(t, 3, site.Asked())
	site.Close()

	b.sends(b.key, c.ID, both, "Idempotency-Key", "a").is(http.StatusOK, nil)
	b.sends(b.key, c.ID, shown(site.URL+"/cat.png"), "Idempotency-Key", "b").is(http.StatusOK, nil)
	var again completion
	b.do(b.key, http.MethodPost, completionsPath, completing(site.URL+"/cat.png"), "Idempotency-Key", "c").is(http.StatusOK, &again)
	require.Equal(t, first, again)
	for what, other := range map[string]any{
		"another address": shown(site.URL+"/dog.png", "what is this?"), "no picture": "what is this?", "one more": append(both, shown(site.URL+"/cat.png")...),
		"the bytes": append(shown("data:image/png;base64,"+redDot, "what is this?"), shown("data:image/png;base64,"+redDot)...),
	} {
		require.Equal(t, "conflict", b.sends(b.key, c.ID, other, "Idempotency-Key", "a").problem(http.StatusConflict), what)
	}
	b.do(b.key, http.MethodPost, completionsPath, completing(site.URL+"/dog.png"), "Idempotency-Key", "c").is(http.StatusConflict, nil)
	require.Equal(t, queued, b.queued())
}

func TestPictures_TheSameMessageTwiceAtOnceIsOneAlthoughTheAddressAnswersEachOtherwise(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	c := b.conversation()
	ask := completing(site.URL+"/slow", "user", "lena")
	b.completes(says("hello", "user", "lena"), "hi Lena")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { b.sends(b.key, c.ID, shown(site.URL+"/slow"), "Idempotency-Key", "a").is(http.StatusOK, nil) })
		both.Go(func() {
			b.do(b.key, http.MethodPost, completionsPath, ask, "Idempotency-Key", "b").is(http.StatusOK, nil)
		})
	}
	require.Eventually(t, func() bool { return site.Waiting() == 4 }, time.Minute, 5*time.Millisecond, "they are fetched at the same time")
	before := b.queued()
	site.GoOn()
	require.Eventually(t, func() bool { return b.queued() == before+2 }, time.Minute, 5*time.Millisecond)
	var lena string
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT c.id FROM service_conversations c JOIN inbox i ON i.session_key = c.session_key WHERE i.body = 'what is this?'").Scan(&lena))
	where, err := b.Services.ConsumerConversation(t.Context(), b.caller(b.key), lena)
	require.NoError(t, err)
	b.claims(where, "t-lena").answers("a cat")
	both.Wait()
	require.Equal(t, before+2, b.queued())
}

// redDot is a picture in base64.
const redDot = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="

func TestPictures_ARetryOfTheOfficialClientsFetchesNothingAgain(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	before := b.queued()
	first := make(chan answered, 1)
	go func() { first <- b.do(b.key, http.MethodPost, completionsPath, completing(site.URL+"/cat.png")) }()
	c := b.awaits(before)
	site.Close()
	retried := make(chan answered, 1)
	go func() {
		retried <- b.do(b.key, http.MethodPost, completionsPath, completing(site.URL+"/cat.png"), "X-Stainless-Retry-Count", "1")
	}()
	select {
	case got := <-retried:
		require.Fail(t, "a retry whose message waits was answered", "%s", got.body)
	case <-time.After(300 * time.Millisecond):
	}
	b.claims(c, "t1").answers("a cat")
	(<-first).is(http.StatusOK, nil)
	(<-retried).is(http.StatusOK, nil)
	require.Equal(t, before+1, b.queued())
	require.Equal(t, 1, site.Asked())
}

func TestPictures_WhatCannotBeHadTakesNoPlaceAndLeavesNothingBehind(t *testing.T) {
	b, site := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 1}.Patch()}), webpicturetest.New(t)
	c := b.conversation()
	for address, why := range map[string]string{
		site.URL + "/page?token=secret":          "what is there is no picture",
		site.URL + "/missing?token=secret":       "it answered 404 Not Found",
		"https://u:secret@example.com/a":         "which are not sent",
		"ftp://example.com/secret":               "a picture is data:image/png;base64,…, or an address such as https://example.com/cat.png",
		"http://127.0.0.2:1/secret":              "its host is nowhere on the public internet",
		"http://10.0.0.1/secret":                 "its host is nowhere on the public internet",
		"http://169.254.169.254/latest/secret":   "its host is nowhere on the public internet",
		"http://nobody.invalid/latest/?a=secret": "its host is nowhere on the public internet",
	} {
		got := b.sends(b.key, c.ID, shown(address, "hi"))
		require.Equal(t, "invalid", got.problem(http.StatusBadRequest), address)
		var failed struct {
			Error struct{ Message, Type, Code, Param string }
		}
		asked := b.do(b.key, http.MethodPost, completionsPath, completing(address)).is(http.StatusBadRequest, &failed)
		require.Equal(t, [3]string{"invalid_request_error", "invalid_image_url", "messages[0].content[0].image_url.url"}, [3]string{failed.Error.Type, failed.Error.Code, failed.Error.Param}, address)
		for _, body := range []string{string(got.body), failed.Error.Message} {
			require.Contains(t, body, why)
		}
		for _, body := range [][]byte{got.body, asked.body} {
			require.NotContains(t, string(body), "secret")
			require.NotContains(t, string(body), "XBOT")
		}
	}
	var n int
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT count(*) FROM service_conversations").Scan(&n))
	require.Equal(t, 1, n, "none is begun for it")
	require.Zero(t, b.queued())
	b.chats(c, "the one place is free").until("accepted")
}

func TestPictures_NothingIsFetchedForWhoMayNotAsk(t *testing.T) {
	b, site := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 20, Concurrent: 1}.Patch()}), webpicturetest.New(t)
	address, c := site.URL+"/cat.png", b.conversation()
	both := func(status int, key, conversation string) {
		t.Helper()
		require.Equal(t, status, b.sends(key, conversation, shown(address)).status)
		require.Equal(t, status, b.do(key, http.MethodPost, completionsPath, completing(address, "conversation_id", conversation)).status)
	}
	both(http.StatusUnauthorized, "sk-svc-"+"0000", c.ID)
	both(http.StatusUnauthorized, "", c.ID)
	both(http.StatusNotFound, b.key, "0000000000")
	both(http.StatusNotFound, b.keyOf(b.service), c.ID)
	b.chats(c, "it takes the place of the key").until("accepted")
	both(http.StatusTooManyRequests, b.key, c.ID)
	free := b.keyOf(b.service)
	for range 20 {
		b.do(free, http.MethodGet, "/api/v1/service", nil)
	}
	both(http.StatusTooManyRequests, free, c.ID)
	_, err := b.Services.ChangeService(t.Context(), b.service.ID, 0, service.Patch{Published: new(false)})
	require.NoError(t, err)
	both(http.StatusForbidden, b.key, c.ID)
	require.Zero(t, site.Asked())
}

func TestPictures_ASlowHostKeepsAPlaceOfItsKeyAndNoOther(t *testing.T) {
	b, site := setup(t, service.Patch{Limits: service.Limits{RequestsPerMinute: 1000, Concurrent: 2}.Patch()}), webpicturetest.New(t)
	c := b.conversation()
	var slow sync.WaitGroup
	for _, once := range []string{"a", "b"} {
		slow.Go(func() { b.sends(b.key, c.ID, shown(site.URL+"/slow"), "Idempotency-Key", once).is(http.StatusOK, nil) })
	}
	require.Eventually(t, func() bool { return site.Waiting() == 2 }, time.Minute, 5*time.Millisecond)
	require.Equal(t, "rate_limited", b.sends(b.key, c.ID, shown(site.URL+"/cat.png")).problem(http.StatusTooManyRequests))
	require.Equal(t, 2, site.Asked())
	site.GoOn()
	slow.Wait()
	require.Equal(t, 2, b.queued())
}
