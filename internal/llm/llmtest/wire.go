package llmtest

import (
	"cmp"
	"encoding/json"
	"net"
	"net/http"
	"time"
)

// event is one server-sent event; name is empty in chat completions.
type event struct {
	name string
	data []byte
}

// script is a whole streamed answer. What goes wrong goes wrong in body, or instead of tail.
type script struct {
	head, body, tail []event
	broken           []event // what ErrorPart sends
	garbage          event   // what Garbage sends
}

// wire writes a response and notices when the client is gone.
type wire struct {
	w    http.ResponseWriter
	done <-chan struct{} // the client went
	stop <-chan struct{} // the server stops
	gap  time.Duration
}

// pause waits and reports whether the answer should continue.
func (o *wire) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-o.done:
		return false
	case <-o.stop:
		return false
	}
}

func (o *wire) begin(contentType string) {
	if o.w.Header().Get("Content-Type") == "" {
		o.w.Header().Set("Content-Type", contentType)
	}
	o.w.Header().Set("Cache-Control", "no-cache")
	o.w.WriteHeader(http.StatusOK)
}

func (o *wire) flush() { _ = http.NewResponseController(o.w).Flush() } // fails only when the client is gone

// write sends raw bytes; a failed write is noticed by the next pause or by net/http.
func (o *wire) write(p []byte) { _, _ = o.w.Write(p) }

func (o *wire) send(events ...event) {
	for _, e := range events {
		if e.name != "" {
			o.write([]byte("event: " + e.name + "\n"))
		}
		o.write([]byte("data: "))
		o.write(e.data)
		o.write([]byte("\n\n"))
	}
}

// hang keeps the response open and silent.
func (o *wire) hang() {
	o.flush()
	select {
	case <-o.done:
	case <-o.stop:
	}
}

// reset breaks the connection so that the client sees a reset, not an end.
func (o *wire) reset() {
	o.flush()
	conn, _, err := http.NewResponseController(o.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: the next best thing
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // without it the close below is an orderly one; the connection goes either way
	}
	_ = conn.Close() // the point of it
}

// play sends a script with the faults of the reply.
func (o *wire) play(s script, b Break) {
	o.begin("text/event-stream")
	o.send(s.head...)
	middle := (len(s.body) + 1) / 2
	for i, piece := range s.body {
		if i > 0 && o.gap > 0 {
			o.flush()
			if !o.pause(o.gap) {
				return
			}
		}
		o.send(piece)
		if i+1 == middle && o.broke(s, b) {
			return
		}
	}
	if len(s.body) == 0 && o.broke(s, b) {
		return
	}
	if b == Truncate {
		return
	}
	o.send(s.tail...)
}

// broke does what must happen in the middle and reports whether the answer is over.
func (o *wire) broke(s script, b Break) bool {
	switch b {
	case Hang:
		o.hang()
	case Reset:
		o.reset()
	case ErrorPart:
		o.send(s.broken...)
	case Garbage:
		o.send(s.garbage)
		return false
	default:
		return false
	}
	return true
}

// writeBody sends a verbatim body.
func writeBody(o *wire, reply Reply) {
	if o.w.Header().Get("Content-Type") == "" {
		o.w.Header().Set("Content-Type", "text/event-stream")
	}
	o.w.WriteHeader(cmp.Or(reply.Status, http.StatusOK))
	o.write([]byte(reply.Body))
	switch reply.Break {
	case Hang:
		o.hang()
	case Reset:
		o.reset()
	case NoBreak, Truncate, Garbage, ErrorPart: // the body is what it is
	}
}

// cut splits text into n pieces of about the same length, or pieces of 24 runes when n is 0. A text of fewer than n
// runes gives fewer pieces.
func cut(text string, n int) []string {
	runes := []rune(text)
	if n <= 0 {
		n = (len(runes) + 23) / 24
	}
	n = min(n, len(runes))
	pieces := make([]string, 0, n)
	for i := range n {
		pieces = append(pieces, string(runes[i*len(runes)/n:(i+1)*len(runes)/n]))
	}
	return pieces
}

// marshal encodes a value that this package built itself, so that an error is a mistake in it.
func marshal(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}
