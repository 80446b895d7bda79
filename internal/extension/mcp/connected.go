package mcp

import (
	"context"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
)

// connectedTime bounds how long all servers together may take to say what they offer after an account was connected.
const connectedTime = 30 * time.Second

// AccountConnected has the servers asked anew what they offer to which an account of a person authorizes requests, at a provider: the person's own, and
// those of the installation that have not said it yet, where the person vouches, which administrators do. It returns at once. What goes
// wrong stands at the server, as when it is asked by hand.
func (c *Connections) AccountConnected(person chat.UserID, provider string, vouches bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), connectedTime)
		defer cancel()
		rows, err := c.cfg.Rows.MCPServers(ctx, person)
		if err != nil {
			c.cfg.Log.Warn("the MCP servers of a connected account were not asked", "error", err)
			return
		}
		var all sync.WaitGroup
		defer all.Wait()
		for _, s := range rows {
			if authorizedAnew(s, provider, vouches) {
				all.Go(func() { c.askAnew(ctx, s, person) })
			}
		}
	})
}

// authorizedAnew reports whether a server is asked when an account at a provider was connected. The list that one account has made for everybody is not
// replaced because somebody else connects one, who may see less.
func authorizedAnew(s mcpstore.Server, provider string, vouches bool) bool {
	return s.Enabled && s.Account == provider && (s.User != 0 || vouches && s.Digest == "")
}

func (c *Connections) askAnew(ctx context.Context, s mcpstore.Server, person chat.UserID) {
	if _, err := c.Refresh(ctx, At{Server: s.ID, Person: person, Vouched: s.User == 0}); err != nil {
		c.cfg.Log.Info("an MCP server does not say what it offers to the account that was connected", "server", s.Name, "error", err) // the list says it, too
	}
}
