// Package qqtest is QQ's bot platform as a bot sees it: tokens, the gateway with its sessions, webhooks, messages, files
// and buttons, with users who write and read. It refuses the calls that the platform refuses, and can be made to fail as
// platforms fail. It is a separate server, for tests in one process and across processes.
package qqtest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config is a bot with its permissions. The zero value is a bot that may do everything.
type Config struct {
	AppID, Secret string
	Bot           Person
	Heartbeat     time.Duration // asked of clients; 0: 30 s
	Life          time.Duration // of access tokens; 0: 2 h
	Intents       int           // permitted; 0: all
	Strict        bool          // closes with 4014 for other intents, instead of refusing the session
	Overhear      bool          // groups deliver everything, not only what mentions the bot
	NoMarkdown    bool
	NoButtons     bool
	NoOwn         bool // messages that answer nothing are refused
	BlockLinks    bool
	Starts        int // sessions that may be begun; 0: 1000
}

// Person is a user with the id that the platform shows to the bot.
type Person struct{ ID, Name string }

// Server is the platform. Its methods may be called by several goroutines.
type Server struct {
	config Config
	http   *http.Server
	url    string
	wg     sync.WaitGroup
	ended  chan struct{} // closed by Close

	mu         sync.Mutex
	closed     bool
	tokens     map[string]time.Time
	revoked    map[string]bool
	session    *session
	starts     int
	peers      map[*peer]bool
	silent     bool // heartbeats are not answered
	held       bool
	waiting    []event
	events     map[string]event // by the id of their message
	incoming   map[string]*told // messages of people
	messages   []*Message
	numbers    map[string]bool // msg_id and msg_seq that were used
	writing    map[string]int  // "is writing", by msg_id
	uploads    map[string]*upload
	infos      map[string]File // by file_info
	files      map[string]File // by address
	presses    map[string]chan int
	troubles   []Trouble
	unanswered int
	hook       string
	acked      map[string]bool
	broken     []string
	skew       time.Duration // how far the platform's clock has been moved
	count      int
}

// told is a message of a user, with the data that answers to it need.
type told struct {
	scene, chat string
	at          time.Time
	answers     int
	text        string
	from        Person
	files       []File
}

// New starts a platform on a port of the loopback interface.
func New(c Config) (*Server, error) {
	if c.AppID == "" {
		c.AppID = "102000001"
	}
	if c.Secret == "" {
		c.Secret = "naOC0ocQE3shWLAfffVLB1rhYPG7"
	}
	if c.Bot.ID == "" {
		c.Bot = Person{ID: "BOT0", Name: "xbot"}
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 30 * time.Second
	}
	if c.Life == 0 {
		c.Life = 2 * time.Hour
	}
	if c.Starts == 0 {
		c.Starts = 1000
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, ended: make(chan struct{}), url: "http://" + at.Addr().String(), starts: c.Starts,
		tokens: map[string]time.Time{}, revoked: map[string]bool{}, peers: map[*peer]bool{}, events: map[string]event{}, incoming: map[string]*told{},
		numbers: map[string]bool{}, writing: map[string]int{}, uploads: map[string]*upload{}, infos: map[string]File{}, files: map[string]File{},
		presses: map[string]chan int{}, acked: map[string]bool{},
	}
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.wg.Go(func() { _ = s.http.Serve(at) }) // it ends with Close
	return s, nil
}

// URL returns the address of the API.
func (s *Server) URL() string { return s.url }

// Settings returns the settings of an account of this bot.
func (s *Server) Settings() map[string]string {
	return map[string]string{"app_id": s.config.AppID, "app_secret": s.config.Secret, "api_url": s.url}
}

// Close ends the platform and waits for all it has started.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.ended)
	}
	for p := range s.peers {
		p.cut()
	}
	s.mu.Unlock()
	_ = s.http.Close() // connections are cut
	s.wg.Wait()
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /app/getAppAccessToken", s.giveToken)
	mux.HandleFunc("GET /gateway/bot", s.known(s.tellGateway))
	mux.HandleFunc("GET /users/@me", s.known(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]any{"id": s.config.Bot.ID, "username": s.config.Bot.Name, "bot": true})
	}))
	mux.HandleFunc("GET /ws", s.serveGateway)
	mux.HandleFunc("POST /v2/{kind}/{chat}/messages", s.known(s.takeMessage))
	mux.HandleFunc("DELETE /v2/{kind}/{chat}/messages/{id}", s.known(s.recallMessage))
	mux.HandleFunc("POST /{kind}/{chat}/messages", s.known(s.takeMessage))
	mux.HandleFunc("DELETE /{kind}/{chat}/messages/{id}", s.known(s.recallMessage))
	mux.HandleFunc("POST /v2/{kind}/{chat}/upload_prepare", s.known(s.prepareUpload))
	mux.HandleFunc("POST /v2/{kind}/{chat}/upload_part_finish", s.known(s.finishPart))
	mux.HandleFunc("POST /v2/{kind}/{chat}/files", s.known(s.mergeUpload))
	mux.HandleFunc("PUT /store/{upload}/{part}", s.storePart)
	mux.HandleFunc("PUT /interactions/{id}", s.known(s.settlePress))
	mux.HandleFunc("GET /files/{name}", s.giveFile)
	return mux
}

// giveToken answers 200 also when it refuses, as the platform does.
func (s *Server) giveToken(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		App    string `json:"appId"`
		Secret string `json:"clientSecret"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.App != s.config.AppID || ask.Secret != s.config.Secret {
		answer(w, http.StatusOK, map[string]any{"code": 100016, "message": "invalid appid or secret"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token, life := "", s.config.Life
	for t, until := range s.tokens {
		if left := time.Until(until); left > time.Minute || s.config.Life <= time.Minute && left > s.config.Life/2 {
			token, life = t, left // the same one until its last minute
		}
	}
	if token == "" {
		token = random()
		s.tokens[token] = time.Now().Add(life)
	}
	answer(w, http.StatusOK, map[string]any{"access_token": token, "expires_in": fmt.Sprint(int(life.Seconds()))})
}

// known serves requests with a valid token.
func (s *Server) known(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.holds(r.Header.Get("Authorization")) {
			refuse(w, http.StatusUnauthorized, 11243, "check token not pass")
			return
		}
		h(w, r)
	}
}

func (s *Server) holds(authorization string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, ok := strings.CutPrefix(authorization, "QQBot ")
	if !ok {
		s.breaks("a token without QQBot before it")
		return false
	}
	until, ok := s.tokens[token]
	if ok && time.Now().Before(until) {
		return true
	}
	if !s.revoked[token] {
		s.breaks("a stale token")
	}
	return false
}

// breaks records a request that the platform does not understand or trust; mu is held.
func (s *Server) breaks(what string) { s.broken = append(s.broken, what) }

// now returns the platform's time; mu is held.
func (s *Server) now() time.Time { return time.Now().Add(s.skew) }

// Pass moves the platform's clock ahead.
func (s *Server) Pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew += d
}

// Revoke invalidates all access tokens.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for t := range s.tokens {
		s.revoked[t] = true
	}
	clear(s.tokens)
}

// Broken names requests that the platform would not have understood or trusted.
func (s *Server) Broken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

func (s *Server) tellGateway(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{
		"url": "ws" + strings.TrimPrefix(s.url, "http") + "/ws", "shards": 1,
		"session_start_limit": map[string]any{"total": s.config.Starts, "remaining": s.starts, "reset_after": 3600000, "max_concurrency": 1},
	})
}

// next numbers things; mu is held.
func (s *Server) next() int {
	s.count++
	return s.count
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a disconnected client reads nothing
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	answer(w, status, map[string]any{"code": code, "err_code": code, "message": message, "trace_id": random()})
}

func random() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // it never fails
	return hex.EncodeToString(raw)
}
