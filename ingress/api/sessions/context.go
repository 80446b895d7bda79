package sessions

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/turn/contextview"
)

type contextBody struct{ Body contextview.Context }

func (a *Endpoints) registerContext(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-context", Method: http.MethodGet, Path: "/api/sessions/{key}/context", Summary: "Get the context of a conversation: its size and composition", Security: endpoint.Secured,
	}, func(ctx context.Context, in *endpoint.Key) (*contextBody, error) { return a.context(ctx, in.Key) })
	huma.Register(h, huma.Operation{
		OperationID: "set-context-mode", Method: http.MethodPut, Path: "/api/sessions/{key}/context", Summary: "Set the context mode of a conversation", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Body struct {
			Mode string `json:"mode" enum:"default,none"`
		}
	}) (*contextBody, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		if err := a.Contexts.SetMode(ctx, s.Key, in.Body.Mode); err != nil {
			return nil, a.Problem(err)
		}
		return a.context(ctx, in.Key.Key)
	})
	huma.Register(h, huma.Operation{
		OperationID: "get-request", Method: http.MethodGet, Path: "/api/sessions/{key}/turns/{turn}/steps/{step}/request", Summary: "Get the model request of a step",
		Description: "The request is reconstructed from stored rows; exact reports whether it is identical byte for byte.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Turn chat.TurnID `path:"turn" maxLength:"200"`
		Step int         `path:"step" minimum:"0" maximum:"100000"`
	}) (*struct{ Body contextview.SentRequest }, error) {
		s, err := a.Own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		got, err := a.Contexts.Request(ctx, s.Key, in.Turn, in.Step)
		return &struct{ Body contextview.SentRequest }{got}, a.Problem(err)
	})
}

func (a *Endpoints) context(ctx context.Context, key chat.SessionKey) (*contextBody, error) {
	s, err := a.Own(ctx, key)
	if err != nil {
		return nil, err
	}
	got, err := a.Contexts.Of(ctx, s)
	return &contextBody{got}, a.Problem(err)
}
