package server

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"xbot/internal/mcp"
	"xbot/internal/oauth"
	"xbot/internal/plugin/bridge"
	"xbot/internal/plugin/extend"
	"xbot/internal/plugin/installed"
	"xbot/internal/prompt"
	"xbot/internal/safehttp"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/internal/slash"
	"xbot/server/hostrunner"
)

// mcpServers are those of people and of the installation.
type mcpServers struct {
	servers     *mcp.Servers
	connections *mcp.Connections
	offered     *mcp.Source
	connected   *oauth.Accounts // that people have elsewhere, which authorize requests to servers
	installed   *installed.Plugins
}

// newMCPServers connects to none yet. A server that a person chose is reached like any other address of a stranger, one that an
// administrator chose wherever it stands.
func newMCPServers(s settings, p *process, db *database, st *storage, closer *Server) (*mcpServers, error) {
	allow, err := safehttp.ParseAllow(s.HTTPAllow)
	if err != nil {
		return nil, err
	}
	accounts := &oauth.Accounts{Rows: st.store, Key: db.key, HTTP: safehttp.NewTransport(allow), Public: s.at.people()}
	out := &mcpServers{
		servers: &mcp.Servers{Rows: db.rows, Key: db.key, Providers: accounts}, connected: accounts,
		connections: mcp.NewConnections(mcp.Config{
			Rows: db.rows, Key: db.key, Own: safehttp.NewTransport(allow), Shared: http.DefaultTransport, Tokens: accounts, Idle: s.MCPIdle, Version: p.version, Log: p.log,
		}),
	}
	out.installed = NewPlugins(db.rows, db.key)
	out.offered = mcp.NewSource(db.rows, out.connections)
	closer.onClose(func() { _ = out.connections.Close() }) // it has nothing to say
	return out, nil
}

// NewPlugins knows the plugins of an installation.
func NewPlugins(rows installed.Rows, key secret.Sealer) *installed.Plugins {
	return &installed.Plugins{Rows: rows, Key: key, Reserved: ownCommands{}}
}

// ownCommands are the names of xbot's own slash commands, which plugins cannot have.
type ownCommands struct{}

var ownSpecs = sync.OnceValue(SlashCommands)

// Taken implements installed.Names.
func (ownCommands) Taken(name string) bool {
	return slices.ContainsFunc(ownSpecs(), func(s slash.Spec) bool { return s.Is(name) })
}

// newExtensions runs the plugins of the installation where they are used, on the runner of the server's host.
func newExtensions(c *core, boxes *resolver.Resolver) extend.Extensions {
	running := bridge.New(bridge.Config{
		Plugins: c.installed, Rows: c.store, Box: boxes.Host(), Home: hostrunner.PluginFolder(c.home), Version: c.version, Log: c.log,
	})
	c.closer.onClose(func() { _ = running.Close() }) // it has nothing to say
	return extend.New(c.installed, running)
}

// pluginTexts are what plugins add to prompts.
type pluginTexts struct{ extend.Extensions }

// Name is for the log.
func (pluginTexts) Name() string { return "texts" }

// Enrich implements prompt.Enricher.
func (p pluginTexts) Enrich(ctx context.Context, a *prompt.Assembly) (string, error) {
	text, errs := p.Extensions.Enrich(ctx, extend.Scene{Session: a.Scene.Session, User: a.Scene.User, Channel: a.Scene.Channel})
	a.Notes = append(a.Notes, errs...)
	return text, nil
}
