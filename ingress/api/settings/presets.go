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
	Others         chat.Preset `json:"others" enum:"read_only,ask,auto" doc:"All other users, and groups."`
	Chosen         bool        `json:"chosen,omitempty" readOnly:"true" doc:"The default of administrators was set explicitly; otherwise it is that of a new server."`
	Version        int64       `json:"version" minimum:"0" doc:"Version of the policy that sets them."`
}

func (a *Endpoints) registerInstallationPresets(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "get-installation-presets", Method: http.MethodGet, Path: "/api/policy/presets", Summary: "Get the permission mode of users without a choice of their own",
		Description: "For administrators.", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body InstallationPresets }, error) {
		out, err := a.installationPresets(ctx)
		return &struct{ Body InstallationPresets }{out}, err
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-installation-presets", Method: http.MethodPut, Path: "/api/policy/presets", Summary: "Set the permission mode of users without a choice of their own",
		Description: "For administrators. Creates a version of the policy, which applies to the next call. 409: another administrator changed the policy in the meantime.", Security: endpoint.Secured,
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
