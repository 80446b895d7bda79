package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Resources lists the resources of a server, for the model, from its last list: the server is not asked.
func (c *Connections) Resources(ctx context.Context, at At) (chat.ToolResult, error) {
	s, err := c.server(ctx, at)
	if err != nil {
		return tool.FromError(err)
	}
	offers, err := c.cfg.Rows.MCPOffers(ctx, at.Server)
	if err != nil {
		return tool.FromError(err)
	}
	if len(offers.Resources) == 0 {
		return tool.Textf("The MCP server %s lists no resources.", s.Name), nil
	}
	lines := make([]string, len(offers.Resources))
	for i, r := range offers.Resources {
		parts := []string{r.URI}
		for _, more := range []string{r.Name, tool.OneLine(r.Description, maxTitle), r.MediaType} {
			if more != "" {
				parts = append(parts, more)
			}
		}
		if r.Pattern {
			parts = append(parts, "a pattern: fill in what stands in braces")
		}
		lines[i] = strings.Join(parts, " · ")
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}

// Read reads a resource of a server, for the model. Otherwise it is like a Call of class read.
func (c *Connections) Read(ctx context.Context, at At, uri string) (chat.ToolResult, error) {
	s, err := c.server(ctx, at)
	if err != nil {
		return tool.FromError(err)
	}
	if len(uri) > maxURI || !printable(uri) {
		return tool.Fail("uri must be an address of at most %d bytes", maxURI), nil
	}
	var out *sdk.ReadResourceResult
	var said *bearer
	err = c.use(ctx, s, at, true, func(ctx context.Context, conn *connection) error {
		said = conn.bearer
		out, err = conn.session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		return err
	})
	if err != nil {
		return failed(ctx, err)
	}
	if out.NeedsInput() {
		return tool.Fail("the MCP server %s wants to ask a person something first, which is not possible here", s.Name), nil
	}
	a := &answer{name: s.Name}
	for _, part := range out.Contents[:min(len(out.Contents), maxParts)] {
		if err := a.resource(ctx, part); err != nil {
			return chat.ToolResult{}, err
		}
	}
	result := tool.Text(a.whole(fmt.Sprintf("(%s is empty)", short(uri))))
	result.Content, result.Pictures = said.hide(result.Content), a.pictures
	return result, nil
}
