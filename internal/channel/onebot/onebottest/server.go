package onebottest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Server is one NapCat with its QQ account. Its methods may be called at any time by several goroutines.
type Server struct {
	o       Options
	world   *world
	httpURL string
	server  *http.Server

	mu         sync.Mutex
	clients    []*client
	held       []any
	holding    bool
	silent     bool // nothing is sent, though connections stay
	offline    bool
	troubles   []*Trouble
	unanswered int
	broken     []string
	calls      map[string]int
	dials      int
	closed     chan struct{}
	once       sync.Once
	work       sync.WaitGroup
}

// New starts a NapCat with WebSocket server and links to files on a free port of the loopback.
func New(o Options) (*Server, error) {
	if o.Self == "" {
		o.Self = "10001"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, world: newWorld(o.Self), httpURL: "http://" + listener.Addr().String(), calls: map[string]int{}, closed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("/files/{id}", s.serveFile)
	mux.HandleFunc("/", s.upgrade)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	s.work.Go(func() { _ = s.server.Serve(listener) })
	if o.Heartbeat > 0 {
		s.work.Go(s.beat)
	}
	return s, nil
}

// URL returns the address of the WebSocket server.
func (s *Server) URL() string { return "ws" + strings.TrimPrefix(s.httpURL, "http") }

// Close ends everything.
func (s *Server) Close() {
	s.once.Do(func() { close(s.closed) })
	_ = s.server.Close()
	s.Disconnect()
	s.work.Wait()
}

// client is one connection.
type client struct {
	ws     *websocket.Conn
	write  sync.Mutex
	events bool
	gone   chan struct{}
}

func (c *client) send(data []byte) {
	c.write.Lock()
	defer c.write.Unlock()
	_ = c.ws.SetWriteDeadline(time.Now().Add(10 * time.Second))
	_ = c.ws.WriteMessage(websocket.TextMessage, data) // a broken connection shows in reading
}

// cut ends a connection without a close frame.
func (c *client) cut() { _ = c.ws.UnderlyingConn().Close() }

func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.dials++
	s.mu.Unlock()
	given := r.URL.Query().Get("access_token")
	if given == "" {
		given = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	wrong := s.o.Token != "" && given != s.o.Token
	if wrong && s.o.Status401 {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	upgrader := websocket.Upgrader{}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &client{ws: ws, events: strings.TrimSuffix(r.URL.Path, "/") != "/api", gone: make(chan struct{})}
	if wrong {
		c.send(encode(response{Status: "failed", Retcode: 1403, Message: "token验证失败", Wording: "token验证失败"}))
		_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
		_ = ws.SetReadDeadline(time.Now().Add(2 * time.Second))
		for err == nil { // until the other end has closed, too; its requests are ignored
			_, _, err = ws.ReadMessage()
		}
		_ = ws.Close()
		return
	}
	s.serve(c)
}

// serve answers a connection until it ends.
func (s *Server) serve(c *client) {
	c.ws.SetReadLimit(50 << 20)
	if c.events {
		c.send(encode(s.meta(map[string]any{"meta_event_type": "lifecycle", "sub_type": "connect"})))
	}
	s.mu.Lock()
	select {
	case <-s.closed:
		c.cut()
	default:
	}
	s.clients = append(s.clients, c)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.clients = slices.DeleteFunc(s.clients, func(other *client) bool { return other == c })
		s.mu.Unlock()
		_ = c.ws.Close()
		close(c.gone)
	}()
	var actions sync.WaitGroup
	defer actions.Wait()
	for {
		_, data, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		actions.Go(func() { s.act(c, data) })
	}
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are the emulator's
	}
	return data
}

func (s *Server) meta(more map[string]any) map[string]any {
	e := map[string]any{"time": time.Now().Unix(), "self_id": num(s.o.Self), "post_type": "meta_event"}
	maps.Copy(e, more)
	return e
}

func (s *Server) beat() {
	tick := time.NewTicker(s.o.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-s.closed:
			return
		case <-tick.C:
			s.mu.Lock()
			online := !s.offline
			s.mu.Unlock()
			s.broadcast(encode(s.meta(map[string]any{
				"meta_event_type": "heartbeat", "interval": s.o.Heartbeat.Milliseconds(), "status": map[string]any{"online": online, "good": true},
			})))
		}
	}
}

// broadcast sends to all clients that get events.
func (s *Server) broadcast(data []byte) {
	s.mu.Lock()
	clients, silent := slices.Clone(s.clients), s.silent
	s.mu.Unlock()
	if silent {
		return
	}
	for _, c := range clients {
		if c.events {
			c.send(data)
		}
	}
}

// emit delivers an event, or keeps it while events are held. Without a connection it is lost, as with NapCat.
func (s *Server) emit(e any) {
	s.mu.Lock()
	if s.holding {
		s.held = append(s.held, e)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	s.broadcast(encode(e))
}

// Hold keeps events back until Release, which delivers the newest first if reverse.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holding = true
}

// Release delivers the held events.
func (s *Server) Release(reverse bool) {
	s.mu.Lock()
	held := s.held
	s.held, s.holding = nil, false
	s.mu.Unlock()
	if reverse {
		slices.Reverse(held)
	}
	for _, e := range held {
		s.broadcast(encode(e))
	}
}

// Drop forgets held events: events that are lost on their way.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.holding = nil, false
}

// Raw sends a frame as it is to all who get events.
func (s *Server) Raw(frame string) { s.broadcast([]byte(frame)) }

// RawBinary sends a binary frame.
func (s *Server) RawBinary(frame []byte) {
	s.mu.Lock()
	clients := slices.Clone(s.clients)
	s.mu.Unlock()
	for _, c := range clients {
		c.write.Lock()
		_ = c.ws.WriteMessage(websocket.BinaryMessage, frame) // a broken connection shows in reading
		c.write.Unlock()
	}
}

// Disconnect breaks every connection without a close frame.
func (s *Server) Disconnect() {
	s.mu.Lock()
	clients := slices.Clone(s.clients)
	s.mu.Unlock()
	for _, c := range clients {
		c.cut()
	}
	for _, c := range clients {
		<-c.gone
	}
}

// Connected returns how many connections get events.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, c := range s.clients {
		if c.events {
			n++
		}
	}
	return n
}

// Dials counts the connections that were tried.
func (s *Server) Dials() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dials
}

// Silence stops all output, heartbeats and answers as well, while connections stay open.
func (s *Server) Silence(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

// SetOnline sets whether the QQ account is signed in.
func (s *Server) SetOnline(online bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offline = !online
}

// Broken names requests that NapCat would not have understood.
func (s *Server) Broken() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

func (s *Server) breach(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// Calls counts the calls of an action.
func (s *Server) Calls(action string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[action]
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.world.mu.Lock()
	f := s.world.files[r.PathValue("id")]
	good := r.URL.Query().Get("rkey") == fmt.Sprint(s.world.rkey)
	s.world.mu.Unlock()
	if f == nil || !good {
		http.Error(w, `{"retcode":-5503007,"retmsg":"download url has expired"}`, http.StatusBadRequest)
		return
	}
	_, _ = w.Write(f.data) // the reader sees a short body
}
