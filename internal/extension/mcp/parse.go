package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// entry is the form of a server in MCP clients, in JSON: {"command", "args", "env"} or {"url", "headers"}.
type entry struct {
	Type         string            `json:"type"`
	Transport    string            `json:"transport"`
	Command      string            `json:"command"`
	Args         []string          `json:"args"`
	Env          map[string]string `json:"env"`
	URL          string            `json:"url"`
	Headers      map[string]string `json:"headers"`
	Instructions string            `json:"instructions"`
	Trusted      bool              `json:"trusted"`
	Disabled     bool              `json:"disabled"`
}

// transports are the names of the transports in clients.
var transports = map[string]chat.MCPTransport{
	"": "", "stdio": chat.MCPStdio, "local": chat.MCPStdio, "sse": chat.MCPSSE, "http": chat.MCPHTTP, "remote": chat.MCPHTTP, "streamable-http": chat.MCPHTTP,
	"streamable_http": chat.MCPHTTP, "streamablehttp": chat.MCPHTTP,
}

// Parse reads one server in the JSON form of MCP clients, {"command", "args", "env"} or {"url", "headers"}, of at most 128 kB. Keys of other
// clients are ignored. It returns Invalid if it is none; the sentence quotes no values.
func Parse(name, config string) (Draft, error) {
	d, err := ParseUnchecked(name, config)
	if err != nil {
		return d, err
	}
	return d, d.Check()
}

// ParseUnchecked is Parse for callers that change values before they Check them.
func ParseUnchecked(name, config string) (Draft, error) {
	if len(config) > 2*maxDraft {
		return Draft{}, fault.Errorf(fault.Invalid, "the configuration has more than %d kB", 2*maxDraft>>10)
	}
	var e entry
	if err := json.Unmarshal([]byte(config), &e); err != nil {
		return Draft{}, fault.Errorf(fault.Invalid,
			`the configuration must be a JSON object such as {"command": "npx", "args": ["-y", "some-server"], "env": {"KEY": "text"}} or {"url": "https://…", "headers": {"Authorization": "text"}}`)
	}
	return e.draft(name)
}

func (e entry) draft(name string) (Draft, error) {
	transport, known := transports[strings.ToLower(e.Type+e.Transport)]
	if !known {
		return Draft{}, fault.Errorf(fault.Invalid, "%.40q is no transport: it is stdio, http or sse", e.Type+e.Transport)
	}
	return Draft{Env: e.Env, Headers: e.Headers, MCPConfig: chat.MCPConfig{
		Name: name, Transport: transport, Command: e.Command, Args: e.Args, URL: e.URL, Instructions: e.Instructions, Trusted: e.Trusted, Enabled: !e.Disabled,
	}}.tidy(), nil
}

// ParseFile reads the servers of a file such as mcp.json, {"mcpServers": {"name": {…}}}, of at most 1 MB, in the order of their names.
// It returns Invalid if content is not such a file, or one of the servers is wrong.
func ParseFile(content []byte) ([]Draft, error) {
	const most = 1 << 20
	if len(content) > most {
		return nil, fault.Errorf(fault.Invalid, "the file of MCP servers has more than %d MB", most>>20)
	}
	var file struct {
		Servers map[string]entry `json:"mcpServers"`
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, fault.Errorf(fault.Invalid, `the file of MCP servers must be JSON such as {"mcpServers": {"name": {"command": "npx", "args": ["-y", "some-server"]}}}`)
	}
	if file.Servers == nil {
		return nil, fault.Errorf(fault.Invalid, `the file of MCP servers has no "mcpServers"; one without servers is {"mcpServers": {}}`)
	}
	out := make([]Draft, 0, len(file.Servers))
	for _, name := range slices.Sorted(maps.Keys(file.Servers)) {
		d, err := file.Servers[name].draft(name)
		if err == nil {
			err = d.Check()
		}
		if err != nil {
			return nil, fault.Errorf(fault.KindOf(err), "MCP server %.40q: %w", name, err)
		}
		out = append(out, d)
	}
	return out, nil
}
