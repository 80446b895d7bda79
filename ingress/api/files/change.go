package files

import (
	"context"
	"net/http"
	"path"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/download"
	"xbot/internal/fault"
)

// TwoPaths are the paths of a move or a copy.
type TwoPaths struct {
	From string `json:"from" minLength:"1" maxLength:"4096" doc:"A file or folder; relative to the session's folder, or absolute."`
	To   string `json:"to" minLength:"1" maxLength:"4096" doc:"Its new path, where nothing is yet."`
}

// NewFolder asks for a folder.
type NewFolder struct {
	Folder string `json:"folder" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder, or absolute."`
}

func (a *Endpoints) registerChanges(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "delete-file", Method: http.MethodDelete, Path: filesPath, Summary: "Delete a file, a link or a folder", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Path string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder, or absolute."`
		All  bool   `query:"all" doc:"Delete a folder with its content; otherwise the folder must be empty."`
	}) (*struct{}, error) {
		p, err := a.location(ctx, in.Key.Key)
		if err != nil {
			return nil, a.Problem(err)
		}
		return nil, a.Problem(p.remove(ctx, in.Path, in.All))
	})
	a.registerTwo(h, huma.Operation{OperationID: "move-file", Path: filesPath + "/move", Summary: "Move or rename a file or folder", Description: "409: the new path exists already."}, location.move)
	a.registerTwo(h, huma.Operation{OperationID: "copy-file", Path: filesPath + "/copy", Summary: "Copy a file or folder", Description: "Links in a folder are omitted. 409: the new path exists already."}, location.copy)
	onRunner(a, h, huma.Operation{
		OperationID: "make-folder", Method: http.MethodPost, Path: filesPath + "/folders", Summary: "Create a folder and its parents", DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, p location, in *struct {
		endpoint.Key
		Body NewFolder
	}) (FileEntry, error) {
		return p.makeFolder(ctx, in.Body.Folder)
	})
	huma.Register(h, huma.Operation{
		OperationID: "zip-folder", Method: http.MethodGet, Path: filesPath + "/zip", Summary: "Download a folder as a ZIP archive", Description: "At most 10,000 files and folders and 2 GB. Symbolic links are omitted.",
		Security: endpoint.Secured, Responses: endpoint.AttachmentResponse("application/zip"),
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Path string `query:"path" maxLength:"4096" doc:"Relative to the session's folder, or absolute; default: that folder."`
	}) (*huma.StreamResponse, error) {
		p, err := a.location(ctx, in.Key.Key)
		if err != nil {
			return nil, a.Problem(err)
		}
		folder, err := p.path(in.Path)
		if err != nil {
			return nil, a.Problem(err)
		}
		archive, err := download.Folder(ctx, p.box, folder)
		if err != nil {
			return nil, a.Problem(err)
		}
		return a.stream(archive), nil
	})
}

// registerTwo has an operation from one path to another.
func (a *Endpoints) registerTwo(h huma.API, o huma.Operation, do func(location, context.Context, string, string) error) {
	o.Method, o.DefaultStatus = http.MethodPost, http.StatusCreated
	onRunner(a, h, o, func(ctx context.Context, p location, in *struct {
		endpoint.Key
		Body TwoPaths
	}) (FileEntry, error) {
		return p.fromTo(ctx, in.Body, do)
	})
}

func (p location) fromTo(ctx context.Context, paths TwoPaths, do func(location, context.Context, string, string) error) (FileEntry, error) {
	from, err := p.path(paths.From)
	if err != nil {
		return FileEntry{}, err
	}
	to, err := p.path(paths.To)
	if err != nil {
		return FileEntry{}, err
	}
	if err := do(p, ctx, from, to); err != nil {
		return FileEntry{}, err
	}
	return p.entry(ctx, to)
}

func (p location) move(ctx context.Context, from, to string) error { return p.box.Move(ctx, from, to) }

func (p location) entry(ctx context.Context, at string) (FileEntry, error) {
	info, err := p.box.Stat(ctx, at)
	info.Path = at
	return entryOf(info), err
}

func (p location) makeFolder(ctx context.Context, sent string) (FileEntry, error) {
	folder, err := p.path(sent)
	if err != nil {
		return FileEntry{}, err
	}
	if err := p.box.MkdirAll(ctx, folder); err != nil {
		return FileEntry{}, err
	}
	return p.entry(ctx, folder)
}

func (p location) remove(ctx context.Context, sent string, all bool) error {
	file, err := p.path(sent)
	if err != nil {
		return err
	}
	if file == path.Clean(p.base) {
		return fault.Errorf(fault.Invalid, "%s is where this conversation works: it stays", file)
	}
	if all {
		return p.box.RemoveAll(ctx, file)
	}
	return p.box.Remove(ctx, file)
}
