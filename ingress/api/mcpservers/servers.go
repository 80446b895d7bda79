package mcpservers

import (
	"context"
	"errors"
	"time"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

func (a *Endpoints) list(ctx context.Context, _ *struct{}) (*struct{ Body MCPServers }, error) {
	u := auth.User(ctx)
	all, err := a.Servers.List(ctx, u.ID)
	for i := range all {
		if all[i].Shared && !u.Admin {
			all[i] = outside(all[i])
		}
	}
	return &struct{ Body MCPServers }{MCPServers{all}}, a.Problem(err)
}

// outside returns a server of the installation as members see it: not how it is reached, nor who changed it.
func outside(s chat.MCPServer) chat.MCPServer {
	s.Command, s.Args, s.URL, s.ChangedBy, s.EnvNames, s.HeaderNames = "", nil, "", "", []string{}, []string{}
	return s
}

// owner returns the owner of the server to change: the installation only for administrators.
func (a *Endpoints) owner(ctx context.Context, shared bool) (chat.UserID, error) {
	if shared {
		return 0, a.AdminOnly(ctx)
	}
	return auth.User(ctx).ID, nil
}

func (a *Endpoints) set(ctx context.Context, in *change) (*stateBody, error) {
	owner, err := a.owner(ctx, in.Body.Shared)
	if err != nil {
		return nil, err
	}
	u, b := auth.User(ctx), in.Body
	s, err := a.Servers.Save(ctx, owner, mcp.Draft{
		Env: b.Env, Headers: b.Headers, Revision: b.Revision, MCPConfig: chat.MCPConfig{
			Name: in.Name, Transport: b.Transport, Command: b.Command, Args: b.Args, URL: b.URL, Account: b.Account, Instructions: b.Instructions, Trusted: b.Trusted, Enabled: b.Enabled,
		},
	}, u.ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("MCP server saved", "server", s.Name, "shared", s.Shared, "enabled", s.Enabled, "by", u.Name)
	if !s.Enabled {
		a.Connections.Forget(s.ID)
		return a.state(ctx, s, "")
	}
	return a.refreshState(ctx, s)
}

func (a *Endpoints) remove(ctx context.Context, in *MCPServerPath) (*struct{}, error) {
	owner, err := a.owner(ctx, in.Shared)
	if err != nil {
		return nil, err
	}
	s, err := a.Servers.Own(ctx, owner, in.Name)
	if err == nil {
		err = a.Servers.Remove(ctx, owner, in.Name)
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Connections.Forget(s.ID)
	a.Log.Info("MCP server removed", "server", s.Name, "shared", s.Shared, "by", auth.User(ctx).Name)
	return nil, nil
}

func (a *Endpoints) refresh(ctx context.Context, in *MCPServerPath) (*stateBody, error) {
	owner, err := a.owner(ctx, in.Shared)
	if err != nil {
		return nil, err
	}
	s, err := a.Servers.Own(ctx, owner, in.Name)
	if err == nil && !s.Enabled {
		err = fault.Errorf(fault.Invalid, "the MCP server %s is switched off: switch it on before it is asked", s.Name)
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	return a.refreshState(ctx, s)
}

func (a *Endpoints) account(ctx context.Context, in *MCPServerPath) (*struct{ Body chat.MCPServer }, error) {
	owner, err := a.owner(ctx, in.Shared)
	if err != nil {
		return nil, err
	}
	u := auth.User(ctx)
	s, err := a.Servers.Discover(ctx, owner, in.Name, u.ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Connections.Forget(s.ID)
	a.Log.Info("account of an MCP server found", "server", s.Name, "shared", s.Shared, "provider", s.Account, "by", u.Name)
	return &struct{ Body chat.MCPServer }{s}, nil
}

// refreshState asks a server what it offers. A failure of the server is part of the state.
func (a *Endpoints) refreshState(ctx context.Context, s chat.MCPServer) (*stateBody, error) {
	problem, err := a.ask(ctx, s)
	if err != nil {
		return nil, a.Problem(err)
	}
	now, err := a.Servers.Own(ctx, s.User, s.Name)
	if err != nil {
		return nil, a.Problem(err)
	}
	return a.state(ctx, now, problem)
}

// askTime is how long a server may take to answer a user who waits for it.
const askTime = 20 * time.Second

// ask returns why a server does not list what it offers; err is for unrelated failures.
func (a *Endpoints) ask(ctx context.Context, s chat.MCPServer) (problem string, err error) {
	timed, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	at := mcp.At{Server: s.ID, Person: auth.User(ctx).ID, Vouched: s.Shared} // only administrators come here with one of the installation's
	if s.Transport == chat.MCPStdio {
		at.Box, err = sandbox.Reach(timed, a.Sandboxes, at.Person, "")
	}
	if err == nil {
		_, err = a.Connections.Refresh(timed, at)
	}
	offline, away := errors.AsType[*sandbox.OfflineError](err)
	switch {
	case err == nil:
		return "", nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case timed.Err() != nil:
		return "the MCP server " + s.Name + " has not answered within " + askTime.String() + ": it may still be starting, so ask it again in a while", nil
	case away:
		return offline.Error(), nil
	case fault.KindOf(err) == fault.Internal:
		return "", err
	}
	return err.Error(), nil
}

func (a *Endpoints) state(ctx context.Context, s chat.MCPServer, problem string) (*stateBody, error) {
	tools, err := a.listed(ctx, s)
	return &stateBody{MCPServerState{Server: s, Tools: tools, Problem: problem}}, a.Problem(err)
}

func (a *Endpoints) listed(ctx context.Context, s chat.MCPServer) ([]MCPServerTool, error) {
	all, err := a.Source.Listed(ctx, auth.User(ctx).ID, s.ID)
	out := make([]MCPServerTool, len(all))
	for i, t := range all {
		out[i] = MCPServerTool{Name: t.Name, Description: t.Description, Class: t.Class, ReadOnly: t.Class == chat.ClassRead}
	}
	return out, err
}

func (a *Endpoints) tools(ctx context.Context, in *MCPServerPath) (*struct{ Body MCPServerTools }, error) {
	owner := auth.User(ctx).ID
	if in.Shared {
		owner = 0 // its tools are for all users
	}
	s, err := a.Servers.Own(ctx, owner, in.Name)
	if err != nil {
		return nil, a.Problem(err)
	}
	out, err := a.listed(ctx, s)
	return &struct{ Body MCPServerTools }{MCPServerTools{out}}, a.Problem(err)
}
