package safehttp

import "net/netip"

// notPublic are the IPv4 ranges that lead to machines which are not public, or to none (IANA's registry of
// special-purpose addresses), and addresses at which clouds answer their own machines.
var notPublic = prefixes(
	"0.0.0.0/8",        // this host
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // behind a provider's NAT; Alibaba's metadata
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's services for its machines
	"169.254.0.0/16",   // link-local; metadata of most clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments; Oracle's metadata
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast
)

// global is the only part of IPv6 from which public addresses are given; loopback, private, link-local and multicast
// addresses, mapped forms and metadata services such as fd00:ec2::254 lie outside it.
var global = netip.MustParsePrefix("2000::/3")

// notGlobal are the parts of global that are not given to machines, or hide an IPv4 address that another machine
// would unpack.
var notGlobal = prefixes(
	"2001::/23",     // protocol assignments, with Teredo
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4
	"3fff::/20",     // documentation
)

// nat64 holds IPv4 addresses for a translator (RFC 6052). On a network without IPv4 every address has this form.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Public reports whether an address is one that machines on the public internet have. An IPv6 address that maps to
// an IPv4 one is judged as that.
func Public(addr netip.Addr) bool {
	addr = plain(addr)
	if addr.Is4() {
		return !within(notPublic, addr)
	}
	return global.Contains(addr) && !within(notGlobal, addr)
}

// plain takes the zone off an address and unpacks the IPv4 address that it may hold.
func plain(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

func within(list []netip.Prefix, addr netip.Addr) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}
