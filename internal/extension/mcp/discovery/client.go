package discovery

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
)

// maxRedirects limits the redirects of one request.
const maxRedirects = 3

// client carries the requests of one discovery.
type client struct {
	http   *http.Client
	server http.RoundTripper
}

func (f *Finder) client(s chat.MCPServer) *client {
	over := f.Own
	if s.Shared {
		over = f.Shared
	}
	return &client{server: over, http: &http.Client{
		Transport: &courier{origin: origin(s.URL), server: over, others: f.Own, kept: map[string]*http.Response{}, bodies: map[string][]byte{}}, Timeout: answerTime,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0]
			if first.Method != http.MethodGet || len(via) > maxRedirects || origin(r.URL.String()) != origin(first.URL.String()) {
				return errRedirect
			}
			return nil
		},
	}}
}

var errRedirect = fault.Errorf(fault.Invalid, "it leads elsewhere")

// probe sends a request to the server whose answer may be endless, and is not read.
func (c *client) probe(r *http.Request) (*http.Response, error) {
	once := &http.Client{Transport: c.server, Timeout: answerTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return once.Do(r)
}

// courier routes requests to the server or to others. Answers are read whole, and an address that was read once is not asked again: the checked
// answer is the one that is used.
type courier struct {
	origin         string
	server, others http.RoundTripper

	mu     sync.Mutex
	kept   map[string]*http.Response
	bodies map[string][]byte
}

// RoundTrip sends one request.
func (c *courier) RoundTrip(r *http.Request) (*http.Response, error) {
	address := r.URL.String()
	if r.Method == http.MethodGet {
		if resp := c.again(address); resp != nil {
			return resp, nil
		}
	}
	if !oauth.AddressFits(address) {
		return nil, errors.New("its address is not https")
	}
	over := c.others
	if origin(address) == c.origin {
		over = c.server
	}
	resp, err := over.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	_ = resp.Body.Close() // it was read, or is of no use
	if err == nil && len(body) > maxBody {
		err = errors.New("its answer is too long")
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodGet && resp.StatusCode == http.StatusOK {
		c.keep(address, resp, body)
	}
	return resp, nil
}

func (c *courier) keep(address string, resp *http.Response, body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[address], c.bodies[address] = resp, body
}

// again returns the earlier answer of an address, or nil if it was not asked.
func (c *courier) again(address string) *http.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	resp := c.kept[address]
	if resp == nil {
		return nil
	}
	same := *resp
	same.Body = io.NopCloser(bytes.NewReader(c.bodies[address]))
	return &same
}

// site returns the registrable domain of an address, or its host if there is none, such as an IP address.
func site(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if net.ParseIP(host) != nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// origin returns the origin of an address: scheme, host and port.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return originOf(u)
}

func originOf(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
