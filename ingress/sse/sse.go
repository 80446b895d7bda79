// Package sse writes server-sent events.
package sse

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// sendTimeout bounds the write of one event to a slow client.
const sendTimeout = 30 * time.Second

// Writer writes events to one client.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
}

// Open sends the head of a stream with a Cache-Control.
func Open(w http.ResponseWriter, cacheControl string) *Writer {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", cacheControl)
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &Writer{w: w, control: http.NewResponseController(w)}
}

// Event sends an event; it has no id if id is 0, and no name if name is empty. Line breaks between the JSON tokens of data are left out.
func (s *Writer) Event(id int64, name string, data []byte) error {
	s.buf.Reset()
	if id > 0 {
		fmt.Fprintf(&s.buf, "id: %d\n", id)
	}
	if name != "" {
		s.buf.WriteString("event: " + name + "\n")
	}
	s.buf.WriteString("data: ")
	for _, b := range data {
		if b != '\n' && b != '\r' {
			s.buf.WriteByte(b)
		}
	}
	return s.flush()
}

// Comment sends a comment, which clients pass over.
func (s *Writer) Comment(text string) error {
	s.buf.Reset()
	s.buf.WriteString(": " + text)
	return s.flush()
}

func (s *Writer) flush() error {
	s.buf.WriteString("\n\n")
	if err := s.control.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	if _, err := s.w.Write(s.buf.Bytes()); err != nil {
		return err
	}
	return s.control.Flush()
}
