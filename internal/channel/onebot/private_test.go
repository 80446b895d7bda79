package onebot_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// public makes clients that reach the public internet.
type public struct{}

func (public) FileClient(own string) *http.Client { return safehttp.New(safehttp.Allow{}.With(own)) }

func TestFetch_OnlyNapCatsOwnAddressMayBePrivate(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a secret")) })) // the client may be gone
	defer inside.Close()
	fetch := func(napcat string) error {
		a, err := onebot.Driver().Open("suite", map[string]string{"url": napcat, "token": "a token that is long enough"}, channel.Resources{Files: public{}})
		require.NoError(t, err)
		body, err := a.(channel.Fetcher).Fetch(t.Context(), "", chat.Attachment{Key: url.Values{"url": {inside.URL + "/file"}}.Encode()})
		if err == nil {
			require.NoError(t, body.Close())
		}
		return err
	}
	err := fetch("ws://127.0.0.1:3001")
	require.Equal(t, fault.NotFound, fault.KindOf(err), "another port of the same host is another place: %v", err)
	require.NoError(t, fetch(strings.Replace(inside.URL, "http", "ws", 1)))
}
