package safehttp

import (
	"net/netip"
	"strings"

	"xbot/internal/fault"
)

// Allow is what may be reached in addition to the public internet. The zero value adds nothing.
type Allow struct {
	nets  []netip.Prefix
	hosts map[string]bool
	own   string // host:port
}

// With allows one more address, host:port exactly as it is configured, no matter where it leads. Other ports of the host stay
// what they are.
func (a Allow) With(own string) Allow {
	a.own = strings.ToLower(own)
	return a
}

// ParseAllow reads the entries of XBOT_HTTP_ALLOW: networks (10.1.0.0/16), addresses, and names of hosts, which are
// trusted no matter where they lead.
func ParseAllow(entries []string) (Allow, error) {
	a := Allow{hosts: map[string]bool{}}
	for _, entry := range entries {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == "" {
			continue
		}
		if prefix, err := netip.ParsePrefix(entry); err == nil {
			a.nets = append(a.nets, prefix.Masked())
		} else if addr, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
			addr = plain(addr)
			a.nets = append(a.nets, netip.PrefixFrom(addr, addr.BitLen()))
		} else if name(entry) {
			a.hosts[entry] = true
		} else {
			return Allow{}, fault.Errorf(fault.Invalid,
				"XBOT_HTTP_ALLOW has %q, which is no network such as 10.1.0.0/16, no address and no host name", entry)
		}
	}
	return a, nil
}

// name reports whether a lower-case text can be the name of a host. A text of digits and dots alone is a broken
// address.
func name(text string) bool {
	letter := false
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z':
			letter = true
		case '0' <= c && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return letter && len(text) <= 253
}

func (a Allow) host(host string) bool { return a.hosts[strings.TrimSuffix(strings.ToLower(host), ".")] }

func (a Allow) addr(addr netip.Addr) bool { return within(a.nets, plain(addr)) }
