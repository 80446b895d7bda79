package registry

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
)

func (a *Endpoints) registerInstalls(h huma.API) {
	huma.Register(h, endpoint.Operation("list-registry-installs", http.MethodGet, installs, "List your installed skills and roles, and those for all users", ""), a.installs)
	huma.Register(h, endpoint.Operation("install-registry-entry", http.MethodPost, installs, "Install a published skill or role, or another version of it",
		"Atomic; installs a copy of your own, which takes effect in your conversations. 409: another entry is installed with this name."), a.install)
	huma.Register(h, endpoint.Operation("switch-registry-install", http.MethodPatch, install, "Switch on or off what is installed", ""), func(ctx context.Context, in *struct {
		InstallPath

		Body Switch
	}) (*installBody, error) {
		if err := a.mayShare(ctx, in.Shared); err != nil {
			return nil, err
		}
		done, err := a.Registry.EnableRegistryInstall(ctx, viewer(ctx), in.Shared, in.ID, in.Body.Enabled)
		if err == nil {
			err = a.mark(ctx, &done)
		}
		return &installBody{done}, a.Problem(err)
	})
	huma.Register(h, endpoint.Removal("uninstall-registry-entry", install, "Uninstall a skill or a role", ""), func(ctx context.Context, in *InstallPath) (*struct{}, error) {
		if err := a.mayShare(ctx, in.Shared); err != nil {
			return nil, err
		}
		return nil, a.Problem(a.Registry.RegistryUninstall(ctx, viewer(ctx), in.Shared, in.ID))
	})
	huma.Register(h, endpoint.Operation("take-registry-digest", http.MethodDelete, digests+"/{digest}", "Uninstall a digest for all users",
		"For administrators. Removes all copies, even if the publisher has deleted the entry or the account. An entry that publishes the digest is kept: withdraw it separately."),
		func(ctx context.Context, in *struct {
			Digest string `path:"digest" pattern:"^[0-9a-f]{64}$" doc:"As installs and versions have it."`
		}) (*takenBody, error) {
			if err := a.AdminOnly(ctx); err != nil {
				return nil, err
			}
			n, err := a.Registry.RegistryTake(ctx, viewer(ctx), in.Digest)
			if err == nil {
				a.Log.Info("taken from everybody in the registry", "digest", in.Digest, "copies", n, "by", auth.User(ctx).Name)
			}
			return &takenBody{Taken{n}}, a.Problem(err)
		})
	huma.Register(h, archive("export-registry-install", install+"/bundle", "Export an installation as a ZIP archive"), func(ctx context.Context, in *struct {
		ID int64 `path:"id" minimum:"1"`
	}) (*huma.StreamResponse, error) {
		packed, err := a.Registry.RegistryInstallBundle(ctx, auth.User(ctx).ID, in.ID)
		return send(packed), a.Problem(err)
	})
}

// mayShare refuses changes of shared copies to all but administrators.
func (a *Endpoints) mayShare(ctx context.Context, shared bool) error {
	if shared {
		return a.AdminOnly(ctx)
	}
	return nil
}

func (a *Endpoints) installs(ctx context.Context, _ *struct{}) (*installsBody, error) {
	all, err := a.Registry.RegistryInstalls(ctx, auth.User(ctx).ID)
	for i := range all {
		if err == nil {
			err = a.mark(ctx, &all[i])
		}
	}
	return &installsBody{Installs{append([]registry.Install{}, all...)}}, a.Problem(err)
}

// mark records whether the policy has switched a skill off.
func (a *Endpoints) mark(ctx context.Context, one *registry.Install) (err error) {
	if one.Kind == registry.Skill && a.Disabled != nil {
		one.Disabled, err = a.Disabled.Off(ctx, one.Name)
	}
	return err
}

func (a *Endpoints) install(ctx context.Context, in *struct{ Body Installing }) (*installBody, error) {
	o := in.Body
	if err := a.mayShare(ctx, o.Shared); err != nil {
		return nil, err
	}
	done, err := a.Registry.RegistryInstall(ctx, viewer(ctx), registrystore.Order{Entry: o.Entry, Number: o.Version, Shared: o.Shared, Replace: o.Replace})
	if err == nil {
		a.Log.Info("installed from the registry", "kind", done.Kind, "name", done.Name, "version", done.Number, "shared", done.Shared, "by", auth.User(ctx).Name)
		err = a.mark(ctx, &done)
	}
	return &installBody{done}, a.Problem(err)
}
