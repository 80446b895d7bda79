package memory

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/download"
	"xbot/internal/chat"
	"xbot/internal/memory/view"
)

// Owner names a memory of the caller. There is no other.
type Owner struct {
	Agent string `query:"agent" maxLength:"100" default:"main" doc:"Owner of the memory: main, or the name of an agent with a memory of its own."`
}

func (w Owner) of(ctx context.Context) chat.MemoryOwner {
	return chat.MemoryOwner{User: auth.User(ctx).ID, Agent: w.Agent}
}

// RememberedBody lists the memories that were found.
type RememberedBody struct {
	Items []chat.Remembered `json:"items"`
}

func remembered(items []chat.Remembered) *struct{ Body RememberedBody } {
	return &struct{ Body RememberedBody }{RememberedBody{append([]chat.Remembered{}, items...)}}
}

// MemoryEdit changes a note or a block.
type MemoryEdit struct { //nolint:revive // the name of its schema in the API
	ID      string `json:"id" minLength:"1" maxLength:"500" doc:"note/PATH or block/NAME[/SESSION]."`
	Was     string `json:"was" maxLength:"20000" doc:"The current content. 409: the content is different, and nothing was written."`
	Content string `json:"content" maxLength:"20000" doc:"The new content. Empty: the note is deleted, the block cleared."`
}

// Forgotten names the memories to forget, as they were shown.
type Forgotten struct {
	Items []chat.Remembered `json:"items" minItems:"1" maxItems:"200"`
}

func (a *Endpoints) registerMemory(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-memory", Method: http.MethodGet, Path: "/api/memory", Summary: "List what agents remember about me", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Owner }) (*struct{ Body view.Look }, error) {
		got, err := a.Memory.Look(ctx, in.of(ctx))
		return &struct{ Body view.Look }{got}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "search-memory", Method: http.MethodGet, Path: "/api/memory/search", Summary: "Search what agents remember about me", Security: endpoint.Secured,
		Description: "Returns notes and blocks with all of the words, and entries of archive and log with the most significant ones. With exact: what a deletion by these words would remove, line by line.",
	}, func(ctx context.Context, in *struct {
		Owner
		Q     string `query:"q" required:"true" minLength:"1" maxLength:"500"`
		Exact bool   `query:"exact"`
	}) (*struct{ Body RememberedBody }, error) {
		find := a.Memory.Search
		if in.Exact {
			find = a.Memory.Find
		}
		got, err := find(ctx, in.of(ctx), in.Q)
		return remembered(got), a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "list-memory", Method: http.MethodGet, Path: "/api/memory/entries", Summary: "List older entries of archive or log", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Owner
		Kind   string `query:"kind" enum:"archive,log" required:"true"`
		Before int64  `query:"before" minimum:"0" doc:"Return entries older than this number; 0: the newest."`
	}) (*struct{ Body RememberedBody }, error) {
		got, err := a.Memory.Older(ctx, in.of(ctx), in.Kind, in.Before)
		return remembered(got), a.Problem(err)
	})
	a.registerMemoryChanges(h)
}

func (a *Endpoints) registerMemoryChanges(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "edit-memory", Method: http.MethodPut, Path: "/api/memory", Summary: "Update a note or block", Security: endpoint.Secured, DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, in *struct {
		Owner
		Body MemoryEdit
	}) (*struct{}, error) {
		return nil, a.Problem(a.Memory.Set(ctx, in.of(ctx), in.Body.ID, in.Body.Was, in.Body.Content))
	})
	huma.Register(h, huma.Operation{
		OperationID: "forget-memory", Method: http.MethodPost, Path: "/api/memory/forget", Summary: "Delete from memory", Security: endpoint.Secured, DefaultStatus: http.StatusNoContent,
		Description: "Deletes notes and blocks, lines of them, and entries of archive and log. There is no confirmation and no undo.",
	}, func(ctx context.Context, in *struct {
		Owner
		Body Forgotten
	}) (*struct{}, error) {
		return nil, a.Problem(a.Memory.Forget(ctx, in.of(ctx), in.Body.Items))
	})
	huma.Register(h, huma.Operation{
		OperationID: "export-memory", Method: http.MethodGet, Path: "/api/memory/export", Summary: "Export all that agents remember about me, as Markdown",
		Security: endpoint.Secured, Responses: endpoint.AttachmentResponse("text/markdown"),
	}, func(ctx context.Context, in *struct{ Owner }) (*huma.StreamResponse, error) {
		w := in.of(ctx)
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			_, out := humago.Unwrap(hctx)
			download.SetHeader(out, "memory.md", "text/markdown; charset=utf-8")
			if err := a.Memory.Export(ctx, w, out); err != nil {
				panic(http.ErrAbortHandler) // breaks off visibly rather than end early
			}
		}}, nil
	})
}
