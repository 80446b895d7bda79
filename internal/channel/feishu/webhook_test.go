package feishu_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/chat"
)

const encryptKey = "a key"

// hookedWorld is a world whose account takes its events by HTTP, and the address of it.
func hookedWorld(t *testing.T, key string) (*world, string) {
	t.Helper()
	w := newWorld(t, feishutest.Config{EncryptKey: key}, "mode", "webhook")
	server := httptest.NewServer(w.account.(channel.Webhook).Webhook(w.inbox, w.inbox))
	t.Cleanup(server.Close)
	return w, server.URL
}

// message is the event of a message to the bot of a world.
func (w *world) message(id, token, app string) []byte {
	return []byte(`{"schema":"2.0","header":{"event_id":"e-` + id + `","event_type":"im.message.receive_v1","token":"` + token + `","app_id":"` + app + `"},` +
		`"event":{"sender":{"sender_id":{"open_id":"ou_ann"},"sender_type":"user"},"message":{"message_id":"` + id + `","chat_id":"` + w.Direct(ann) +
		`","chat_type":"p2p","message_type":"text","content":"{\"text\":\"hi\"}"}}}`)
}

// posts sends a request as it is and returns how it was answered.
func posts(t *testing.T, url string, header http.Header, body []byte) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header = header.Clone()
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	said, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(said)
}

// delivery is a delivery as the platform makes it.
func (w *world) delivery(t *testing.T, url string, body []byte, at time.Time) (http.Header, []byte) {
	t.Helper()
	req, err := w.Signed(url, body, at)
	require.NoError(t, err)
	sent, err := io.ReadAll(req.Body)
	require.NoError(t, err)
	return req.Header, sent
}

func TestWebhook_TakesWhatThePlatformSendsAndNothingElse(t *testing.T) {
	w, url := hookedWorld(t, encryptKey)
	good := w.message("om_1", feishutest.Token, w.AppID)
	header, sealed := w.delivery(t, url, good, time.Now())
	with := func(name, value string) http.Header {
		h := header.Clone()
		h.Set(name, value)
		return h
	}
	old, oldBody := w.delivery(t, url, good, time.Now().Add(-11*time.Minute))
	early, earlyBody := w.delivery(t, url, good, time.Now().Add(11*time.Minute))
	otherKey := []byte(`{"encrypt":"` + feishutest.Encrypt(good, "another key") + `"}`)
	stamp := header.Get("X-Lark-Request-Timestamp")
	signedByNobody := with("X-Lark-Signature", feishutest.Signature(stamp, "nonce", "another key", sealed))
	wrongToken, wrongTokenBody := w.delivery(t, url, w.message("om_1", "guessed", w.AppID), time.Now())
	noToken, noTokenBody := w.delivery(t, url, w.message("om_1", "", w.AppID), time.Now())
	otherApp, otherAppBody := w.delivery(t, url, w.message("om_1", feishutest.Token, "cli_other"), time.Now())
	for name, c := range map[string]struct {
		header http.Header
		body   []byte
		status int
	}{
		"no signature":                      {http.Header{}, sealed, 401},
		"a signature with another key":      {signedByNobody, sealed, 401},
		"the signature of another time":     {with("X-Lark-Request-Timestamp", strconv.FormatInt(time.Now().Unix()+1, 10)), sealed, 401},
		"the signature of another nonce":    {with("X-Lark-Request-Nonce", "other"), sealed, 401},
		"a time that is none":               {with("X-Lark-Request-Timestamp", "soon"), sealed, 401},
		"a signature of the past":           {old, oldBody, 401},
		"a signature of the future":         {early, earlyBody, 401},
		"a body that was changed":           {header, append(bytes.Clone(sealed), ' '), 401},
		"a body encrypted with another key": {header, otherKey, 401},
		"a body that is not encrypted":      {header, good, 401},
		"a signed body that is not encrypted": {
			with("X-Lark-Signature", feishutest.Signature(stamp, "nonce", encryptKey, good)), good, 401,
		},
		"an encrypted body that is not JSON": {http.Header{}, []byte(`{"encrypt":"` + feishutest.Encrypt([]byte("x"), encryptKey) + `"}`), 401},
		"braces the wrong way round":         {http.Header{}, []byte(`{"encrypt":"` + feishutest.Encrypt([]byte("} and {"), encryptKey) + `"}`), 401},
		"half a body":                        {header, sealed[:len(sealed)/2], 401},
		"a wrong token":                      {wrongToken, wrongTokenBody, 403},
		"no token":                           {noToken, noTokenBody, 403},
		"the event of another app":           {otherApp, otherAppBody, 403},
		"too much":                           {header, []byte(`{"encrypt":"` + strings.Repeat("A", 9<<20) + `"}`), 400},
	} {
		t.Run(name, func(t *testing.T) {
			status, said := posts(t, url, c.header, c.body)
			require.Equal(t, c.status, status, said)
			require.NotContains(t, said, encryptKey)
			require.NotContains(t, said, feishutest.Token)
		})
	}
	_, padding := posts(t, url, http.Header{}, otherKey)
	_, content := posts(t, url, http.Header{}, []byte(`{"encrypt":"`+feishutest.Encrypt([]byte("x"), encryptKey)+`"}`))
	require.Equal(t, padding, content, "whoever guesses at the padding learns nothing")
	require.Empty(t, w.all())
	status, _ := posts(t, url, header, sealed)
	require.Equal(t, 200, status)
	require.Len(t, w.all(), 1)
}

func TestWebhook_ARepeatedDeliveryIsTheSameMessage(t *testing.T) {
	w, url := hookedWorld(t, encryptKey)
	header, sealed := w.delivery(t, url, w.message("om_1", feishutest.Token, w.AppID), time.Now())
	for range 3 {
		status, _ := posts(t, url, header, sealed)
		require.Equal(t, 200, status)
	}
	for _, e := range w.all() {
		require.Equal(t, "om_1", e.ID, "by its id whoever receives knows that there is one message")
	}
}

func TestWebhook_WithoutAnEncryptKeyTheTokenShowsWhoSends(t *testing.T) {
	w, url := hookedWorld(t, "")
	for name, c := range map[string]struct {
		body   []byte
		status int
	}{
		"a wrong token":           {w.message("om_1", "guessed", w.AppID), 403},
		"no token":                {w.message("om_1", "", w.AppID), 403},
		"another app":             {w.message("om_1", feishutest.Token, "cli_other"), 403},
		"something encrypted":     {[]byte(`{"encrypt":"` + feishutest.Encrypt(w.message("om_1", feishutest.Token, w.AppID), "") + `"}`), 401},
		"what the platform sends": {w.message("om_1", feishutest.Token, w.AppID), 200},
	} {
		t.Run(name, func(t *testing.T) {
			status, said := posts(t, url, http.Header{}, c.body)
			require.Equal(t, c.status, status, said)
		})
	}
	require.Len(t, w.all(), 1)
}

func TestWebhook_TheChallengeIsAnsweredToWhoKnowsTheToken(t *testing.T) {
	for _, key := range []string{"", encryptKey} {
		t.Run("key "+key, func(t *testing.T) {
			w, url := hookedWorld(t, key)
			_, body := w.delivery(t, url, []byte(`{"type":"url_verification","challenge":"c-1","token":"`+feishutest.Token+`"}`), time.Now())
			status, said := posts(t, url, http.Header{}, body)
			require.Equal(t, 200, status)
			require.JSONEq(t, `{"challenge":"c-1"}`, said)
			_, body = w.delivery(t, url, []byte(`{"type":"url_verification","challenge":"c-1","token":"guessed"}`), time.Now())
			status, said = posts(t, url, http.Header{}, body)
			require.Equal(t, 403, status)
			require.NotContains(t, said, "c-1")
		})
	}
}

func TestWebhook_WhatWasNotCommittedIsAskedForAgain(t *testing.T) {
	w, url := hookedWorld(t, encryptKey)
	w.failing(func(context.Context, chat.Envelope) error { return errors.New("the database is away") })
	header, sealed := w.delivery(t, url, w.message("om_1", feishutest.Token, w.AppID), time.Now())
	status, _ := posts(t, url, header, sealed)
	require.Equal(t, 500, status)
	w.failing(nil)
	status, _ = posts(t, url, header, sealed)
	require.Equal(t, 200, status)
	require.Len(t, w.all(), 1)
}

func TestWebhook_WhatTheLibrarysTypesDoNotFitIsTakenAsFarAsItFits(t *testing.T) {
	w, url := hookedWorld(t, encryptKey)
	w.toast = channel.Toast{Text: "noted"}
	head := `{"schema":"2.0","header":{"event_id":"e-1","token":"` + feishutest.Token + `","app_id":"` + w.AppID + `",`
	for name, c := range map[string]struct{ body, said string }{
		"a card whose value is a text": {
			head + `"event_type":"card.action.trigger"},"event":{"operator":{"open_id":"ou_ann","union_id":"on_ann"},"action":{"value":"{\"question\":\"q\",\"button\":\"b\"}"}}}`,
			`{"toast":{"type":"info","content":"noted"}}`,
		},
		"a message that names its time in a number": {
			head + `"event_type":"im.message.receive_v1","create_time":1700000000000},"event":{"sender":{"sender_id":{"open_id":"ou_ann"}},` +
				`"message":{"message_id":"om_1","chat_id":"` + w.Direct(ann) + `","chat_type":"p2p","message_type":"text","content":"{\"text\":\"hi\"}"}}}`,
			`{}`,
		},
		"an event of another kind": {head + `"event_type":"news"},"event":{}}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			header, sealed := w.delivery(t, url, []byte(c.body), time.Now())
			status, said := posts(t, url, header, sealed)
			require.Equal(t, 200, status, said)
			require.JSONEq(t, c.said, said)
		})
	}
	require.Len(t, w.all(), 1)
	require.Len(t, w.pressed, 1)
	require.Equal(t, "on_ann", w.pressed[0].Union)
}
