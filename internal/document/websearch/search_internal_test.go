package websearch

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
)

// way is one way to each service.
type way struct{ toolkey.Access }

func (w way) Sources(context.Context, chat.UserID) (map[string]string, error) {
	return map[string]string{toolkey.Tavily: toolkey.Own}, nil
}

func (w way) For(context.Context, chat.UserID, string) (toolkey.Access, error) { return w.Access, nil }

func TestSearch_GivesAProviderThatStallsUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("{"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	s := New(way{toolkey.Access{BaseURL: server.URL, Key: "k", Client: server.Client()}})
	s.time = 50 * time.Millisecond
	found, err := s.Search(t.Context(), 1, Query{Text: "q"})
	require.NoError(t, err)
	require.Equal(t, []Failure{{"Tavily", "it did not answer within 50ms"}}, found.Failed)
}

func TestCloudsWay_SendsAKeyWithoutAnEndpointAloneThere(t *testing.T) {
	t.Parallel()
	req, err := cloudsWay{}.request(t.Context(), toolkey.Access{BaseURL: toolkey.CloudsWayKeyOnly, Key: "k"}, Query{Text: "a b"})
	require.NoError(t, err)
	require.Equal(t, "https://aisearchapi.cloudsway.net/api/search/smart?count=10&q=a+b", req.URL.String())
	require.Equal(t, "k", req.Header.Get("Authorization"))
	req, err = cloudsWay{}.request(t.Context(), toolkey.Access{BaseURL: "https://searchapi.cloudsway.net/search/e/smart", Key: "k"}, Query{Text: "a"})
	require.NoError(t, err)
	require.Equal(t, "Bearer k", req.Header.Get("Authorization"))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"webPages":{"value":[{"name":"a","url":"https://x.example/","snippet":"b"}]}}`))
	f.Add([]byte(`{"answer":"a","results":[{"title":"<b>a</b>","url":"http://x.example/\u202e","content":"&amp;"}]}`))
	f.Add([]byte(`{"results":[{"url":1}],"answers":[{"answer":"x"}],"unresponsive_engines":[[]]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, p := range providers {
			found, err := p.read(body)
			if err != nil {
				continue
			}
			found = found.cleaned(MaxResults, "secret-key")
			require.LessOrEqual(t, len(found.Items), MaxResults)
			for _, item := range found.Items {
				require.True(t, strings.HasPrefix(item.URL, "http"))
				require.LessOrEqual(t, len(item.URL), maxURL)
				require.NotContains(t, item.Title+item.Text+item.URL+found.Answer+item.Published, "\n")
				require.LessOrEqual(t, utf8.RuneCountInString(item.Text), maxText)
			}
		}
	})
}
