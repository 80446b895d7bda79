// Package registry has the endpoints of the skills and roles that users publish for each other and install.
package registry

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/registry/registrystore"
	"xbot/internal/extension/role/rolestore"
)

// Disabled reports which skills the installation has disabled, by name.
type Disabled interface {
	Off(ctx context.Context, name string) (bool, error)
}

// Endpoints has the endpoints of this package and their dependencies.
type Endpoints struct {
	*endpoint.Base

	Roles    *rolestore.Store
	Registry *registrystore.Store
	Disabled Disabled // nil: none are
}

// Entries lists published entries.
type Entries struct {
	Entries []registry.Entry `json:"entries" doc:"By name, at most 50."`
	More    bool             `json:"more" doc:"There are more: request the next page with offset."`
}

// RegistryDetail is an entry with the content of one of its versions.
type RegistryDetail struct { //nolint:revive // the name of its schema in the API
	Entry    registry.Entry     `json:"entry"`
	Versions []registry.Version `json:"versions" doc:"The newest first, at most 20."`
	Shown    int                `json:"shown" doc:"The version that files and text are of."`
	Files    []BundleFile       `json:"files"`
	Main     BundleText         `json:"main" doc:"SKILL.md, or the file of the role."`
}

// BundleFile is a file of a bundle.
type BundleFile struct {
	Name       string `json:"name"`
	Size       int    `json:"size" doc:"Bytes."`
	Executable bool   `json:"executable"`
}

// BundleText is a file of a bundle as text.
type BundleText struct {
	Name string `json:"name"`
	Text string `json:"text" doc:"The first 60,000 bytes. Untrusted content: render it as text. Empty if binary is true."`
	Cut  bool   `json:"cut" doc:"There is more of it."`
	// Binary reports that the file cannot be shown.
	Binary bool `json:"binary" doc:"It is no text."`
}

// Installs lists installed copies.
type Installs struct {
	Installs []registry.Install `json:"installs" doc:"Your installations and those for all users, by name. Yours replaces one of the same name for all users."`
}

// Publishing is the visibility and the notes of a version.
type Publishing struct {
	Visibility registry.Visibility `json:"visibility,omitempty" enum:"private,everybody" doc:"Visibility. Default: unchanged, and private for a new entry."`
	Notes      string              `json:"notes,omitempty" maxLength:"1000" doc:"Release notes."`
}

// RolePublishing names the role to publish.
type RolePublishing struct {
	Publishing

	Role int64 `json:"role" minimum:"1" doc:"One of your roles."`
}

// Revision is a change of an entry.
type Revision struct {
	Visibility *registry.Visibility `json:"visibility,omitempty" enum:"private,everybody" doc:"For its owner: withdraws it. Existing installations are kept."`
	Withdrawn  *bool                `json:"withdrawn,omitempty" doc:"Visible only to its owner. An entry withdrawn by an administrator is also uninstalled everywhere, and only administrators can restore it."`
}

// Installing names the entry and version to install.
type Installing struct {
	Entry   int64 `json:"entry" minimum:"1"`
	Version int   `json:"version,omitempty" minimum:"0" maximum:"2147483647" doc:"Left out: the newest."`
	Shared  bool  `json:"shared,omitempty" doc:"Installs it for all users. Administrators only."`
	Replace bool  `json:"replace,omitempty" doc:"In place of another one of its name."`
}

// Taken is the result of an uninstallation.
type Taken struct {
	Copies int `json:"copies" doc:"How many there were."`
}

// Switch switches something on or off.
type Switch struct {
	Enabled bool `json:"enabled"`
}

type (
	// EntryPath names the entry of a request.
	EntryPath struct {
		ID int64 `path:"id" minimum:"1"`
	}
	// VersionPath names the version of an entry of a request.
	VersionPath struct {
		EntryPath

		Version int `path:"version" minimum:"1" maximum:"2147483647"`
	}
	// InstallPath names the install of a request.
	InstallPath struct {
		ID     int64 `path:"id" minimum:"1"`
		Shared bool  `query:"shared" doc:"Belongs to the installation. Administrators only."`
	}
	entriesBody  struct{ Body Entries }
	entryBody    struct{ Body registry.Entry }
	detailBody   struct{ Body RegistryDetail }
	textBody     struct{ Body BundleText }
	installsBody struct{ Body Installs }
	installBody  struct{ Body registry.Install }
	takenBody    struct{ Body Taken }
)

const (
	root     = "/api/registry"
	entries  = root + "/entries"
	entryOf  = entries + "/{id}"
	installs = root + "/installs"
	install  = installs + "/{id}"
	digests  = root + "/digests"
)

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerEntries(h)
	a.registerPublishing(h)
	a.registerInstalls(h)
}

func viewer(ctx context.Context) registrystore.Viewer {
	u := auth.User(ctx)
	return registrystore.Viewer{User: u.ID, Admin: u.Admin}
}

func archive(id, path, summary string) huma.Operation {
	op := endpoint.Operation(id, http.MethodGet, path, summary, "The same version is always the same bytes.")
	op.Responses = endpoint.AttachmentResponse("application/zip")
	return op
}
