package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
)

// provider returns the metadata of the first usable provider of a server.
func provider(ctx context.Context, c *client, issuers []string) (*oauthex.AuthServerMeta, error) {
	if len(issuers) == 0 {
		return nil, unusable("it names no provider (authorization_servers)")
	}
	var first error
	for _, issuer := range issuers[:min(len(issuers), maxIssuers)] {
		meta, err := providerOf(ctx, c, issuer)
		if err == nil {
			return meta, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func providerOf(ctx context.Context, c *client, issuer string) (*oauthex.AuthServerMeta, error) {
	u, err := url.Parse(issuer)
	if err != nil || !oauth.AddressFits(issuer) || u.RawQuery != "" {
		return nil, unusable("the address of its provider, %s, is not https", errorText(issuer))
	}
	problem := unusable("its provider %s does not say what it can do (RFC 8414)", errorText(u.Host))
	for _, address := range metadataAddresses(u) { // some answer anything with a page
		meta, err := oauthex.GetAuthServerMeta(ctx, address, issuer, c.http)
		if own := c.issuerAt(ctx, address, err); own != "" && own != issuer && oauth.AddressFits(own) && site(own) == site(issuer) {
			meta, err = oauthex.GetAuthServerMeta(ctx, address, own, c.http)
		}
		switch {
		case err != nil: // the error may repeat untrusted text
			problem = unusable("what its provider %s says of itself cannot be used: it does not answer, is another one, or has no PKCE (RFC 8414)", errorText(u.Host))
		case meta != nil:
			return meta, usable(meta, errorText(u.Host))
		}
	}
	return nil, problem
}

// issuerAt returns the issuer in metadata that were refused with an error; empty: they name none. The courier has cached them. Atlassian,
// Slack and Meta name another host or path of theirs than the one by which they are found (charmbracelet/crush#3419, openai/codex#38944);
// checkEndpoints keeps all endpoints on that site.
func (c *client) issuerAt(ctx context.Context, address string, refused error) string {
	if refused == nil {
		return ""
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return ""
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	var meta struct {
		Issuer string `json:"issuer"`
	}
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&meta) != nil {
		return ""
	}
	return meta.Issuer
}

// metadataAddresses returns the addresses of a provider's metadata, as OAuth (RFC 8414, section 3.1) or as OpenID Connect (Discovery, section 4),
// in the order of the Model Context Protocol.
func metadataAddresses(issuer *url.URL) []string {
	const asOAuth, asOpenID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
	root, at := issuer.Scheme+"://"+issuer.Host, strings.TrimSuffix(issuer.EscapedPath(), "/")
	if at == "" {
		return []string{root + asOAuth, root + asOpenID}
	}
	return []string{root + asOAuth + at, root + asOpenID + at, root + at + asOpenID}
}

// usable returns an error if a provider cannot be used.
func usable(meta *oauthex.AuthServerMeta, host string) error {
	if err := checkEndpoints(meta, host); err != nil {
		return err
	}
	lacks := func(list []string, what string) bool { return len(list) > 0 && !slices.Contains(list, what) }
	switch {
	case !slices.Contains(meta.CodeChallengeMethodsSupported, "S256"):
		return unusable("its provider %s has no PKCE with S256", host)
	case lacks(meta.ResponseTypesSupported, "code"), lacks(meta.GrantTypesSupported, "authorization_code"):
		return unusable("its provider %s gives no codes", host)
	case meta.RegistrationEndpoint == "":
		return unusable("its provider %s lets no program register itself: an administrator has to register xbot there, add it under Settings → Connected accounts, and name it in a server of the installation", host)
	}
	return nil
}

// checkEndpoints checks that all endpoints of a provider are on its own site. Otherwise a provider that names the authorization endpoint of another
// one and its own token endpoint would get that provider's codes and verifiers.
func checkEndpoints(meta *oauthex.AuthServerMeta, host string) error {
	for _, endpoint := range []struct {
		name, address string
		needed        bool
	}{
		{"authorization_endpoint", meta.AuthorizationEndpoint, true},
		{"token_endpoint", meta.TokenEndpoint, true},
		{"registration_endpoint", meta.RegistrationEndpoint, false},
		{"revocation_endpoint", meta.RevocationEndpoint, false},
	} {
		switch {
		case endpoint.address == "" && !endpoint.needed:
		case !oauth.AddressFits(endpoint.address):
			return unusable("the %s of its provider %s is not https", endpoint.name, host)
		case site(endpoint.address) != site(meta.Issuer):
			return unusable("the %s of its provider %s is at another site, %s", endpoint.name, host, errorText(site(endpoint.address)))
		}
	}
	u, err := url.Parse(meta.AuthorizationEndpoint)
	if err != nil {
		return unusable("the authorization_endpoint of its provider %s is no address", host)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return unusable("the query of the authorization_endpoint of its provider %s cannot be read", host)
	}
	for name := range query {
		if slices.Contains(requestParameters, strings.ToLower(name)) {
			return unusable("the authorization_endpoint of its provider %s contains the parameter %s, which only xbot may set", host, errorText(name))
		}
	}
	return nil
}

// requestParameters are the parameters of an authorization request (RFC 6749, RFC 7636, RFC 8707, RFC 9101, OpenID Connect). An endpoint must not
// contain them: a provider may use the first of two.
var requestParameters = []string{
	"client_id", "redirect_uri", "response_type", "response_mode", "state", "scope", "code_challenge", "code_challenge_method", "resource", "request",
	"request_uri", "nonce",
}

// register registers xbot at a provider.
func (f *Finder) register(ctx context.Context, c *client, meta *oauthex.AuthServerMeta, found *Found) error {
	method, err := methodOf(meta.TokenEndpointAuthMethodsSupported)
	if err != nil {
		return err
	}
	kind := "web"
	if u, err := url.Parse(f.Redirect); err == nil && oauth.IsLoopback(u.Hostname()) {
		kind = "native" // OpenID Connect permits no other type to return to this machine
	}
	about := &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{f.Redirect}, TokenEndpointAuthMethod: method, GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		ClientName: "xbot", Scope: strings.Join(found.Scopes, " "), ApplicationType: kind,
	}
	client, err := oauthex.RegisterClient(ctx, meta.RegistrationEndpoint, about, c.http)
	if err != nil && about.Scope != "" { // Keycloak may refuse a registration for its scopes, which are optional (RFC 7591)
		about.Scope = ""
		client, err = oauthex.RegisterClient(ctx, meta.RegistrationEndpoint, about, c.http)
	}
	if refusal, ok := errors.AsType[*oauthex.ClientRegistrationError](err); ok {
		return unusable("its provider does not register xbot: %s", errorText(refusal.ErrorCode+" "+refusal.ErrorDescription))
	}
	if err != nil { // the error may repeat the whole answer, with a secret in it
		return unusable("its provider does not register xbot (RFC 7591)")
	}
	if len(client.RedirectURIs) > 0 && !slices.Equal(client.RedirectURIs, []string{f.Redirect}) {
		return unusable("its provider registers xbot with other addresses to come back to")
	}
	return found.be(client, method)
}

// methodOf returns the method by which xbot authenticates for tokens: without a secret, where the provider accepts that.
func methodOf(supported []string) (string, error) {
	if len(supported) == 0 {
		return "none", nil
	}
	for _, method := range []string{"none", "client_secret_post", "client_secret_basic"} {
		if slices.Contains(supported, method) {
			return method, nil
		}
	}
	return "", unusable("its provider wants programs to say who they are in a way that xbot does not know")
}

// be takes over the registration at a provider, which may differ from the request.
func (f *Found) be(c *oauthex.ClientRegistrationResponse, asked string) error {
	method := c.TokenEndpointAuthMethod
	if method == "" {
		method = asked
	}
	switch {
	case !printable(c.ClientID) || len(c.ClientID) > oauth.MaxClient || !printable(c.ClientSecret) || len(c.ClientSecret) > oauth.MaxSecret:
		return unusable("its provider registers xbot with an id or a secret that cannot be used")
	case method != "none" && c.ClientSecret == "":
		return unusable("its provider registers xbot without the secret that it wants")
	}
	f.ClientID, f.ClientSecret, f.ClientAuth = c.ClientID, c.ClientSecret, chat.OAuthInBody
	switch method {
	case "none":
		f.ClientSecret = ""
	case "client_secret_basic":
		f.ClientAuth = chat.OAuthInHeader
	case "client_secret_post":
	default:
		return unusable("its provider wants programs to say who they are in a way that xbot does not know")
	}
	return nil
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// itself returns the provider of a server without metadata of a provider: the origin of the server (Model Context Protocol of 2025-03-26,
// authorization). Without metadata there either, the default addresses of that version apply, with the PKCE that it demands. A provider
// with unusable metadata is not asked there.
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

// saysNothing reports whether a server has nothing at any address of a provider's metadata.
func saysNothing(ctx context.Context, c *client, server *url.URL) (bool, error) {
	for _, address := range metadataAddresses(&url.URL{Scheme: server.Scheme, Host: server.Host}) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return false, unusable("its address cannot be used")
		}
		resp, err := c.http.Do(r)
		if err != nil {
			return false, silent(errorText(server.Host), err)
		}
		_ = resp.Body.Close() // it was read whole
		if resp.StatusCode/100 != 4 {
			return false, nil
		}
	}
	return true, nil
}
