package context

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed offloadrecall.md
var offloadDoc string

// Offloads keeps the results that were too large for the conversation. A session has its own, and a subagent those of the
// session that it works for.
type Offloads interface {
	OffloadBody(ctx context.Context, key chat.SessionKey, id string) (string, error) // NotFound if there is none
	Offloads(ctx context.Context, key chat.SessionKey) ([]chat.OffloadEntry, error)  // newest first
}

type offloadParams struct {
	ID     string `json:"id" jsonschema:"ol_…"`
	Offset int    `json:"offset,omitempty" jsonschema:"Characters to skip."`
	Limit  int    `json:"limit,omitempty" jsonschema:"Characters, default 8000, at most 16000."`
}

type offloadRecall struct{ offloads Offloads }

// NewOffloadRecall returns the tool offload_recall.
func NewOffloadRecall(offloads Offloads) tool.Tool {
	return tool.DefineQuick("offload_recall", chat.ClassRead, offloadDoc, offloadRecall{offloads})
}

func (offloadRecall) Summary(p offloadParams) string {
	if p.Offset > 0 {
		return fmt.Sprintf("%s from %d", offloadID(p.ID), p.Offset)
	}
	return offloadID(p.ID)
}

func (r offloadRecall) Run(ctx context.Context, call tool.Call, p offloadParams) (chat.ToolResult, error) {
	id := offloadID(p.ID)
	body, err := r.offloads.OffloadBody(ctx, call.Session, id)
	if fault.Is(err, fault.NotFound) {
		return r.unknown(ctx, call, id)
	}
	if err != nil {
		return tool.FromError(err)
	}
	return page(body, p.Offset, p.Limit)
}

// unknown names what a model may have meant by an id that there is not.
func (r offloadRecall) unknown(ctx context.Context, call tool.Call, id string) (chat.ToolResult, error) {
	entries, err := r.offloads.Offloads(ctx, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	if len(entries) == 0 {
		return tool.Fail("there is no offloaded result %q, and none at all in this conversation", tool.Cut(id, 40)), nil
	}
	slices.SortStableFunc(entries, func(a, b chat.OffloadEntry) int {
		return cmp.Compare(unlike(a.ID, id), unlike(b.ID, id))
	})
	var near []string
	for _, e := range entries[:min(len(entries), 3)] {
		what := e.Tool
		if e.Path != "" {
			what += " " + tool.OneLine(e.Path, 100)
		}
		near = append(near, fmt.Sprintf("%s (%s, %d bytes)", e.ID, what, e.Bytes))
	}
	return tool.Fail("there is no offloaded result %q; the nearest are %s", tool.Cut(id, 40), strings.Join(near, ", ")), nil
}

var offloadForm = regexp.MustCompile(`ol_[0-9a-f]+`)

// offloadID finds the id in what a model wrote: alone, or in the form that the conversation shows.
func offloadID(text string) string {
	if id := offloadForm.FindString(strings.ToLower(text)); id != "" {
		return id
	}
	return strings.TrimSpace(text)
}

// unlike counts the places in which two ids differ.
func unlike(a, b string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
