// Package mcpservers has the endpoints of the servers of tools that speak the Model Context Protocol: those of a user and of the installation.
package mcpservers

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/sandbox"
)

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Servers     *mcp.Servers
	Connections project.Connections
	Source      *mcp.Source
	Projects    project.Agreements
	Sandboxes   sandbox.Finder // where commands run: on the runner of the user
}

// MCPServers lists servers of tools.
type MCPServers struct {
	Servers []chat.MCPServer `json:"servers" doc:"Servers of the installation, followed by yours. Yours replaces the installation's server of the same name."`
}

// MCPServerDraft is the definition of an MCP server: a command with args and env, or a url with headers.
type MCPServerDraft struct {
	Shared       bool              `json:"shared,omitempty" doc:"Belongs to the installation and applies to all users. Administrators only."`
	Transport    chat.MCPTransport `json:"transport,omitempty" enum:"stdio,http,sse" doc:"Left out: http where there is a url, else stdio."`
	Command      string            `json:"command,omitempty" maxLength:"1024" doc:"A program that runs on each user's own runner."`
	Args         []string          `json:"args,omitempty" maxItems:"64"`
	URL          string            `json:"url,omitempty" maxLength:"2048" doc:"Addresses set by users can only reach the public internet."`
	Env          map[string]string `json:"env,omitempty" doc:"Environment variables of the command. An empty value keeps the stored one. Values are never returned."`
	Headers      map[string]string `json:"headers,omitempty" doc:"Headers of each request. An empty value keeps the stored one. Values are never returned."`
	Account      string            `json:"account,omitempty" maxLength:"64" doc:"For servers of the installation with a URL: ID of the OAuth provider whose connected account of each user authorizes requests. Replaces an Authorization header."`
	Instructions string            `json:"instructions,omitempty" maxLength:"8192" doc:"Instructions for the model about the server."`
	Trusted      bool              `json:"trusted,omitempty" doc:"For servers of the installation: trust the tool annotations. Tools marked read-only then run without approval and in read-only conversations."`
	Enabled      bool              `json:"enabled"`
	Revision     int64             `json:"revision,omitempty" minimum:"0" doc:"Revision on which the change is based; 0: no server with this name exists yet."`
}

// MCPServerState is a server after it was asked what it offers.
type MCPServerState struct {
	Server  chat.MCPServer  `json:"server"`
	Tools   []MCPServerTool `json:"tools" doc:"The tools of its last listing."`
	Problem string          `json:"problem,omitempty" doc:"Error of the last listing. The server is stored nevertheless."`
}

// MCPServerTools lists the tools of a server.
type MCPServerTools struct {
	Tools []MCPServerTool `json:"tools"`
}

// MCPServerTool is a tool of a server.
type MCPServerTool struct {
	Name        string         `json:"name" doc:"As the model calls it." example:"mcp_github_search_issues"`
	Description string         `json:"description" doc:"As reported by the server."`
	Class       chat.ToolClass `json:"class" enum:"read,idempotent,once" doc:"Declared effects: read and idempotent calls are repeated after a crash, others are not."`
	ReadOnly    bool           `json:"read_only" doc:"The server declares the tool read-only."`
}

type (
	// MCPServerPath names the server of a request.
	MCPServerPath struct {
		Name   string `path:"name" maxLength:"64" doc:"One to 32 small letters, digits and dashes." example:"github"`
		Shared bool   `query:"shared" doc:"That of the installation."`
	}
	change struct {
		Name string `path:"name" maxLength:"64" doc:"One to 32 small letters, digits and dashes." example:"github"`
		Body MCPServerDraft
	}
	stateBody struct{ Body MCPServerState }
)

// maxBody bounds a request with a server, in bytes: twice what one may take.
const maxBody = 128 << 10

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerProjects(h)
	const root, one = "/api/mcp-servers", "/api/mcp-servers/{name}"
	huma.Register(h, endpoint.Operation("list-mcp-servers", http.MethodGet, root, "List the MCP servers",
		"Values of variables and headers are never returned. How the installation's are reached is for administrators."), a.list)
	huma.Register(h, huma.Operation{
		OperationID: "set-mcp-server", Method: http.MethodPut, Path: one, Summary: "Create or update an MCP server",
		Description: "Stores the server and lists its tools, for at most 20 seconds; the response has the tools or the problem. A command runs on your runner, in its sandbox. " +
			"409: the server was created or changed in the meantime. A changed address or command requires the secret values again.", Security: endpoint.Secured, MaxBodyBytes: maxBody,
	}, a.set)
	huma.Register(h, endpoint.Removal("delete-mcp-server", one, "Remove an MCP server, with its tools", ""), a.remove)
	huma.Register(h, endpoint.Operation("refresh-mcp-server", http.MethodPost, one+"/refresh", "Refresh the tools of an MCP server",
		"Reconnects to the server, for at most 20 seconds. Servers of the installation require an administrator."), a.refresh)
	huma.Register(h, endpoint.Operation("set-mcp-account", http.MethodPost, one+"/account", "Use your connected account for requests to an MCP server",
		"Discovers the OAuth provider of the server and registers xbot there, for at most 30 seconds. Then connect an account at the provider named in the response (account). "+
			"Those of a provider that was named before have to be connected again. Requires an administrator if the server belongs to the installation. Not available to tokens of conversations."), a.account)
	huma.Register(h, endpoint.Operation("list-mcp-tools", http.MethodGet, one+"/tools", "List the tools of an MCP server", ""), a.tools)
}
