// Package apitest is an HTTP API of the product that runs in the test's own process, keeps everything in memory, and
// answers messages with a script. It is for tests of the API's clients: it can go away and come back on the same
// address with all it had accepted, as the real server does.
package apitest

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// Script answers one message. It is called in a separate goroutine, one at a time for a session, and must return soon after Turn.Stopping is closed.
type Script func(turn *Turn, text string)

// Command answers a message that is a command, in parallel to the turns; ok is false for a message that is none.
type Command func(text string) (answer string, ok bool)

// Server is a server whose state outlives its listener.
type Server struct {
	Token   string
	Script  Script
	Down    bool                    // answers /readyz with 503
	always  atomic.Bool             // a tool was allowed permanently
	command atomic.Pointer[Command] // nil: no message is one
	late    atomic.Pointer[string]  // a command whose answer is kept back
	serves  atomic.Pointer[[]apiclient.Command]
	names   atomic.Pointer[names]
	works   atomic.Pointer[[]chat.Task]

	mu       sync.Mutex
	address  string // host:port, kept over restarts
	http     *http.Server
	sessions map[chat.SessionKey]*session
	created  int
	files    map[string][]byte // by path
	pictures map[string][]byte // by hash
	settings []apiclient.Setting
	sharing  sharing
	shares   atomic.Bool    // its runner has the files of the test's machine
	serving  sync.WaitGroup // turns and the listener
}

// New starts a server that answers with the script, and stops it at the end of the test.
func New(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{Token: rand.Text(), Script: script, sessions: map[chat.SessionKey]*session{}, files: map[string][]byte{}, pictures: map[string][]byte{}}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.StopTurns()
		s.Stop()
		s.serving.Wait()
	})
	return s
}

// Carries makes the server answer commands.
func (s *Server) Carries(command Command) { s.command.Store(&command) }

// Works makes the server list tasks for every session in addition to its commands.
func (s *Server) Works(works ...chat.Task) { s.works.Store(&works) }

// Late keeps the answer of a command back until another command is there; then it comes before the other's answer.
func (s *Server) Late(text string) { s.late.Store(&text) }

// Serves makes the server list commands; before that it is too old to know any.
func (s *Server) Serves(commands ...apiclient.Command) { s.serves.Store(&commands) }

func (s *Server) listCommands(w http.ResponseWriter, _ *http.Request) {
	commands := s.serves.Load()
	if commands == nil {
		problem(w, http.StatusNotFound, "There is nothing at this address.")
		return
	}
	answer(w, http.StatusOK, map[string]any{"commands": *commands})
}

// Client returns a client with the server's token.
func (s *Server) Client() *apiclient.Client { return apiclient.New(s.Endpoint()) }

// Endpoint returns where the server listens, whether or not it does now.
func (s *Server) Endpoint() apiclient.Endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return apiclient.Endpoint{URL: "http://" + s.address, Token: s.Token}
}

// Start listens, on the address of the last time if there was one.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil {
		return nil
	}
	address := s.address
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	s.address = listener.Addr().String()
	server := &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.http = server
	s.serving.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // the test cannot continue without its server
		}
	})
	return nil
}

// Stop breaks all connections and closes the listener, as a killed process does. Turns continue.
func (s *Server) Stop() {
	s.mu.Lock()
	server := s.http
	s.http = nil
	s.mu.Unlock()
	if server != nil {
		// Close reports errors of connections that are gone already.
		_ = server.Close()
	}
}

// Prune forgets the events of all sessions, as a server does with those that are old.
func (s *Server) Prune() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		session.mu.Lock()
		session.pruned = len(session.events)
		session.mu.Unlock()
	}
}

// StopTurns stops every running turn.
func (s *Server) StopTurns() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		session.stop()
	}
}

// Session returns the state of a session as the API would show it.
func (s *Server) Session(key chat.SessionKey) chat.Session {
	s.mu.Lock()
	session := s.sessions[key]
	s.mu.Unlock()
	if session == nil {
		return chat.Session{}
	}
	return session.describe()
}

// Keys returns the keys of all sessions, in the order they were made.
func (s *Server) Keys() []chat.SessionKey {
	var keys []chat.SessionKey
	for _, session := range s.list("") {
		keys = append(keys, session.Key)
	}
	slices.Reverse(keys)
	return keys
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /readyz", s.health)
	for pattern, handle := range map[string]http.HandlerFunc{
		"GET /api/me":                       s.me,
		"GET /api/commands":                 s.listCommands,
		"GET /api/models":                   s.listModels,
		"GET /api/preferences":              s.listPreferences,
		"PUT /api/preferences/{name}":       s.setPreference,
		"GET /api/runners":                  s.listRunners,
		"POST /api/sessions":                s.createSession,
		"GET /api/sessions":                 s.listSessions,
		"GET /api/sessions/{key}":           s.withSession(s.getSession),
		"PATCH /api/sessions/{key}":         s.withSession(s.patchSession),
		"POST /api/sessions/{key}/messages": s.withSession(s.postMessage),
		"GET /api/sessions/{key}/messages":  s.withSession(s.getMessages),
		"GET /api/sessions/{key}/events":    s.withSession(s.events),
		"DELETE /api/sessions/{key}/turn":   s.withSession(s.stopTurn),
		"GET /api/sessions/{key}/turns":     s.withSession(s.listTurns),

		"POST /api/sessions/{key}/approvals/{call}": s.withSession(s.answerApproval),
		"POST /api/sessions/{key}/actions/{call}":   s.withSession(s.answerAction),
		"GET /api/sessions/{key}/tasks":             s.withSession(s.listTasks),
		"POST /api/sessions/{key}/tasks/{id}/kill":  s.withSession(s.killTask),
		"GET /api/sessions/{key}/shares":            s.withSession(s.listShares),
		"POST /api/sessions/{key}/shares":           s.withSession(s.createShare),
		"DELETE /api/sessions/{key}/shares/{id}":    s.withSession(s.revokeShare),
		"POST /api/sessions/{key}/files":            s.withSession(s.upload),
		"GET /api/sessions/{key}/files":             s.withSession(s.listFiles),
		"GET /api/sessions/{key}/files/search":      s.withSession(s.searchFiles),
		"GET /api/sessions/{key}/files/content":     s.withSession(s.download),
		"GET /api/sessions/{key}/pictures/{hash}":   s.withSession(s.readPicture),
	} {
		mux.HandleFunc(pattern, s.authenticated(handle))
	}
	return mux
}

func (s *Server) authenticated(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		want := "Bearer " + s.Token
		s.mu.Unlock()
		if r.Header.Get("Authorization") != want {
			problem(w, http.StatusUnauthorized, "Sign in, or send a valid token.")
			return
		}
		next(w, r)
	}
}

func (s *Server) withSession(next func(http.ResponseWriter, *http.Request, *session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		session := s.sessions[chat.SessionKey(r.PathValue("key"))]
		s.mu.Unlock()
		if session == nil {
			problem(w, http.StatusNotFound, "There is no such session.")
			return
		}
		next(w, r, session)
	}
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	down := s.Down
	s.mu.Unlock()
	if down && r.URL.Path == "/readyz" {
		problem(w, http.StatusServiceUnavailable, "Starting.")
		return
	}
	fmt.Fprint(w, "ok")
}

func (s *Server) me(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, apiclient.Me{
		User: apiclient.User{ID: 1, Name: "alice", Role: "admin"}, Model: "demo/demo", Version: "test", Demo: true,
	})
}

func (s *Server) createSession(w http.ResponseWriter, r *http.Request) {
	var in apiclient.NewSession
	if !read(w, r, &in) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.created++
	if in.Key == "" {
		in.Key = chat.SessionKey(fmt.Sprintf("agent:main:web:thread:%04d", s.created))
	}
	made, known := s.sessions[in.Key]
	if !known {
		made = newSession(s, in)
		s.sessions[in.Key] = made
	}
	answer(w, http.StatusCreated, made.describe())
}

func (s *Server) listSessions(w http.ResponseWriter, r *http.Request) {
	answer(w, http.StatusOK, map[string]any{"sessions": slices.DeleteFunc(s.list(r.URL.Query().Get("q")), func(session chat.Session) bool {
		return r.URL.Query().Get("shelf") != "all" && session.Shelf != chat.Listed
	})})
}

// list returns the sessions whose title holds the text, the newest first.
func (s *Server) list(text string) []chat.Session {
	s.mu.Lock()
	all := make([]*session, 0, len(s.sessions))
	for _, session := range s.sessions {
		all = append(all, session)
	}
	s.mu.Unlock()
	list := []chat.Session{}
	for _, session := range all {
		if described := session.describe(); strings.Contains(described.Title, text) {
			list = append(list, described)
		}
	}
	slices.SortFunc(list, func(a, b chat.Session) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return list
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		problem(w, http.StatusBadRequest, "The body is not JSON: "+err.Error())
		return false
	}
	return true
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone away has no use for the answer.
	_ = json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	// As above.
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}
