package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// promptsName is the name of the tool for prompts, as if the server had it.
const promptsName = "prompts"

// maxPromptsTold limits the list of prompts in the description of their tool, in characters.
const maxPromptsTold = 1500

var promptParameters = json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":"of the prompt"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["name"]}`)

// promptTool fills in the prompts of a server.
func promptTool(connections *Connections, server mcpstore.Server, person chat.UserID, prompts []chat.MCPPrompt) *serverTool {
	told := make([]string, len(prompts))
	for i, p := range prompts {
		told[i] = signature(p)
	}
	return &serverTool{
		server: server.ID, person: person, offered: added(server.Name, promptsName), own: connections.runPrompt,
		spec: tool.Spec{
			Class: chat.ClassRead, Parameters: promptParameters, Optional: true, Group: server.Name,
			Description: fmt.Sprintf("Fills in a prompt of the MCP server %s, for a user who has asked for it. They are: %s.", server.Name, tool.OneLine(strings.Join(told, "; "), maxPromptsTold)),
		},
	}
}

// signature returns a prompt with its arguments and its purpose.
func signature(p chat.MCPPrompt) string {
	takes := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		if takes[i] = a.Name; !a.Required {
			takes[i] += "?"
		}
	}
	text := p.Name
	if len(takes) > 0 {
		text += "(" + strings.Join(takes, ", ") + ")"
	}
	if p.Description != "" {
		text += ": " + tool.OneLine(p.Description, maxTitle)
	}
	return text
}

// runPrompt fills in a prompt of a server.
func (c *Connections) runPrompt(ctx context.Context, at At, arguments string) (chat.ToolResult, error) {
	name, values, err := promptParams(arguments)
	if err != nil {
		return tool.Fail("%s", err), nil
	}
	s, err := c.server(ctx, at)
	if err != nil {
		return tool.FromError(err)
	}
	offers, err := c.cfg.Rows.MCPOffers(ctx, at.Server)
	if err != nil {
		return tool.FromError(err)
	}
	known, found := pickPrompt(s.Name, offers.Prompts, name)
	if !found {
		return tool.Fail("the MCP server %s has no prompt of this name; it has: %s", s.Name, promptNames(offers.Prompts)), nil
	}
	for _, a := range known.Arguments {
		if a.Required && values[a.Name] == "" {
			return tool.Fail("the prompt %s needs the argument %s", known.Name, a.Name), nil
		}
	}
	text, pictures, err := c.Prompt(ctx, at, known.Name, values)
	if err != nil {
		return failed(ctx, err)
	}
	result := tool.Text(text)
	result.Pictures = pictures
	return result, nil
}

// promptParams parses the arguments of a model. An argument that is no text is given as JSON: prompts take nothing but text.
func promptParams(arguments string) (name string, values map[string]string, err error) {
	object, err := tool.Object(arguments)
	if err != nil {
		return "", nil, err
	}
	if json.Unmarshal(object["name"], &name) != nil || name == "" {
		return "", nil, fault.Errorf(fault.Invalid, "name must be the name of a prompt")
	}
	if object["arguments"] == nil {
		return name, nil, nil
	}
	given, err := tool.Object(string(object["arguments"]))
	if err != nil {
		return "", nil, fault.Errorf(fault.Invalid, "arguments must be an object of texts: %w", err)
	}
	values = make(map[string]string, len(given))
	for key, raw := range given {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		values[key] = text
	}
	return name, values, nil
}

// pickPrompt finds a prompt by its name, or by the word with which users ask for it.
func pickPrompt(server string, prompts []chat.MCPPrompt, name string) (chat.MCPPrompt, bool) {
	if i := slices.IndexFunc(prompts, func(p chat.MCPPrompt) bool { return p.Name == name }); i >= 0 {
		return prompts[i], true
	}
	word := folded(strings.TrimPrefix(name, "/"))
	i := slices.IndexFunc(prompts, func(p chat.MCPPrompt) bool { return folded(plainName(offered{server, p.Name})) == word })
	if i < 0 {
		return chat.MCPPrompt{}, false
	}
	return prompts[i], true
}

func promptNames(prompts []chat.MCPPrompt) string {
	names := make([]string, len(prompts))
	for i, p := range prompts {
		names[i] = p.Name
	}
	return tool.OneLine(strings.Join(names, ", "), maxPromptsTold)
}

// PromptTool returns the name of the tool that fills in the prompt for which a user asks by a word, mcp_{server}_{prompt}; empty: the word
// means no prompt of the user. It reads rows alone.
func (s *Source) PromptTool(ctx context.Context, user chat.UserID, word string) (string, error) {
	if !strings.HasPrefix(word, "mcp") {
		return "", nil
	}
	rows, err := s.rows.MCPServers(ctx, user)
	if err != nil {
		return "", err
	}
	servers := inForce(rows)
	for _, server := range servers {
		offers, err := s.offers(ctx, server)
		if fault.Is(err, fault.NotFound) {
			continue // removed at this moment
		}
		if err != nil {
			return "", err
		}
		if _, found := pickPrompt(server.Name, offers.Prompts, word); !found {
			continue
		}
		tools, err := s.named(ctx, servers, user)
		if err != nil {
			return "", err
		}
		if i := slices.IndexFunc(tools, func(t *serverTool) bool { return t.offered == added(server.Name, promptsName) }); i >= 0 {
			return tools[i].spec.Name, nil
		}
	}
	return "", nil
}

// Prompt is a prompt of a server that a user may use.
type Prompt struct {
	chat.MCPPrompt

	Server     int64
	ServerName string
}

// Prompts lists the prompts of the servers that are in force for a user, in the order of their servers. It reads rows alone.
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

// Prompt fills in a prompt of a server, under the name that the server knows. It returns the text and the pictures of its messages; those in
// the role of the assistant are marked. Errors are sentences: NotFound and Invalid as of the server, RefusedError, Unavailable,
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
