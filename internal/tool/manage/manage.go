// Package manage holds the tool with which a model gives its user more tools: personal MCP servers.
package manage

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed manage.md
var doc string

// Servers manages the MCP servers of users.
type Servers interface {
	List(ctx context.Context, user chat.UserID) ([]chat.MCPServer, error)
	Own(ctx context.Context, owner chat.UserID, name string) (chat.MCPServer, error)
	Offers(ctx context.Context, user chat.UserID, id int64) (chat.MCPOffers, error)
	Put(ctx context.Context, owner chat.UserID, d mcp.Draft, by chat.UserID) (chat.MCPServer, error)
	Remove(ctx context.Context, owner chat.UserID, name string) error
}

// Refresher asks servers what they offer.
type Refresher interface {
	Refresh(ctx context.Context, at mcp.At) (chat.MCPServer, error)
	Forget(server int64)
}

type params struct {
	Action       string `json:"action" jsonschema:"list|add_mcp|remove_mcp|list_mcp|reload"`
	Name         string `json:"name,omitempty" jsonschema:"of the server: small letters, digits, dashes"`
	Config       string `json:"mcp_config,omitempty" jsonschema:"JSON: {command, args, env} or {url, headers}"`
	Instructions string `json:"instructions,omitempty" jsonschema:"when to use it"`
	Reason       string `json:"reason,omitempty"`
}

type manage struct {
	servers Servers
	refresh Refresher
}

// New returns the tool ManageTools. It acts on the servers of the conversation's user, never on the installation's. A call that runs
// again changes nothing more: a server is found by its name.
func New(servers Servers, refresh Refresher) tool.Tool {
	return tool.Define("ManageTools", chat.ClassIdempotent, doc, manage{servers, refresh}, tool.Optional("settings"))
}

// Summary leaves the configuration out: it may hold secrets.
func (manage) Summary(p params) string { return strings.TrimSpace(p.Action + " " + p.Name) }

func (m manage) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	said, err := m.do(ctx, call, p)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(said), nil
}

func (m manage) do(ctx context.Context, call tool.Call, p params) (string, error) {
	p.Name = strings.TrimSpace(p.Name)
	switch action := strings.ToLower(strings.TrimSpace(p.Action)); {
	case action == "list" || action == "list_mcp" && p.Name == "":
		return m.list(ctx, call.User)
	case action == "reload" && p.Name == "":
		return m.reloadAll(ctx, call)
	case p.Name == "":
		return "", fault.Errorf(fault.Invalid, "name is empty; give the name of the server")
	case action == "list_mcp":
		return m.show(ctx, call.User, p.Name)
	case action == "add_mcp":
		return m.add(ctx, call, p)
	case action == "remove_mcp":
		return m.remove(ctx, call.User, p.Name)
	case action == "reload":
		return m.reload(ctx, call, p.Name)
	}
	return "", fault.Errorf(fault.Invalid, "action must be list, add_mcp, remove_mcp, list_mcp or reload")
}

func (m manage) list(ctx context.Context, user chat.UserID) (string, error) {
	all, err := m.servers.List(ctx, user)
	if err != nil || len(all) == 0 {
		return "There are no MCP servers.", err
	}
	lines := make([]string, len(all))
	for i, s := range all {
		lines[i] = summary(s)
	}
	return strings.Join(lines, "\n"), nil
}

// summary returns a server on one line, without its values. How one of the installation is reached is for administrators.
func summary(s chat.MCPServer) string {
	parts := []string{s.Name, "of the installation"}
	if !s.Shared {
		parts = []string{s.Name, string(s.Transport), tool.OneLine(strings.Join(append([]string{s.Command + s.URL}, s.Args...), " "), 200)}
		if names := slices.Concat(s.EnvNames, s.HeaderNames); len(names) > 0 {
			parts = append(parts, "given: "+strings.Join(names, ", "))
		}
	}
	parts = append(parts, tool.Count(s.Tools, "tool"))
	if !s.Enabled {
		parts = append(parts, "switched off")
	}
	if s.Problem != "" {
		parts = append(parts, "problem: "+s.Problem)
	}
	return strings.Join(parts, " · ")
}

// find returns the server of a name that is in force: the user's own, else the installation's.
func (m manage) find(ctx context.Context, user chat.UserID, name string) (found chat.MCPServer, err error) {
	all, err := m.servers.List(ctx, user)
	if err != nil {
		return found, err
	}
	for _, s := range all { // the user's own come behind
		if s.Name == name {
			found = s
		}
	}
	if found.ID == 0 {
		return found, fault.Errorf(fault.NotFound, "there is no MCP server %.40q", name)
	}
	return found, nil
}

func (m manage) show(ctx context.Context, user chat.UserID, name string) (string, error) {
	s, err := m.find(ctx, user, name)
	if err != nil {
		return "", err
	}
	return m.described(ctx, user, s)
}

// described returns a server with its tools, by the names that it gives them.
func (m manage) described(ctx context.Context, user chat.UserID, s chat.MCPServer) (string, error) {
	offers, err := m.servers.Offers(ctx, user, s.ID)
	if err != nil {
		return "", err
	}
	lines := []string{summary(s)}
	for _, t := range offers.Tools {
		lines = append(lines, "- "+strings.TrimSuffix(t.Name+": "+tool.OneLine(t.Description, 160), ": "))
	}
	for _, left := range offers.LeftOut {
		lines = append(lines, "left out: "+left)
	}
	return strings.Join(lines, "\n"), nil
}

func (m manage) add(ctx context.Context, call tool.Call, p params) (string, error) {
	d, err := mcp.Parse(p.Name, p.Config)
	if err != nil {
		return "", err
	}
	if p.Instructions != "" {
		d.Instructions = p.Instructions
	}
	s, err := m.servers.Put(ctx, call.User, d, call.User)
	if err != nil {
		return "", err
	}
	return m.refreshed(ctx, call, s, "The MCP server "+s.Name+" is stored. ")
}

// refreshed connects to a server. A failure to connect is no failure of the tool: the sentence gives the reason.
func (m manage) refreshed(ctx context.Context, call tool.Call, s chat.MCPServer, stored string) (string, error) {
	if !s.Enabled {
		return stored + "It is switched off.", nil
	}
	now, err := m.refresh.Refresh(ctx, mcp.At{Server: s.ID, Person: call.User, Box: call.Box})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return stored + fmt.Sprintf("It offers nothing yet: %s.", strings.TrimSuffix(err.Error(), ".")), nil
	}
	said, err := m.described(ctx, call.User, now)
	return stored + "It offers:\n" + said, err
}

func (m manage) remove(ctx context.Context, user chat.UserID, name string) (string, error) {
	s, err := m.servers.Own(ctx, user, name)
	if fault.Is(err, fault.NotFound) {
		return "", fault.Errorf(fault.NotFound, "the user has no MCP server %.40q of their own; those of the installation are changed by administrators", name)
	}
	if err != nil {
		return "", err
	}
	if err := m.servers.Remove(ctx, user, name); err != nil {
		return "", err
	}
	m.refresh.Forget(s.ID)
	return "The MCP server " + name + " is removed, with its tools.", nil
}

func (m manage) reload(ctx context.Context, call tool.Call, name string) (string, error) {
	s, err := m.find(ctx, call.User, name)
	if err != nil {
		return "", err
	}
	return m.refreshed(ctx, call, s, "")
}

// reloadAll asks all servers of the user's own, one after the other.
func (m manage) reloadAll(ctx context.Context, call tool.Call) (string, error) {
	all, err := m.servers.List(ctx, call.User)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, s := range all {
		if s.Shared || !s.Enabled {
			continue
		}
		said, err := m.refreshed(ctx, call, s, s.Name+": ")
		if err != nil {
			return "", err
		}
		parts = append(parts, said)
	}
	if len(parts) == 0 {
		return "The user has no MCP servers of their own.", nil
	}
	return strings.Join(parts, "\n\n"), nil
}
