package people_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/document/webpicture/webpicturetest"
	"xbot/internal/user/users"
)

// shows is a request for a completion that has a picture.
func shows(address string, more ...object) object {
	content := []object{{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": object{"url": address, "detail": "high"}}}
	return says("", append([]object{{"messages": []object{{"role": "user", "content": content}}}}, more...)...)
}

// showsInput is one for a response.
func showsInput(address string) object {
	content := []object{{"type": "input_text", "text": "What is it?"}, {"type": "input_image", "image_url": address, "detail": "low"}}
	return object{"model": "xbot", "input": []object{{"role": "user", "content": content}}}
}

func TestPictures_OneOfAnAddressIsShownToTheModelAndTheAddressIsNotKept(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	var seen []chat.PictureRef
	b.agent = func(t turn, asked chat.Message) { seen = asked.Pictures; t.answers("a cat") }
	b.post(chats, shows(site.URL+"/cat.png?token=secret-token")).is(http.StatusOK, nil)
	require.Len(t, seen, 1)
	require.Equal(t, webpicturetest.Width, seen[0].Width)
	seen = nil
	b.post(responses, showsInput(site.URL+"/other?token=secret-token")).is(http.StatusOK, nil)
	require.Len(t, seen, 1)
	require.Equal(t, webpicturetest.Width, seen[0].Width)
	require.Equal(t, 2, site.Asked())

	// In an earlier message of a new conversation it is not shown, and not fetched; in one that is kept nothing of it counts.
	earlier := shows(site.URL + "/earlier")
	earlier["messages"] = append(earlier["messages"].([]object), object{"role": "assistant", "content": "a cat"}, object{"role": "user", "content": "sure?"})
	b.post(chats, earlier).is(http.StatusOK, nil)
	require.Equal(t, 2, site.Asked())

	rows, err := b.Pool.Query(t.Context(), "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'")
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Err())
	require.Contains(t, tables, "inbox_files")
	for _, name := range tables {
		var found int
		require.NoError(t, b.Pool.QueryRow(t.Context(), fmt.Sprintf("SELECT count(*) FROM %q AS r WHERE r::text LIKE '%%secret-token%%'", name)).Scan(&found))
		require.Zero(t, found, "the address is kept in %s", name)
	}
}

func TestPictures_ARetryIsTheSameMessageWhateverIsAtTheAddressByThen(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	var first, again completion
	var response, same struct{ ID string }
	b.post(chats, shows(site.URL+"/cat.png"), "Idempotency-Key", "k1").is(http.StatusOK, &first)
	b.post(responses, showsInput(site.URL+"/cat.png"), "Idempotency-Key", "k2").is(http.StatusOK, &response)
	b.post(chats, shows(site.URL+"/cat.png", object{"user": "lena"}), "Idempotency-Key", "k3").is(http.StatusOK, nil)
	require.Equal(t, 3, site.Asked())
	site.Close()
	b.post(chats, shows(site.URL+"/cat.png"), "Idempotency-Key", "k1").is(http.StatusOK, &again)
	require.Equal(t, first, again)
	b.post(responses, showsInput(site.URL+"/cat.png"), "Idempotency-Key", "k2").is(http.StatusOK, &same)
	require.Equal(t, response, same)
	b.post(chats, shows(site.URL+"/cat.png", object{"user": "lena"}), "Idempotency-Key", "k3").is(http.StatusOK, nil)
	b.post(chats, shows(site.URL+"/dog.png"), "Idempotency-Key", "k1").fails(http.StatusConflict)
	b.post(chats, shows(webpicturetest.Picture(t)), "Idempotency-Key", "k1").fails(http.StatusConflict)
	require.Len(t, b.sent(), 3)
}

func TestPictures_ARetryOfTheOfficialClientsFetchesNothingAgain(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	b.agent = nil
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(b.request(ctx, b.token, http.MethodPost, chats, shows(site.URL+"/cat.png"), "X-Stainless-Retry-Count", "0"))
		lost <- err
	}()
	require.Eventually(t, func() bool { return len(b.sent()) == 1 }, time.Minute, 5*time.Millisecond)
	cancel() // an answer that was delivered would make the retry another request
	require.Error(t, <-lost)
	retried := make(chan answered, 1)
	go func() { retried <- b.post(chats, shows(site.URL+"/cat.png"), "X-Stainless-Retry-Count", "1") }()
	b.mu.Lock()
	b.agent = func(t turn, _ chat.Message) { t.answers("a cat") }
	b.mu.Unlock()
	key := b.sessions()[0]
	b.work(key)
	(<-retried).is(http.StatusOK, nil)
	require.Equal(t, 1, site.Asked())
	require.Len(t, b.sent(), 1)
}

// sessions are the conversations of the channel.
func (b *bundle) sessions() (out []chat.SessionKey) {
	b.T.Helper()
	all, err := b.Conversations.Sessions(b.T.Context(), b.User.ID, "", 100)
	require.NoError(b.T, err)
	for _, s := range all {
		if strings.Contains(string(s.Key), ":openai:") {
			out = append(out, s.Key)
		}
	}
	return out
}

func TestPictures_WhatCannotBeHadNamesItsParameterAndLeavesNothingBehind(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	addresses := map[string]string{
		site.URL + "/page?token=secret":    "what is there is no picture",
		site.URL + "/missing?token=secret": "it answered 404 Not Found",
		"https://u:secret@example.com/a":   "which are not sent",
		"ftp://example.com/secret":         "a picture is data:image/png;base64,…, or an address such as https://example.com/cat.png",
	}
	for _, host := range []string{"127.0.0.2", "[::1]", "10.0.0.1", "169.254.169.254"} {
		addresses["http://"+host+":1/cat.png"] = "its host is nowhere on the public internet"
	}
	for address, why := range addresses {
		for path, ask := range map[string]object{chats: shows(address), responses: showsInput(address)} {
			failed := b.post(path, ask).fails(http.StatusBadRequest)
			require.Equal(t, [2]string{"invalid_request_error", "invalid_image_url"}, [2]string{failed.Type, failed.Code}, address)
			require.Equal(t, map[string]string{chats: "messages[0].content[1].image_url.url", responses: "input[0].content[1].image_url"}[path], *failed.Param)
			require.Contains(t, failed.Message, why, address)
			require.NotContains(t, failed.Message, "secret")
		}
	}
	require.Empty(t, b.sent())
	require.Empty(t, b.sessions(), "no conversation is begun for it")
}

func TestPictures_NothingIsFetchedForWhoMayNotAsk(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	address := site.URL + "/cat.png"
	for _, path := range []string{chats, responses} {
		for status, token := range map[int]string{http.StatusUnauthorized: "wrong", http.StatusForbidden: b.tokenOf(b.User, users.ScopeRead)} {
			b.do(token, http.MethodPost, path, map[string]object{chats: shows(address), responses: showsInput(address)}[path]).fails(status)
		}
	}
	b.post(chats, shows(address, object{"model": "gpt-none"})).fails(http.StatusNotFound)
	b.post(chats, shows(address, object{"conversation_id": "conv_none"})).fails(http.StatusNotFound)
	b.post(chats, shows(address, object{"n": 2})).fails(http.StatusBadRequest)
	many := make([]object, 0, chat.MaxAttachments+1)
	for range chat.MaxAttachments + 1 {
		many = append(many, object{"type": "image_url", "image_url": object{"url": address}})
	}
	b.post(chats, says("", object{"messages": []object{{"role": "user", "content": many}}})).fails(http.StatusBadRequest)
	require.Zero(t, site.Asked())
}

func TestPictures_ASlowHostBreaksNoConnectionAndKeepsNoLargeRequestFromBeingRead(t *testing.T) {
	b, site := setup(t), webpicturetest.New(t)
	large := object{"metadata": object{"padding": strings.Repeat("x", 2<<20)}}
	var slow sync.WaitGroup
	for i := range 4 { // as many large requests as are read at a time
		slow.Go(func() {
			b.post(chats, shows(site.URL+"/slow", large), "Idempotency-Key", fmt.Sprint("slow", i)).is(http.StatusOK, nil)
		})
	}
	require.Eventually(t, func() bool { return site.Waiting() == 4 }, time.Minute, 5*time.Millisecond)
	b.post(chats, says("hi", large)).is(http.StatusOK, nil)
	failed := b.post(chats, shows(site.URL+"/cat.png"))
	require.Equal(t, "rate_limit_exceeded", failed.fails(http.StatusTooManyRequests).Code, "as many of one person as may be are fetched")
	require.NotEmpty(t, failed.header.Get("Retry-After"))
	<-time.After(500 * time.Millisecond) // longer than a request may take to be read
	site.GoOn()
	slow.Wait()
	require.Len(t, b.sent(), 5)
}
