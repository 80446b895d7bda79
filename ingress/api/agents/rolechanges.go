package agents

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

// maxRoleBody bounds a request with a role, in bytes: the characters of its texts may have six each as JSON.
const maxRoleBody = 256 << 10

// RoleChange is the new definition of a role.
type RoleChange struct {
	role.RoleDefinition

	Revision int64 `json:"revision" minimum:"1" doc:"The version on which the change is based."`
}

// RoleSwitch switches a role on or off.
type RoleSwitch struct {
	Enabled bool `json:"enabled"`
}

func (a *Endpoints) registerRoleChanges(h huma.API) {
	const root, what = "/api/roles", "Takes effect with the next step, in every process; existing subagents are unchanged."
	huma.Register(h, huma.Operation{
		OperationID: "create-role", Method: http.MethodPost, Path: root, Summary: "Create a role", Description: "409: you have a role with this name. " + what,
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured, MaxBodyBytes: maxRoleBody,
	}, func(ctx context.Context, in *struct{ Body role.RoleDefinition }) (*roleBody, error) {
		user := auth.User(ctx).ID
		d, err := a.checked(ctx, in.Body)
		if err != nil {
			return nil, a.Problem(err)
		}
		own, err := a.RoleStore.AddRole(ctx, user, d, user)
		return &roleBody{own}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "set-role", Method: http.MethodPut, Path: root + "/{id}", Summary: "Update one of your roles",
		Description: "409: the role was changed in the meantime, or another role has this name. " + what, Security: endpoint.Secured, MaxBodyBytes: maxRoleBody,
	}, func(ctx context.Context, in *struct {
		RolePath

		Body RoleChange
	}) (*roleBody, error) {
		user := auth.User(ctx).ID
		if _, err := a.RoleStore.OwnRole(ctx, user, in.ID); err != nil {
			return nil, a.Problem(err)
		}
		d, err := a.checked(ctx, in.Body.RoleDefinition)
		if err != nil {
			return nil, a.Problem(err)
		}
		own, err := a.RoleStore.SetOwnRole(ctx, user, in.ID, d, in.Body.Revision, user)
		return &roleBody{own}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "enable-role", Method: http.MethodPatch, Path: root + "/{id}", Summary: "Enable or disable one of your roles", Description: what, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		RolePath

		Body RoleSwitch
	}) (*roleBody, error) {
		user := auth.User(ctx).ID
		own, err := a.RoleStore.EnableRole(ctx, user, in.ID, in.Body.Enabled, user)
		return &roleBody{own}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "delete-role", Method: http.MethodDelete, Path: root + "/{id}", Summary: "Delete one of your roles and its versions", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ RolePath }) (*struct{}, error) {
		return nil, a.Problem(a.RoleStore.DeleteRole(ctx, auth.User(ctx).ID, in.ID))
	})
	huma.Register(h, huma.Operation{
		OperationID: "enable-shared-role", Method: http.MethodPut, Path: root + "/shared/{name}", Summary: "Enable or disable a role of the program or the installation for yourself",
		Description: what, DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, a.enableShared)
}

func (a *Endpoints) enableShared(ctx context.Context, in *struct {
	Name string `path:"name" maxLength:"160"`
	Body RoleSwitch
}) (*struct{}, error) {
	shared, err := a.Roles.Shared()
	if err != nil {
		return nil, a.Problem(err)
	}
	r, ok := role.Find(shared, in.Name)
	if !ok {
		return nil, a.Problem(fault.Errorf(fault.NotFound, "the program and the installation have no role %.60q", in.Name))
	}
	user := auth.User(ctx).ID
	return nil, a.Problem(a.RoleStore.SwitchRole(ctx, user, r.Name, in.Body.Enabled, user))
}

// RoleVersionsBody lists the versions of a role.
type RoleVersionsBody struct {
	Versions []role.OwnRoleVersion `json:"versions" doc:"The newest first, which is in force."`
}

// RoleRollback names the version that comes back.
type RoleRollback struct {
	To       int64 `json:"to" minimum:"1" doc:"The version to restore."`
	Revision int64 `json:"revision" minimum:"1" doc:"The version that is in force now."`
}

func (a *Endpoints) registerRoleVersions(h huma.API) {
	const root = "/api/roles/{id}"
	huma.Register(h, huma.Operation{
		OperationID: "list-role-versions", Method: http.MethodGet, Path: root + "/versions", Summary: "List the versions of one of your roles",
		Description: "The last 100 versions.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ RolePath }) (*struct{ Body RoleVersionsBody }, error) {
		versions, err := a.RoleStore.RoleVersions(ctx, auth.User(ctx).ID, in.ID)
		return &struct{ Body RoleVersionsBody }{RoleVersionsBody{versions}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{
		OperationID: "roll-role-back", Method: http.MethodPost, Path: root + "/rollback", Summary: "Restore an earlier version of a role",
		Description: "Creates a new version. 409: the role was changed in the meantime.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		RolePath

		Body RoleRollback
	}) (*roleBody, error) {
		user := auth.User(ctx).ID
		own, err := a.RoleStore.RollRoleBack(ctx, user, in.ID, in.Body.To, in.Body.Revision, user)
		return &roleBody{own}, a.Problem(err)
	})
}
