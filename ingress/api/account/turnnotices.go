package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/user/notices"
)

// TurnNoticesBody is a user's choice of notices about long turns, and the places that they can go to.
type TurnNoticesBody struct {
	notices.TurnNotices

	Chats []notices.DirectChat `json:"chats" doc:"My accounts on platforms that have a bot. What is told arrives once I have written to it there."`
}

type turnNoticesBody struct{ Body TurnNoticesBody }

func (a *Endpoints) registerTurnNotices(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-turn-notices", Method: http.MethodGet, Path: "/api/me/turn-notices", Security: endpoint.Secured,
		Summary: "Where on a platform I am told of my long turns",
	}, func(ctx context.Context, _ *struct{}) (*turnNoticesBody, error) {
		out, err := a.turnNotices(ctx)
		return &turnNoticesBody{out}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-turn-notices", Method: http.MethodPut, Path: "/api/me/turn-notices", Security: endpoint.Secured,
		Summary:     "Be told of my long turns on a platform, or not any more",
		Description: "A turn that I begin on the page, in a terminal or over HTTP, and that takes long, is told of in my direct chat with the bot: when it has ended, and when it needs my answer.",
	}, func(ctx context.Context, in *struct{ Body notices.TurnNotices }) (*turnNoticesBody, error) {
		if err := a.Notices.SetTurnNotices(ctx, auth.User(ctx).ID, in.Body); err != nil {
			return nil, a.Problem(err)
		}
		out, err := a.turnNotices(ctx)
		return &turnNoticesBody{out}, a.Problem(err)
	})
}

func (a *Endpoints) turnNotices(ctx context.Context) (TurnNoticesBody, error) {
	wanted, err := a.Notices.TurnNotices(ctx, auth.User(ctx).ID)
	if err != nil {
		return TurnNoticesBody{}, err
	}
	chats, err := a.Notices.TurnNoticeChats(ctx, auth.User(ctx).ID)
	return TurnNoticesBody{TurnNotices: wanted, Chats: chats}, err
}
