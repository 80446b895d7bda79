package hook

import (
	"encoding/json"
	"slices"
	"time"
)

// Kind is the kind of a handler.
type Kind string

// The kinds.
const (
	KindCommand  Kind = "command"
	KindHTTP     Kind = "http"
	KindMCP      Kind = "mcp_tool"
	KindCallback Kind = "callback"
)

// Layer is the owner of the file of a handler.
type Layer int

// The layers, in the order of their handlers.
const (
	LayerHome    Layer = iota // the administrator's
	LayerProject              // of a project, for all users who work on it
	LayerLocal                // of a project, on this machine
)

// Limits of one event.
const (
	MaxHandlers = 10               // handlers that one event asks
	MaxTime     = 60 * time.Second // for all of them together
)

// Default timeouts of one handler.
const (
	CommandTime = 30 * time.Second
	HTTPTime    = 10 * time.Second
)

// Handler is a checked entry of a hooks file.
type Handler struct {
	Event  Event
	Layer  Layer
	Source string // the file
	Place  string // where in it, for example hooks.PreToolUse[0].hooks[1]

	Kind    Kind
	Command string // of a command: given to sh -c
	Host    bool   // of a command: it runs on the server's host and not in the conversation's sandbox

	HTTPCall
	MCPCall

	Callback string // of callback: a name in Registry; of plugin: its id

	Timeout time.Duration
	Async   bool     // it is not waited for, and its answer does not count
	OnError Decision // the decision if it fails

	matcher matcher
	when    condition
}

// HTTPCall is the request of a handler of the kind http.
type HTTPCall struct {
	URL     string
	Headers map[string]string // values may name variables in Env as $NAME or ${NAME}
	Env     []string          // names of variables of the server that Headers may name
}

// MCPCall is the tool of an MCP server that a handler calls.
type MCPCall struct {
	Server string // its name: one of the installation's for its file, else one of the conversation's user
	Tool   string // as the server names it
	// Input is its arguments, in which ${tool_input.command} is replaced by that member of the payload; nil: the payload.
	Input json.RawMessage
}

// Matches reports whether the handler is asked about a payload.
func (h Handler) Matches(p Payload) bool {
	if !p.Event.OfTool() {
		return h.matcher.match(p.subject())
	}
	return slices.ContainsFunc(append([]string{p.ToolName}, p.ToolNames...), h.matcher.match) && h.when.holds(p, string(p.ToolInput))
}

// name identifies a handler by its file and its position there.
func (h Handler) name() string { return h.Source + ", " + h.Place }

// Label returns a handler as one line, without secrets: a query and the user of an address, and headers.
func (h Handler) Label() string {
	switch h.Kind {
	case KindCommand:
		return "command: " + cut(h.Command, 80)
	case KindHTTP:
		return "http: " + bareURL(h.URL)
	case KindMCP:
		return "mcp_tool: " + cut(h.Server, 40) + " " + cut(h.Tool, 80)
	case KindCallback:
		return "callback: " + h.Callback
	case KindPlugin:
		return "plugin: " + h.Callback
	}
	return string(h.Kind)
}
