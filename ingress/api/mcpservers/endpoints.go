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
	Servers []chat.MCPServer `json:"servers" doc:"Those of the installation and, behind them, yours. A server of yours takes the place of the installation's of the same name."`
}

// MCPServerDraft is the definition of an MCP server: a command with args and env, or a url with headers.
type MCPServerDraft struct {
	Shared       bool              `json:"shared,omitempty" doc:"It is the installation's, for everybody; for administrators."`
	Transport    chat.MCPTransport `json:"transport,omitempty" enum:"stdio,http,sse" doc:"Left out: http where there is a url, else stdio."`
	Command      string            `json:"command,omitempty" maxLength:"1024" doc:"A program, run on the runner of whoever uses the server."`
	Args         []string          `json:"args,omitempty" maxItems:"64"`
	URL          string            `json:"url,omitempty" maxLength:"2048" doc:"Addresses of people reach the public internet alone."`
	Env          map[string]string `json:"env,omitempty" doc:"Environment variables of the command. An empty value: the stored one stays. They are never shown again."`
	Headers      map[string]string `json:"headers,omitempty" doc:"Of each request. An empty value: the stored one stays. They are never shown again."`
	Account      string            `json:"account,omitempty" maxLength:"64" doc:"Of a server of the installation with a url: id of the OAuth provider whose connected account authorizes requests, that of whoever uses the server. It takes the place of a header Authorization."`
	Instructions string            `json:"instructions,omitempty" maxLength:"8192" doc:"What the model is told about the server."`
	Trusted      bool              `json:"trusted,omitempty" doc:"For servers of the installation: trust the tool annotations. Tools marked read-only then run without approval and in read-only conversations."`
	Enabled      bool              `json:"enabled"`
	Revision     int64             `json:"revision,omitempty" minimum:"0" doc:"The revision that the change was made from; 0: there is none of that name yet."`
}

// MCPServerState is a server after it was asked what it offers.
type MCPServerState struct {
	Server  chat.MCPServer  `json:"server"`
	Tools   []MCPServerTool `json:"tools" doc:"What it listed last."`
	Problem string          `json:"problem,omitempty" doc:"Why it could not be asked now. The server is stored all the same."`
}

// MCPServerTools lists the tools of a server.
type MCPServerTools struct {
	Tools []MCPServerTool `json:"tools"`
}

// MCPServerTool is a tool of a server.
type MCPServerTool struct {
	Name        string         `json:"name" doc:"As the model calls it." example:"mcp_github_search_issues"`
	Description string         `json:"description" doc:"In the words of the server."`
	Class       chat.ToolClass `json:"class" enum:"read,idempotent,once" doc:"What the server says of its effects: read and idempotent calls are repeated after a crash, others are not."`
	ReadOnly    bool           `json:"read_only" doc:"The server says that it changes nothing."`
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
	huma.Register(h, endpoint.Operation("list-mcp-servers", http.MethodGet, root, "MCP servers, whose tools the model can use",
		"Values of variables and headers are never returned. How the installation's are reached is for administrators."), a.list)
	huma.Register(h, huma.Operation{
		OperationID: "set-mcp-server", Method: http.MethodPut, Path: one, Summary: "Add or change an MCP server",
		Description: "It is stored, and asked what it offers, for at most 20 seconds; the answer says what it offers, or what is wrong. A command runs on your runner, in its sandbox. " +
			"409: it was made or changed meanwhile. Where it leads somewhere else, its values have to be given again.", Security: endpoint.Secured, MaxBodyBytes: maxBody,
	}, a.set)
	huma.Register(h, endpoint.Removal("delete-mcp-server", one, "Remove an MCP server, with its tools", ""), a.remove)
	huma.Register(h, endpoint.Operation("refresh-mcp-server", http.MethodPost, one+"/refresh", "Ask an MCP server what it offers",
		"It is connected to anew, for at most 20 seconds. The installation's are asked by administrators."), a.refresh)
	huma.Register(h, endpoint.Operation("set-mcp-account", http.MethodPost, one+"/account", "Have your connected account authorize requests to an MCP server",
		"The server is asked at which OAuth provider it wants an account, and xbot is registered there, for at most 30 seconds; an account is connected then at the provider that the answer names (account), as at others. "+
			"Those of a provider that was named before have to be connected again. For administrators where the server is the installation's. Tokens of conversations cannot."), a.account)
	huma.Register(h, endpoint.Operation("list-mcp-tools", http.MethodGet, one+"/tools", "The tools that an MCP server listed last", ""), a.tools)
}
