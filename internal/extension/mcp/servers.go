// Package mcp gives conversations the tools, prompts and resources of servers that speak the Model Context Protocol: it stores the servers
// of users and of the installation (Servers), connects to them (Connections), and offers them as tools (Source). The SDK implements the protocol.
//
// All input from a server is hostile: the sizes, the number and the pace of its messages are bounded, and none of it is trusted,
// except as documented at Source.
package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

// Rows is the store of MCP servers and their last offers.
type Rows interface {
	MCPServers(ctx context.Context, user chat.UserID) ([]mcpstore.Server, error)
	MCPServer(ctx context.Context, id int64) (mcpstore.Server, error)
	SetMCPServer(ctx context.Context, in mcpstore.Server, by chat.UserID) (id int64, err error)
	RemoveMCPServer(ctx context.Context, user chat.UserID, name string, fromFile bool) error
	MCPOffers(ctx context.Context, id int64) (chat.MCPOffers, error)
	SetMCPOffers(ctx context.Context, id, revision int64, offers chat.MCPOffers) error
	SetMCPProblem(ctx context.Context, id, revision int64, problem string, wantsAccount bool) error
}

// Servers manages the servers of users and of the installation. The caller checks who may change the installation's. It is safe for
// concurrent use.
type Servers struct {
	Rows Rows
	Key  secret.Sealer
	// Providers finds providers whose accounts can authorize servers; nil: there are none.
	Providers Providers
	// Finder finds the providers that servers name; nil: none of them can be connected.
	Finder Finder
}

// Providers is the store of OAuth providers, of the installation and of MCP servers.
type Providers interface {
	Providers(ctx context.Context, user chat.UserID) ([]chat.OAuthProvider, error)
	SaveOf(ctx context.Context, server oauth.Server, d oauth.Draft, by chat.UserID) error
}

// List returns those of the installation, followed by those of a user; 0: of no user. Values are left out.
func (s *Servers) List(ctx context.Context, user chat.UserID) ([]chat.MCPServer, error) {
	rows, err := s.Rows.MCPServers(ctx, user)
	if err != nil {
		return nil, err
	}
	out := make([]chat.MCPServer, len(rows))
	for i, r := range rows {
		out[i] = r.MCPServer
	}
	return out, nil
}

// Own finds that of a user, or of the installation where owner is 0. It returns NotFound if there is none of that name.
func (s *Servers) Own(ctx context.Context, owner chat.UserID, name string) (chat.MCPServer, error) {
	r, err := s.row(ctx, owner, name)
	return r.MCPServer, err
}

func (s *Servers) row(ctx context.Context, owner chat.UserID, name string) (mcpstore.Server, error) {
	rows, err := s.Rows.MCPServers(ctx, owner)
	if err != nil {
		return mcpstore.Server{}, err
	}
	for _, r := range rows {
		if r.Name == name && r.User == owner {
			return r, nil
		}
	}
	return mcpstore.Server{}, fault.Errorf(fault.NotFound, "there is no MCP server %.40q", name)
}

// InForce finds the server of a name that applies to a user: the user's, else the installation's; that of the installation where user is 0.
// It returns NotFound if there is none, or it is disabled.
func (s *Servers) InForce(ctx context.Context, user chat.UserID, name string) (chat.MCPServer, error) {
	rows, err := s.Rows.MCPServers(ctx, user)
	if err != nil {
		return chat.MCPServer{}, err
	}
	for _, r := range inForce(rows) {
		if r.Name == name {
			return r.MCPServer, nil
		}
	}
	return chat.MCPServer{}, fault.Errorf(fault.NotFound, "there is no MCP server %.40q in use", name)
}

// Offers returns the last list of a server, for its owner, and for all users where it is the installation's. NotFound:
// there is none for the user.
func (s *Servers) Offers(ctx context.Context, user chat.UserID, id int64) (chat.MCPOffers, error) {
	r, err := s.Rows.MCPServer(ctx, id)
	if err != nil {
		return chat.MCPOffers{}, err
	}
	if r.User != 0 && r.User != user {
		return chat.MCPOffers{}, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
	}
	return s.Rows.MCPOffers(ctx, id)
}

// Save stores a server of a user, or of the installation where owner is 0, and returns it. Of a change the name stays, and so do values
// that the draft leaves empty, unless its address or command changes: then they have to be entered again. It returns Invalid if its form is wrong, its account
// is at an unknown provider, or there are too many. It returns Conflict if there is one of that name, or it was changed concurrently.
func (s *Servers) Save(ctx context.Context, owner chat.UserID, d Draft, by chat.UserID) (chat.MCPServer, error) {
	return s.save(ctx, owner, d, by, false)
}

func (s *Servers) save(ctx context.Context, owner chat.UserID, d Draft, by chat.UserID, fromFile bool) (chat.MCPServer, error) {
	d = d.tidy()
	d.Trusted = d.Trusted && owner == 0 // servers of users are never trusted: text that a model has read may have added them
	if err := d.Check(); err != nil {
		return chat.MCPServer{}, err
	}
	v, row := given(d), mcpstore.Server{MCPServer: chat.MCPServer{
		User: owner, EnvNames: slices.Sorted(maps.Keys(d.Env)), HeaderNames: slices.Sorted(maps.Keys(d.Headers)), Revision: d.Revision, FromFile: fromFile,
	}}
	var had string
	if d.Revision != 0 {
		old, err := s.changed(ctx, owner, &v, d, fromFile)
		if err != nil {
			return chat.MCPServer{}, err
		}
		row.ID, had = old.ID, old.Account
		d.Account = d.keepsAccount(old.MCPServer)
	}
	if d.Account != had { // the rest can be changed otherwise though its provider is gone
		if err := s.provided(ctx, owner, d.Account); err != nil {
			return chat.MCPServer{}, err
		}
	}
	row.MCPConfig = d.MCPConfig
	row.Secrets = v.seal(s.Key)
	id, err := s.Rows.SetMCPServer(ctx, row, by)
	if err != nil {
		return chat.MCPServer{}, err
	}
	saved, err := s.Rows.MCPServer(ctx, id)
	return saved.MCPServer, err
}

// changed returns the stored server that a draft changes, and takes over its values where the draft leaves them empty. A file has all values.
func (s *Servers) changed(ctx context.Context, owner chat.UserID, v *values, d Draft, fromFile bool) (mcpstore.Server, error) {
	old, err := s.row(ctx, owner, d.Name)
	switch {
	case err != nil || fromFile:
		return old, err
	case old.FromFile:
		return old, ofFile(d.Name)
	}
	return old, s.keep(v, d, old)
}

func ofFile(name string) error {
	return fault.Errorf(fault.Denied, "the MCP server %s stands in mcp.json of the server's data folder: change it there", name)
}

// provided refuses an account at a provider that does not exist, or is another server's. A provider that is switched off is accepted.
func (s *Servers) provided(ctx context.Context, owner chat.UserID, account string) error {
	if account == "" {
		return nil
	}
	if owner != 0 {
		// A conversation can add servers of a user: their tokens would go to any address in a text that the model has read.
		return fault.Errorf(fault.Invalid, "connected accounts authorize servers of the installation alone, which administrators add, and servers that name a provider themselves, for which you connect one on the page; give other servers of your own a header")
	}
	if s.Providers == nil {
		return fault.Errorf(fault.Invalid, "accounts cannot be connected here: leave the account out")
	}
	all, err := s.Providers.Providers(ctx, 0)
	if err != nil {
		return err
	}
	var known []string
	for _, p := range all {
		if p.MCPServer != 0 {
			continue // tokens for one server are not for another
		}
		if known = append(known, p.ID); p.ID == account {
			return nil
		}
	}
	if len(known) == 0 {
		return fault.Errorf(fault.Invalid, "there is no provider %.40q, nor any other: add it under Settings → Connected accounts first", account)
	}
	return fault.Errorf(fault.Invalid, "there is no provider %.40q; there are: %s", account, strings.Join(known, ", "))
}

// keep takes over the stored values that a change leaves empty.
func (s *Servers) keep(v *values, d Draft, old mcpstore.Server) error {
	was, err := stored(s.Key, old)
	if err != nil {
		if len(v.Env) == len(d.Env) && len(v.Headers) == len(d.Headers) {
			return nil // none is left empty
		}
		return err
	}
	for _, kind := range []struct{ drafted, was, to map[string]string }{{d.Env, was.Env, v.Env}, {d.Headers, was.Headers, v.Headers}} {
		for name, value := range kind.drafted {
			kept, ok := kind.was[name]
			if value != "" || !ok {
				continue
			}
			if !d.sameTarget(old.MCPConfig) {
				return fault.Errorf(fault.Invalid, "it leads somewhere else now: enter the value of %.60s again, so that the stored one goes to nobody else", name)
			}
			kind.to[name] = kept
		}
	}
	return nil
}

// Put is Save for callers that do not know whether there is one of that name.
func (s *Servers) Put(ctx context.Context, owner chat.UserID, d Draft, by chat.UserID) (chat.MCPServer, error) {
	old, err := s.row(ctx, owner, d.tidy().Name)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return chat.MCPServer{}, err
	}
	d.Revision = old.Revision
	return s.Save(ctx, owner, d, by)
}

// Remove removes that of a user, or of the installation where owner is 0. It returns NotFound if there is none.
func (s *Servers) Remove(ctx context.Context, owner chat.UserID, name string) error {
	old, err := s.row(ctx, owner, name)
	if err != nil {
		return err
	}
	if old.FromFile {
		return ofFile(name)
	}
	return s.Rows.RemoveMCPServer(ctx, owner, name, false)
}
