package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/permission"
)

// InstallationPresets are the presets of users who chose none.
type InstallationPresets struct {
	Administrators chat.Preset `json:"administrators" enum:"read_only,ask,auto"`
	Others         chat.Preset `json:"others" enum:"read_only,ask,auto" doc:"Everybody else, also in groups."`
	Chosen         bool        `json:"chosen,omitempty" readOnly:"true" doc:"Somebody has chosen that of administrators; else it is what a fresh server does."`
	Version        int64       `json:"version" minimum:"0" doc:"Of the policy that says it."`
}

func (a *Endpoints) registerInstallationPresets(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-installation-presets", Method: http.MethodGet, Path: "/api/policy/presets", Summary: "What tools may do for people who chose nothing",
		Description: "For administrators.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body InstallationPresets }, error) {
		out, err := a.installationPresets(ctx)
		return &struct{ Body InstallationPresets }{out}, err
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-installation-presets", Method: http.MethodPut, Path: "/api/policy/presets", Summary: "Choose what tools may do for people who chose nothing",
		Description: "For administrators: a new version of the policy, in force for the next call. 409: somebody else changed the policy meanwhile.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ Body InstallationPresets }) (*struct{ Body InstallationPresets }, error) {
		if err := a.setInstallationPresets(ctx, in.Body); err != nil {
			return nil, err
		}
		out, err := a.installationPresets(ctx)
		return &struct{ Body InstallationPresets }{out}, err
	})
}

func (a *Endpoints) installationPresets(ctx context.Context) (InstallationPresets, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return InstallationPresets{}, err
	}
	version, p, err := a.policyInForce(ctx)
	if err != nil {
		return InstallationPresets{}, a.Problem(err)
	}
	in := permission.Defaults{Administrators: chat.Preset(p.Permissions.Administrators), Others: chat.Preset(p.Permissions.Others)}
	return InstallationPresets{Administrators: in.Preset(true), Others: in.Preset(false), Chosen: in.Administrators != "", Version: version}, nil
}

func (a *Endpoints) setInstallationPresets(ctx context.Context, in InstallationPresets) error {
	if err := a.AdminOnly(ctx); err != nil {
		return err
	}
	version, p, err := a.policyInForce(ctx)
	if err != nil {
		return a.Problem(err)
	}
	if version != in.Version {
		return a.Problem(fault.Errorf(fault.Conflict, "the policy was changed meanwhile: look at version %d and change it again", version))
	}
	p.Permissions.Administrators, p.Permissions.Others = string(in.Administrators), string(in.Others)
	_, err = a.setPolicy(ctx, NewPolicy{Text: string(p.JSON()), Version: version})
	return err
}
