// Package safehttp makes HTTP clients for requests whose address a model or an outsider chose. Such an address must not
// lead into the server's network: not to its own ports, not to its neighbours, not to the metadata
// service of its cloud. What counts is the address that is dialled, after names were resolved, so a name that resolves
// to something else the second time leads nowhere new; redirects are dialled the same way.
package safehttp

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"xbot/internal/fault"
)

// maxRedirects bounds how many redirects are followed.
const maxRedirects = 5

// Timeouts of one exchange. How long a body may take is for the caller to say, with its context.
const (
	connectTime = 10 * time.Second
	headerTime  = 30 * time.Second
	idleTime    = 30 * time.Second // that an unused connection is kept
)

// maxHeader bounds the header of an answer, in bytes.
const maxHeader = 256 << 10

// New makes a client that reaches public addresses and what allow admits. It follows at most five redirects, speaks
// only http and https, keeps no cookies, sends no referrer, and uses no proxy: a proxy would resolve names where nothing checks them.
// A refused address is a fault.Denied in the chain of
// the client's error.
func New(allow Allow) *http.Client {
	t := newTransport(allow)
	t.ResponseHeaderTimeout = headerTime
	return &http.Client{CheckRedirect: checkRedirect, Transport: &checkedTransport{t}}
}

// NewTransport makes a transport that reaches the same addresses, for callers who watch themselves how long an answer takes to begin. It follows
// no redirect.
func NewTransport(allow Allow) http.RoundTripper { return &checkedTransport{newTransport(allow)} }

func newTransport(allow Allow) *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            allow.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTime,
		IdleConnTimeout:        idleTime,
		MaxIdleConns:           16,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// checkedTransport refuses a request that is not for the web before it is sent, redirects included.
type checkedTransport struct{ *http.Transport }

// RoundTrip sends one request.
func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if s := r.URL.Scheme; s != "http" && s != "https" {
		return nil, fault.Errorf(fault.Invalid, "%s addresses are not fetched, only http and https", s)
	}
	if r.URL.Hostname() == "" {
		return nil, fault.Errorf(fault.Invalid, "the address names no host")
	}
	return c.Transport.RoundTrip(r)
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fault.Errorf(fault.Invalid, "the server redirects more than %d times", maxRedirects)
	}
	if from := via[len(via)-1].URL.Scheme; from == "https" && r.URL.Scheme != "https" {
		return fault.Errorf(fault.Denied, "the server redirects from https to %s", r.URL.Scheme)
	}
	if r.URL.User != nil {
		return fault.Errorf(fault.Denied, "the server redirects to an address with a user or a password, which are not sent")
	}
	r.Header.Del("Referer") // the address before may hold a token, which is not for where it leads
	return nil
}

// Dial opens a TCP connection to a host from user input, for protocols other than HTTP. Denied: the address is not allowed.
func (a Allow) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return a.dial(ctx, network, address)
}

// dial connects to the addresses of a host, each of which is judged after it was resolved. Errors name the host alone.
func (a Allow) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: connectTime}
	if !a.host(host) && (a.own == "" || strings.ToLower(address) != a.own) {
		dialer.ControlContext = func(_ context.Context, network, resolved string, _ syscall.RawConn) error {
			return a.judge(host, network, resolved)
		}
	}
	return HideAddresses(dialer.DialContext)(ctx, network, address)
}

// judge refuses the address of a connection to a host that is about to be opened.
func (a Allow) judge(host, network, address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !strings.HasPrefix(network, "tcp") {
		return fault.Errorf(fault.Denied, "connections to %s are not made", host)
	}
	if Public(to.Addr()) || a.addr(to.Addr()) {
		return nil
	}
	return fault.Errorf(fault.Denied, "%s is not an address on the public internet; an operator can allow it with XBOT_HTTP_ALLOW", host)
}
