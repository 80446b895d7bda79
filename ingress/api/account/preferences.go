package account

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/user/preference"
	"xbot/internal/user/settings"
)

// PreferencesBody has all preferences of a user.
type PreferencesBody struct {
	Settings []preference.Setting `json:"settings"`
	Version  int64                `json:"version" doc:"The newest change of them; 0: there was none."`
}

// PreferenceVersionsBody lists changes.
type PreferenceVersionsBody struct {
	Versions []chat.PreferenceVersion `json:"versions" doc:"The newest first, at most 100. The timezone is not among them: it has its versions with the profile."`
}

// PreferencesRollback names the version that comes back.
type PreferencesRollback struct {
	To      int64 `json:"to" minimum:"1" doc:"The version whose state is restored."`
	Version int64 `json:"version" minimum:"1" doc:"Of the preferences that it overwrites. If there is another one by now, nothing is written (409)."`
}

// ChangesBody lists changes of settings.
type ChangesBody struct {
	Changes []chat.SettingChange `json:"changes" doc:"The newest first."`
}

// inLang is a language in which titles are asked for.
type inLang struct {
	Lang string `query:"lang" enum:"en,zh" default:"en" doc:"The language of titles."`
}

type preferencesBody struct{ Body PreferencesBody }

func (a *Endpoints) registerPreferences(h huma.API) {
	huma.Register(h, huma.Operation{OperationID: "list-preferences", Method: http.MethodGet, Path: "/api/preferences", Summary: "List my settings with their options", Security: endpoint.Secured},
		func(ctx context.Context, in *inLang) (*preferencesBody, error) {
			return a.preferences(ctx, i18n.Lang(in.Lang))
		})
	huma.Register(h, huma.Operation{
		OperationID: "set-preference", Method: http.MethodPut, Path: "/api/preferences/{name}", Summary: "Update one of my settings",
		Description: "The setting takes effect immediately; settings of answers with the next message. Each change creates a version. 400: the value is invalid. 404: the setting does not exist.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		inLang

		Name string `path:"name" maxLength:"64" example:"language"`
		Body struct {
			Value string `json:"value" maxLength:"200" doc:"Empty: the default."`
		}
	}) (*struct{ Body preference.Setting }, error) {
		set, err := a.Preferences.Set(ctx, auth.User(ctx).ID, i18n.Lang(in.Lang), in.Name, in.Body.Value)
		return &struct{ Body preference.Setting }{set}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "list-preference-versions", Method: http.MethodGet, Path: "/api/preferences/versions", Summary: "List the versions of my settings", Security: endpoint.Secured},
		func(ctx context.Context, _ *struct{}) (*struct{ Body PreferenceVersionsBody }, error) {
			versions, err := a.Settings.PreferenceVersions(ctx, auth.User(ctx).ID)
			return &struct{ Body PreferenceVersionsBody }{PreferenceVersionsBody{versions}}, a.Problem(err)
		})
	huma.Register(h, huma.Operation{
		OperationID: "roll-preferences-back", Method: http.MethodPost, Path: "/api/preferences/rollback", Summary: "Restore my settings as of a change",
		Description: "Restores every setting that differs, which creates new versions. 404: no stored change has this ID. 409: the settings were changed in the meantime.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		inLang

		Body PreferencesRollback
	}) (*preferencesBody, error) {
		if err := a.Settings.RollPreferencesBack(ctx, auth.User(ctx).ID, in.Body.To, in.Body.Version); err != nil {
			return nil, a.Problem(err)
		}
		return a.preferences(ctx, i18n.Lang(in.Lang))
	})
	a.registerChanges(h)
}

func (a *Endpoints) preferences(ctx context.Context, lang i18n.Lang) (*preferencesBody, error) {
	list, version, err := a.Preferences.List(ctx, auth.User(ctx).ID, lang)
	return &preferencesBody{PreferencesBody{list, version}}, a.Problem(err)
}

func (a *Endpoints) registerChanges(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-changes", Method: http.MethodGet, Path: "/api/changes", Summary: "List changes of settings, with author, time and previous value",
		Description: "Lists changes of my own settings. With installation, for administrators, also changes of the installation's settings and of users. Profiles, roles, prompts and the policy have versions of their own. " +
			"The newest 300 changes of each kind are kept per user, and 5000 of the installation.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		Installation bool   `query:"installation"`
		Kind         string `query:"kind" maxLength:"20" doc:"Only these, by their kind."`
		Before       int64  `query:"before" minimum:"0" doc:"Older ones than this; 0: the newest."`
		Limit        int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	}) (*struct{ Body ChangesBody }, error) {
		if in.Installation {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
		}
		list, err := a.Settings.Changes(ctx, settings.ChangeFilter{Owner: auth.User(ctx).ID, Installation: in.Installation, Kind: in.Kind, Before: in.Before, Limit: in.Limit})
		return &struct{ Body ChangesBody }{ChangesBody{list}}, a.Problem(err)
	})
}
