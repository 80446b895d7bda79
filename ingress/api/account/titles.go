package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/user/settings"
)

// titlesOff is the value of store.Titles of a user who wants no model to name their conversations.
const titlesOff = "off"

// TitleChoice is whether a model names the conversations of a user.
type TitleChoice struct {
	Model bool `json:"model" doc:"A model names a conversation after its first answer, unless a user has named it or the installation forbids it (AGENT_TITLES). Otherwise the title is the first words of the first message."`
}

type titlesBody struct{ Body TitleChoice }

func (a *Endpoints) registerTitles(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-titles", Method: http.MethodGet, Path: "/api/titles", Summary: "Get whether a model names my conversations", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*titlesBody, error) {
		value, err := a.Settings.UserSetting(ctx, auth.User(ctx).ID, settings.Titles)
		return &titlesBody{TitleChoice{Model: value != titlesOff}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-titles", Method: http.MethodPut, Path: "/api/titles", Summary: "Set whether a model names my conversations", Security: endpoint.Secured,
		Description: "Applies to future answers. Existing titles are kept.",
	}, func(ctx context.Context, in *struct{ Body TitleChoice }) (*titlesBody, error) {
		value := titlesOff
		if in.Body.Model {
			value = ""
		}
		return &titlesBody{in.Body}, a.Problem(a.Settings.SetUserSetting(ctx, auth.User(ctx).ID, settings.Titles, value))
	})
}
