package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// FoundBody lists messages that a search has found.
type FoundBody struct {
	Results []chat.Found `json:"results"`
}

func (a *Endpoints) registerSearch(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "search", Method: http.MethodGet, Path: "/api/search", Summary: "Find messages in my conversations, newest first",
		Description: "It finds messages of people and models that contain every word of q, in upper or lower case, also from before a reset. A word may be any part of the text, so short words and languages without spaces work, too.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Q     string `query:"q" required:"true" minLength:"1" maxLength:"400"`
		Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}) (*struct{ Body FoundBody }, error) {
		got, err := a.Store.Search(ctx, auth.User(ctx).ID, in.Q, in.Limit)
		return &struct{ Body FoundBody }{FoundBody{got}}, a.Problem(err)
	})
}
