package server

import (
	"net/http"
	"path/filepath"

	"xbot/internal/config"
	"xbot/internal/mcp"
	"xbot/internal/oauth"
	"xbot/internal/safehttp"
)

// mcpServers are those of people and of the installation.
type mcpServers struct {
	servers     *mcp.Servers
	connections *mcp.Connections
	offered     *mcp.Source
	connected   *oauth.Accounts // that people have elsewhere, which authorize requests to servers
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
	out.offered = mcp.NewSource(db.rows, out.connections)
	closer.onClose(func() { _ = out.connections.Close() }) // it has nothing to say
	return out, nil
}

// mcpFile keeps the servers that the administrator has written into a file. What opens the database or unseals secrets it cannot hand on, not even
// by mistake: commands run where people can read their variables.
func (c *core) mcpFile() *mcp.File {
	return &mcp.File{Path: filepath.Join(c.home, mcp.FileName), Env: config.Foreign(c.env), Servers: c.servers, Connections: c.connections, Log: c.log}
}
