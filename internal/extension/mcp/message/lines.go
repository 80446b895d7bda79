package message

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// maxLog limits one log line, in bytes.
	maxLog = 4 << 10
	// chunk is the size of one read, in bytes.
	chunk = 32 << 10
)

// Lines reads the messages that a server writes to its standard output, one per line. Other lines go to log.
type Lines struct {
	From io.Reader
	Log  io.Writer // receives bounded lines; nil discards them

	line  []byte // begun, not ended
	skip  bool   // the rest of the line is no message
	ready []byte // to be read
	buf   []byte
	err   error
}

// Read reads at least a byte, or an error.
func (l *Lines) Read(to []byte) (int, error) {
	for len(l.ready) == 0 && len(to) > 0 {
		if l.err != nil {
			return 0, l.err
		}
		if l.buf == nil {
			l.buf = make([]byte, chunk)
		}
		n, err := l.From.Read(l.buf)
		l.take(l.buf[:n])
		if err != nil {
			if l.end(); l.err == nil { // a last line without an end
				l.err = err
			}
		}
	}
	n := copy(to, l.ready)
	if l.ready = l.ready[n:]; len(l.ready) == 0 {
		l.ready = nil
	}
	return n, nil
}

// take divides data into lines.
func (l *Lines) take(data []byte) {
	for len(data) > 0 {
		line, rest, ended := bytes.Cut(data, []byte{'\n'})
		if !l.skip {
			l.line = append(l.line, line...)
			l.judge()
		}
		if ended {
			l.end()
		}
		data = rest
	}
}

// judge gives up a line early that cannot become a message.
func (l *Lines) judge() {
	if len(l.line) <= maxLog {
		return
	}
	if head := trimmed(l.line[:maxLog]); len(head) > 0 && head[0] != '{' && head[0] != '[' {
		l.discard(l.line)
	} else if len(l.line) > Max {
		l.discard(l.line)
		l.err = fmt.Errorf("a message of the server has more than %d MB", Max>>20)
	}
}

func (l *Lines) discard(line []byte) {
	l.log(line)
	l.line, l.skip = nil, true
}

// end handles a complete line.
func (l *Lines) end() {
	if !l.skip {
		messages, rest := Decode(l.line)
		for _, m := range messages {
			l.ready = append(append(l.ready, m...), '\n')
		}
		l.log(rest)
	}
	l.line, l.skip = l.line[:0], false
	if cap(l.line) > 1<<20 {
		l.line = nil
	}
}

func (l *Lines) log(line []byte) {
	if len(line) > 0 && l.Log != nil {
		_, _ = l.Log.Write(append(bytes.Clone(line[:min(len(line), maxLog)]), '\n')) // a log that is lost changes nothing
	}
}
