package endpoint

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Operation describes an endpoint that needs a user.
func Operation(id, method, path, summary, description string) huma.Operation {
	return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: description, Security: Secured}
}

// Removal describes an endpoint that needs a user, deletes something and responds without a body.
func Removal(id, path, summary, description string) huma.Operation {
	op := Operation(id, http.MethodDelete, path, summary, description)
	op.DefaultStatus = http.StatusNoContent
	return op
}

// Admin restricts a handler to administrators.
func Admin[I, O any](b *Base, handle func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if err := b.AdminOnly(ctx); err != nil {
			return nil, err
		}
		return handle(ctx, in)
	}
}
