// Package feishutest is Feishu for tests: it serves the API, the long connection and webhook deliveries of one app, with the users
// and chats that a test gives it, refuses requests that the platform refuses, and records the messages that users would see.
package feishutest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Config configures a platform. The zero value has an app with every permission.
type Config struct {
	EncryptKey string // of webhook deliveries; empty: they are not encrypted
	// Fragment divides events that are longer, in bytes; 0: none are divided.
	Fragment int
	// Again is how long the server waits for an acknowledgement before it delivers an event again; 0: half a second. The
	// platform waits for three.
	Again time.Duration
	// Ping is sent to clients as the interval of pings, in whole seconds; 0: one.
	Ping time.Duration
	// Lacks are permissions that the app does not have, by the beginning of the path that needs them, such as
	// "GET /open-apis/contact" to the names of the permissions.
	Lacks map[string][]string
	// Refuses are kinds of messages (msg_type) that are refused, to the code.
	Refuses map[string]int
	// NoThreads refuses answers in threads, NoStreams the streaming mode, NoBot the bot.
	NoThreads, NoStreams, NoBot bool
	// Granted are permissions that the organization has given to the app, as they are listed; nil: the app may not list them.
	Granted []string
	// Nameless makes the address book return users without their names: the call is permitted, the member is not.
	Nameless bool
	// KeepStreams refuses to replace a card while it streams.
	KeepStreams bool
	// IDs is a part of all ids but those of groups: of several apps that share a group, each has its own.
	IDs string
}

// Person is a user of the platform.
type Person struct {
	OpenID, Name string
	UnionID      string // under every app of their tenant; empty: it is not sent
	UserID       string // in their tenant; empty: the app may not know it
}

// The credentials of the app, and its bot.
const (
	Token   = "vt-feishutest"
	BotID   = "ou_bot"
	BotName = "xbot"
)

// Server is the platform. Its methods are safe for concurrent use.
type Server struct {
	URL    string
	AppID  string
	Secret string

	c        Config
	http     http.Server
	served   chan struct{}
	ctx      context.Context // ends with the server
	stop     context.CancelFunc
	running  sync.WaitGroup
	client   *http.Client
	upgrader websocket.Upgrader

	mu         sync.Mutex
	wake       chan struct{} // closed and replaced when deliverDue has something to do
	count      int
	clock      time.Time // of the newest message
	people     []Person
	chats      map[string]*room
	messages   map[string]*message
	order      []*message
	uuids      map[string]string // the message that was sent with a uuid
	files      map[string]File
	cards      map[string]*entity
	tokens     map[string]bool // false: it was good once
	conns      []*conn
	hook       string
	held       bool
	deaf       bool // acknowledgements are lost
	events     []*delivery
	trouble    Trouble
	unanswered int
	broken     []string
	calls      map[string]int
}

// apps counts servers, so that every one has a separate app.
var apps = struct {
	sync.Mutex
	n int
}{}

// New starts a platform. Close ends it.
func New(c Config) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	apps.Lock()
	apps.n++
	n := apps.n
	apps.Unlock()
	if c.Again == 0 {
		c.Again = 500 * time.Millisecond
	}
	if c.Ping == 0 {
		c.Ping = time.Second
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{
		URL: "http://" + l.Addr().String(), AppID: fmt.Sprintf("cli_test%d", n), Secret: fmt.Sprintf("secret-%d", n), c: c,
		served: make(chan struct{}), ctx: ctx, stop: stop, client: &http.Client{Transport: &http.Transport{}}, wake: make(chan struct{}),
		chats: map[string]*room{}, messages: map[string]*message{}, uuids: map[string]string{}, files: map[string]File{},
		cards: map[string]*entity{}, tokens: map[string]bool{}, calls: map[string]int{},
	}
	s.http.Handler = s.routes()
	go func() {
		defer close(s.served)
		_ = s.http.Serve(l) // Close ends it
	}()
	s.running.Go(s.deliverDue)
	return s, nil
}

// Close ends the platform and everything it does.
func (s *Server) Close() {
	s.stop()
	s.Disconnect()
	_ = s.http.Close() // connections that are open break
	<-s.served
	s.running.Wait()
	s.client.CloseIdleConnections()
}

// Settings returns those of an account of the app.
func (s *Server) Settings() map[string]string {
	return map[string]string{
		"app_id": s.AppID, "app_secret": s.Secret, "domain": s.URL, "verification_token": Token, "encrypt_key": s.c.EncryptKey,
	}
}

// Broken names requests that the platform would not have understood or trusted.
func (s *Server) Broken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

// Calls counts the requests of a method and path, such as "GET /open-apis/bot/v3/info".
func (s *Server) Calls(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[what]
}

// complain records a broken rule; the caller holds the lock.
func (s *Server) complain(format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// id makes an id of a kind; the caller holds the lock.
func (s *Server) id(kind string) string {
	s.count++
	if s.c.IDs != "" && kind != "oc" {
		kind += "_" + s.c.IDs
	}
	return kind + "_" + strconv.Itoa(s.count)
}

// now returns the time of the next message: later than that of all others. The caller holds the lock.
func (s *Server) now() time.Time {
	now := time.Now().Truncate(time.Millisecond)
	if !now.After(s.clock) {
		now = s.clock.Add(time.Millisecond)
	}
	s.clock = now
	return now
}

// refusal is an error response of the platform.
type refusal struct {
	status int
	code   int
	msg    string
	header map[string]string
	extra  any
}

func refuse(code int, format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, code: code, msg: fmt.Sprintf(format, args...)}
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(body) // a test notices the missing part
}

func (r *refusal) write(w http.ResponseWriter) {
	for k, v := range r.header {
		w.Header().Set(k, v)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Tt-Logid", "log-1")
	w.WriteHeader(r.status)
	body := map[string]any{"code": r.code, "msg": r.msg}
	if r.extra != nil {
		body["error"] = r.extra
	}
	_ = json.NewEncoder(w).Encode(body) // a test notices the missing part
}
