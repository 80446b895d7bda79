package context

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed recallmasked.md
var maskedDoc string

// Masks keeps the results that were masked to save space.
type Masks interface {
	Masked(ctx context.Context, session chat.SessionKey, id string) (string, error) // NotFound if there is none
	Masks(ctx context.Context, session chat.SessionKey) ([]string, error)           // their placeholders, newest first
}

type maskedParams struct {
	ID     string `json:"id,omitempty" jsonschema:"mk_…"`
	List   bool   `json:"list,omitempty"`
	Offset int    `json:"offset,omitempty" jsonschema:"Characters to skip."`
	Limit  int    `json:"limit,omitempty" jsonschema:"Characters, default 8000, at most 16000."`
}

type maskedRecall struct{ masks Masks }

// NewRecallMasked returns the tool recall_masked. It gives back exactly what the masked call gave.
func NewRecallMasked(masks Masks) tool.Tool {
	return tool.DefineQuick("recall_masked", chat.ClassRead, maskedDoc, maskedRecall{masks})
}

func (maskedRecall) Summary(p maskedParams) string {
	switch id := maskID(p.ID); {
	case id == "":
		return "list"
	case p.Offset > 0:
		return fmt.Sprintf("%s from %d", id, p.Offset)
	default:
		return id
	}
}

func (r maskedRecall) Run(ctx context.Context, call tool.Call, p maskedParams) (chat.ToolResult, error) {
	id := maskID(p.ID)
	if id == "" || p.List {
		return r.list(ctx, call, p)
	}
	if strings.HasPrefix(id, "ol_") {
		return tool.Fail("%s is an offloaded result; offload_recall shows it", tool.Cut(id, 40)), nil
	}
	result, err := r.masks.Masked(ctx, call.Session, id)
	if fault.Is(err, fault.NotFound) {
		return tool.Fail("there is no masked result %q; call recall_masked with list to see the ids", tool.Cut(id, 40)), nil
	}
	if err != nil {
		return tool.FromError(err)
	}
	return page(result, p.Offset, p.Limit)
}

func (r maskedRecall) list(ctx context.Context, call tool.Call, p maskedParams) (chat.ToolResult, error) {
	masks, err := r.masks.Masks(ctx, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	if len(masks) == 0 {
		return tool.Text("Nothing is masked in this conversation."), nil
	}
	text := tool.Count(len(masks), "masked result") + ", newest first:\n" + strings.Join(masks, "\n")
	return page(text, p.Offset, p.Limit)
}

// maskID reads an id as a model may copy it from a placeholder.
func maskID(text string) string {
	text = strings.Trim(strings.TrimSpace(text), "[]📂 ")
	return strings.ToLower(strings.TrimSpace(strings.TrimPrefix(text, "masked:")))
}
