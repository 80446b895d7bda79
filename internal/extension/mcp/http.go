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

// maxRedirects limits the redirects that are followed, all of which lead to the same origin.
const maxRedirects = 5

// overHTTP returns the transport to a server with an address, until life ends, which end does.
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

// door sends requests to one origin, with the server's headers: they go to no other origin, also after redirects or message addresses
// of the server. A request to another origin ends the connection. Responses are bounded, and end with the connection.
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
		d.end(err) // the SDK may report a closed connection instead
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

// maxSessionError limits the part of the answer 400 that is searched for the unknown session, in bytes.
const maxSessionError = 4 << 10

// unknownSessionIn reports whether a response means that the server does not know the session of the request: status 404, or 400 with such a text.
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

// bound returns a reader of a body with limits: events no faster than the pace, anything else up to the length of a message.
func (d *door) bound(resp *http.Response) io.Reader {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err == nil && kind == "text/event-stream" {
		return &message.Events{From: newPaced(d.life, resp.Body, d.pace), Endpoint: d.older}
	}
	whole := &boundedReader{from: resp.Body, left: message.Max}
	if err == nil && kind == "application/json" {
		return &message.Body{From: whole}
	}
	return whole
}

// body is the body of an answer, which releases the connection when it is closed.
type body struct {
	io.ReadCloser
	io.Reader

	done context.CancelFunc
}

// Read reads from the paced body.
func (b *body) Read(to []byte) (int, error) { return b.Reader.Read(to) }

// Close closes the body.
func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
