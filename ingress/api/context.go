package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/chat"
	"xbot/internal/contextview"
)

type contextBody struct{ Body contextview.Context }

func (a *Sessions) registerContext(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-context", Method: http.MethodGet, Path: "/api/sessions/{key}/context", Summary: "How full the context of a conversation is, and with what", Security: secured,
	}, func(ctx context.Context, in *Key) (*contextBody, error) { return a.context(ctx, in.Key) })
	huma.Register(h, huma.Operation{
		OperationID: "set-context-mode", Method: http.MethodPut, Path: "/api/sessions/{key}/context", Summary: "Choose how the context of a conversation is kept small", Security: secured,
	}, func(ctx context.Context, in *struct {
		Key
		Body struct {
			Mode string `json:"mode" enum:"default,none"`
		}
	}) (*contextBody, error) {
		s, err := a.own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		if err := a.Contexts.SetMode(ctx, s.Key, in.Body.Mode); err != nil {
			return nil, a.problem(err)
		}
		return a.context(ctx, in.Key.Key)
	})
	huma.Register(h, huma.Operation{
		OperationID: "get-request", Method: http.MethodGet, Path: "/api/sessions/{key}/turns/{turn}/steps/{step}/request", Summary: "What a step sent to the model",
		Description: "Made again from the stored rows; exact says whether it is the same to the byte.", Security: secured,
	}, func(ctx context.Context, in *struct {
		Key
		Turn string `path:"turn" maxLength:"200"`
		Step int    `path:"step" minimum:"0" maximum:"100000"`
	}) (*struct{ Body contextview.SentRequest }, error) {
		s, err := a.own(ctx, in.Key.Key)
		if err != nil {
			return nil, err
		}
		got, err := a.Contexts.Request(ctx, s.Key, chat.TurnID(in.Turn), in.Step)
		return &struct{ Body contextview.SentRequest }{got}, a.problem(err)
	})
}

func (a *Sessions) context(ctx context.Context, key string) (*contextBody, error) {
	s, err := a.own(ctx, key)
	if err != nil {
		return nil, err
	}
	got, err := a.Contexts.Of(ctx, s)
	return &contextBody{got}, a.problem(err)
}
