package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"xbot/internal/extension/oauth"
)

// wellKnown is the path at which a resource names its providers (RFC 9728, section 3.1).
const wellKnown = "/.well-known/oauth-protected-resource"

// resource reads the metadata of a server: at the address in its challenge, else at the well-known addresses. It returns nil if there is none.
func (a asks) resource(ctx context.Context, c *client, server string) (*oauthex.ProtectedResourceMetadata, error) {
	if a.metadata != "" {
		about, err := metadataAt(ctx, c, a.metadata, server)
		if err == nil && about == nil {
			err = unusable("it says nothing at the address that it gives, %s", errorText(a.metadata))
		}
		return about, err
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, unusable("its address cannot be used")
	}
	places := []string{wellKnown}
	if p := strings.TrimSuffix(u.EscapedPath(), "/"); p != "" {
		places = []string{wellKnown + p, wellKnown}
	}
	var problem error
	for _, place := range places { // some answer anything with a page
		about, err := metadataAt(ctx, c, u.Scheme+"://"+u.Host+place, server)
		if about != nil {
			return about, nil
		}
		problem = cmp.Or(err, problem)
	}
	return nil, problem
}

// metadataAt reads the metadata of a server at an address, or nil if there is none.
func metadataAt(ctx context.Context, c *client, address, server string) (*oauthex.ProtectedResourceMetadata, error) {
	if !oauth.AddressFits(address) {
		return nil, unusable("the address at which it says who protects it is not https")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, unusable("the address at which it says who protects it cannot be used")
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, silent(errorText(r.URL.Host), err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode/100 == 4:
		return nil, nil
	case resp.StatusCode != http.StatusOK:
		return nil, unusable("%s answers with status %d", errorText(r.URL.Host), resp.StatusCode)
	}
	var names struct {
		Resource string `json:"resource"`
	}
	if json.NewDecoder(resp.Body).Decode(&names) != nil {
		return nil, unusable("what it says of who protects it is no JSON object")
	}
	if !covers(names.Resource, server) {
		return nil, unusable("what it says of who protects it is about somebody else, %s", errorText(names.Resource))
	}
	about, err := oauthex.GetProtectedResourceMetadata(ctx, resp.Request.URL.String(), names.Resource, c.http)
	if err != nil {
		return nil, unusable("what it says of who protects it cannot be used (RFC 9728)")
	}
	return about, nil
}

// covers reports whether a resource is the server, or contains it: the same origin, and a path that the server's path begins with.
func covers(resource, server string) bool {
	if !oauth.AddressFits(resource) || origin(resource) != origin(server) {
		return false
	}
	part, err := url.Parse(resource)
	if err != nil {
		return false
	}
	whole, err := url.Parse(server)
	if err != nil || part.RawQuery != "" && part.RawQuery != whole.RawQuery {
		return false
	}
	above, below := tidyPath(part), tidyPath(whole)
	return above == below || strings.HasPrefix(below, strings.TrimSuffix(above, "/")+"/")
}

// tidyPath returns the path of an address, always with a leading slash and never with a trailing one. Encoded characters stay encoded.
func tidyPath(u *url.URL) string { return path.Clean("/" + u.EscapedPath()) }
