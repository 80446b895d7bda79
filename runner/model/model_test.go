package model_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner/model"
	"xbot/runner/wire"
)

// fixed is a key that does not change.
type fixed string

func (f fixed) Key() (string, error) { return string(f), nil }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "a-key-that-stays-here"

// provider is an HTTP server that notes the requests it gets.
type provider struct {
	*httptest.Server
	seen chan *http.Request
	body chan string
}

func setup(t *testing.T, name string, answer http.HandlerFunc) (*provider, *model.Model) {
	p := &provider{seen: make(chan *http.Request, 1), body: make(chan string, 1)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what came is compared
		p.seen <- r
		p.body <- string(body)
		answer(w, r)
	}))
	t.Cleanup(p.Close)
	m, err := model.New(model.Config{Provider: name, BaseURL: p.URL + "/base/", Model: "m", Key: fixed(key)})
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return p, m
}

// collect gathers what was pushed.
type collect struct {
	head wire.LLMHead
	body strings.Builder
}

func (c *collect) push(v any) error {
	switch v := v.(type) {
	case wire.LLMHead:
		c.head = v
	case wire.LLMBody:
		c.body.Write(v.Data)
	}
	return nil
}

func TestModel_AddsItsKeyAndDropsWhatTheServerSent(t *testing.T) {
	for name, header := range map[string]string{model.OpenAI: "Authorization", model.Anthropic: "X-Api-Key"} {
		p, m := setup(t, name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Set-Cookie", "a=b")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, "slow down") // the client reads it
		})
		var got collect
		require.NoError(t, m.Do(t.Context(), wire.LLMRequest{
			Method: "POST", Path: "/chat/completions?x=1", Body: []byte(`{"model":"m"}`),
			Header: map[string][]string{
				"authorization": {"Bearer of-the-server"}, "X-API-Key": {"of-the-server"}, "Cookie": {"c=d"},
				"Connection": {"X-Hop"}, "X-Hop": {"x"}, "Content-Type": {"application/json"}, "Anthropic-Version": {"2023-06-01"},
			},
		}, got.push))
		seen := <-p.seen
		require.Equal(t, "/base/chat/completions?x=1", seen.URL.String())
		require.JSONEq(t, `{"model":"m"}`, <-p.body)
		require.Contains(t, seen.Header.Get(header), key)
		require.Equal(t, "application/json", seen.Header.Get("Content-Type"))
		require.Equal(t, "2023-06-01", seen.Header.Get("Anthropic-Version"))
		for _, dropped := range []string{"Cookie", "X-Hop"} {
			require.Empty(t, seen.Header.Get(dropped))
		}
		for _, values := range seen.Header {
			require.NotContains(t, strings.Join(values, " "), "of-the-server")
		}
		require.Equal(t, http.StatusTooManyRequests, got.head.Status)
		require.Equal(t, []string{"7"}, got.head.Header["Retry-After"])
		require.Empty(t, got.head.Header["Set-Cookie"])
		require.Equal(t, "slow down", got.body.String())
	}
}

func TestModel_DoesNotFollowARedirect(t *testing.T) {
	elsewhere := make(chan struct{}, 1)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere <- struct{}{} }))
	defer other.Close()
	p, m := setup(t, model.OpenAI, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	var got collect
	require.NoError(t, m.Do(t.Context(), wire.LLMRequest{Method: "POST", Path: "/x"}, got.push))
	<-p.seen
	require.Equal(t, http.StatusTemporaryRedirect, got.head.Status)
	require.Empty(t, elsewhere)
}

func TestModel_RefusesPathsThatLeaveItsAddress(t *testing.T) {
	p, m := setup(t, model.OpenAI, func(http.ResponseWriter, *http.Request) {})
	for _, path := range []string{
		"", "x", "//evil.example/x", "http://evil.example/x", "/../admin", "/a/../../admin", "/a/%2e%2e/b", "/a%2F..%2Fb", "/a%5c..%5cb", `/a\..\b`, "/./x", "@evil.example/x",
	} {
		err := m.Do(t.Context(), wire.LLMRequest{Method: "GET", Path: path}, new(collect).push)
		require.True(t, wire.IsKind(err, wire.Denied), "%q: %v", path, err)
	}
	require.Empty(t, p.seen)
	err := m.Do(t.Context(), wire.LLMRequest{Method: "CONNECT", Path: "/x"}, new(collect).push)
	require.True(t, wire.IsKind(err, wire.Invalid))
}

func TestModel_EndsItsRequestWithTheContext(t *testing.T) {
	gone := make(chan struct{})
	p, m := setup(t, model.OpenAI, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begin") // the client is there
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := m.Do(ctx, wire.LLMRequest{Method: "POST", Path: "/x"}, func(v any) error {
		if _, ok := v.(wire.LLMBody); ok {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	<-p.seen
	<-gone
}

func TestModel_SaysWhoCannotBeReachedAndNoKey(t *testing.T) {
	m, err := model.New(model.Config{
		Provider: model.OpenAI, BaseURL: "http://127.0.0.1:1", Model: "m", Key: fixed(key),
	})
	require.NoError(t, err)
	err = m.Do(t.Context(), wire.LLMRequest{Method: "POST", Path: "/chat/completions"}, new(collect).push)
	require.True(t, wire.IsKind(err, wire.Unavailable))
	require.ErrorContains(t, err, "127.0.0.1:1")
	require.NotContains(t, err.Error(), key)
}

func TestNew_RefusesWhatCannotWork(t *testing.T) {
	for _, cfg := range []model.Config{
		{}, {Provider: "other", Model: "m"}, {Provider: model.OpenAI}, {Provider: model.OpenAI, Model: "m", BaseURL: "ftp://host"},
		{Provider: model.OpenAI, Model: "m", BaseURL: "https://user:pass@host"}, {Provider: model.OpenAI, Model: "m", BaseURL: "https://host?a=b"},
	} {
		_, err := model.New(cfg)
		require.Error(t, err, "%+v", cfg)
		require.NotContains(t, err.Error(), "pass")
	}
}

func FuzzPath(f *testing.F) {
	for _, path := range []string{"/chat/completions", "/../x", "//h/x", "/%2e%2e/", "/a?b=/../c", "/a%00", "/%", "/;x", "/a#b"} {
		f.Add(path)
	}
	seen := make(chan url.URL, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- *r.URL }))
	f.Cleanup(server.Close)
	m, err := model.New(model.Config{Provider: model.OpenAI, BaseURL: server.URL + "/base/v1", Model: "m", Key: fixed("")})
	require.NoError(f, err)
	f.Cleanup(m.Close)
	f.Fuzz(func(t *testing.T, path string) {
		if m.Do(t.Context(), wire.LLMRequest{Method: "GET", Path: path}, new(collect).push) != nil {
			return
		}
		got := <-seen
		require.True(t, strings.HasPrefix(got.Path, "/base/v1/"), "%q arrived as %q", path, got.Path)
		require.NotContains(t, strings.Split(got.Path, "/"), "..")
	})
}
