package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// ProfileEdit is a new profile of a user.
type ProfileEdit struct {
	Content  string `json:"content" maxLength:"2000"`
	Timezone string `json:"timezone" maxLength:"64" doc:"IANA name; empty if not set."`
	Revision int    `json:"revision" minimum:"0" doc:"Of the profile that it overwrites; 0: there was none. If there is another one by now, nothing is written (409)."`
}

type profileBody struct{ Body chat.UserProfile }

func (a *Endpoints) registerProfile(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-profile", Method: http.MethodGet, Path: "/api/profile", Summary: "Get my profile", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*profileBody, error) {
		p, err := a.Memory.Profile(ctx, auth.User(ctx).ID)
		return &profileBody{p}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-profile", Method: http.MethodPut, Path: "/api/profile", Summary: "Update my profile", Security: endpoint.Secured,
		Description: "The profile is part of the prompts of my own conversations from the next message.",
	}, func(ctx context.Context, in *struct{ Body ProfileEdit }) (*profileBody, error) {
		p, err := a.Memory.SetProfile(ctx, auth.User(ctx).ID, chat.UserProfile{Content: in.Body.Content, Timezone: in.Body.Timezone, Revision: in.Body.Revision})
		return &profileBody{p}, a.Problem(err)
	})
	a.registerProfileVersions(h)
}
