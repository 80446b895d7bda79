package discovery

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCovers_AResourceIsTheServerOrWhatItIsAPartOf(t *testing.T) {
	t.Parallel()
	const server = "https://mcp.example.com/team/mcp?v=1"
	for resource, want := range map[string]bool{
		"https://mcp.example.com/team/mcp?v=1": true, "https://mcp.example.com/team/mcp": true, "https://mcp.example.com/team/mcp/": true, "https://mcp.example.com/team": true,
		"https://mcp.example.com": true, "https://mcp.example.com/": true, "https://MCP.example.com:443/team": true,
		"https://mcp.example.com/team/mcp?v=2": false, "https://mcp.example.com/team/mc": false, "https://mcp.example.com/tea": false, "https://mcp.example.com/team/mcp/x": false,
		"https://mcp.example.com:8443/team": false, "http://mcp.example.com/team/mcp": false, "https://example.com": false, "https://mcp.example.com.evil.com/team": false,
		"https://mcp.example.com@evil.com/team": false, "https://u@mcp.example.com/team": false, "https://mcp.example.com/team#mcp": false, "": false, "urn:mcp": false,
	} {
		require.Equal(t, want, covers(resource, server), resource)
	}
}

func FuzzCovers_NeverLeavesTheOrigin(f *testing.F) {
	f.Add("https://a.example/b", "https://a.example/b/c")
	f.Add("https://a.example\\@b.example", "https://b.example")
	f.Fuzz(func(t *testing.T, resource, server string) {
		if !covers(resource, server) {
			return
		}
		a, err := url.Parse(resource)
		require.NoError(t, err)
		b, err := url.Parse(server)
		require.NoError(t, err)
		require.Equal(t, strings.ToLower(a.Hostname()), strings.ToLower(b.Hostname()))
		require.Equal(t, strings.ToLower(a.Scheme), strings.ToLower(b.Scheme))
	})
}
