package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"

	"golang.org/x/time/rate"

	"xbot/internal/extension/mcp/message"
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

// maxMessage bounds one message of a server, in bytes. Mending may write one longer than its server did.
const maxMessage = 2 * message.Max

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

// bounded reads at most maxMessage bytes.
type bounded struct {
	from io.Reader
	left int64
}

// Read reads, or says that there is too much.
func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.from.Read(to)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.Errorf(fault.TooLarge, "the server's answer has more than %d MB", message.Max>>20)
	}
	return n, err
}
