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
		OperationID: "search", Method: http.MethodGet, Path: "/api/search", Summary: "Search messages in my conversations, newest first",
		Description: "Searches messages of users and models for every word of q, including messages before a reset. Case and accents are ignored. The last word may be a prefix. Text without spaces, such as foo.bar() or 天气预报, and text in quotation marks matches in this order only. In languages without spaces, every part of a text matches.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Q     string `query:"q" required:"true" minLength:"1" maxLength:"400"`
		Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}) (*struct{ Body FoundBody }, error) {
		got, err := a.Search.Search(ctx, auth.User(ctx).ID, in.Q, in.Limit)
		return &struct{ Body FoundBody }{FoundBody{got}}, a.Problem(err)
	})
}
