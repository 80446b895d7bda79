package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/document/picture"
	"xbot/internal/tool"
)

const (
	// maxResult limits the text of a result, in bytes: its head and its tail stay.
	maxResult = 1 << 20
	// maxPictures limits the pictures of a result.
	maxPictures = 8
	// maxParts limits the parts of a result.
	maxParts = 1000
)

// answer collects the answer of a server, for the model.
type answer struct {
	name     string // of the tool; pictures are named after it
	text     strings.Builder
	parts    int
	pictures []chat.Picture
}

// resultOf returns the result of a call for the model.
func resultOf(ctx context.Context, name string, r *sdk.CallToolResult) (chat.ToolResult, error) {
	a := &answer{name: name}
	for _, part := range r.Content {
		if err := a.content(ctx, part); err != nil {
			return chat.ToolResult{}, err
		}
	}
	// The text of an error may leave out the reason (NousResearch/hermes-agent#101330).
	if r.StructuredContent != nil && (a.text.Len() == 0 || r.IsError && !strings.Contains(a.text.String(), compact(r.StructuredContent))) {
		a.line(compact(r.StructuredContent))
	}
	if r.IsError {
		out := tool.FailCommand(a.whole("The tool failed, and does not say why."))
		out.Pictures = a.pictures
		return out, nil
	}
	out := tool.Text(a.whole("(the tool returned nothing)"))
	out.Pictures = a.pictures
	return out, nil
}

// whole returns the text, bounded; if it is blank, none.
func (a *answer) whole(none string) string {
	text := tool.Bound(strings.TrimRight(a.text.String(), "\n"), maxResult)
	if strings.TrimSpace(text) == "" {
		return none
	}
	return text
}

// line adds text on separate lines. Text far beyond the bound is dropped.
func (a *answer) line(text string) {
	if text = tool.Clean([]byte(tool.Bound(text, 2*maxResult))); text == "" || a.text.Len() > 8*maxResult {
		return
	}
	a.text.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		a.text.WriteByte('\n')
	}
}

// content adds one part. The error is that of ctx.
func (a *answer) content(ctx context.Context, part sdk.Content) error {
	if a.parts++; a.parts > maxParts {
		if a.parts == maxParts+1 {
			a.line(fmt.Sprintf("[more than %d parts: the others are left out]", maxParts))
		}
		return nil
	}
	switch c := part.(type) {
	case *sdk.TextContent:
		a.line(c.Text)
	case *sdk.ImageContent:
		return a.image(ctx, c.Data, c.MIMEType)
	case *sdk.AudioContent:
		a.line(fmt.Sprintf("[audio: %s · %d bytes · left out]", word(c.MIMEType), len(c.Data)))
	case *sdk.ResourceLink:
		a.line(linked(c))
	case *sdk.EmbeddedResource:
		return a.resource(ctx, c.Resource)
	default:
		a.line("[a part of a kind that is not known: left out]")
	}
	return nil
}

// image adds a picture.
func (a *answer) image(ctx context.Context, data []byte, kind string) error {
	if len(a.pictures) >= maxPictures {
		a.line(fmt.Sprintf("[image: %s · %d bytes · left out, because %d are shown already]", word(kind), len(data), maxPictures))
		return nil
	}
	p, err := picture.Make(ctx, data)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.line(fmt.Sprintf("[image: %s · %d bytes · left out: %s]", word(kind), len(data), tool.OneLine(err.Error(), maxTitle)))
		return nil
	}
	shown := p.Of(fmt.Sprintf("%s-%d.%s", a.name, len(a.pictures)+1, strings.TrimPrefix(p.MediaType, "image/")))
	shown.Path = "" // there is no file of it
	a.pictures = append(a.pictures, shown)
	a.line(fmt.Sprintf("[image: %s · %d bytes · shown with %d × %d pixels to models that read pictures]", shown.Name, len(data), p.Width, p.Height))
	return nil
}

// resource adds the contents of a resource.
func (a *answer) resource(ctx context.Context, r *sdk.ResourceContents) error {
	switch {
	case r == nil:
		a.line("[a resource without a content]")
	case len(r.Blob) > 0 && strings.HasPrefix(r.MIMEType, "image/"):
		return a.image(ctx, r.Blob, r.MIMEType)
	case len(r.Blob) > 0:
		a.line(fmt.Sprintf("[resource: %s · %s · %d bytes · left out]", short(r.URI), word(r.MIMEType), len(r.Blob)))
	default:
		a.line("[resource: " + short(r.URI) + "]")
		a.line(r.Text)
	}
	return nil
}

func linked(c *sdk.ResourceLink) string {
	parts := []string{"[link: " + short(c.URI)}
	for _, more := range []string{c.Name, c.Description} {
		if more = short(more); more != "" {
			parts = append(parts, more)
		}
	}
	if c.MIMEType != "" {
		parts = append(parts, word(c.MIMEType))
	}
	if c.Size != nil {
		parts = append(parts, fmt.Sprintf("%d bytes", *c.Size))
	}
	return strings.Join(parts, " · ") + "]"
}

// short returns a text on one line.
func short(text string) string { return tool.OneLine(strings.ToValidUTF8(text, "\uFFFD"), maxShort) }

// word returns a media type for a sentence, also if there is none.
func word(kind string) string {
	if kind = tool.OneLine(strings.ToValidUTF8(kind, "\uFFFD"), 100); kind == "" {
		return "of no known type"
	}
	return kind
}

// compact returns a value as JSON.
func compact(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return "[a value that is no JSON]"
	}
	return string(raw)
}
