package server

import (
	"cmp"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/host/config"
)

// allowedHosts returns the names under which this server may be asked.
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

// addresses are those of this process. The zero value is that of a process that accepts no connections.
type addresses struct {
	http     config.HTTP
	listener net.Listener
}

// own returns where this process can be reached on this machine.
func (a addresses) own() string {
	return LocalURL(a.listener.Addr().String())
}

// LocalURL returns where a process that listens on an address can be reached on its own machine.
func LocalURL(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "http://" + listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// PeopleURL returns where users reach the server of some settings, as far as this machine knows.
func PeopleURL(cfg config.Serve) string {
	base := cfg.HTTP.URL
	if note, err := ReadNote(cfg.Dir); base == "" && err == nil {
		base = note.URL
	}
	return strings.TrimRight(cmp.Or(base, "http://"+cfg.Addr), "/")
}

// RunnerURL returns where runners connect to the server at an address, and whether that is reached from its own machine alone.
func RunnerURL(base string) (address string, loopback bool) {
	u, err := url.Parse(base)
	if err != nil {
		return base, false
	}
	host, ip := u.Hostname(), net.ParseIP(u.Hostname())
	if host == "" || ip != nil && ip.IsUnspecified() {
		host, ip = "127.0.0.1", net.IPv4(127, 0, 0, 1)
		u.Host = net.JoinHostPort(host, u.Port())
	}
	if u.Scheme = "ws"; strings.HasPrefix(base, "https:") {
		u.Scheme = "wss"
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	loopback = ip != nil && ip.IsLoopback() || name == "localhost" || strings.HasSuffix(name, ".localhost")
	return u.JoinPath("/api/runners/connect").String(), loopback
}

// databaseName returns where a database is, without credentials: host, or folder of the socket, and name.
func databaseName(dsn string) string {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return "" // an unreadable one might be shown with its password
	}
	host := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	if strings.HasPrefix(c.Host, "/") {
		host = c.Host
	}
	return host + "/" + c.Database
}

// internal returns where workers of other processes reach this one.
func (a addresses) internal() string {
	if a.http.Internal != "" {
		return a.http.Internal
	}
	return a.own()
}

// people returns where users reach the server.
func (a addresses) people() string {
	if a.http.URL != "" {
		return strings.TrimRight(a.http.URL, "/")
	}
	if a.listener == nil {
		return ""
	}
	return a.own()
}
