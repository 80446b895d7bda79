package main

import (
	"net"
	"net/url"
	"strings"

	"xbot/internal/config"
)

// allowedHosts are the names under which this server may be asked.
func allowedHosts(h config.HTTP) []string {
	out := append([]string{}, h.Hosts...)
	for _, address := range []string{h.URL, h.Internal} {
		if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
			out = append(out, strings.ToLower(u.Hostname()))
		}
	}
	if host, _, err := net.SplitHostPort(h.Addr); err == nil && host != "" {
		out = append(out, strings.ToLower(host))
	}
	return out
}

// address is where this process can be reached on this machine.
func (in *ingressPart) address() string {
	host, port, err := net.SplitHostPort(in.listener.Addr().String())
	if err != nil {
		return "http://" + in.listener.Addr().String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// internalURL is where workers of other processes reach this one.
func (in *ingressPart) internalURL() string {
	if in.http.Internal != "" {
		return in.http.Internal
	}
	return in.address()
}

// base is where people reach the server.
func (in *ingressPart) base() string {
	if in.http.URL != "" {
		return strings.TrimRight(in.http.URL, "/")
	}
	return in.address()
}
