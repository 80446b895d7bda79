package qqtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// event is what happened, before it has a number in a session.
type event struct {
	kind   string
	id     string // of the event
	about  string // id of the message
	intent int
	data   json.RawMessage
}

type frame struct {
	Op   int             `json:"op"`
	Seq  int64           `json:"s,omitempty"`
	Type string          `json:"t,omitempty"`
	ID   string          `json:"id,omitempty"`
	Data json.RawMessage `json:"d,omitempty"`
}

// session is a stream of events. It outlives its connections.
type session struct {
	id      string
	intents int
	seq     int64
	log     []logged
	peer    *peer // nil: disconnected
}

// logged is a frame as it was sent.
type logged struct {
	seq int64
	raw []byte
}

// peer is a connection of a client.
type peer struct {
	socket *websocket.Conn
	out    chan []byte
	done   chan struct{} // closed when the writing ends
	ended  bool          // out is closed; Server.mu
}

// maxQueued bounds the frames that wait for a slow client.
const maxQueued = 65536

// send queues a frame; Server.mu is held.
func (p *peer) send(f frame) {
	raw, err := json.Marshal(f)
	if err != nil {
		panic(err) // frames of this package always encode
	}
	p.raw(raw)
}

func (p *peer) raw(raw []byte) {
	if p.ended {
		return
	}
	select {
	case p.out <- raw:
	default:
		p.cut()
	}
}

// cut ends the connection without a close frame.
func (p *peer) cut() { _ = p.socket.Close() }

// bye closes with a code; Server.mu is held. Frames that wait are sent before.
func (p *peer) bye(code int, text string) {
	if !p.ended {
		p.ended = true
		p.out <- append([]byte{0xFF}, websocket.FormatCloseMessage(code, text)...)
		close(p.out)
	}
}

func (p *peer) write() {
	defer close(p.done)
	defer p.cut()
	for raw := range p.out {
		_ = p.socket.SetWriteDeadline(time.Now().Add(10 * time.Second)) // a broken one fails below
		if len(raw) > 0 && raw[0] == 0xFF {
			_ = p.socket.WriteMessage(websocket.CloseMessage, raw[1:]) // it ends either way
			continue
		}
		if p.socket.WriteMessage(websocket.TextMessage, raw) != nil {
			p.cut()
		}
	}
}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	socket, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	p := &peer{socket: socket, out: make(chan []byte, maxQueued), done: make(chan struct{})}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		p.cut()
		return
	}
	s.peers[p] = true
	s.wg.Add(1)
	defer s.wg.Done()
	hello, err := json.Marshal(map[string]any{"heartbeat_interval": s.config.Heartbeat.Milliseconds()})
	if err == nil {
		p.send(frame{Op: 10, Data: hello})
	}
	s.mu.Unlock()
	go p.write()
	s.listen(p)
	s.mu.Lock()
	delete(s.peers, p)
	if s.session != nil && s.session.peer == p {
		s.session.peer = nil
	}
	if !p.ended {
		p.ended = true
		close(p.out)
	}
	s.mu.Unlock()
	<-p.done
}

// listen reads the client's frames until its connection ends.
func (s *Server) listen(p *peer) {
	signedOn := false
	for {
		_, raw, err := p.socket.ReadMessage()
		if err != nil {
			return
		}
		var f frame
		s.mu.Lock()
		if json.Unmarshal(raw, &f) != nil {
			s.breaks("a frame that is not JSON")
			p.bye(4002, "decode error")
			s.mu.Unlock()
			continue
		}
		switch {
		case f.Op == 1:
			s.heartbeat(p, f)
		case (f.Op == 2 || f.Op == 6) && !signedOn:
			signedOn = s.signOn(p, f)
		default:
			s.breaks("a frame out of order")
			p.bye(4001, "unknown op code")
		}
		s.mu.Unlock()
	}
}

// heartbeat answers one, and checks its number; mu is held.
func (s *Server) heartbeat(p *peer, f frame) {
	var last *int64
	if json.Unmarshal(f.Data, &last) != nil {
		s.breaks("a heartbeat without a number or null")
	}
	if s.session != nil && s.session.peer == p && last != nil && *last > s.session.seq {
		s.breaks("a heartbeat with a number that was not sent")
	}
	if !s.silent {
		p.send(frame{Op: 11})
	}
}

// signOn begins or resumes a session; mu is held.
func (s *Server) signOn(p *peer, f frame) bool {
	var ask struct {
		Token   string `json:"token"`
		Intents int    `json:"intents"`
		Shard   []int  `json:"shard"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	const prefix = "QQBot "
	if json.Unmarshal(f.Data, &ask) != nil || len(ask.Token) <= len(prefix) || ask.Token[:len(prefix)] != prefix {
		s.breaks("a sign-on without a token")
		p.bye(4004, "authentication fail")
		return false
	}
	if until, ok := s.tokens[ask.Token[len(prefix):]]; !ok || time.Now().After(until) {
		p.bye(4004, "authentication fail")
		return false
	}
	if f.Op == 6 {
		return s.goOn(p, ask.Session, ask.Seq)
	}
	if s.config.Intents != 0 && ask.Intents&^s.config.Intents != 0 {
		if s.config.Strict {
			p.bye(4014, "disallowed intents")
		} else {
			p.send(frame{Op: 9, Data: json.RawMessage("false")})
		}
		return false
	}
	if s.starts--; s.starts < 0 {
		p.bye(4008, "session limit")
		return false
	}
	if len(ask.Shard) != 2 || ask.Shard[1] != 1 {
		s.breaks("a shard of a bot that has one")
	}
	if s.session != nil && s.session.peer != nil {
		s.session.peer.bye(4009, "session timeout") // another process took over
	}
	s.session = &session{id: random(), intents: ask.Intents, peer: p, seq: 1}
	d, err := json.Marshal(map[string]any{
		"version": 1, "session_id": s.session.id, "shard": []int{0, 1},
		"user": map[string]any{"id": s.config.Bot.ID, "username": s.config.Bot.Name, "bot": true},
	})
	if err == nil {
		p.send(frame{Op: 0, Seq: 1, Type: "READY", Data: d})
	}
	return true
}

func (s *Server) goOn(p *peer, id string, seq int64) bool {
	if s.session == nil || s.session.id != id || seq > s.session.seq {
		p.send(frame{Op: 9, Data: json.RawMessage("false")})
		return false
	}
	if old := s.session.peer; old != nil && old != p {
		old.bye(4009, "session timeout")
	}
	s.session.peer = p
	for _, f := range s.session.log {
		if f.seq > seq {
			p.raw(f.raw)
		}
	}
	p.send(frame{Op: 0, Seq: s.session.seq, Type: "RESUMED", Data: json.RawMessage(`""`)})
	return true
}

// emit delivers an event; mu is held.
func (s *Server) emit(e event) {
	if e.about != "" {
		s.events[e.about] = e
	}
	if s.held {
		s.waiting = append(s.waiting, e)
		return
	}
	if s.hook != "" {
		s.call(e)
		return
	}
	t := s.session
	if t == nil || t.intents&e.intent == 0 {
		return // no session subscribes to it
	}
	t.seq++
	f := logged{seq: t.seq, raw: fmt.Appendf(nil, `{"op":0,"s":%d,"t":%q,"id":%q,"d":%s}`, t.seq, e.kind, e.id, e.data)}
	t.log = append(t.log, f)
	if t.peer != nil {
		t.peer.raw(f.raw)
	}
}

// Again delivers the event of a message once more.
func (s *Server) Again(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.events[message]; ok {
		s.emit(e)
	}
}

// Hold keeps events back until Release.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
}

// Release delivers held events, the newest first if reverse.
func (s *Server) Release(reverse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.waiting
	s.held, s.waiting = false, nil
	for i := range waiting {
		if reverse {
			i = len(waiting) - 1 - i
		}
		s.emit(waiting[i])
	}
}

// Disconnect breaks all connections without a close frame.
func (s *Server) Disconnect() { s.each(func(p *peer) { p.cut() }) }

// Dismiss closes all connections with a code.
func (s *Server) Dismiss(code int) { s.each(func(p *peer) { p.bye(code, "bye") }) }

// AskReconnect asks all clients to come again (op 7).
func (s *Server) AskReconnect() { s.each(func(p *peer) { p.send(frame{Op: 7}) }) }

// Invalidate forgets the session and reports it (op 9).
func (s *Server) Invalidate() {
	s.each(func(p *peer) { p.send(frame{Op: 9, Data: json.RawMessage("false")}) })
	s.Forget()
}

// Forget drops the session without a notice.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = nil
}

// Mute stops answering heartbeats, or begins to again.
func (s *Server) Mute(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

// Send sends raw bytes to all clients.
func (s *Server) Send(raw string) { s.each(func(p *peer) { p.raw([]byte(raw)) }) }

// Emit delivers an event of any kind.
func (s *Server) Emit(kind, data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emit(event{kind: kind, id: random(), intent: -1, data: json.RawMessage(data)})
}

func (s *Server) each(f func(*peer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		f(p)
	}
}

// Connected returns how many clients have signed on.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil && s.session.peer != nil {
		return 1
	}
	return 0
}

// Session returns the id of the session and the intents that it has; empty when there is none.
func (s *Server) Session() (id string, intents int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return "", 0
	}
	return s.session.id, s.session.intents
}
