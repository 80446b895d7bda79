package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"
)

// stream writes events to a client.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
}

// openStream sends the head of a stream.
func openStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, control: http.NewResponseController(w)}
}

// send sends an event; without a name it has none.
func (s *stream) send(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.buf.Reset()
	if name != "" {
		s.buf.WriteString("event: " + name + "\n")
	}
	s.buf.WriteString("data: ")
	s.buf.Write(data)
	s.buf.WriteString("\n\n")
	return s.flush()
}

// line sends a line as it stands.
func (s *stream) line(text string) error {
	s.buf.Reset()
	s.buf.WriteString(text + "\n\n")
	return s.flush()
}

// ping keeps the connection from looking idle: clients pass over comments.
func (s *stream) ping() error { return s.line(": ping") }

func (s *stream) flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	if _, err := s.w.Write(s.buf.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}
