package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/mcp/toolschema"
	"xbot/internal/tool"
)

// serverTool is a tool of a server.
type serverTool struct {
	offered

	spec        tool.Spec
	connections *Connections
	server      int64
	person      chat.UserID
	own         ownTool           // nil: the server has it
	names       map[string]string // the server's names of arguments that have another name for models
	project     mcpstore.Project
	projects    Projects // nil: it is no server of a project
}

// ownTool is a tool that this package adds to those of a server.
type ownTool func(ctx context.Context, at At, arguments string) (chat.ToolResult, error)

// Spec describes the tool for models and the scheduler.
func (t *serverTool) Spec() tool.Spec { return t.spec }

// Run calls the tool on the server.
func (t *serverTool) Run(ctx context.Context, call tool.Call) (chat.ToolResult, error) {
	object, err := tool.Object(call.Arguments)
	if err != nil {
		return tool.Fail("%s", err), nil
	}
	at := At{Server: t.server, Person: t.person, Box: call.Box, Dir: call.Cwd}
	if t.projects != nil {
		if err := t.projects.CheckAgreement(ctx, t.person, t.project, call.Box); err != nil {
			return tool.FromError(err)
		}
	}
	if t.own != nil {
		return t.own(ctx, at, call.Arguments)
	}
	arguments, err := json.Marshal(toolschema.Arguments(object, t.names))
	if err != nil {
		return tool.Fail("the arguments are not a valid JSON object: %s", err), nil
	}
	at.Asking = t.connections.asked.Begin(call.ID, call.Approval, !call.Attended, t.model(call))
	result, err := t.connections.Call(ctx, at, t.offered.tool, t.spec.Class, arguments, lines(call))
	if err == nil && len(result.Asks) == 0 {
		t.connections.asked.End(call.ID)
	}
	return result, err
}

// model answers requests of the server to the model during a call; nil: they are refused.
func (t *serverTool) model(call tool.Call) *elicit.Model {
	if call.Sampler == nil {
		return nil
	}
	return &elicit.Model{Sampler: call.Sampler, Of: t.spec.Remote}
}

// maxOutput limits the output of a call while it runs, in bytes.
const maxOutput = 256 << 10

// lines returns a function that shows messages of the server during a call; nil if the call has no output.
func lines(call tool.Call) func(line string) {
	if call.Output == nil {
		return nil
	}
	var offset int64
	return func(line string) {
		if offset+int64(len(line)) >= maxOutput {
			return
		}
		piece := []byte(line + "\n")
		call.Output(offset, piece)
		offset += int64(len(piece))
	}
}

// maxShown limits an argument that identifies a call, in bytes.
const maxShown = 200

// Summary returns the first short text among the arguments.
func (t *serverTool) Summary(arguments string) string {
	in := json.NewDecoder(strings.NewReader(arguments))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	for in.More() {
		if _, err := in.Token(); err != nil { // the key
			return ""
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return ""
		}
		var text string
		if json.Unmarshal(value, &text) == nil && text != "" && len(text) <= maxShown {
			if line := tool.OneLine(text, maxShown); line != "" {
				return line
			}
		}
	}
	return ""
}

// resourceName is the name of the tool for resources, as if the server had it.
const resourceName = "resources"

var resourceParameters = json.RawMessage(`{"type":"object","properties":{"uri":{"type":"string","description":"the resource to read; none: list them"}}}`)

// resourceTool lists and reads the resources of a server.
func resourceTool(connections *Connections, server mcpstore.Server, person chat.UserID, count int) *serverTool {
	return &serverTool{
		server: server.ID, person: person, offered: added(server.Name, resourceName), own: connections.runResources,
		spec: tool.Spec{
			Class: chat.ClassRead, Parameters: resourceParameters, Optional: true, Group: server.Name,
			Description: fmt.Sprintf("Lists or reads the resources of the MCP server %s: %s.", server.Name, tool.Count(count, "resource")),
		},
	}
}

// added identifies a tool that this package adds to those of a server, which has none of that name.
func added(server, name string) offered { return offered{server: server, tool: name + "\x00"} }

// runResources lists or reads the resources of a server.
func (c *Connections) runResources(ctx context.Context, at At, arguments string) (chat.ToolResult, error) {
	var params struct {
		URI string `json:"uri,omitempty"`
	}
	if _, err := tool.Decode(arguments, &params); err != nil {
		return tool.Fail("%s", err), nil
	}
	if params.URI == "" {
		return c.Resources(ctx, at)
	}
	return c.Read(ctx, at, params.URI)
}
