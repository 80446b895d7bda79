package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/safehttp"
)

func TestFeeds_ReachPublicAddressesAlone(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::1": true, "64:ff9b::5db8:d822": true, "::ffff:93.184.216.34": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "0.0.0.0": false, "169.254.169.254": false, "100.64.0.1": false, "100.100.100.200": false,
		"198.18.0.1": false, "198.19.255.255": false, "240.0.0.1": false, "255.255.255.255": false, "224.0.0.1": false, "192.0.0.192": false, "168.63.129.16": false,
		"::1": false, "::": false, "fe80::1%eth0": false, "fd00:ec2::254": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001:db8::1": false,
	} {
		at := netip.MustParseAddr(address)
		require.Equal(t, want, public(at), address)
		require.Equal(t, safehttp.Public(at), public(at), "%s: as xbot itself has it", address)
	}
}
