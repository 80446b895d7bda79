package discovery

import (
	"context"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// itself is the provider of a server that says nothing of who protects it: the origin of the server (Model Context Protocol of 2025-03-26,
// authorization). One that says nothing of that either is asked at the addresses that this version gives it, with the PKCE that it demands. A provider
// that says something which cannot be used is not asked there.
func itself(ctx context.Context, c *client, server string) (*oauthex.AuthServerMeta, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, unusable("its address cannot be used")
	}
	issuer := u.Scheme + "://" + u.Host
	quiet, err := saysNothing(ctx, c, u)
	if err != nil {
		return nil, err
	}
	if !quiet {
		return providerOf(ctx, c, issuer)
	}
	return &oauthex.AuthServerMeta{
		Issuer: issuer, AuthorizationEndpoint: issuer + "/authorize", TokenEndpoint: issuer + "/token", RegistrationEndpoint: issuer + "/register",
		CodeChallengeMethodsSupported: []string{"S256"},
	}, nil
}

// saysNothing reports whether a server has nothing at any address at which providers say what they can do.
func saysNothing(ctx context.Context, c *client, server *url.URL) (bool, error) {
	for _, address := range metadataAddresses(&url.URL{Scheme: server.Scheme, Host: server.Host}) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return false, unusable("its address cannot be used")
		}
		resp, err := c.http.Do(r)
		if err != nil {
			return false, silent(said(server.Host), err)
		}
		_ = resp.Body.Close() // it was read whole
		if resp.StatusCode/100 != 4 {
			return false, nil
		}
	}
	return true, nil
}
