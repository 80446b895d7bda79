package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/examples/plugins/telegram/telegramtest"
	plugin "xbot/sdk/go"
)

func TestIncoming_OfAGroupSaysWhoIsMeant(t *testing.T) {
	b := &bot{me: user{ID: 4242, Username: "garden_bot"}}
	group := chat{ID: -100, Type: "supergroup", Title: "Garden"}
	ann := &user{ID: 7, First: "Ann", Last: "Lee"}
	in, ok := b.incoming(&message{ID: 1, From: ann, Chat: group, Text: "@Garden_Bot, what is new?"})
	require.True(t, ok)
	require.True(t, in.Mentioned)
	require.Equal(t, "what is new?", in.Text)
	require.Equal(t, plugin.Bot{ID: "7", Name: "Ann Lee"}, in.Sender)
	require.Equal(t, "-100", in.Chat)

	in, _ = b.incoming(&message{ID: 2, From: ann, Chat: group, Text: "ask @garden_bottle", Topic: true, Thread: 9})
	require.False(t, in.Mentioned, "somebody else is")
	require.Equal(t, "9", in.Thread)

	in, _ = b.incoming(&message{ID: 3, From: ann, Chat: group, Text: "why?", Reply: &message{ID: 2, From: &user{ID: 4242, Bot: true}}})
	require.True(t, in.Answers)
	require.Equal(t, "2", in.ReplyTo)

	_, ok = b.incoming(&message{ID: 4, From: ann, Chat: chat{ID: -200, Type: "channel"}, Text: "news"})
	require.False(t, ok, "a channel is no conversation")
}

func TestAPI_SaysWhetherSomethingWasDone(t *testing.T) {
	const token = "4242:right-secret"
	s := telegramtest.New(token)
	defer s.Close()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	send := func(a api) error {
		var sent message
		return a.call(t.Context(), "sendMessage", map[string]any{"chat_id": "7", "text": "hello"}, &sent)
	}
	require.NoError(t, send(api{s.URL, token, client}))

	require.True(t, plugin.IsRefused(send(api{s.URL, "4242:wrong", client})))

	s.Limit(1)
	var limited *plugin.CodedError
	require.ErrorAs(t, send(api{s.URL, token, client}), &limited)
	require.Equal(t, time.Second, limited.After)

	s.Lose(1)
	err := send(api{s.URL, token, client})
	require.Error(t, err)
	require.NotErrorAs(t, err, new(*plugin.CodedError), "nobody knows whether it was sent")
	require.NotContains(t, err.Error(), "right-secret")
	require.Equal(t, 2, s.Said("hello"))

	gone := telegramtest.New(token)
	gone.Close()
	var away *plugin.CodedError
	err = send(api{gone.URL, token, client})
	require.ErrorAs(t, err, &away)
	require.False(t, plugin.IsRefused(err), "it may work later")
	require.NotContains(t, err.Error(), "right-secret")
}

func TestFile_AConnectionThatBreaksIsNoEndOfAFile(t *testing.T) {
	const whole = "a photo of quinces"
	cut := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/getFile"):
			_, _ = w.Write([]byte(`{"ok":true,"result":{"file_path":"photos/1.jpg"}}`))
		case cut: // it knows no ranges, and says less than it has promised
			w.Header().Set("Content-Length", strconv.Itoa(len(whole)))
			_, _ = w.Write([]byte(whole[:4]))
		default:
			_, _ = w.Write([]byte(whole))
		}
	}))
	defer s.Close()
	a := api{base: s.URL, token: "t", http: s.Client()}
	data, end, err := a.file(t.Context(), "1", 8, 100)
	require.NoError(t, err)
	require.True(t, end)
	require.Equal(t, whole[8:], string(data))
	data, end, err = a.file(t.Context(), "1", 100, 100)
	require.NoError(t, err)
	require.True(t, end, "behind its end")
	require.Empty(t, data)
	cut = true
	for _, offset := range []int64{0, 8} {
		_, end, err = a.file(t.Context(), "1", offset, 100)
		require.Error(t, err)
		require.False(t, end)
	}
}
