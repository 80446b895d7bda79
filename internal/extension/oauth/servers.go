package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/fault"
)

// ofServer matches the ids of the providers of MCP servers.
var ofServer = regexp.MustCompile(`^mcp-[0-9]+$`)

var errOfServer = fault.Errorf(fault.Denied, "ids like mcp-7 are those of providers that MCP servers have named: such a one comes and goes with its server, under Settings → Tools")

// ProviderOf returns the id of the provider that an MCP server has named.
func ProviderOf(server int64) string { return fmt.Sprint("mcp-", server) }

// Server is the MCP server of a provider.
type Server struct{ ID, Revision int64 }

// SaveOf stores the provider that an MCP server has named, for any id in the draft, in place of the one before, whose accounts have to be connected
// again, and has the server authorized by the accounts there. The caller checks who may. It returns Invalid if its form is wrong, and Conflict if the server was
// changed concurrently.
func (s *Accounts) SaveOf(ctx context.Context, server Server, d Draft, by chat.UserID) error {
	d.ID, d.Enabled = ProviderOf(server.ID), true
	d = d.tidy()
	if err := d.check(); err != nil {
		return err
	}
	row := oauthstore.Provider{OAuthProvider: chat.OAuthProvider{OAuthProviderConfig: d.OAuthProviderConfig, MCPServer: server.ID}}
	if d.Secret != "" {
		row.Secrets = s.seal(clientSecret{d.Secret})
	}
	return s.OAuth.SetMCPProvider(ctx, row, oauthstore.Void{Tokens: s.seal(tokens{}), Problem: "the provider was asked anew"}, server.Revision, by)
}

// resourceTransport adds to requests for tokens their resource (RFC 8707, section 2.2), for which the library has no parameter where it renews one.
type resourceTransport struct {
	over     http.RoundTripper
	resource string
}

// maxForm limits a request for a token, in bytes.
const maxForm = 64 << 10

// RoundTrip sends one request.
func (n resourceTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.Body == nil {
		return n.over.RoundTrip(r)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForm))
	_ = r.Body.Close() // it was read
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errors.New("the request for a token is no form") // the error would quote it
	}
	form.Set("resource", n.resource)
	body = []byte(form.Encode())
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return n.over.RoundTrip(r)
}
