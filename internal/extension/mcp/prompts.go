package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Prompt is a prompt of a server that a person may use.
type Prompt struct {
	chat.MCPPrompt

	Server     int64
	ServerName string
}

// Prompts lists the prompts of the servers that are in force for a person, in the order of their servers. It reads rows alone.
func (c *Connections) Prompts(ctx context.Context, user chat.UserID) ([]Prompt, error) {
	rows, err := c.cfg.Rows.MCPServers(ctx, user)
	if err != nil {
		return nil, err
	}
	var out []Prompt
	for _, s := range inForce(rows) {
		if s.MCPState.Prompts == 0 {
			continue
		}
		offers, err := c.cfg.Rows.MCPOffers(ctx, s.ID)
		if fault.Is(err, fault.NotFound) {
			continue // removed at this moment
		}
		if err != nil {
			return nil, err
		}
		for _, p := range offers.Prompts {
			out = append(out, Prompt{MCPPrompt: p, Server: s.ID, ServerName: s.Name})
		}
	}
	return out, nil
}

// Prompt fills in a prompt of a server, under the name that the server knows. It returns the text and the pictures of its messages; those that
// the assistant is supposed to have said are marked. Errors are sentences: NotFound and Invalid as of the server, RefusedError, Unavailable,
// and the end of ctx.
func (c *Connections) Prompt(ctx context.Context, at At, name string, arguments map[string]string) (text string, pictures []chat.Picture, err error) {
	s, err := c.server(ctx, at)
	if err != nil {
		return "", nil, err
	}
	var out *sdk.GetPromptResult
	err = c.use(ctx, s, at, true, func(ctx context.Context, conn *connection) error {
		out, err = conn.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
		return err
	})
	if err != nil {
		return "", nil, err
	}
	if out.NeedsInput() {
		return "", nil, fault.Errorf(fault.Invalid, "the MCP server %s wants to ask something first, which is not possible here", s.Name)
	}
	a := &answer{name: s.Name}
	for _, m := range out.Messages {
		if m == nil {
			continue
		}
		if strings.EqualFold(string(m.Role), string(chat.RoleAssistant)) {
			a.line("[assistant]")
		}
		if err := a.content(ctx, m.Content); err != nil {
			return "", nil, err
		}
	}
	text = a.whole("")
	if text == "" {
		return "", nil, fault.Errorf(fault.Invalid, "the MCP server %s made an empty prompt of %.100q", s.Name, name)
	}
	return text, a.pictures, nil
}
