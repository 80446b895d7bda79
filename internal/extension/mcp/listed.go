package mcp

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
)

// Listed is a tool of a server as people see it.
type Listed struct {
	Name        string         // as models call it
	Description string         // in the words of the server
	Class       chat.ToolClass // what happens to a call that a crash interrupts
}

// Listed returns the tools that a server listed last, for whoever may use it, sorted as the server names them. One that is switched off, or that
// a server of the person's own stands before, has them under the names that they would have. NotFound: there is no such server for the person.
func (s *Source) Listed(ctx context.Context, person chat.UserID, id int64) ([]Listed, error) {
	rows, err := s.rows.MCPServers(ctx, person)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r mcpstore.Server) bool { return r.ID == id })
	if i < 0 {
		return nil, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
	}
	asked := rows[i]
	used := slices.DeleteFunc(inForce(rows), func(r mcpstore.Server) bool { return r.Name == asked.Name })
	all, err := s.named(ctx, append(used, asked), person)
	if err != nil {
		return nil, err
	}
	var out []Listed
	for _, t := range all {
		if t.server == id {
			out = append(out, Listed{Name: t.spec.Name, Description: t.spec.Description, Class: t.spec.Class})
		}
	}
	return out, nil
}
