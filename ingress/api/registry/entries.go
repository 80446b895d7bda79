package registry

import (
	"bytes"
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/download"
	"xbot/internal/extension/registry"
	"xbot/internal/extension/skill"
	"xbot/internal/fault"
)

func (a *Endpoints) registerEntries(h huma.API) {
	huma.Register(h, endpoint.Operation("list-registry-entries", http.MethodGet, entries, "List published skills and roles",
		"Includes your entries and those shared with all users. Administrators also see withdrawn entries, and private entries that other users have installed."), a.list)
	huma.Register(h, endpoint.Operation("get-registry-entry", http.MethodGet, entryOf, "Get a published skill or role before installing it", ""), a.detail)
	huma.Register(h, endpoint.Operation("read-registry-file", http.MethodGet, entryOf+"/versions/{version}/file", "Read a text file of a published skill", ""), a.file)
	huma.Register(h, archive("export-registry-version", entryOf+"/versions/{version}/bundle", "Export a version of a published skill or role as a ZIP archive"),
		func(ctx context.Context, in *struct{ VersionPath }) (*huma.StreamResponse, error) {
			packed, err := a.Registry.RegistryBundle(ctx, viewer(ctx), in.ID, in.Version)
			return send(packed), a.Problem(err)
		})
}

// send has a browser save an archive: content of other users must not act as a page of this server.
func send(packed registry.Packed) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		_, out := humago.Unwrap(hctx)
		download.SetHeader(out, packed.Name+".zip", "application/zip")
		_, _ = out.Write(packed.Zip) // a client that has gone needs none
	}}
}

func (a *Endpoints) list(ctx context.Context, in *struct {
	Q      string        `query:"q" maxLength:"200" doc:"Words that must all occur in the name, description or tags, or in the owner's name."`
	Kind   registry.Kind `query:"kind" enum:"skill,role"`
	Own    bool          `query:"own" doc:"Only entries that you have published."`
	Offset int           `query:"offset" minimum:"0" maximum:"100000"`
}) (*entriesBody, error) {
	found, more, err := a.Registry.RegistryEntries(ctx, viewer(ctx), registry.Query{Words: in.Q, Kind: in.Kind, Own: in.Own, Offset: in.Offset})
	return &entriesBody{Entries{Entries: append([]registry.Entry{}, found...), More: more}}, a.Problem(err)
}

func (a *Endpoints) detail(ctx context.Context, in *struct {
	EntryPath

	Version int `query:"version" minimum:"0" maximum:"2147483647" doc:"Version whose files are shown; default: the newest."`
}) (*detailBody, error) {
	who := viewer(ctx)
	e, err := a.Registry.RegistryEntry(ctx, who, in.ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	d := RegistryDetail{Entry: e, Shown: in.Version}
	if d.Shown == 0 {
		d.Shown = e.Version.Number
	}
	if d.Versions, err = a.Registry.RegistryVersions(ctx, who, in.ID); err != nil {
		return nil, a.Problem(err)
	}
	b, err := a.bundle(ctx, in.ID, d.Shown)
	if err != nil {
		return nil, a.Problem(err)
	}
	for _, f := range b.Files {
		d.Files = append(d.Files, BundleFile{Name: f.Name, Size: len(f.Data), Executable: f.Executable})
	}
	d.Main = text(b.Main())
	return &detailBody{d}, nil
}

func (a *Endpoints) bundle(ctx context.Context, id int64, version int) (registry.Bundle, error) {
	packed, err := a.Registry.RegistryBundle(ctx, viewer(ctx), id, version)
	if err != nil {
		return registry.Bundle{}, err
	}
	return registry.Read(packed.Zip, packed.Name)
}

func (a *Endpoints) file(ctx context.Context, in *struct {
	VersionPath

	Name string `query:"name" required:"true" maxLength:"500" doc:"As the files of the version are called."`
}) (*textBody, error) {
	b, err := a.bundle(ctx, in.ID, in.Version)
	if err != nil {
		return nil, a.Problem(err)
	}
	f, ok := b.File(in.Name)
	if !ok {
		return nil, a.Problem(fault.Errorf(fault.NotFound, "the version has no file %.100q", in.Name))
	}
	return &textBody{text(f)}, nil
}

// text returns the beginning of a file in readable form.
func text(f registry.File) BundleText {
	shown := f.Data[:min(len(f.Data), skill.MaxPiece)]
	cut := len(shown) < len(f.Data)
	for n := 0; cut && n < utf8.UTFMax && !utf8.Valid(shown); n++ { // a character was cut
		shown = shown[:len(shown)-1]
	}
	if bytes.IndexByte(shown, 0) >= 0 || !utf8.Valid(shown) {
		return BundleText{Name: f.Name, Binary: true}
	}
	return BundleText{Name: f.Name, Text: string(shown), Cut: cut}
}
