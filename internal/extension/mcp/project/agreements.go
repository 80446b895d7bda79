package project

import (
	"context"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/sandbox"
)

const (
	listTime = 20 * time.Second // for the servers of a folder to list their tools
	maxLists = 4                // servers that list their tools at the same time
)

// Connections manages the connections to MCP servers.
type Connections interface {
	// Forget closes the connections to a server.
	Forget(server int64)
	// Refresh lists the tools of a server, and stores the list or why there is none.
	Refresh(ctx context.Context, at mcp.At) (chat.MCPServer, error)
}

// Agreements records decisions of users about folders, and lists the tools of the servers that they agree to.
type Agreements struct {
	*Projects

	Connections Connections
}

// Agree is Projects.Agree that also connects to the servers of the folder.
func (a Agreements) Agree(ctx context.Context, user chat.UserID, id int64, digest string) (Seen, error) {
	now, before, err := a.Projects.Agree(ctx, user, id, digest)
	if err != nil {
		return Seen{}, err
	}
	a.forget(before)
	a.Log.Info("user agreed to a folder", "project", now.ID, "runner", now.Runner, "user", user)
	a.list(ctx, now)
	return a.one(ctx, user, id)
}

// Withdraw is Projects.Withdraw that also disconnects from the servers of the folder.
func (a Agreements) Withdraw(ctx context.Context, user chat.UserID, id int64) error {
	servers, err := a.Projects.Withdraw(ctx, user, id)
	a.forget(servers)
	return err
}

func (a Agreements) forget(servers []int64) {
	for _, id := range servers {
		a.Connections.Forget(id)
	}
}

// list lists the tools of the servers of a folder. Their errors are stored with the servers.
func (a Agreements) list(ctx context.Context, s Seen) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	box, err := sandbox.Reach(ctx, a.Sandboxes, s.User, s.Runner)
	if err != nil {
		return // the runner has just left; the next agreement lists
	}
	var work sync.WaitGroup
	defer work.Wait()
	slots := make(chan struct{}, maxLists)
	for _, server := range s.Servers {
		if !server.Enabled {
			continue
		}
		work.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			_, _ = a.Connections.Refresh(ctx, mcp.At{Server: server.ID, Person: s.User, Box: box}) // it has stored the error
		})
	}
}
