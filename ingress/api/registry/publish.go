package registry

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
)

func (a *Endpoints) registerPublishing(h huma.API) {
	const what = "Creates a new entry, or a new version of your entry with this name. Identical files create no version. "
	upload := endpoint.Operation("publish-bundle", http.MethodPost, entries, "Publish a skill or a role: a zip archive, or the Markdown file of a role",
		what+"The archive has the files of one skill, with SKILL.md, or one NAME.md of a role, at its root or in one folder. 400: it contains unsafe names or links, or no skill or "+
			"role. 413: it exceeds 4 MB, 500 files, 2 MB per file or 8 MB unpacked, or your limits.")
	upload.MaxBodyBytes, upload.BodyReadTimeout, upload.DefaultStatus = registry.MaxArchive, time.Minute, http.StatusCreated
	huma.Register(h, upload, a.publish)
	role := endpoint.Operation("publish-role", http.MethodPost, root+"/roles", "Publish a role of your own", what)
	role.DefaultStatus = http.StatusCreated
	huma.Register(h, role, func(ctx context.Context, in *struct{ Body RolePublishing }) (*entryBody, error) {
		own, err := a.Roles.OwnRole(ctx, auth.User(ctx).ID, in.Body.Role)
		if err != nil {
			return nil, a.Problem(err)
		}
		b, err := registry.RoleBundle(own.Role())
		return a.published(ctx, b, in.Body.Publishing, err)
	})
	again := endpoint.Operation("publish-install", http.MethodPost, install+"/publish", "Publish what you have installed as your own", what)
	again.DefaultStatus = http.StatusCreated
	huma.Register(h, again, func(ctx context.Context, in *struct {
		ID   int64 `path:"id" minimum:"1"`
		Body Publishing
	}) (*entryBody, error) {
		packed, err := a.Registry.RegistryInstallBundle(ctx, auth.User(ctx).ID, in.ID)
		if err != nil {
			return nil, a.Problem(err)
		}
		b, err := registry.Read(packed.Zip, packed.Name)
		return a.published(ctx, b, in.Body, err)
	})
	huma.Register(h, endpoint.Operation("revise-registry-entry", http.MethodPatch, entryOf, "Change the visibility of an entry, or withdraw it", "403: the entry belongs to another user, or an administrator has withdrawn it."), a.revise)
	huma.Register(h, endpoint.Removal("delete-registry-entry", entryOf, "Remove what you have published, with its versions", "Existing installations are kept."),
		func(ctx context.Context, in *EntryPath) (*struct{}, error) {
			return nil, a.Problem(a.Registry.DeleteRegistryEntry(ctx, auth.User(ctx).ID, in.ID))
		})
}

func (a *Endpoints) publish(ctx context.Context, in *struct {
	Visibility registry.Visibility `query:"visibility" enum:"private,everybody" doc:"Visibility. Default: unchanged, and private for a new entry."`
	Notes      string              `query:"notes" maxLength:"1000" doc:"Release notes."`
	Name       string              `query:"name" maxLength:"200" doc:"Name of the file: that of a skill or a role which does not say its own."`
	RawBody    []byte              `contentType:"application/zip"`
}) (*entryBody, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(in.Name, ".zip"), ".md")
	b, err := registry.Open(ctx, in.RawBody, name)
	return a.published(ctx, b, Publishing{in.Visibility, in.Notes}, err)
}

// published publishes a bundle that was read without an error.
func (a *Endpoints) published(ctx context.Context, b registry.Bundle, p Publishing, err error) (*entryBody, error) {
	if err != nil {
		return nil, a.Problem(err)
	}
	u := auth.User(ctx)
	e, err := a.Registry.RegistryPublish(ctx, u.ID, b, registry.Terms{Visibility: p.Visibility, Notes: p.Notes})
	if err == nil {
		a.Log.Info("published in the registry", "kind", e.Kind, "name", e.Name, "version", e.Version.Number, "visibility", e.Visibility, "by", u.Name)
	}
	return &entryBody{e}, a.Problem(err)
}

func (a *Endpoints) revise(ctx context.Context, in *struct {
	EntryPath

	Body Revision
}) (*entryBody, error) {
	e, err := a.Registry.ReviseRegistryEntry(ctx, viewer(ctx), in.ID, registrystore.Revision(in.Body))
	if err == nil {
		a.Log.Info("changed in the registry", "kind", e.Kind, "name", e.Name, "visibility", e.Visibility, "withdrawn", e.Withdrawn, "by", auth.User(ctx).Name)
	}
	return &entryBody{e}, a.Problem(err)
}
