package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/anthropic"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
	"xbot/internal/llm/wire"
)

// models asks a server for its list.
func models(t *testing.T, handler http.HandlerFunc) ([]chat.SubscribedModel, error) {
	t.Helper()
	e := provider(t, 0, handler)
	return e.Models(t.Context(), "http://"+e.Host+"/v1/models", http.Header{"Authorization": {"Bearer sk-test-0123456789"}})
}

func listing(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestModels_ReadsTheListsOfProviders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want []chat.SubscribedModel
	}{
		"OpenAI, without what is no chat model": {
			`{"object":"list","data":[{"id":"gpt-5","object":"model","created":1,"owned_by":"openai"},{"id":"gpt-4o"},{"id":"text-embedding-3-small"},
				{"id":"whisper-1"},{"id":"gpt-4o-mini-tts"},{"id":"dall-e-3"},{"id":"gpt-image-1"},{"id":"omni-moderation-latest"},{"id":"gpt-realtime"},{"id":"gpt-4o"}]}`,
			[]chat.SubscribedModel{{ID: "gpt-4o"}, {ID: "gpt-5"}},
		},
		"Anthropic": {
			`{"data":[{"type":"model","id":"claude-sonnet-5","display_name":"Claude Sonnet 5","created_at":"2026-01-01T00:00:00Z","max_input_tokens":200000,
				"capabilities":{"batch":{"supported":true},"image_input":{"supported":true}}},{"type":"model","id":"claude-2"}],"has_more":false,"first_id":"a","last_id":"b"}`,
			[]chat.SubscribedModel{{ID: "claude-2"}, {ID: "claude-sonnet-5", MaxContext: 200000, Vision: new(true)}},
		},
		"OpenRouter": {
			`{"data":[
				{"id":"a/reads","context_length":131072,"architecture":{"input_modalities":["text","image"]},"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"}},
				{"id":"b/blind","context_length":8192.0,"architecture":{"input_modalities":["text"]},"pricing":{"prompt":"0","completion":"0"}},
				{"id":"c/auto","context_length":2000000,"pricing":{"prompt":"-1","completion":"-1"}},
				{"id":"d/odd","context_length":1e300,"pricing":{"prompt":"NaN","completion":"x"}}]}`,
			[]chat.SubscribedModel{
				{ID: "a/reads", MaxContext: 131072, Vision: new(true), Price: &chat.Price{Input: 3, Cached: 0.3, Output: 15}},
				{ID: "b/blind", MaxContext: 8192, Vision: new(false), Price: &chat.Price{}},
				{ID: "c/auto", MaxContext: 2000000},
				{ID: "d/odd"},
			},
		},
		"vLLM":                  {`{"object":"list","data":[{"id":"Qwen/Qwen3-8B","max_model_len":40960,"permission":[{"id":"p"}]}]}`, []chat.SubscribedModel{{ID: "Qwen/Qwen3-8B", MaxContext: 40960}}},
		"a bare list":           {`[{"id":"x","context_length":4096},{"id":"y"}]`, []chat.SubscribedModel{{ID: "x", MaxContext: 4096}, {ID: "y"}}},
		"extras of other forms": {`{"data":[{"id":"x","context_length":"4096","pricing":[1],"capabilities":["chat"]},{"id":7},"z",null,{"name":"no id"}]}`, []chat.SubscribedModel{{ID: "x"}}},
		"names that are none":   {`{"data":[{"id":""},{"id":"a b"},{"id":"c\u0000d"},{"id":"` + strings.Repeat("x", 200) + `"},{"id":"ok"}]}`, []chat.SubscribedModel{{ID: "ok"}}},
		"no models, as Ollama":  {`{"object":"list","data":null}`, []chat.SubscribedModel{}},
		"a null error beside":   {`{"data":[{"id":"x"}],"error":null}`, []chat.SubscribedModel{{ID: "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := models(t, listing(c.body))
			require.NoError(t, err)
			require.Len(t, got, len(c.want))
			for i := range got {
				if got[i].Price != nil && c.want[i].Price != nil {
					require.InDelta(t, c.want[i].Price.Cached, got[i].Price.Cached, 1e-9)
					got[i].Price.Cached, c.want[i].Price.Cached = 0, 0
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestModels_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); _, _ = io.WriteString(w, body) }
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    fault.Kind
	}{
		"no JSON":                {listing("garbage"), fault.Unavailable},
		"no list":                {listing(`{"models":1}`), fault.Unavailable},
		"a list of another kind": {listing(`{"data":{"id":"x"}}`), fault.Unavailable},
		"a string":               {listing(`"x"`), fault.Unavailable},
		"nothing":                {listing(""), fault.Unavailable},
		"an error, status 200":   {listing(`{"error":{"message":"Invalid API key","type":"authentication_error"}}`), fault.Denied},
		"a web page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>")
		}, fault.Invalid},
		"no such address": {status(404, `{"error":{"message":"not found"}}`), fault.Invalid},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		}, fault.Invalid},
		"too many of them": {status(429, `{"error":{"message":"slow down"}}`), fault.RateLimited},
		"it failed":        {status(500, "oops"), fault.Unavailable},
		"a wrong key":      {status(401, `{"error":{"message":"Incorrect API key provided: sk-test-0123456789","code":"invalid_api_key"}}`), fault.Denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := models(t, c.handler)
			require.Equal(t, c.want, fault.KindOf(err), "%v", err)
			require.Nil(t, got)
			require.NotContains(t, err.Error(), "0123456789")
		})
	}
}

func TestModels_GivesUpOnAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	e := provider(t, 50*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := e.Models(t.Context(), "http://"+e.Host, nil)
	require.ErrorIs(t, err, llm.ErrTimeout)
}

func TestModels_AsksEachProviderInItsWay(t *testing.T) {
	t.Parallel()
	const key = "sk-right-0123456789"
	server := llmtest.New(t)
	server.RequireKey(key)
	server.SetModels("gpt-5", "claude-sonnet-5", "text-embedding-3-small")
	transport := &http.Transport{DisableKeepAlives: true}
	want := []chat.SubscribedModel{{ID: "claude-sonnet-5"}, {ID: "gpt-5"}}
	for _, base := range []string{"", "/chat/completions", "/responses/"} {
		got, err := openai.Models(t.Context(), openai.Config{BaseURL: server.BaseURL() + base, APIKey: key, Transport: transport})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, base := range []string{"", "/v1", "/v1/messages"} {
		got, err := anthropic.Models(t.Context(), anthropic.Config{BaseURL: server.URL() + base, APIKey: key, Transport: transport})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, wrong := range []string{"", "sk-wrong-0123456789"} {
		_, err := openai.Models(t.Context(), openai.Config{BaseURL: server.BaseURL(), APIKey: wrong, Transport: transport})
		require.Equal(t, fault.Denied, fault.KindOf(err))
		require.Contains(t, err.Error(), "check the key")
		require.NotContains(t, err.Error(), "sk-")
		_, err = anthropic.Models(t.Context(), anthropic.Config{BaseURL: server.URL(), APIKey: wrong, Transport: transport})
		require.Equal(t, fault.Denied, fault.KindOf(err))
		require.NotContains(t, err.Error(), "sk-")
	}
}

func FuzzModels_ReadsAnyList(f *testing.F) {
	f.Add(`{"data":[{"id":"x","context_length":1,"pricing":{"prompt":"0.1","completion":"0.2"}}]}`)
	f.Add(`[{"id":"x","architecture":{"input_modalities":["image"]},"capabilities":{"image_input":null}}]`)
	f.Add(`{"error":{"message":"no"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		e, err := wire.NewEndpoint("http://host/v1", "", 0, roundTrip(func(r *http.Request) *http.Response {
			answer := httptest.NewRecorder()
			listing(body)(answer, r)
			return answer.Result()
		}))
		require.NoError(t, err)
		got, err := e.Models(t.Context(), "http://host/v1/models", nil)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err), err.Error())
			return
		}
		for _, m := range got {
			require.NotEmpty(t, m.ID)
			require.GreaterOrEqual(t, m.MaxContext, 0)
			require.LessOrEqual(t, m.MaxContext, 100_000_000)
			if m.Price != nil {
				require.GreaterOrEqual(t, min(m.Price.Input, m.Price.Cached, m.Price.Output), 0.0)
			}
		}
	})
}

// roundTrip answers without a network.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }
