// Package wire is what the adapters to HTTP providers share: connections, the idle limit, bounded reading, the
// meaning of refusals, and transcripts that every provider accepts. It knows no provider's format.
package wire

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// DefaultIdleTimeout is how long a call may make no progress.
const DefaultIdleTimeout = 120 * time.Second

// Endpoint is one provider's address with its key. It is safe for concurrent use and owns no connection.
type Endpoint struct {
	Host string // for sentences
	Key  string // never printed; may be empty

	idle   time.Duration
	client *http.Client
}

// NewEndpoint checks an address and a key. A zero idle means DefaultIdleTimeout, a nil transport the shared one.
func NewEndpoint(baseURL, key string, idle time.Duration, transport http.RoundTripper) (*Endpoint, error) {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, fault.Errorf(fault.Invalid, "the model's base URL must look like https://host/v1")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fault.Errorf(fault.Invalid, "the model's base URL must have no user, query or fragment; the key is given by itself (LLM_API_KEY)")
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, fault.Errorf(fault.Invalid, "the model's API key has a blank or another character that no key has; copy it again")
	}
	if idle < 0 {
		return nil, fault.Errorf(fault.Invalid, "the model's idle limit must not be negative")
	}
	if idle == 0 {
		idle = DefaultIdleTimeout
	}
	if transport == nil {
		transport = sharedTransport()
	}
	client := &http.Client{Transport: transport, CheckRedirect: refuseRedirect}
	return &Endpoint{Host: u.Host, Key: key, idle: idle, client: client}, nil
}

// refuseRedirect stops at the first redirect: a key must not travel to another address than the configured one, and a
// redirected POST arrives as a GET. The refusal that follows asks to check the base URL.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// sharedTransport holds the connections to all providers. No limit here covers a whole answer: Call watches progress.
var sharedTransport = sync.OnceValue(func() http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           safehttp.HideAddresses((&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext),
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   64, // the default of 2 makes concurrent conversations open new connections
		IdleConnTimeout:       90 * time.Second,
		// A dead HTTP/2 connection is noticed by pings, not by the first call that hangs on it.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
})

// String names the endpoint without its key.
func (e *Endpoint) String() string { return fmt.Sprintf("endpoint %s", e.Host) }
