package websearch_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/document/websearch"
	"xbot/internal/document/websearch/websearchtest"
	"xbot/internal/extension/toolkey"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/secret"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

const (
	ann chat.UserID = 7
	bob chat.UserID = 8
)

// rows keep keys in memory.
type rows struct{ list []toolkeystore.Key }

func (r *rows) ToolKeys(_ context.Context, user chat.UserID) (out []toolkeystore.Key, err error) {
	for _, owner := range []chat.UserID{0, user} {
		for _, k := range r.list {
			if k.User == owner {
				out = append(out, k)
			}
		}
	}
	return out, nil
}

func (r *rows) SetToolKey(_ context.Context, in toolkeystore.Key, _ chat.UserID) error {
	r.list = append(r.list, in)
	return nil
}

func (r *rows) RemoveToolKey(context.Context, chat.UserID, string) error { return nil }

type bundle struct {
	*websearch.Searcher

	t       *testing.T
	keys    *toolkey.Store
	engines *websearchtest.Engines
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	keys := &toolkey.Store{Rows: &rows{}, Key: secret.Key{1}, Public: safehttp.NewTransport(safehttp.Allow{}), Env: map[string]string{}}
	return &bundle{websearch.New(keys), t, keys, websearchtest.Start(t)}
}

// use stores the way to an engine, of the installation.
func (b *bundle) use(service string) {
	b.t.Helper()
	path := map[string]string{toolkey.CloudsWay: websearchtest.CloudsWayPath, toolkey.Tavily: websearchtest.TavilyPath, toolkey.SearXNG: websearchtest.SearXNGPath}[service]
	key := websearchtest.Key
	if service == toolkey.SearXNG {
		key = ""
	}
	b.save(0, service, key, b.engines.URL+path)
}

func (b *bundle) save(user chat.UserID, service, key, base string) {
	b.t.Helper()
	require.NoError(b.t, b.keys.Save(b.t.Context(), toolkey.Draft{Key: key, ToolKey: chat.ToolKey{User: user, Service: service, BaseURL: base}}, ann))
}

func (b *bundle) search(q websearch.Query) websearch.Results {
	b.t.Helper()
	found, err := b.Search(b.t.Context(), ann, q)
	require.NoError(b.t, err)
	said, err := json.Marshal(found)
	require.NoError(b.t, err)
	require.NotContains(b.t, string(said), websearchtest.Key, "whatever happens")
	return found
}

func TestSearch_AsksTheProvidersInTheirOrderUntilOneAnswers(t *testing.T) {
	b := setup(t)
	b.use(toolkey.SearXNG)
	b.use(toolkey.Tavily)
	b.use(toolkey.CloudsWay)
	found := b.search(websearch.Query{Text: " go  maps? "})
	require.Equal(t, "CloudsWay", found.Provider)
	require.Len(t, found.Items, 5)
	require.Equal(t, websearch.Item{Title: "CloudsWay page 1", URL: "https://cloudsway.example/1", Text: "about go maps? & more", Published: "2025-07-14"}, found.Items[0])
	require.Empty(t, found.Failed)

	b.engines.Fail("cloudsway", http.StatusInternalServerError)
	found = b.search(websearch.Query{Text: "q", Max: 50, Depth: websearch.Advanced})
	require.Equal(t, "Tavily", found.Provider)
	require.Len(t, found.Items, websearch.MaxResults)
	require.Equal(t, "advanced about q", found.Items[9].Text)
	require.Equal(t, "In short: q", found.Answer)
	require.Equal(t, []websearch.Failure{{Provider: "CloudsWay", Reason: "the service failed (500 Internal Server Error)"}}, found.Failed)

	b.engines.Fail("tavily", 432)
	found = b.search(websearch.Query{Text: "q", Max: 3})
	require.Equal(t, "SearXNG", found.Provider)
	require.Equal(t, "It is so.", found.Answer)
	require.Equal(t, []string{"https://searxng.example/1", "https://searxng.example/2", "https://searxng.example/3"}, addresses(found))
	require.Contains(t, found.Failed[1].Reason, "what the account's plan allows is used up")

	b.engines.Fail("searxng", http.StatusForbidden)
	found = b.search(websearch.Query{Text: "q"})
	require.Empty(t, found.Provider)
	require.Len(t, found.Failed, 3)
	require.Contains(t, found.Failed[2].Reason, "add json to search.formats")
	require.Equal(t, []string{
		"cloudsway: go maps?", "cloudsway: q", "tavily: q", "cloudsway: q", "tavily: q", "searxng: q", "cloudsway: q", "tavily: q", "searxng: q",
	}, b.engines.Asked())
}

func addresses(r websearch.Results) (out []string) {
	for _, item := range r.Items {
		out = append(out, item.URL)
	}
	return out
}

func TestSearch_FallsBackForEveryKindOfFailureAndNeverTellsAKey(t *testing.T) {
	b := setup(t)
	b.use(toolkey.Tavily)
	b.use(toolkey.SearXNG)
	for says, answer := range map[string]http.HandlerFunc{
		"the key was not accepted (401)": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
		},
		"too many requests (429)": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"leads elsewhere (302)": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/?key="+websearchtest.Key, http.StatusFound)
		},
		"is no answer of such a service": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("<html>" + r.Header.Get("Authorization")))
		},
		"more than 2 MB": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"results":[{"title":"` + strings.Repeat("x", 3<<20) + `"}]}`))
		},
		"cannot be reached": func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = connection.Close()
			}
		},
	} {
		b.engines.Replace("tavily", answer)
		found := b.search(websearch.Query{Text: "a private question"})
		require.Equal(t, "SearXNG", found.Provider, says)
		require.Len(t, found.Failed, 1, says)
		require.Contains(t, found.Failed[0].Reason, says)
		require.NotContains(t, found.Failed[0].Reason, "private")
	}
}

func TestSearch_AServerOfSearXNGWhoseEnginesAllFailHasFoundNothing(t *testing.T) {
	b := setup(t)
	b.use(toolkey.SearXNG)
	b.engines.Replace("searxng", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"results":[],"answers":[],"unresponsive_engines":[["google","CAPTCHA"]]}`))
	})
	require.Contains(t, b.search(websearch.Query{Text: "q"}).Failed[0].Reason, "none of the engines")
	b.engines.Replace("searxng", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"results":[],"answers":["42"],"unresponsive_engines":[]}`))
	})
	found := b.search(websearch.Query{Text: "q"})
	require.Equal(t, "SearXNG", found.Provider, "an empty answer is one")
	require.Equal(t, "42", found.Answer)
}

func TestSearch_CleansAndBoundsWhatAProviderSends(t *testing.T) {
	b := setup(t)
	b.use(toolkey.Tavily)
	b.engines.Replace("tavily", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"answer": strings.Repeat("word ", 9000), "results": []map[string]string{
			{"title": "a\n\u202eb\x1b[31m <b>c</b>", "url": "https://user:pass@one.example/a b", "content": strings.Repeat("长", 5000)},
			{"title": "twice", "url": "https://one.example/a%20b"},
			{"title": "no web", "url": "javascript:alert(1)"}, {"title": "no host", "url": "https:///x"}, {"title": "long", "url": "https://x.example/" + strings.Repeat("x", 5000)},
			{"title": r.Header.Get("Authorization"), "url": "https://two.example/?k=" + websearchtest.Key, "content": "vector<int> &lt;b&gt;"},
		}})
	})
	found := b.search(websearch.Query{Text: "q"})
	require.Equal(t, []string{"https://one.example/a%20b", "https://two.example/?k=…"}, addresses(found))
	require.Equal(t, "a b[31m c", found.Items[0].Title)
	require.Len(t, []rune(found.Items[0].Text), 1500)
	require.Len(t, []rune(found.Answer), 2000)
	require.Equal(t, "Bearer …", found.Items[1].Title)
	require.Equal(t, "vector<int> <b>", found.Items[1].Text)
}

func TestSearch_APersonsOwnKeyComesFirstAndReachesThePublicInternetAlone(t *testing.T) {
	b := setup(t)
	b.use(toolkey.Tavily)
	b.save(ann, toolkey.Tavily, "own-key-of-ann", b.engines.URL+websearchtest.TavilyPath)
	found := b.search(websearch.Query{Text: "q"})
	require.Contains(t, found.Failed[0].Reason, "not an address on the public internet")
	require.NotContains(t, found.Failed[0].Reason, "own-key-of-ann")
	require.Empty(t, b.engines.Asked())
	found, err := b.Search(t.Context(), bob, websearch.Query{Text: "q"})
	require.NoError(t, err)
	require.Equal(t, "Tavily", found.Provider, "others use the installation's")
}

func TestOffers_IsForWhomThereIsAProvider(t *testing.T) {
	b := setup(t)
	offers := func(user chat.UserID) bool {
		offered, err := b.Offers(t.Context(), user)
		require.NoError(t, err)
		return offered
	}
	require.False(t, offers(ann))
	_, err := b.Search(t.Context(), ann, websearch.Query{Text: "q"})
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "Settings, Models and keys")
	b.keys.Env["IMAGE_API_KEY"] = "k"
	b.keys.Env["CLOUDSWAY_SEARCH_URL"] = "https://searchapi.cloudsway.net/search/x/smart"
	require.False(t, offers(ann), "an address without a key finds nothing there")
	b.save(ann, toolkey.Tavily, "k", "")
	require.True(t, offers(ann))
	require.False(t, offers(bob))
	b.keys.Env["CLOUDSWAY_SEARCH_KEY"] = "k"
	require.True(t, offers(bob))
	require.Empty(t, b.engines.Asked(), "nobody is asked for that")
}

func TestSearch_FindsCloudsWayByTheEnvironment(t *testing.T) {
	b := setup(t)
	b.keys.Env = map[string]string{"CLOUDSWAY_SEARCH_KEY": websearchtest.Key, "CLOUDSWAY_SEARCH_URL": b.engines.URL + websearchtest.CloudsWayPath}
	require.Equal(t, "CloudsWay", b.search(websearch.Query{Text: "q"}).Provider)
}

func TestSearch_RefusesWhatCannotBeAsked(t *testing.T) {
	b := setup(t)
	b.use(toolkey.SearXNG)
	for _, q := range []websearch.Query{{}, {Text: " \n"}, {Text: strings.Repeat("x", 401)}, {Text: "q", Depth: "deep"}} {
		_, err := b.Search(t.Context(), ann, q)
		require.True(t, fault.Is(err, fault.Invalid), "%+v", q)
	}
	require.Empty(t, b.engines.Asked())
}

func TestSearch_EndsWithItsContext(t *testing.T) {
	b := setup(t)
	b.use(toolkey.Tavily)
	ctx, cancel := context.WithCancel(t.Context())
	b.engines.Replace("tavily", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := b.Search(ctx, ann, websearch.Query{Text: "q"})
	require.ErrorIs(t, err, context.Canceled)
}
