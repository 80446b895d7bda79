// Package websearchtest is a server that answers like CloudsWay, Tavily and SearXNG, after the sources that internal/document/websearch names.
package websearchtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Key is the key that CloudsWay and Tavily accept.
const Key = "secret-search-key-0123456789"

// Engines are the three on one server, each below its own address.
type Engines struct {
	URL string // of the server: CloudsWay answers below it at CloudsWayPath, the others at TavilyPath and SearXNGPath

	mu    sync.Mutex
	asked []string
	fail  map[string]int
	other map[string]http.HandlerFunc
}

// The addresses of the engines: the whole one of CloudsWay, the part before /search of the others.
const (
	CloudsWayPath = "/cloudsway/smart"
	TavilyPath    = "/tavily"
	SearXNGPath   = "/searxng"
)

// Start starts the server, for as long as the test runs.
func Start(t *testing.T) *Engines {
	t.Helper()
	e := &Engines{fail: map[string]int{}, other: map[string]http.HandlerFunc{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+CloudsWayPath, e.engine("cloudsway", cloudsWay))
	mux.HandleFunc("POST "+TavilyPath+"/search", e.engine("tavily", tavily))
	mux.HandleFunc("GET "+SearXNGPath+"/search", e.engine("searxng", searXNG))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	e.URL = server.URL
	return e
}

// Fail makes an engine (cloudsway, tavily or searxng) answer with a status from now on; 0: as usual again.
func (e *Engines) Fail(name string, status int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail[name] = status
}

// Replace makes a handler answer for an engine.
func (e *Engines) Replace(name string, h http.HandlerFunc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.other[name] = h
}

// Asked returns the searches that came in, "engine: query".
func (e *Engines) Asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.asked...)
}

// engine answers a request, unless it is to fail. An engine returns the query, and its answer.
func (e *Engines) engine(name string, answer func(r *http.Request) (query string, status int, body any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		query, status, body := answer(r)
		e.mu.Lock()
		e.asked = append(e.asked, name+": "+query)
		fail, other := e.fail[name], e.other[name]
		e.mu.Unlock()
		switch {
		case other != nil:
			other(w, r)
			return
		case fail != 0: // services repeat what they were sent
			status, body = fail, map[string]any{"detail": map[string]string{"error": "no: " + r.Header.Get("Authorization")}}
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body) // a client that has gone needs no answer
	}
}

func authorized(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+Key }

var refused = map[string]any{"detail": map[string]string{"error": "Unauthorized: missing or invalid API key."}}

func cloudsWay(r *http.Request) (string, int, any) {
	q := r.URL.Query()
	switch {
	case !authorized(r):
		return q.Get("q"), http.StatusUnauthorized, refused
	case !slices.Contains([]string{"10", "20", "30", "40", "50"}, q.Get("count")):
		return q.Get("q"), http.StatusBadRequest, map[string]string{"message": "count"}
	}
	var pages []map[string]any
	for i := range 10 {
		pages = append(pages, map[string]any{
			"name": fmt.Sprintf("CloudsWay <b>page</b> %d", i+1), "url": fmt.Sprintf("https://cloudsway.example/%d", i+1),
			"snippet": "about " + q.Get("q") + " &amp; more", "datePublished": "2025-07-14T00:00:00.0000000", "score": 0.95,
		})
	}
	return q.Get("q"), http.StatusOK, map[string]any{
		"queryContext": map[string]string{"originalQuery": q.Get("q")}, "webPages": map[string]any{"value": pages},
	}
}

func tavily(r *http.Request) (string, int, any) {
	var in struct {
		Query   string `json:"query"`
		Max     int    `json:"max_results"`
		Depth   string `json:"search_depth"`
		Answer  bool   `json:"include_answer"`
		Ignored any    `json:"api_key"`
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	switch {
	case !authorized(r):
		return in.Query, http.StatusUnauthorized, refused
	case err != nil || in.Max < 0 || in.Max > 20 || in.Depth != "basic" && in.Depth != "advanced" || r.Header.Get("Content-Type") != "application/json":
		return in.Query, http.StatusBadRequest, map[string]any{"detail": map[string]string{"error": "bad request"}}
	}
	results := []map[string]any{}
	for i := range in.Max {
		results = append(results, map[string]any{
			"title": fmt.Sprintf("Tavily page %d", i+1), "url": fmt.Sprintf("https://tavily.example/%d", i+1),
			"content": in.Depth + " about " + in.Query, "score": 0.81, "raw_content": nil,
		})
	}
	out := map[string]any{"query": in.Query, "answer": nil, "images": []any{}, "results": results, "response_time": "1.67"}
	if in.Answer {
		out["answer"] = "In short: " + in.Query
	}
	return in.Query, http.StatusOK, out
}

func searXNG(r *http.Request) (string, int, any) {
	q := r.URL.Query()
	if q.Get("format") != "json" || r.Header.Get("Authorization") != "" {
		return q.Get("q"), http.StatusForbidden, map[string]string{}
	}
	results := []map[string]any{}
	for i := range 20 {
		results = append(results, map[string]any{
			"title": fmt.Sprintf("SearXNG page %d", i+1), "url": fmt.Sprintf("https://searxng.example/%d", i+1), "content": "about " + q.Get("q"),
			"engine": "bing", "engines": []string{"bing"}, "publishedDate": nil, "parsed_url": []string{"https", "searxng.example"},
		})
	}
	return q.Get("q"), http.StatusOK, map[string]any{
		"query": q.Get("q"), "results": results, "answers": []any{map[string]any{"answer": "It is so.", "url": nil}}, "corrections": []any{}, "infoboxes": []any{},
		"suggestions": []any{}, "unresponsive_engines": [][]string{{"google", "CAPTCHA"}},
	}
}
