// Package discovery finds the OAuth provider whose accounts authorize requests to an MCP server, and registers xbot there: by the Model Context
// Protocol with RFC 9728 (metadata of a resource), RFC 8414 (metadata of a provider) and RFC 7591 (registration), in its version of 2025-11-25. A
// server without metadata of RFC 9728 is the provider, as in the version of 2025-03-26.
//
// All answers are untrusted. The server may only describe the server, the provider only the provider; secrets go to https addresses, or
// to this machine; the sizes, the number and the time of all answers are bounded.
package discovery

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/tool"
)

const (
	// answerTime limits each request.
	answerTime = 10 * time.Second
	// wholeTime limits all requests together.
	wholeTime = 30 * time.Second
	// maxBody is the longest answer that is read, in bytes.
	maxBody = 256 << 10
	// maxIssuers limits the providers of a server that are tried.
	maxIssuers = 4
)

// Found is a provider at which xbot is registered. It has no id and no name.
type Found struct {
	chat.OAuthProviderConfig

	ClientSecret string // empty: there is none
}

// Finder finds providers. It is safe for concurrent use.
type Finder struct {
	// Own carries the requests to servers of users, and to all providers: it reaches only the public internet (package safehttp). Shared carries
	// those to servers of the installation, and to nothing else at other origins.
	Own, Shared http.RoundTripper
	// Redirect is the address to which providers send browsers back; empty: it is not known.
	Redirect string
}

// Find asks a server for its provider, and registers xbot there, which may take 30 seconds. It returns Invalid if the server wants no account, or
// an answer of it or the provider cannot be used. It returns Unavailable if one of them does not answer.
func (f *Finder) Find(ctx context.Context, s chat.MCPServer) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, wholeTime)
	defer cancel()
	server := s.URL
	if f.Redirect == "" {
		return Found{}, unusable("this server does not know under which address people reach it")
	}
	if !oauth.AddressFits(server) {
		return Found{}, fault.Errorf(fault.Invalid, "the url must be https: the tokens of connected accounts go there, and nobody on the way may read them; http is for this machine alone")
	}
	c := f.client(s)
	asked, err := challenge(ctx, c, s.Transport, server)
	if err != nil {
		return Found{}, err
	}
	about, err := asked.resource(ctx, c, server)
	if err != nil {
		return Found{}, err
	}
	var meta *oauthex.AuthServerMeta
	if about != nil {
		meta, err = provider(ctx, c, about.AuthorizationServers)
	} else {
		about = &oauthex.ProtectedResourceMetadata{Resource: server}
		meta, err = itself(ctx, c, server)
	}
	if err != nil {
		return Found{}, err
	}
	found := Found{OAuthProviderConfig: chat.OAuthProviderConfig{
		Issuer: meta.Issuer, SilentIssuer: !meta.AuthorizationResponseIssParameterSupported, AuthorizeURL: meta.AuthorizationEndpoint, TokenURL: meta.TokenEndpoint,
		RevokeURL: meta.RevocationEndpoint, Scopes: scopes(asked.scopes, about.ScopesSupported, meta.ScopesSupported), Resource: about.Resource,
	}}
	return found, f.register(ctx, c, meta, &found)
}

// asks is the answer of a server to a request without a token.
type asks struct {
	metadata string   // address of its metadata with its providers; empty: it names none
	scopes   []string // scopes that it asks for
}

// hello is a request that a server answers with 401 if it wants an account (Model Context Protocol, lifecycle: initialize).
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"xbot","version":"1"}}}`

// challenge sends a request to a server, without a token.
func challenge(ctx context.Context, c *client, transport chat.MCPTransport, server string) (out asks, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server, bytes.NewReader([]byte(hello)))
	if transport == chat.MCPSSE {
		r, err = http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
	}
	if err != nil {
		return out, unusable("its address cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := c.probe(r)
	if err != nil {
		return out, silent("the MCP server", err)
	}
	_ = resp.Body.Close() // only its headers matter
	if resp.StatusCode != http.StatusUnauthorized {
		return out, fault.Errorf(fault.Invalid, "the MCP server asks for no account: without one it answers with status %d", resp.StatusCode)
	}
	all, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return out, unusable("what it says of the account that it wants cannot be read (WWW-Authenticate)")
	}
	for _, one := range all {
		if one.Scheme != "bearer" {
			continue
		}
		if out.metadata == "" {
			out.metadata = one.Params["resource_metadata"]
		}
		if out.scopes == nil {
			out.scopes = strings.Fields(one.Params["scope"])
		}
	}
	return out, nil
}

// scopes returns the scopes to request: those that the server has asked for, else all that it knows. Tokens can be renewed without the user where the
// provider has a scope for that.
func scopes(asked, known, ofProvider []string) (out []string) {
	if len(asked) == 0 {
		asked = known
	}
	seen := map[string]bool{}
	for _, scope := range asked {
		if len(out) < oauth.MaxScopes-1 && oauth.ScopeFits(scope) && !seen[scope] {
			seen[scope] = true
			out = append(out, scope)
		}
	}
	for _, scope := range ofProvider {
		if scope == offline && !seen[offline] {
			return append(out, offline)
		}
	}
	return out
}

// offline is the scope of tokens that can be renewed while the user is away (OpenID Connect, section 11).
const offline = "offline_access"

// unusable returns an error about an answer of a server or its provider.
func unusable(why string, args ...any) error {
	return fault.Errorf(fault.Invalid, "no account can be connected for the MCP server: "+why, args...)
}

// silent returns an error about a server or provider that does not answer.
func silent(who string, err error) error {
	return fault.Errorf(fault.Unavailable, "no account can be connected for the MCP server: %s does not answer: %s", who, safehttp.Reason(err))
}

// maxSaid limits the text of a server or provider that is repeated, in characters.
const maxSaid = 200

func errorText(text string) string { return tool.OneLine(strings.ToValidUTF8(text, ""), maxSaid) }
