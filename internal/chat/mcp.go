package chat

import (
	"encoding/json"
	"time"
)

// MCPTransport is how an MCP server is spoken to.
type MCPTransport string

// The transports.
const (
	MCPStdio MCPTransport = "stdio" // a command on the runner of whoever uses it
	MCPHTTP  MCPTransport = "http"  // streamable HTTP
	MCPSSE   MCPTransport = "sse"   // HTTP with a stream of events, as servers had it before
)

// MCPConfig is what a server of tools that speaks the Model Context Protocol is, without what is secret.
type MCPConfig struct {
	Name         string       `json:"name" doc:"One to 32 small letters, digits and dashes." example:"github"`
	Transport    MCPTransport `json:"transport" enum:"stdio,http,sse"`
	Command      string       `json:"command,omitempty" doc:"Of stdio: the program, run on the runner of whoever uses it." example:"npx"`
	Args         []string     `json:"args,omitempty"`
	URL          string       `json:"url,omitempty" doc:"Of http and sse." example:"https://mcp.example.com/mcp"`
	Instructions string       `json:"instructions,omitempty" doc:"What its owner tells the model about it."`
	Enabled      bool         `json:"enabled"`
}

// MCPServer is one as people may see it: without the values of variables and headers.
type MCPServer struct {
	MCPConfig
	MCPState

	ID          int64     `json:"id"`
	User        UserID    `json:"-"` // whose it is; 0: the installation's
	Shared      bool      `json:"shared" doc:"It is the installation's, for everybody."`
	EnvNames    []string  `json:"env_names" doc:"Environment variables of the command."`
	HeaderNames []string  `json:"header_names" doc:"Headers of each request."`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"created_at"`
	ChangedAt   time.Time `json:"changed_at"`
	ChangedBy   string    `json:"changed_by" doc:"Empty: nobody who is still there."`
}

// MCPState is what is known of a server since somebody last spoke to it.
type MCPState struct {
	ListedAt  *time.Time `json:"listed_at,omitempty" doc:"When it last said what it offers."`
	Digest    string     `json:"-"` // tells one list of what it offers from another
	Guide     string     `json:"guide,omitempty" doc:"What it says itself about its use."`
	LeftOut   []string   `json:"left_out,omitempty" doc:"What it offers and nobody is shown, each with why."`
	Tools     int        `json:"tools" doc:"How many tools it offers."`
	Prompts   int        `json:"prompts"`
	Resources int        `json:"resources" doc:"How many resources it lists, patterns of addresses included."`
	Problem   string     `json:"problem,omitempty" doc:"Why it could not be reached or read the last time."`
	ProblemAt *time.Time `json:"problem_at,omitempty"`
}

// MCPOffers is what a server lists.
type MCPOffers struct {
	Digest    string        `json:"-"`
	Guide     string        `json:"guide,omitempty"`
	LeftOut   []string      `json:"left_out,omitempty"`
	Tools     []MCPTool     `json:"tools"`
	Prompts   []MCPPrompt   `json:"prompts"`
	Resources []MCPResource `json:"resources"`
}

// MCPTool is a tool of a server, under the name that the server knows.
type MCPTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema of its arguments."`
	Hints       MCPHints        `json:"hints"`
}

// MCPHints is what a server says of the effects of a tool. Nothing proves it.
type MCPHints struct {
	ReadOnly    bool  `json:"read_only,omitempty"`
	Idempotent  bool  `json:"idempotent,omitempty"`
	Destructive *bool `json:"destructive,omitempty"`
	OpenWorld   *bool `json:"open_world,omitempty"`
}

// MCPPrompt is a prompt of a server, under the name that the server knows.
type MCPPrompt struct {
	Name        string              `json:"name"`
	Title       string              `json:"title,omitempty"`
	Description string              `json:"description,omitempty"`
	Arguments   []MCPPromptArgument `json:"arguments,omitempty"`
}

// MCPPromptArgument is a text that a prompt takes.
type MCPPromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// MCPResource is something that a server lets read.
type MCPResource struct {
	URI         string `json:"uri"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MediaType   string `json:"media_type,omitempty"`
	Pattern     bool   `json:"pattern,omitempty" doc:"The address has parts to fill in (RFC 6570)."`
}
