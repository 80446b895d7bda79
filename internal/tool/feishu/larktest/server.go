// Package larktest answers as Feishu's documents do, for tests. Its shapes are those of the vendor's models (larksuite/oapi-sdk-go v3.12.0:
// service/bitable/v1, docx/v1, wiki/v1, wiki/v2, drive/v1; a test reads each of them with its model) and of its pages on permissions (open.feishu.cn, "Generic error codes").
package larktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Call is a request that arrived.
type Call struct{ Method, Path, Query, Token, Body string }

// Server is the platform for holders of its tokens.
type Server struct {
	*httptest.Server

	mu      sync.Mutex
	calls   []Call
	tokens  map[string]bool
	refuse  map[string]string // path → JSON of the answer
	limited int
	records map[string]string // client token → id
	deleted map[string]bool   // records, by path
	parts   []byte

	Files map[string][]byte // by token; set before use
}

// New starts a server that ends with the test and accepts the tokens.
func New(t testing.TB, tokens ...string) *Server {
	t.Helper()
	s := &Server{tokens: map[string]bool{}, refuse: map[string]string{}, records: map[string]string{}, deleted: map[string]bool{}, Files: map[string][]byte{}}
	for _, token := range tokens {
		s.tokens[token] = true
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// Refuse answers a path with a refusal: its code, and the permissions one of which is missing.
func (s *Server) Refuse(path string, code int, scopes ...string) {
	violations := make([]map[string]string, len(scopes))
	for i, scope := range scopes {
		violations[i] = map[string]string{"type": "action_scope_required", "subject": scope}
	}
	raw, _ := json.Marshal(map[string]any{"code": code, "msg": "no", "error": map[string]any{"permission_violations": violations}}) // texts always encode
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse[path] = string(raw)
}

// Limit has the next n calls refused as too many.
func (s *Server) Limit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limited = n
}

// Calls returns the requests that arrived.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call{}, s.calls...)
}

// Records returns the number of records.
func (s *Server) Records() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.records)
}

// Uploaded returns the part of a file that has arrived.
func (s *Server) Uploaded() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte{}, s.parts...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	path := strings.TrimPrefix(r.URL.Path, "/open-apis")
	var body []byte
	if !strings.HasSuffix(path, "/upload_part") {
		body, _ = io.ReadAll(io.LimitReader(r.Body, 1<<20)) // what broke is empty
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{r.Method, path, r.URL.RawQuery, token, string(body)})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	switch {
	case !s.tokens[token]:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"code":99991668,"msg":"Invalid access token for authorization"}`)
	case s.limited > 0:
		s.limited--
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"code":99991400,"msg":"request trigger frequency limit"}`)
	case s.refuse[path] != "":
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, s.refuse[path])
	case r.Method == http.MethodDelete && s.deleted[path]:
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"code":1254043,"msg":"RecordIdNotFound"}`)
	case strings.HasSuffix(path, "/download"):
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(s.Files[strings.Split(path, "/")[4]]) // the reader may have left
	default:
		fmt.Fprintf(w, `{"code":0,"msg":"success","data":%s}`, s.data(path, r))
	}
}
