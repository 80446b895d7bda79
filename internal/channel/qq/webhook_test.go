package qq_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func newHook(t *testing.T) (*world, *httptest.Server) {
	t.Helper()
	w := newWorld(t, qqtest.Config{}, "mode", "webhook")
	server := httptest.NewServer(w.account.(channel.Webhook).Webhook(w.inbox, w.inbox))
	t.Cleanup(server.Close)
	return w, server
}

func TestWebhook_ProvesItselfAndTakesEvents(t *testing.T) {
	w, server := newHook(t)
	require.NoError(t, w.Hook(server.URL))
	var ids []string
	for _, scene := range scenes {
		ids = append(ids, w.says(scene, "hello"))
	}
	w.got(t, len(scenes))
	for _, id := range ids {
		require.Eventually(t, func() bool { return w.Acked(id) }, soon, tick)
	}
}

func TestWebhook_WhatWasNotCommittedIsNotAcknowledged(t *testing.T) {
	w, server := newHook(t)
	require.NoError(t, w.Hook(server.URL))
	tries := 0
	w.failing(func(chat.Envelope) error {
		if tries++; tries < 3 {
			return errors.New("the database is away")
		}
		return nil
	})
	id := w.says(qqtest.Direct, "hello")
	require.Eventually(t, func() bool { return w.Acked(id) }, soon, tick)
	require.Len(t, w.all(), 1)
	w.failing(func(chat.Envelope) error { return fault.Errorf(fault.Invalid, "malformed") })
	id = w.says(qqtest.Direct, "nonsense")
	require.Eventually(t, func() bool { return w.Acked(id) }, soon, tick, "it would come again forever")
}

func TestWebhook_OnlyThePlatformIsHeard(t *testing.T) {
	w, server := newHook(t)
	event := `{"op":0,"t":"C2C_MESSAGE_CREATE","d":{"id":"1","author":{"user_openid":"X"},"content":"forged"}}`
	forger, err := qqtest.New(qqtest.Config{Secret: "another secret"})
	require.NoError(t, err)
	t.Cleanup(forger.Close)
	status, _, err := forger.Post(server.URL, []byte(event))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, status)
	for _, body := range []string{event, `{"op":13,"d":{"plain_token":"abc","event_ts":"1"}}`} {
		res, err := http.Post(server.URL, "application/json", strings.NewReader(body))
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusUnauthorized, res.StatusCode)
	}
	res, err := http.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)
	http.DefaultClient.CloseIdleConnections()
	require.Empty(t, w.all())
}

func TestWebhook_SignsNothingThatCouldBeAnEvent(t *testing.T) {
	w, server := newHook(t)
	for _, token := range []string{`{"op":0}`, "", strings.Repeat("a", 257), "a b"} {
		body, err := json.Marshal(map[string]any{"op": 13, "d": map[string]string{"plain_token": token, "event_ts": "1725442341"}})
		require.NoError(t, err)
		status, _, err := w.Post(server.URL, body)
		require.NoError(t, err)
		require.Equal(t, http.StatusBadRequest, status, token)
	}
}

func TestWebhook_BadBodiesAreRefused(t *testing.T) {
	w, server := newHook(t)
	for body, want := range map[string]int{`{`: 400, `[]`: 400, `{"op":99}`: 200, `{"op":0,"t":"NEWS","d":{}}`: 200, `{"op":0,"t":"C2C_MESSAGE_CREATE","d":7}`: 200} {
		status, _, err := w.Post(server.URL, []byte(body))
		require.NoError(t, err)
		require.Equal(t, want, status, body)
	}
	require.Empty(t, w.all())
}

func TestWebhook_RunWatchesTheCredentials(t *testing.T) {
	w, _ := newHook(t)
	w.begin(t)
	require.Eventually(t, w.up, soon, tick)
	require.NoError(t, w.stop())
	require.Zero(t, w.Connected())
	w.open(t, "mode", "webhook", "app_secret", "wrong")
	require.True(t, fault.Is(w.ends(t), fault.Denied))
}
