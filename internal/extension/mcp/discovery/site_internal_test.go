package discovery

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSite_IsTheDomainThatSomebodyHasRegistered(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://mcp.example.com/authorize": "example.com",
		"https://EXAMPLE.com.:8443/":        "example.com",
		"https://cf.mcp.example.co.uk":      "example.co.uk",
		"https://alice.github.io":           "alice.github.io",
		"https://evil.workers.dev":          "evil.workers.dev",
		"https://192.0.2.1/x":               "192.0.2.1",
		"https://[2001:db8::1]:443/":        "2001:db8::1",
		"http://localhost:8080":             "localhost",
		"https://intranet/token":            "intranet",
		"https://com/":                      "com",
	} {
		require.Equal(t, want, site(address), address)
	}
}
