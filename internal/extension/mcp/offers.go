package mcp

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/message"
	"xbot/internal/extension/mcp/toolschema"
	"xbot/internal/tool"
)

// Limits of the lists of a server.
const (
	maxPages       = 64      // of a list
	maxTools       = 512     // tools
	maxSchemas     = 2 << 20 // bytes of all their schemas
	maxDescription = 4 << 10 // bytes of one
	maxTitle       = 200     // characters
	maxName        = 128     // bytes of the name of a tool, prompt or argument
	maxPrompts     = 128
	maxPromptArgs  = 32
	maxResources   = 256
	maxURI         = 2048
	maxShort       = 500 // bytes of the descriptions of prompts and resources
	maxGuide       = 4 << 10
	maxLeftOut     = 50
)

// listing collects the offers of a server.
type listing struct {
	chat.MCPOffers

	seen    map[string]bool // taken ones, by kind and name
	schemas int             // bytes of schemas
	unsaid  int             // number of parts left out without a note
}

// offersOf lists the offers of a server. Personal: it identifies a user by an account, so only its tools and prompts are taken; the rest
// may be of that user alone.
func offersOf(ctx context.Context, session *sdk.ClientSession, personal bool) (chat.MCPOffers, error) {
	about := session.InitializeResult()
	l := &listing{seen: map[string]bool{}}
	if !personal {
		l.Guide = cleaned(about.Instructions, maxGuide)
	}
	can := about.Capabilities
	if can == nil {
		can = &sdk.ServerCapabilities{}
	}
	if can.Tools != nil {
		if err := l.listTools(ctx, session); err != nil {
			return chat.MCPOffers{}, err
		}
	}
	if can.Prompts != nil {
		if err := l.listPrompts(ctx, session); err != nil {
			return chat.MCPOffers{}, err
		}
	}
	if can.Resources != nil && !personal {
		if err := l.listResources(ctx, session); err != nil {
			return chat.MCPOffers{}, err
		}
	}
	if l.unsaid > 0 {
		l.LeftOut = append(l.LeftOut, fmt.Sprintf("and %d more", l.unsaid))
	}
	return l.MCPOffers, nil
}

// pages follows the pages of a list to its end, or up to the limit: a page has the cursor of the next one.
func (l *listing) pages(what string, page func(cursor string) (next string, more bool, err error)) error {
	cursors, cursor := map[string]bool{}, ""
	for range maxPages {
		next, more, err := page(cursor)
		if err != nil {
			return err
		}
		if next == "" || !more {
			return nil
		}
		if cursors[next] {
			l.leave(what, "the server's list goes in circles")
			return nil
		}
		cursors[next], cursor = true, next
	}
	l.leave(what, fmt.Sprintf("the server's list has more than %d pages", maxPages))
	return nil
}

// leave records a part that is left out.
func (l *listing) leave(name, why string) {
	if len(l.LeftOut) >= maxLeftOut {
		l.unsaid++
		return
	}
	l.LeftOut = append(l.LeftOut, tool.OneLine(strings.ToValidUTF8(name, "\uFFFD"), 80)+": "+tool.OneLine(why, maxTitle))
}

// take reports whether an item can be taken: it has a name, and is the first of that name. Others are recorded as left out.
func (l *listing) take(kind, name string, count, most int) bool {
	var why string
	switch key := kind + " " + name; {
	case count >= most:
		why = fmt.Sprintf("more than %d of the kind %s are not taken", most, kind)
	case name == "" || len(name) > maxName:
		why = fmt.Sprintf("the name must have 1 to %d bytes", maxName)
	case !printable(name):
		why = "the name has characters that cannot be shown"
	case l.seen[key]:
		why = "there are two of that name"
	default:
		l.seen[key] = true
		return true
	}
	l.leave(kind+" "+name, why)
	return false
}

func printable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (l *listing) listTools(ctx context.Context, session *sdk.ClientSession) error {
	return l.pages("tools", func(cursor string) (string, bool, error) {
		page, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, t := range page.Tools {
			l.tool(t)
		}
		return page.NextCursor, len(l.Tools) < maxTools, nil
	})
}

func (l *listing) tool(t *sdk.Tool) {
	if t == nil || !l.take("tool", t.Name, len(l.Tools), maxTools) {
		return
	}
	schema, why := toolschema.Mend(t.InputSchema)
	if said, ok := t.Meta[message.FaultKey].(string); ok {
		why = said
	}
	if why == "" && l.schemas+len(schema) > maxSchemas {
		why = fmt.Sprintf("the input schemas of all tools have more than %d MB", maxSchemas>>20)
	}
	if why != "" {
		l.leave("tool "+t.Name, why)
		return
	}
	l.schemas += len(schema)
	out := chat.MCPTool{Name: t.Name, Title: t.Title, Description: cleaned(t.Description, maxDescription), Schema: schema}
	if a := t.Annotations; a != nil {
		out.Hints = chat.MCPHints{ReadOnly: a.ReadOnlyHint, Idempotent: a.IdempotentHint, Destructive: a.DestructiveHint, OpenWorld: a.OpenWorldHint}
		if out.Title == "" {
			out.Title = a.Title
		}
	}
	out.Title = tool.OneLine(strings.ToValidUTF8(out.Title, "\uFFFD"), maxTitle)
	l.Tools = append(l.Tools, out)
}

// cleaned returns a text of a server as plain text of at most so many bytes.
func cleaned(text string, most int) string {
	text = strings.TrimSpace(tool.Clean([]byte(text[:min(len(text), 2*most)])))
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most-len("…")], "") + "…"
}

func (l *listing) listPrompts(ctx context.Context, session *sdk.ClientSession) error {
	return l.pages("prompts", func(cursor string) (string, bool, error) {
		page, err := session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, p := range page.Prompts {
			l.prompt(p)
		}
		return page.NextCursor, len(l.Prompts) < maxPrompts, nil
	})
}

func (l *listing) prompt(p *sdk.Prompt) {
	if p == nil || !l.take("prompt", p.Name, len(l.Prompts), maxPrompts) {
		return
	}
	out := chat.MCPPrompt{Name: p.Name, Title: tool.OneLine(strings.ToValidUTF8(p.Title, "\uFFFD"), maxTitle), Description: cleaned(p.Description, maxShort)}
	for _, a := range p.Arguments {
		if a == nil || a.Name == "" || len(a.Name) > maxName || !printable(a.Name) || len(out.Arguments) >= maxPromptArgs {
			l.leave("prompt "+p.Name, "its arguments cannot be shown")
			return
		}
		out.Arguments = append(out.Arguments, chat.MCPPromptArgument{Name: a.Name, Description: cleaned(a.Description, maxShort), Required: a.Required})
	}
	l.Prompts = append(l.Prompts, out)
}

func (l *listing) listResources(ctx context.Context, session *sdk.ClientSession) error {
	err := l.pages("resources", func(cursor string) (string, bool, error) {
		page, err := session.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return "", false, err
		}
		for _, r := range page.Resources {
			if r != nil {
				l.resource(chat.MCPResource{URI: r.URI, Name: r.Name, Description: r.Description, MediaType: r.MIMEType})
			}
		}
		return page.NextCursor, len(l.Resources) < maxResources, nil
	})
	if err != nil {
		return err
	}
	return l.pages("resource templates", func(cursor string) (string, bool, error) {
		page, err := session.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if unknownMethod(err) {
			return "", false, nil // it has none
		}
		if err != nil {
			return "", false, err
		}
		for _, r := range page.ResourceTemplates {
			if r != nil {
				l.resource(chat.MCPResource{URI: r.URITemplate, Name: r.Name, Description: r.Description, MediaType: r.MIMEType, Pattern: true})
			}
		}
		return page.NextCursor, len(l.Resources) < maxResources, nil
	})
}

func (l *listing) resource(r chat.MCPResource) {
	switch {
	case len(l.Resources) >= maxResources:
		l.leave("resource "+r.URI, fmt.Sprintf("more than %d resources are not listed; they can be read", maxResources))
	case r.URI == "" || len(r.URI) > maxURI || !printable(r.URI):
		l.leave("resource "+r.URI, "its address cannot be shown")
	default:
		r.Name, r.Description, r.MediaType = tool.OneLine(strings.ToValidUTF8(r.Name, "\uFFFD"), maxTitle), cleaned(r.Description, maxShort), tool.OneLine(chat.Clean(r.MediaType), 100)
		l.Resources = append(l.Resources, r)
	}
}
