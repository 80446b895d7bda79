package mcp

import (
	"context"
	"maps"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/internal/tool/toolset"
)

// ProjectFile is the file of a folder that names MCP servers, in the form that MCP clients have in common.
const ProjectFile = ".mcp.json"

// Projects know the servers of the folders in which conversations work.
type Projects interface {
	// InForce returns those of a conversation to which its person has agreed, from rows alone.
	InForce(ctx context.Context, at toolset.Place) ([]mcpstore.Server, error)
	// Stands refuses a call where the file is another one by now than the person has agreed to: Denied, with a sentence.
	Stands(ctx context.Context, person chat.UserID, p mcpstore.Project, box sandbox.Sandbox) error
}

// Sealed is a draft, which is checked, as a row, with its values sealed.
func (d Draft) Sealed(key secret.Sealer) mcpstore.Server {
	d.Trusted = false // a folder cannot declare a server trusted
	return mcpstore.Server{MCPServer: chat.MCPServer{MCPConfig: d.MCPConfig, EnvNames: slices.Sorted(maps.Keys(d.Env)), HeaderNames: slices.Sorted(maps.Keys(d.Headers))}, Secrets: given(d).seal(key)}
}
