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

	Chats []notices.DirectChat `json:"chats" doc:"My accounts on platforms with a bot. Notifications arrive once I have written to the bot there."`
}

type turnNoticesBody struct{ Body TurnNoticesBody }

func (a *Endpoints) registerTurnNotices(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-turn-notices", Method: http.MethodGet, Path: "/api/me/turn-notices", Security: endpoint.Secured,
		Summary: "Get the settings of notifications about my long turns",
	}, func(ctx context.Context, _ *struct{}) (*turnNoticesBody, error) {
		out, err := a.turnNotices(ctx)
		return &turnNoticesBody{out}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-turn-notices", Method: http.MethodPut, Path: "/api/me/turn-notices", Security: endpoint.Secured,
		Summary:     "Turn notifications about my long turns on or off",
		Description: "Notifies me in my direct chat with the bot when a long turn that I started on the page, in a terminal or over HTTP has ended, or needs my answer.",
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
