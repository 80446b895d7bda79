package server

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"xbot/ingress/runners/manage"
	"xbot/internal/automation/hook"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/discovery"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/extension/oauth"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/extension/plugin/extend"
	"xbot/internal/extension/plugin/installed"
	"xbot/internal/extension/toolkey"
	"xbot/internal/host/config"
	"xbot/internal/host/safehttp"
	"xbot/internal/llm/catalogue"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/slashcommand"
	"xbot/server/hostrunner"
)

// mcpServers are those of users and of the installation.
type mcpServers struct {
	servers     *mcp.Servers
	connections *mcp.Connections
	offered     *mcp.Source
	connected   *oauth.Accounts // of users at providers, which authorize requests to servers
	plugins     *installed.Plugins
	projects    *project.Projects // nil until the runners are known
}

// newMCPServers connects to none yet. A server that a user chose is reached like any other foreign address, one that an
// administrator chose at any address.
func newMCPServers(s settings, p *process, db *database, st *store.Store, closer *Server) (*mcpServers, error) {
	allow, err := safehttp.ParseAllow(s.HTTPAllow)
	if err != nil {
		return nil, err
	}
	accounts := &oauth.Accounts{
		Calls: st.Calls, Conversations: st.Conversations, OAuth: st.OAuth, Users: st.Users, Key: db.key, HTTP: safehttp.NewTransport(allow),
		Public: s.at.people(),
	}
	shared := safehttp.Trusted()
	out := &mcpServers{
		servers: &mcp.Servers{Rows: db.rows.MCPServers, Key: db.key, Providers: accounts, Finder: finder(allow, shared, accounts)}, connected: accounts,
		connections: mcp.NewConnections(mcp.Config{
			Rows: db.rows.MCPServers, Key: db.key, Own: safehttp.NewTransport(allow), Shared: shared, Tokens: accounts, Idle: s.MCPIdle, Version: p.version, Log: p.log,
		}),
	}
	out.plugins = NewPlugins(db.rows.Plugins, db.key)
	out.offered = mcp.NewSource(db.rows.MCPServers, out.connections)
	closer.onClose(func() { _ = out.connections.Close() }) // it has nothing to say
	return out, nil
}

// finder asks servers which account they want. The provider of the account is foreign, also where an administrator chose the server.
func finder(allow safehttp.Allow, shared http.RoundTripper, accounts *oauth.Accounts) *discovery.Finder {
	out := &discovery.Finder{Own: safehttp.NewTransport(allow), Shared: shared}
	if accounts.Public != "" {
		out.Redirect = accounts.Public + oauth.Callback
	}
	return out
}

// mcpFile reads the servers that the administrator has written into a file. It cannot hand on keys of the database or of secrets, not even by
// mistake: commands run where users can read their variables.
func (c *core) mcpFile() *mcp.File {
	return &mcp.File{
		Path: filepath.Join(c.proc.home, mcp.FileName), Env: config.Foreign(c.proc.env), Keys: keyVariables{c.db.policies}, Servers: c.mcp.servers,
		Connections: c.mcp.connections, Log: c.proc.log,
	}
}

// keyVariables know which variables hold keys of models and of the services of tools.
type keyVariables struct{ policies catalogue.Policies }

// KeyVariables implements mcp.Keys.
func (k keyVariables) KeyVariables(ctx context.Context) ([]string, error) {
	p, err := k.policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	out := toolkey.KeyVariables()
	for _, m := range p.Models {
		if m.APIKeyEnv != "" {
			out = append(out, m.APIKeyEnv)
		}
	}
	return out, nil
}

// useProjects has conversations use the servers of the folders in which they work, as far as users have agreed to them.
func (c *core) useProjects(boxes *resolver.Resolver) {
	c.mcp.projects = &project.Projects{
		Folders: c.stores.Hooks, MCPServers: c.stores.MCPServers, Key: c.db.key, Sandboxes: boxes, Policies: c.db.policies,
		Hooked: &hook.Live{File: HooksFile(c.proc.home)}, Log: c.proc.log,
	}
	c.mcp.offered.Projects = c.mcp.projects
	c.proc.closer.onClose(c.mcp.projects.Close)
}

// NewPlugins returns the plugins of an installation.
func NewPlugins(rows installed.Rows, key secret.Sealer) *installed.Plugins {
	return &installed.Plugins{Rows: rows, Key: key, Reserved: ownCommands{}}
}

// ownCommands are the names of xbot's own slash commands, which plugins cannot have.
type ownCommands struct{}

var ownSpecs = sync.OnceValue(SlashCommands)

// Taken implements installed.Names.
func (ownCommands) Taken(name string) bool {
	return slices.ContainsFunc(ownSpecs(), func(s slashcommand.Spec) bool { return s.Is(name) })
}

// newExtensions runs the plugins of the installation where they are used, on the runner of the server's host.
func newExtensions(c *core, boxes *resolver.Resolver) extend.Extensions {
	cfg := bridge.Config{
		Plugins: c.mcp.plugins, Rows: c.stores.Plugins, Box: boxes.Host(), Home: hostrunner.PluginFolder(c.proc.home), Version: c.proc.version, Log: c.proc.log, Peer: c.platforms.added,
	}
	c.mcp.plugins.Starter = bridge.Trial{Config: cfg}
	running := bridge.New(cfg)
	c.platforms.added.Connect(running)
	c.proc.closer.onClose(func() { _ = running.Close() }) // it has nothing to say
	return extend.New(c.mcp.plugins, running)
}

// NewPluginTrial starts plugins for a program next to the running server, on the runner of the server's host. Its caller closes it.
func NewPluginTrial(rows *store.Store, key *secret.Keyring, home, version string) (trial bridge.Trial, closeTrial func()) {
	router := sandbox.NewRouter(sandbox.RouterConfig{Holders: manage.Registry{Runners: rows.Runners}, Key: key})
	return bridge.Trial{Config: bridge.Config{
		Rows: rows.Plugins, Box: resolver.New(resolver.Config{Router: router}).Host(), Home: hostrunner.PluginFolder(home), Version: version, Log: slog.New(slog.DiscardHandler),
	}}, router.Close
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

// agreements records what users say about folders.
func (c *core) agreements() project.Agreements {
	return project.Agreements{Projects: c.mcp.projects, Connections: c.mcp.connections}
}
