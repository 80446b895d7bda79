package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/llm"
)

// Limits of what one call reads.
const (
	maxAnswerBytes  = 64 << 20 // a runaway stream; the largest real answers are a few MB of events
	maxRefusalBytes = 64 << 10
)

const (
	// emptyFactor stretches the idle limit while only keep-alives arrive: they show that the connection lives, not
	// that the model works. Busy providers queue a call for up to ten minutes that way.
	emptyFactor = 5
	// closingIdle is how long the end of the stream may take once the finish reason is known; only the usage is missing.
	closingIdle = 5 * time.Second
)

var (
	errIdle    = errors.New("idle limit")
	errTooLong = errors.New("answer too long")
)

// Call is one exchange with a provider. It is an HTTP client for the one request, watches for progress, and knows why
// the exchange ended. It belongs to one goroutine; End must be called.
type Call struct {
	endpoint *Endpoint
	sink     llm.Sink
	parent   context.Context //nolint:containedctx // a call is one exchange and ends with it
	ctx      context.Context //nolint:containedctx // the same
	cancel   context.CancelCauseFunc
	bytes    *time.Timer // fires after idle without a byte
	data     *time.Timer // fires after emptyFactor times idle without an event
	idle     time.Duration
	read     int64
	broken   error // error of the network, as opposed to errors in what was read
}

// Begin starts a call. A nil sink is allowed.
func (e *Endpoint) Begin(ctx context.Context, sink llm.Sink) *Call {
	if sink == nil {
		sink = llm.Discard
	}
	c := &Call{endpoint: e, sink: sink, parent: ctx, idle: e.idle}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	expire := func() { c.cancel(errIdle) }
	c.bytes = time.AfterFunc(c.idle, expire)
	c.data = time.AfterFunc(emptyFactor*c.idle, expire)
	return c
}

// Context ends with the caller's context, and when the call makes no progress.
func (c *Call) Context() context.Context { return c.ctx }

// Sink returns where the answer goes; it is never nil.
func (c *Call) Sink() llm.Sink { return c.sink }

// Do sends the request. Answers other than 2xx, and web pages, come back as a *Refusal. It makes Call an HTTP client for SDKs.
func (c *Call) Do(request *http.Request) (*http.Response, error) {
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "xbot")
	}
	response, err := c.endpoint.client.Do(request)
	if err != nil {
		c.broken = err
		return nil, err
	}
	c.beat()
	if response.StatusCode/100 != 2 || strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		defer func() { _ = response.Body.Close() }() // read as far as it is wanted
		// What came before a read error explains more than the error; without anything the status is enough.
		body, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusalBytes))
		return nil, c.endpoint.refusal(response.StatusCode, response.Header, body)
	}
	response.Body = &watchedBody{response.Body, c}
	return response, nil
}

// Refuse makes the refusal of an error object that came inside a stream which had begun with a good status.
func (c *Call) Refuse(object []byte) *Refusal { return c.endpoint.refusal(0, nil, object) }

// Data records that an event of the answer arrived, not only a keep-alive.
func (c *Call) Data() { c.data.Reset(emptyFactor * c.idle) }

// Closing records that the finish reason is known: the stream may now end in any way, and soon.
func (c *Call) Closing() {
	c.idle = min(c.idle, closingIdle)
	c.beat()
	c.Data()
}

// Whole records that the answer is not streamed: nothing comes until the model has done all its work.
func (c *Call) Whole() {
	c.idle *= emptyFactor
	c.bytes.Reset(c.idle)
}

// Reopened records that more of the answer follows the finish reason: the stream may take its time again.
func (c *Call) Reopened() {
	c.idle = c.endpoint.idle
	c.beat()
	c.Data()
}

// End releases the call and breaks off its request if it still runs.
func (c *Call) End() {
	c.bytes.Stop()
	c.data.Stop()
	c.cancel(context.Canceled)
}

func (c *Call) beat() {
	c.bytes.Reset(c.idle)
	c.sink.Progress()
}

// Fail returns the error of the llm.Client contract for why the exchange ended; err is what the reader met. A nil err is
// a stream that ended in order, but too early.
func (c *Call) Fail(err error) error {
	host := c.endpoint.Host
	if c.parent.Err() != nil {
		return context.Cause(c.parent)
	}
	if errors.Is(context.Cause(c.ctx), errIdle) {
		return fault.Errorf(fault.Unavailable, "%s sent nothing for %s (%w)", host, max(c.idle, c.endpoint.idle), llm.ErrTimeout)
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal.fault()
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(c.broken, errTooLong):
		return fault.Errorf(fault.Unavailable, "%s sent more than %d MB without an end (%w)", host, maxAnswerBytes>>20, llm.ErrServer)
	case c.broken != nil:
		return fault.Errorf(fault.Unavailable, "the connection to %s failed: %s (%w)", host, c.endpoint.quote(innermost(c.broken)), llm.ErrNetwork)
	case err == nil || errors.Is(err, io.EOF):
		return fault.Errorf(fault.Unavailable, "the answer of %s broke off (%w)", host, llm.ErrTruncated)
	default:
		return c.Garbled("what cannot be understood: " + c.endpoint.quote(err.Error()))
	}
}

// Garbled is the error for something that is not what the provider's format allows.
func (c *Call) Garbled(what string) error {
	return fault.Errorf(fault.Unavailable, "%s sent %s (%w)", c.endpoint.Host, what, llm.ErrServer)
}

// innermost drops the addresses that net and net/http put before the reason.
func innermost(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}

// watchedBody notes each read and stops a stream without end.
type watchedBody struct {
	io.ReadCloser
	call *Call
}

// Read reads from the response.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.call.beat()
		if b.call.read += int64(n); b.call.read > maxAnswerBytes {
			err = errTooLong
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.call.broken = err
	}
	return n, err
}
