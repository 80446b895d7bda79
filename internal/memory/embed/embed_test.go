package embed_test

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/memory/embed"
	"xbot/internal/turn/tokens"
)

// serve answers as a service does, and keeps what it was asked.
func serve(t *testing.T, status int, answer string) (url string, asked *[]string, keys *[]string) {
	t.Helper()
	asked, keys = new([]string), new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil || body.Model != "m" {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		*asked = append(*asked, body.Input...)
		*keys = append(*keys, r.URL.Path+" "+r.Header.Get("Authorization"))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer)) // whoever asks sees what is missing
	}))
	t.Cleanup(s.Close)
	return s.URL, asked, keys
}

func TestEmbed_SpeaksBothProtocols(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, path, answer string }{
		{embed.OpenAI, "/v1/embeddings", `{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}`},
		{embed.Ollama, "/api/embed", `{"embeddings":[[3,4],[0,2]]}`},
	} {
		url, asked, keys := serve(t, http.StatusOK, c.answer)
		if c.provider == embed.OpenAI {
			url += "/v1/"
		}
		e, err := embed.New(embed.Config{Provider: c.provider, BaseURL: url, Model: "m", APIKey: "key"})
		require.NoError(t, err)
		got, err := e.Embed(t.Context(), []string{"one", " "})
		require.NoError(t, err)
		require.Equal(t, [][]float32{{0.6, 0.8}, {0, 1}}, got)
		require.Equal(t, []string{"one", "-"}, *asked)
		require.Equal(t, []string{c.path + " Bearer key"}, *keys)
		require.Equal(t, c.provider+"/m", e.Model())
	}
}

func TestEmbed_CutsWhatIsTooLong(t *testing.T) {
	t.Parallel()
	url, asked, _ := serve(t, http.StatusOK, `{"embeddings":[[1],[1]]}`)
	e, err := embed.New(embed.Config{Provider: embed.Ollama, BaseURL: url, Model: "m", MaxTokens: 50})
	require.NoError(t, err)
	_, err = e.Embed(t.Context(), []string{strings.Repeat("long words ", 500), strings.Repeat("字", 5000)})
	require.NoError(t, err)
	for _, text := range *asked {
		n := tokens.Count(text)
		require.LessOrEqual(t, n, 50)
		require.Greater(t, n, 20, "as much as fits")
	}
}

func TestEmbed_SaysWhatIsWrongWithoutTheKey(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]fault.Kind{
		http.StatusTooManyRequests: fault.RateLimited, http.StatusUnauthorized: fault.Denied, http.StatusBadRequest: fault.Invalid,
		http.StatusBadGateway: fault.Unavailable, http.StatusNotFound: fault.Unavailable,
	} {
		url, _, _ := serve(t, status, "secret")
		e, err := embed.New(embed.Config{Provider: embed.OpenAI, BaseURL: url, Model: "m", APIKey: "secret"})
		require.NoError(t, err)
		_, err = e.Embed(t.Context(), []string{"x"})
		require.Equal(t, want, fault.KindOf(err))
		require.NotContains(t, err.Error(), "secret")
	}
	for _, answer := range []string{``, `{}`, `{"embeddings":[[0,0]]}`, `{"embeddings":[[1],[2]]}`, `{"embeddings":[[]]}`} {
		url, _, _ := serve(t, http.StatusOK, answer)
		e, err := embed.New(embed.Config{Provider: embed.Ollama, BaseURL: url, Model: "m"})
		require.NoError(t, err)
		_, err = e.Embed(t.Context(), []string{"x"})
		require.Equal(t, fault.Unavailable, fault.KindOf(err), answer)
	}
}

func TestEmbed_SaysWhatTheProviderSaidAndWhenToAskAgain(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{embed.OpenAI, embed.Ollama} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "17")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"error":{"message":"The plan of key-4711aaaa allows 3 requests a minute","code":"slow_down"}}`)) // whoever asks sees what is missing
			}))
			t.Cleanup(s.Close)
			e, err := embed.New(embed.Config{Provider: provider, BaseURL: s.URL, Model: "m", APIKey: "key-4711aaaa"})
			require.NoError(t, err)
			_, err = e.Embed(t.Context(), []string{"a private text"})
			require.ErrorContains(t, err, "allows 3 requests a minute", provider)
			require.NotContains(t, err.Error(), "4711a", "a port has digits, too")
			require.NotContains(t, err.Error(), "private")
			require.Equal(t, 17*time.Second, fault.After(err), provider)
		}
	}
}

func TestEmbed_ATextThatIsTooLongIsRefusedNotTheService(t *testing.T) {
	t.Parallel()
	for status, answer := range map[int]string{
		http.StatusBadRequest:            `{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`,
		http.StatusRequestEntityTooLarge: `{"error":"input too long"}`,
	} {
		url, _, _ := serve(t, status, answer)
		e, err := embed.New(embed.Config{Provider: embed.OpenAI, BaseURL: url, Model: "m"})
		require.NoError(t, err)
		_, err = e.Embed(t.Context(), []string{"x"})
		require.Equal(t, fault.Invalid, fault.KindOf(err), err)
	}
}

func TestEmbed_WhatKeepsAServiceAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close() // nobody listens there now
	for _, provider := range []string{embed.OpenAI, embed.Ollama} {
		e, err := embed.New(embed.Config{Provider: provider, BaseURL: s.URL, Model: "m"})
		require.NoError(t, err)
		_, err = e.Embed(t.Context(), []string{"x"})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.ErrorContains(t, err, provider+"/m")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	url, _, _ := serve(t, http.StatusOK, `{"data":[]}`)
	e, err := embed.New(embed.Config{Provider: embed.OpenAI, BaseURL: url, Model: "m"})
	require.NoError(t, err)
	_, err = e.Embed(ctx, []string{"x"})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.ErrorIs(t, err, context.Canceled)
}

func TestNew_NamesTheVariableToSet(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]embed.Config{
		"LLM_EMBEDDING_MODEL": {Provider: "openai", APIKey: "k"}, "LLM_EMBEDDING_API_KEY": {Provider: "openai", Model: "m"},
		"LLM_EMBEDDING_PROVIDER": {Provider: "other", Model: "m"}, "LLM_EMBEDDING_BASE_URL": {Provider: "ollama", Model: "m", BaseURL: "localhost"},
	} {
		_, err := embed.New(c)
		require.ErrorContains(t, err, want)
	}
}

func FuzzEmbed_AnswersOfServicesAreEmbeddingsOrErrors(f *testing.F) {
	f.Add(`{"data":[{"index":0,"embedding":[1e39,1]}]}`, true)
	f.Add(`{"embeddings":[[1,-2,3.5]]}`, false)
	f.Add(`{"data":[{"index":-1,"embedding":[1]}]}`, true)
	f.Add(`{"embeddings":null}`, false)
	f.Fuzz(func(t *testing.T, answer string, openai bool) {
		provider := embed.Ollama
		if openai {
			provider = embed.OpenAI
		}
		e, err := embed.New(embed.Config{Provider: provider, BaseURL: "http://x", Model: "m", Transport: canned(answer)})
		require.NoError(t, err)
		got, err := e.Embed(t.Context(), []string{"x"})
		if err != nil {
			return
		}
		sum := 0.0
		for _, f := range got[0] {
			sum += float64(f) * float64(f)
		}
		if len(got) != 1 || math.Abs(sum-1) > 1e-3 {
			t.Fatalf("%v of %s", got, answer)
		}
	})
}

// canned answers everything with one text.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	_, _ = w.WriteString(string(c)) // into memory
	return w.Result(), nil
}
