package mcp

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/discovery"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
)

// Finder finds the provider that a server names, and registers xbot there.
type Finder interface {
	Find(ctx context.Context, s chat.MCPServer) (discovery.Found, error)
}

// Discover asks the server of a user, or of the installation where owner is 0, which account it wants, and lets the accounts of its users authorize
// requests to it: at the provider oauth.ProviderOf its id, which is registered again. A text that a model has read must not be able to cause this:
// only a user's request may. It returns Invalid if the server has no address, is authorized otherwise, wants no account, or names no usable provider,
// Denied if it is in a file, Unavailable if the server or provider does not answer, and NotFound if there is none.
func (s *Servers) Discover(ctx context.Context, owner chat.UserID, name string, by chat.UserID) (chat.MCPServer, error) {
	row, err := s.row(ctx, owner, name)
	own := oauth.ProviderOf(row.ID)
	switch {
	case err != nil:
		return chat.MCPServer{}, err
	case row.FromFile:
		return chat.MCPServer{}, ofFile(name)
	case row.Transport == chat.MCPStdio:
		return chat.MCPServer{}, fault.Errorf(fault.Invalid, "a connected account authorizes requests to a url; a command is given what it needs by env")
	case authorizes(row.HeaderNames), row.Account != "" && row.Account != own:
		return chat.MCPServer{}, fault.Errorf(fault.Invalid, "a header or another account authorizes requests to the MCP server %s already: take it away first", name)
	case s.Providers == nil || s.Finder == nil:
		return chat.MCPServer{}, fault.Errorf(fault.Invalid, "accounts cannot be connected here")
	}
	found, err := s.Finder.Find(ctx, row.MCPServer)
	if err != nil {
		return chat.MCPServer{}, err
	}
	found.Name = row.Name
	if err := s.Providers.SaveOf(ctx, oauth.Server{ID: row.ID, Revision: row.Revision}, oauth.Draft{Secret: found.ClientSecret, OAuthProviderConfig: found.OAuthProviderConfig}, by); err != nil {
		return chat.MCPServer{}, err
	}
	return s.Own(ctx, owner, name)
}

// keepsAccount returns the account of a server after a change. One at the provider that the server has named stays while the server is at the
// same address: then its tokens are only for it. A header or another account takes its place.
func (d Draft) keepsAccount(old chat.MCPServer) string {
	own := oauth.ProviderOf(old.ID)
	named := old.Account == own && (d.Account == "" || d.Account == own)
	switch {
	case named && d.URL == old.URL && !d.authorizes():
		return own
	case named:
		return ""
	}
	return d.Account
}

// authorizes reports whether a header of the draft authorizes requests.
func (d Draft) authorizes() bool {
	for name := range d.Headers {
		if authorizes([]string{name}) {
			return true
		}
	}
	return false
}

func authorizes(headers []string) bool {
	return slices.ContainsFunc(headers, func(name string) bool { return http.CanonicalHeaderKey(name) == "Authorization" })
}

// WantsAccountError reports that a server wants an account, and names a provider at which xbot is not registered yet. Nothing was carried out.
type WantsAccountError struct{}

// Error returns a sentence for the user and the model.
func (*WantsAccountError) Error() string {
	return "it wants an account: whoever has added it connects one on the page, under Settings → Tools"
}

// wanting returns the answer of a server to a request that no account authorizes, or an error if the server wants one. A server with headers, any
// of which may be a key that it does not accept, has to ask for an account explicitly.
func wanting(r *http.Request, resp *http.Response, given bool) (*http.Response, error) {
	names := strings.Contains(strings.ToLower(resp.Header.Get("WWW-Authenticate")), "resource_metadata")
	if !refuses(r, resp) || r.Header.Get("Authorization") != "" || given && !names {
		return resp, nil
	}
	_ = resp.Body.Close() // why is known
	return nil, unable(r, fault.Errorf(fault.Denied, "%w", &WantsAccountError{}))
}
