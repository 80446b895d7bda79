package qq_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/qq"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// public makes clients that reach the public internet.
type public struct{}

func (public) FileClient(own string) *http.Client { return safehttp.New(safehttp.Allow{}.With(own)) }

func TestFetch_ReadsNoAddressOfTheServersOwnNetwork(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a secret")) })) // the client may be gone
	defer inside.Close()
	open := func(api string) channel.Account {
		given := map[string]string{"app_id": "1", "app_secret": "s", "api_url": api, "token_url": api}
		a, err := qq.Driver().Open("suite", given, channel.Resources{Files: public{}})
		require.NoError(t, err)
		return a
	}
	fetch := func(a channel.Account) error {
		body, err := a.(channel.Fetcher).Fetch(t.Context(), "", chat.Attachment{Key: inside.URL + "/file"})
		if err == nil {
			require.NoError(t, body.Close())
		}
		return err
	}
	err := fetch(open("http://127.0.0.1:9"))
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.ErrorContains(t, err, strings.Split(strings.TrimPrefix(inside.URL, "http://"), ":")[0])
	require.NoError(t, fetch(open(inside.URL)), "the platform's own address was configured")
	require.Error(t, fetch(open("")))
}
