package message

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Events reads the server-sent events of a server as the SDK reads them: events with a message, with an identifier or with the address of the older
// transport. Comments, other events, lines that are no field and a byte order mark are left out.
type Events struct {
	From io.Reader
	// Endpoint means a stream of the older transport, whose events without data end the SDK's connection.
	Endpoint bool

	in    *bufio.Reader
	event event
	ready []byte
	err   error
}

type event struct {
	name, id, retry []byte
	data            []byte
	hasData         bool
}

// Read reads at least a byte, or an error.
func (e *Events) Read(to []byte) (int, error) {
	if e.in == nil {
		e.in = bufio.NewReaderSize(&endings{from: e.From}, chunk)
		if head, err := e.in.Peek(3); err == nil && string(head) == "\ufeff" {
			_, _ = e.in.Discard(3) // it was just looked at
		}
	}
	for len(e.ready) == 0 && len(to) > 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n := copy(to, e.ready)
	if e.ready = e.ready[n:]; len(e.ready) == 0 {
		e.ready = nil
	}
	return n, nil
}

// next reads a line.
func (e *Events) next() {
	var line []byte
	for {
		part, err := e.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line)+len(e.event.data) > Max+chunk {
			e.err = fmt.Errorf("an event of the server has more than %d MB", Max>>20)
			return
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			e.err = err
		}
		break
	}
	if line = bytes.TrimRight(line, "\n"); len(line) == 0 {
		e.dispatch() // at the end of the stream, too: a message may lack its blank line
		return
	}
	e.field(line)
	if e.err != nil {
		e.dispatch()
	}
}

func (e *Events) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "event":
		e.event.name = value
	case "id":
		e.event.id = value
	case "retry":
		e.event.retry = value
	case "data":
		if e.event.hasData {
			e.event.data = append(e.event.data, '\n')
		}
		e.event.data, e.event.hasData = append(e.event.data, value...), true
	}
}

// dispatch passes on an event that the SDK understands.
func (e *Events) dispatch() {
	is := e.event
	e.event = event{}
	var messages [][]byte
	switch name := string(is.name); {
	case name == "endpoint":
		messages = [][]byte{bytes.TrimSpace(is.data)}
	case name == "" || name == "message":
		messages, _ = Decode(is.data)
		is.name = nil
	default:
		is.name = nil
	}
	if len(messages) == 0 {
		if !e.Endpoint && (len(is.id) > 0 || len(is.retry) > 0) {
			e.write(is, nil)
		}
		return
	}
	for i, m := range messages {
		last := is
		if i < len(messages)-1 {
			last.id, last.retry = nil, nil // resuming after it would lose the other ones
		}
		e.write(last, m)
	}
}

func (e *Events) write(is event, data []byte) {
	for _, f := range []struct {
		name  string
		value []byte
	}{{"event", is.name}, {"id", is.id}, {"retry", is.retry}, {"data", data}} {
		if len(f.value) > 0 {
			e.ready = fmt.Appendf(e.ready, "%s: %s\n", f.name, f.value)
		}
	}
	e.ready = append(e.ready, '\n')
}

// endings turns all ends of lines into line feeds: they may be carriage returns, too.
type endings struct {
	from io.Reader
	cr   bool // the byte before was a carriage return
}

// Read reads at least a byte, or an error.
func (r *endings) Read(to []byte) (int, error) {
	for {
		n, err := r.from.Read(to)
		kept := to[:0]
		for _, c := range to[:n] {
			if c == '\n' && r.cr {
				r.cr = false
				continue
			}
			if r.cr = c == '\r'; r.cr {
				c = '\n'
			}
			kept = append(kept, c)
		}
		if len(kept) > 0 || err != nil || len(to) == 0 {
			return len(kept), err
		}
	}
}

// Body reads an answer of one message. An array becomes its last response.
type Body struct {
	From io.Reader // bounded

	read  bool
	ready []byte
}

// Read reads the message once all of it is there.
func (b *Body) Read(to []byte) (int, error) {
	if !b.read {
		all, err := io.ReadAll(b.From)
		if err != nil {
			return 0, err
		}
		b.read, b.ready = true, all
		if messages, _ := Decode(all); len(messages) > 0 {
			b.ready = messages[len(messages)-1]
			for _, m := range messages {
				if bytes.Contains(m, []byte(`"result":`)) || bytes.Contains(m, []byte(`"error":`)) {
					b.ready = m
				}
			}
		}
	}
	if len(b.ready) == 0 {
		return 0, io.EOF
	}
	n := copy(to, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}
