package onebottest

import (
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// Client is a WebSocket client of NapCat's network settings: it dials the bot, and again when the connection ends.
type Client struct {
	URL   string
	Token string
	Role  string        // Universal, API or Event; empty: Universal
	Every time.Duration // between attempts; 0: 50 ms
	// Refused gets the status of every answer that was no WebSocket. It may be nil.
	Refused func(status int)
}

// Dial keeps a client going until the server is closed or stop is called.
func (s *Server) Dial(c Client) (stop func()) {
	if c.Role == "" {
		c.Role = "Universal"
	}
	if c.Every == 0 {
		c.Every = 50 * time.Millisecond
	}
	done, ended := make(chan struct{}), make(chan struct{})
	s.work.Go(func() {
		defer close(ended)
		for {
			s.dialOnce(c, done)
			select {
			case <-done:
				return
			case <-s.closed:
				return
			case <-time.After(c.Every):
			}
		}
	})
	return func() {
		close(done)
		<-ended
	}
}

func (s *Server) dialOnce(c Client, done chan struct{}) {
	header := http.Header{"X-Self-Id": {s.o.Self}, "X-Client-Role": {c.Role}, "User-Agent": {"OneBot/11"}}
	header.Set("Authorization", "Bearer "+c.Token)
	s.mu.Lock()
	s.dials++
	s.mu.Unlock()
	dialer := websocket.Dialer{HandshakeTimeout: 2 * time.Second}
	ws, response, err := dialer.Dial(c.URL, header)
	if err != nil {
		if response != nil && c.Refused != nil {
			c.Refused(response.StatusCode)
		}
		return
	}
	held := &client{ws: ws, events: c.Role != "API", gone: make(chan struct{})}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-done:
			held.cut()
		case <-s.closed:
			held.cut()
		case <-held.gone:
		}
	}()
	s.serve(held)
	<-watched
}
