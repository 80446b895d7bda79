package connect

import (
	"fmt"
	"net/url"
	"strings"
)

// CheckAddress refuses an address that cannot be a server's connect endpoint.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "ws" && u.Scheme != "wss") || u.Host == "" {
		return fmt.Errorf("the server address %q must look like wss://host/api/runners/connect", address)
	}
	return nil
}

// IsPlain reports whether the token would cross a network unencrypted.
func IsPlain(server string) bool {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "ws" {
		return false
	}
	host := u.Hostname()
	return host != "localhost" && host != "::1" && !strings.HasPrefix(host, "127.")
}
