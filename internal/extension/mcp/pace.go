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

// Limits of the lines a second that are read from servers: a message of stdio is one line, an event of HTTP is three. A faster server
// has to wait, as it does where a pipe is full; so this limits the cost of its notifications, and no message is lost.
const (
	linesASecond    = 1000
	linesAtOnce     = 2000
	allLinesASecond = 10_000
	allLinesAtOnce  = 20_000
)

// maxMessage limits one message of a server, in bytes. Mending may write one longer than its server did.
const maxMessage = 2 * message.Max

// paced reads from a server, no faster than its rate and that of all allow.
type paced struct {
	ctx  context.Context //nolint:containedctx // of the connection, which no Read owns
	from io.Reader
	own  *rate.Limiter
	all  *rate.Limiter
}

func newPaced(ctx context.Context, from io.Reader, all *rate.Limiter) *paced {
	return &paced{ctx: ctx, from: from, own: rate.NewLimiter(linesASecond, linesAtOnce), all: all}
}

// Read reads, and waits if it read too much.
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

// boundedReader reads at most maxMessage bytes.
type boundedReader struct {
	from io.Reader
	left int64
}

// Read reads, or returns TooLarge beyond the bound.
func (b *boundedReader) Read(to []byte) (int, error) {
	n, err := b.from.Read(to)
	if b.left -= int64(n); b.left < 0 {
		return 0, fault.Errorf(fault.TooLarge, "the server's answer has more than %d MB", message.Max>>20)
	}
	return n, err
}
