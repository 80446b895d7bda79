package mcp

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/message"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
)

// maxRedirects bounds how many redirects are followed, all of which lead to the same origin.
const maxRedirects = 5

// overHTTP is how a server with an address is spoken to, until life ends, which end does.
func overHTTP(life context.Context, end context.CancelCauseFunc, about chat.MCPConfig, headers map[string]string, bearer *bearer, base http.RoundTripper, pace *rate.Limiter) sdk.Transport {
	client := &http.Client{
		Transport:     &door{life: life, end: end, base: base, origin: oauth.Origin(about.URL), headers: headers, bearer: bearer, pace: pace, older: about.Transport == chat.MCPSSE},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error { return tooMany(len(via)) },
	}
	if about.Transport == chat.MCPSSE {
		return &sdk.SSEClientTransport{Endpoint: about.URL, HTTPClient: client, MaxEventSize: maxMessage}
	}
	return &sdk.StreamableClientTransport{Endpoint: about.URL, HTTPClient: client, MaxEventSize: maxMessage}
}

func tooMany(redirects int) error {
	if redirects > maxRedirects {
		return fault.Errorf(fault.Invalid, "the server redirects more than %d times", maxRedirects)
	}
	return nil
}

// door lets requests to one origin out, with the headers that are the server's: they go to nobody else, wherever the server redirects to or
// says that messages are taken. One that would go elsewhere is the end of the connection. What comes back is bounded, and ends with it.
type door struct {
	life    context.Context //nolint:containedctx // of the connection, which no request owns
	end     context.CancelCauseFunc
	base    http.RoundTripper
	origin  string
	headers map[string]string
	bearer  *bearer // nil: no account authorizes requests
	pace    *rate.Limiter
	older   bool // the transport is that of the older version of the protocol
}

// RoundTrip sends one request.
func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	if to := oauth.Origin(r.URL.String()); to != d.origin {
		err := fault.Errorf(fault.Denied, "the server leads to %.100s, which is not where it is: give the address that it leads to", to)
		d.end(err) // the SDK may tell of a closed connection instead
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	unbind := context.AfterFunc(d.life, cancel)
	done := func() { unbind(); cancel() }
	r = r.Clone(ctx)
	for name, value := range d.headers {
		r.Header.Set(name, value)
	}
	resp, err := d.bearer.authorize(r, d.base)
	if err == nil && d.bearer == nil {
		resp, err = wanting(r, resp, len(d.headers) > 0)
	}
	if err != nil {
		done()
		return nil, err
	}
	if unknownSessionIn(r, resp) {
		_ = resp.Body.Close() // the SDK would take its error for a refusal of the call
		resp.StatusCode, resp.Body = http.StatusNotFound, http.NoBody
	}
	body := &body{ReadCloser: resp.Body, Reader: d.bound(resp), done: sync.OnceFunc(done)}
	resp.Body = body
	return resp, nil
}

// maxSessionError is how much of the answer 400 is read for the words that the session is unknown, in bytes.
const maxSessionError = 4 << 10

// unknownSessionIn reports whether a response says that the server does not know the session of the request: with status 404, or with 400 and words.
func unknownSessionIn(r *http.Request, resp *http.Response) bool {
	if r.Header.Get("Mcp-Session-Id") == "" || resp.StatusCode != http.StatusBadRequest {
		return r.Header.Get("Mcp-Session-Id") != "" && resp.StatusCode == http.StatusNotFound
	}
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxSessionError))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	return err == nil && sessionUnknown.Match(head)
}

// bound is a body as much of which is read as is good: events no faster than the pace, anything else to the length of a message.
func (d *door) bound(resp *http.Response) io.Reader {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err == nil && kind == "text/event-stream" {
		return &message.Events{From: newPaced(d.life, resp.Body, d.pace), Endpoint: d.older}
	}
	whole := &bounded{from: resp.Body, left: message.Max}
	if err == nil && kind == "application/json" {
		return &message.Body{From: whole}
	}
	return whole
}

// body is that of an answer, which lets go of the connection when it is closed.
type body struct {
	io.ReadCloser
	io.Reader

	done context.CancelFunc
}

// Read reads what is let through.
func (b *body) Read(to []byte) (int, error) { return b.Reader.Read(to) }

// Close closes it.
func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
