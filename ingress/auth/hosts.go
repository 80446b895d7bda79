package auth

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"xbot/internal/fault"
)

// Hosts are the names under which the ingress may be addressed. A request that names another one comes from a page
// that resolved its own name to our address.
type Hosts struct {
	Allowed []string // without port; loopback names and addresses always count
}

// Check refuses requests for a host that is not ours.
func (h Hosts) Check(r *http.Request) error {
	if h.ours(r.Host) {
		return nil
	}
	return fault.Errorf(fault.Denied, "this server does not answer for the host %q; add it to XBOT_ALLOWED_HOSTS", r.Host)
}

// SameOrigin refuses requests that another site's page sent with our cookie. SameSite would not refuse pages from
// other ports of the same host.
func (h Hosts) SameOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" {
		if site := r.Header.Get("Sec-Fetch-Site"); r.Method != http.MethodGet && site != "" && site != "same-origin" && site != "none" {
			return fault.Errorf(fault.Denied, "requests of other sites are refused")
		}
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return fault.Errorf(fault.Denied, "requests of other sites are refused")
	}
	return nil
}

func (h Hosts) ours(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(h.Allowed, host) {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
