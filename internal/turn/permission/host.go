package permission

import (
	"net/url"
	"slices"
	"strings"
)

// host is the host of an address, in lower case; empty: it cannot be determined.
type host string

func readHost(address string) host {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	return host(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
}

func (h host) allowed(patterns []string) bool {
	return slices.ContainsFunc(patterns, h.is)
}

func (h host) touches(pattern string) (yes, unsure bool) { return h.is(pattern), h == "" }

func (h host) offer([]string) []string {
	if h == "" {
		return nil
	}
	return []string{string(h)}
}

// is reports whether a pattern matches: a host, or *. before one for its subdomains.
func (h host) is(pattern string) bool {
	if h == "" {
		return false
	}
	pattern = strings.ToLower(pattern)
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(string(h), "."+below)
	}
	return string(h) == pattern
}
