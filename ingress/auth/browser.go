package auth

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// browserID is the length of the id of a browser, in bytes.
const browserID = 16

// newBrowser makes the mark of a browser that has signed in as a user, which distinguishes it from those that guess
// passwords. The mark is no credential.
func (a *Auth) newBrowser(user chat.UserID) string {
	id := make([]byte, browserID)
	rand.Read(id) // never fails
	return text(slices.Concat(id, a.mac("known browser", id, ofUser(user))))
}

// knows reports whether a browser has signed in as the user before.
func (a *Auth) knows(browser string, user chat.UserID) bool {
	raw, err := base64.RawURLEncoding.DecodeString(browser)
	if err != nil || len(raw) <= browserID {
		return false
	}
	return a.same(text(raw[browserID:]), a.mac("known browser", raw[:browserID], ofUser(user)))
}

func ofUser(user chat.UserID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(user)) }

// laneOf returns the lane of a sign-in: a known browser has its own, others share that of their address.
func (a *Auth) laneOf(r *http.Request, browser string, user chat.UserID) lane {
	if user != 0 && a.knows(browser, user) {
		return lane{known: true, name: browser}
	}
	return lane{name: a.Address(r)}
}

// Address returns where a request comes from. Behind trusted proxies it is the address that the first of them saw. An IPv6
// address counts as its whole subnet, since one host usually has all of it.
func (a *Auth) Address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	hops := append(strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ","), host)
	slices.Reverse(hops)
	for _, hop := range hops {
		addr, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		addr = addr.Unmap().WithZone("")
		if host = addr.String(); addr.Is6() {
			subnet := netip.PrefixFrom(addr, 64).Masked()
			host = subnet.String()
		}
		if !slices.ContainsFunc(a.Proxies, func(p netip.Prefix) bool { return p.Contains(addr) }) {
			break
		}
	}
	return host
}
