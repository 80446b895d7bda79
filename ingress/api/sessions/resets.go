package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
)

// ResetsBody lists where a conversation was reset.
type ResetsBody struct {
	Resets []chat.Began `json:"resets"`
}

func (a *Endpoints) registerResets(h huma.API) {
	endpoint.InSession(a.Base, h, huma.Operation{
		OperationID: "list-resets", Method: http.MethodGet, Path: "/api/sessions/{key}/resets", Summary: "List the resets of a conversation, newest first",
		Description: "Messages up to upto stay in the transcript but are no longer part of the model's context. The transcript has a notice of origin reset there.",
		Security:    endpoint.Secured,
	}, func(ctx context.Context, s chat.Session, in *struct {
		endpoint.Key
		Limit int `query:"limit" minimum:"1" maximum:"500" default:"100"`
	}) (ResetsBody, error) {
		got, err := a.Conversations.Resets(ctx, s.Key, in.Limit)
		return ResetsBody{got}, err
	})
}
