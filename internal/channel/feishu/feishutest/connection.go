package feishutest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// conn is a long connection.
type conn struct {
	*Server

	ws      *websocket.Conn
	writing sync.Mutex
	pinged  bool
	flying  map[string]*delivery // by the message_id of the frame; under the server's lock
}

// endpoint names the address of the long connection.
func (s *Server) endpoint(w http.ResponseWriter, r *http.Request) {
	var in struct{ AppID, AppSecret string }
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.AppID != s.AppID || in.AppSecret != s.Secret {
		answer(w, map[string]any{"code": 1000040344, "msg": "invalid app credentials"})
		return
	}
	s.mu.Lock()
	ticket := s.id("ticket")
	s.tokens[ticket] = true
	s.mu.Unlock()
	answer(w, map[string]any{"code": 0, "msg": "ok", "data": map[string]any{
		"URL":          strings.Replace(s.URL, "http", "ws", 1) + "/ws?device_id=1&service_id=33554678&ticket=" + ticket,
		"ClientConfig": s.tuning(),
	}})
}

func (s *Server) tuning() map[string]any {
	return map[string]any{"ReconnectCount": -1, "ReconnectInterval": 120, "ReconnectNonce": 30, "PingInterval": s.c.Ping.Seconds()}
}

func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	good := s.tokens[ticket]
	s.tokens[ticket] = false // once
	s.mu.Unlock()
	if !good {
		w.Header().Set("Handshake-Status", "514")
		w.Header().Set("Handshake-Msg", "the ticket is invalid")
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	ws, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &conn{Server: s, ws: ws, flying: map[string]*delivery{}}
	if s.ctx.Err() != nil {
		_ = ws.Close() // the server has ended
		return
	}
	c.read()
}

// read reads the client's frames until the connection ends.
func (c *conn) read() {
	defer c.leave()
	for {
		kind, raw, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		f, err := UnmarshalFrame(raw)
		if kind != websocket.BinaryMessage || err != nil {
			c.mu.Lock()
			c.complain("a frame is malformed: %v", err)
			c.mu.Unlock()
			return
		}
		switch {
		case f.Method == FrameControl && f.Get("type") == "ping":
			c.ping(f)
		case f.Method == FrameData && f.Get("type") == "event":
			c.acknowledged(f)
		default:
			c.mu.Lock()
			c.complain("a frame of method %d and type %q came", f.Method, f.Get("type"))
			c.mu.Unlock()
		}
	}
}

// ping answers a ping. The first one signs the client on.
func (c *conn) ping(f *Frame) {
	c.mu.Lock()
	if f.Service != 33554678 {
		c.complain("a ping names service %d", f.Service)
	}
	if !c.pinged && c.ctx.Err() == nil {
		c.pinged = true
		c.conns = append(c.conns, c)
		for _, d := range c.events {
			if !d.done {
				d.due = time.Now() // an unacknowledged event goes to any connection
			}
		}
		c.ring()
	}
	c.mu.Unlock()
	pong := &Frame{Service: f.Service, Headers: []Header{{Key: "type", Value: "pong"}}, Payload: []byte(text(c.tuning()))}
	_ = c.write(pong.Marshal()) // a connection that broke is seen by its reader
}

func (c *conn) acknowledged(f *Frame) {
	var a ack
	err := json.Unmarshal(f.Payload, &a)
	c.mu.Lock()
	d := c.flying[f.Get("message_id")]
	switch {
	case err != nil, f.Get("biz_rt") == "", string(a.Headers) != "null", a.Code != 200 && a.Code != 500:
		c.complain("an acknowledgement is malformed: %s %v", f.Payload, err)
	case d == nil:
		c.complain("an acknowledgement is for no event: %q", f.Get("message_id"))
	}
	deaf := c.deaf
	c.mu.Unlock()
	if d != nil && d.raw == nil && !deaf {
		c.taken(d, a.Code == 200, a.Data)
	}
}

// deliver sends an event, in parts if it is long; the caller holds the lock.
func (c *conn) deliver(d *delivery, body []byte) {
	id := fmt.Sprintf("%s-%d", d.id, d.tries)
	c.flying[id] = d
	size := c.c.Fragment
	if size <= 0 || size > len(body) {
		size = max(1, len(body))
	}
	chunks := slices.Collect(slices.Chunk(body, size))
	if len(chunks) == 0 {
		chunks = [][]byte{{}}
	}
	var frames [][]byte
	for i, chunk := range slices.Backward(chunks) { // the order is not guaranteed
		f := &Frame{
			SeqID: uint64(i + 1), LogID: 7, Service: 33554678, Method: FrameData, Payload: chunk, LogIDNew: "log",
			Headers: []Header{
				{Key: "type", Value: "event"}, {Key: "message_id", Value: id}, {Key: "sum", Value: strconv.Itoa(len(chunks))},
				{Key: "seq", Value: strconv.Itoa(i)}, {Key: "trace_id", Value: "trace"},
			},
		}
		frames = append(frames, f.Marshal())
	}
	if len(frames) == 1 {
		_ = c.write(frames[0]) // a connection that broke is seen by its reader
		return
	}
	c.running.Go(func() { c.parts(frames) })
}

// parts sends the parts of an event one after the other, as they come over a network: the library puts parts together without a
// lock, and of two that come at the same instant one may be lost until the event comes again.
func (c *conn) parts(frames [][]byte) {
	gap := time.NewTicker(2 * time.Millisecond)
	defer gap.Stop()
	for _, one := range frames {
		_ = c.write(one) // a connection that broke is seen by its reader
		select {
		case <-gap.C:
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *conn) write(raw []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.ws.SetWriteDeadline(time.Now().Add(5 * time.Second)) // the write reports it
	return c.ws.WriteMessage(websocket.BinaryMessage, raw)
}

func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = slices.DeleteFunc(c.conns, func(o *conn) bool { return o == c })
	_ = c.ws.Close() // it has ended
}

// Disconnect breaks every connection without a close frame.
func (s *Server) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.ws.NetConn().Close() // the reader sees it
	}
	s.conns = nil
}

// Deafen makes acknowledgements get lost from now on, or no longer.
func (s *Server) Deafen(deaf bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = deaf
}

// Connected returns how many clients have signed on.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hook != "" {
		return 1
	}
	return len(s.conns)
}
