package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// ProfileVersionsBody lists versions.
type ProfileVersionsBody struct {
	Versions []chat.ProfileVersion `json:"versions" doc:"The newest first, which is the profile as it is; without their texts."`
}

// ProfileVersionPath names the version of a request.
type ProfileVersionPath struct {
	Version int `path:"version" minimum:"1" maximum:"1000000000"`
}

// ProfileRollback names the version that comes back.
type ProfileRollback struct {
	To      int `json:"to" minimum:"1" maximum:"1000000000" doc:"The version to restore."`
	Version int `json:"version" minimum:"1" maximum:"1000000000" doc:"The version that is the profile now, its revision."`
}

func (a *Endpoints) registerProfileVersions(h huma.API) {
	const root, one = "/api/profile/versions", "/api/profile/versions/{version}"
	huma.Register(h, huma.Operation{
		OperationID: "list-profile-versions", Method: http.MethodGet, Path: root, Summary: "List the versions of my profile",
		Description: "The last 100 versions.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body ProfileVersionsBody }, error) {
		versions, err := a.Memory.ProfileVersions(ctx, auth.User(ctx).ID)
		return &struct{ Body ProfileVersionsBody }{ProfileVersionsBody{versions}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "get-profile-version", Method: http.MethodGet, Path: one, Summary: "Get a version of my profile", Security: endpoint.Secured},
		func(ctx context.Context, in *struct{ ProfileVersionPath }) (*struct{ Body chat.ProfileVersion }, error) {
			v, err := a.Memory.ProfileVersion(ctx, auth.User(ctx).ID, in.Version)
			return &struct{ Body chat.ProfileVersion }{v}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "delete-profile-version", Method: http.MethodDelete, Path: one, Summary: "Delete a version of my profile",
		Description: "409: this version is the current profile, or one of your services uses it.", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ ProfileVersionPath }) (*struct{}, error) {
		return nil, a.Problem(a.Memory.DeleteProfileVersion(ctx, auth.User(ctx).ID, in.Version))
	})
	huma.Register(h, huma.Operation{
		OperationID: "roll-profile-back", Method: http.MethodPost, Path: "/api/profile/rollback", Summary: "Restore an earlier version of my profile",
		Description: "Changes text and timezone and creates a new version. 409: the profile was changed in the meantime.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Body ProfileRollback }) (*profileBody, error) {
		user := auth.User(ctx).ID
		was, err := a.Memory.ProfileVersion(ctx, user, in.Body.To)
		if err != nil {
			return nil, a.Problem(err)
		}
		p, err := a.Memory.SetProfile(ctx, user, chat.UserProfile{Content: was.Content, Timezone: was.Timezone, Revision: in.Body.Version})
		return &profileBody{p}, a.Problem(err)
	})
}
