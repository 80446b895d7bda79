package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/time/rate"

	"xbot/internal/fault"
)

// How many lines a second are read from servers: a message of stdio is one line, an event of HTTP is three. A server that has more to say
// has to wait, as it does where a pipe is full; so its notifications cost no more than that, and nothing that it says is lost.
const (
	linesASecond    = 1000
	linesAtOnce     = 2000
	allLinesASecond = 10_000
	allLinesAtOnce  = 20_000
)

// maxMessage bounds one message of a server, in bytes: a picture in base64 has its place.
const maxMessage = 32 << 20

// paced reads what a server says, no faster than its pace and that of all allow.
type paced struct {
	ctx  context.Context //nolint:containedctx // of the connection, which no Read owns
	from io.Reader
	own  *rate.Limiter
	all  *rate.Limiter
}

func newPaced(ctx context.Context, from io.Reader, all *rate.Limiter) *paced {
	return &paced{ctx: ctx, from: from, own: rate.NewLimiter(linesASecond, linesAtOnce), all: all}
}

// Read reads, and waits where too much came.
func (p *paced) Read(to []byte) (int, error) {
	n, err := p.from.Read(to)
	for lines := bytes.Count(to[:n], []byte{'\n'}); lines > 0; lines -= linesAtOnce {
		part := min(lines, linesAtOnce)
		if wait := errors.Join(p.own.WaitN(p.ctx, part), p.all.WaitN(p.ctx, part)); wait != nil {
			return n, wait
		}
	}
	return n, err
}

// messages reads the lines that are messages. Programs print other things, too, which the protocol forbids, and which would end the
// connection though nothing is wrong with it.
type messages struct {
	from  io.Reader
	state lineState
}

type lineState int

const (
	lineBegins lineState = iota
	lineIsMessage
	lineIsNone
)

// Read reads at least a byte, or an error.
func (m *messages) Read(to []byte) (int, error) {
	for {
		n, err := m.from.Read(to)
		if n = m.sift(to[:n]); n > 0 || err != nil || len(to) == 0 {
			return n, err
		}
	}
}

// sift keeps what belongs to messages, in place.
func (m *messages) sift(data []byte) int {
	kept := data[:0]
	for _, c := range data {
		switch {
		case m.state == lineBegins && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		case m.state == lineBegins && (c == '{' || c == '['):
			m.state = lineIsMessage
		case m.state == lineBegins:
			m.state = lineIsNone
		}
		if m.state == lineIsMessage {
			kept = append(kept, c)
		}
		if c == '\n' {
			m.state = lineBegins
		}
	}
	return len(kept)
}

// bounded reads at most maxMessage bytes.
type bounded struct {
	from io.Reader
	left int64
}

// Read reads, or says that there is too much.
func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.from.Read(to)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.Errorf(fault.TooLarge, "the server's answer has more than %d MB", maxMessage>>20)
	}
	return n, err
}
