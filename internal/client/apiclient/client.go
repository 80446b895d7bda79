// Package apiclient is the typed client of the product's HTTP API, for programs that talk to a server as a user or
// script does. It knows requests, answers and the event stream with its resumption; what to show is its callers' work.
//
// A method an endpoint is generated from the API's document ("make gen"), as is each type that the server does not share.
// Written here is what carries them, and what follows a stream, pages or waits.
package apiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"xbot/internal/fault"
)

// Limits of one exchange.
const (
	requestTime = 30 * time.Second // a whole request, except the event stream
	connectTime = 10 * time.Second // to open a connection
	idleTime    = 90 * time.Second // that an unused connection is kept
	maxAnswer   = 64 << 20         // bytes of an answer: 500 messages with their tool results
	maxProblem  = 64 << 10         // bytes of an error document that are read
)

// Endpoint is the address of a server with a token.
type Endpoint struct {
	URL   string // http://host:port, without a path
	Token string // sent as bearer
}

// Source returns the address of the server. It is asked before each request, because a server that was started again may have another port or token.
type Source interface {
	Endpoint(ctx context.Context) (Endpoint, error)
}

// Endpoint returns the endpoint itself: a Source that never changes.
func (e Endpoint) Endpoint(context.Context) (Endpoint, error) { return e, nil }

// Client calls a server. Its errors have fault kinds: Unavailable when the server cannot be reached or is not ready, and the kind of the HTTP status
// otherwise. It retries nothing except in methods that document it.
type Client struct {
	source Source
	http   *http.Client
}

// New returns a client of the server that the source names.
func New(source Source) *Client {
	return &Client{source: source, http: &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   connectTime,
		ResponseHeaderTimeout: requestTime,
		DialContext:           (&net.Dialer{Timeout: connectTime}).DialContext,
		IdleConnTimeout:       idleTime,
	}}}
}

// Absolute returns the whole address of a path on the server, as this client reaches it.
func (c *Client) Absolute(ctx context.Context, link string) (string, error) {
	endpoint, err := c.source.Endpoint(ctx)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(endpoint.URL, "/") + link, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Healthy reports whether the server answers at all; it needs no token.
func (c *Client) Healthy(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/healthz", nil, nil, nil)
}

// Ready reports whether the server can take messages; it needs no token.
func (c *Client) Ready(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/readyz", nil, nil, nil)
}

// call makes one exchange: in is sent as JSON unless nil, answer is filled unless nil.
func (c *Client) call(ctx context.Context, method, path string, q query, in, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fault.Errorf(fault.Internal, "encode the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	return c.upload(ctx, method, path, q, "application/json", body, answer)
}

// upload is call for a body that is not JSON; ctx is its only limit.
func (c *Client) upload(ctx context.Context, method, path string, q query, contentType string, body io.Reader, answer any) error {
	response, err := c.send(ctx, method, path, q, contentType, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(answer); err != nil {
		return fault.Errorf(fault.Unavailable, "read the answer of the server: %w", err)
	}
	return nil
}

// download copies an answer that is not JSON to the writer and returns how many bytes it wrote; ctx is its only limit.
// After an error what was written is of no use.
func (c *Client) download(ctx context.Context, path string, q query, to io.Writer) (int64, error) {
	response, err := c.send(ctx, http.MethodGet, path, q, "", nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	n, err := io.Copy(to, response.Body)
	if err != nil {
		return n, fault.Errorf(fault.Unavailable, "the download broke off after %d bytes: %w", n, err)
	}
	return n, nil
}

// send makes a request and returns an answer of status 2xx, whose body the caller closes.
func (c *Client) send(ctx context.Context, method, path string, q query, contentType string, body io.Reader) (*http.Response, error) {
	endpoint, err := c.source.Endpoint(ctx)
	if err != nil {
		return nil, err
	}
	address := strings.TrimSuffix(endpoint.URL, "/") + path + q.String()
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the server address %q is not a URL such as http://127.0.0.1:8080", endpoint.URL)
	}
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if endpoint.Token != "" {
		request.Header.Set("Authorization", "Bearer "+endpoint.Token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, context.Cause(ctx)
		}
		return nil, fault.Errorf(fault.Unavailable, "cannot reach the server at %s: %w", endpoint.URL, reason(err))
	}
	if response.StatusCode/100 != 2 {
		defer response.Body.Close()
		return nil, problem(response)
	}
	return response, nil
}

// reason takes the method and address off an error of net/http, which the sentence around it names already.
func reason(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// problem reads an RFC 9457 document.
func problem(response *http.Response) error {
	var document struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Errors []struct {
			Message  string `json:"message"`
			Location string `json:"location"`
		} `json:"errors"`
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxProblem))
	if err != nil || json.Unmarshal(text, &document) != nil || document.Detail+document.Title == "" {
		document.Detail = "the server answered " + response.Status
	}
	if document.Detail == "" {
		document.Detail = document.Title
	}
	for _, e := range document.Errors {
		document.Detail += fmt.Sprintf("; %s: %s", e.Location, e.Message)
	}
	kind := kindOf(response.StatusCode)
	if kind == fault.RateLimited {
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			seconds = 0 // absent, or a date: the caller's own pace will do
		}
		return fault.Limited(time.Duration(seconds)*time.Second, "%s", document.Detail)
	}
	return fault.Errorf(kind, "%s", document.Detail)
}

func kindOf(status int) fault.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.Denied
	case http.StatusNotFound, http.StatusGone:
		return fault.NotFound
	case http.StatusConflict:
		return fault.Conflict
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge
	case http.StatusTooManyRequests:
		return fault.RateLimited
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fault.Unavailable
	}
	if status/100 == 4 {
		return fault.Invalid
	}
	return fault.Internal
}
