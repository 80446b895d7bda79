package files

import (
	"cmp"
	"context"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/download"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/filelink"
	"xbot/internal/sandbox"
)

const filesPath = "/api/sessions/{key}/files"

// maxPath bounds paths, in bytes, as systems do.
const maxPath = 4096

// FileEntry is a file or folder of a runner.
type FileEntry struct {
	Name    string    `json:"name"`
	Path    string    `json:"path" doc:"Absolute."`
	Size    int64     `json:"size" doc:"Bytes."`
	Dir     bool      `json:"dir"`
	ModTime time.Time `json:"mod_time"`
	Link    string    `json:"link,omitempty" doc:"Target, for a symbolic link."`
}

// Folder is a listing.
type Folder struct {
	Path    string      `json:"path"`
	Parent  string      `json:"parent,omitempty" doc:"Absent at the root."`
	Entries []FileEntry `json:"entries" doc:"Folders first, then by name."`
}

func entryOf(f sandbox.FileInfo) FileEntry {
	return FileEntry{Name: path.Base(f.Path), Path: f.Path, Size: f.Size, Dir: f.Dir, ModTime: f.ModTime, Link: f.Link}
}

// FileLink is a signed link.
type FileLink struct {
	URL       string    `json:"url" doc:"Relative to the server's address." example:"/files/eyJ1Ijox…"`
	ExpiresAt time.Time `json:"expires_at"`
}

// NewFileLink asks for a link.
type NewFileLink struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"A file; relative to the session's folder, or absolute."`
	TTL  int64  `json:"ttl_s,omitempty" minimum:"1" maximum:"604800" doc:"Seconds that the link works; default 86400."`
}

func (a *Endpoints) registerFiles(h huma.API) {
	onRunner(a, h, huma.Operation{OperationID: "list-files", Method: http.MethodGet, Path: filesPath, Summary: "List a folder of the session's runner"},
		func(ctx context.Context, p location, in *struct {
			endpoint.Key
			Path string `query:"path" maxLength:"4096" doc:"Relative to the session's folder, or absolute; default: that folder."`
		}) (Folder, error) {
			return p.list(ctx, in.Path)
		})
	huma.Register(h, huma.Operation{
		OperationID: "upload-files", Method: http.MethodPost, Path: filesPath, Summary: "Upload files to the session's runner",
		Description:   "At most 10 files of at most 100 MB each. Files are not overwritten: an existing name gets a number. If one file fails, none is stored.",
		DefaultStatus: http.StatusCreated, Security: endpoint.Secured,
	}, a.uploadFiles)
	describeUpload(h)
	huma.Register(h, huma.Operation{
		OperationID: "download-file", Method: http.MethodGet, Path: "/api/sessions/{key}/files/content", Summary: "Get the content of a file", Description: "Supports the Range header.", Security: endpoint.Secured,
		Responses: endpoint.AttachmentResponse("application/octet-stream"),
	}, func(ctx context.Context, in *struct {
		endpoint.Key
		Path   string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder or, where there is none, to the workspace; or absolute."`
		Inline bool   `query:"inline" doc:"Let the browser show it, where its content is a picture, sound, a film or PDF."`
	}) (*huma.StreamResponse, error) {
		p, err := a.location(ctx, in.Key.Key)
		if err != nil {
			return nil, a.Problem(err)
		}
		attachment, err := p.attachment(ctx, in.Path)
		if err == nil && in.Inline {
			attachment, err = attachment.Shown(ctx)
		}
		if err != nil {
			return nil, a.Problem(err)
		}
		return a.stream(attachment), nil
	})
	huma.Register(h, huma.Operation{OperationID: "create-link", Method: http.MethodPost, Path: "/api/sessions/{key}/links", Summary: "Create a signed link to a file", Description: "Anyone with the link can download the file without signing in, until it expires.", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			endpoint.Key
			Body NewFileLink
		}) (*struct{ Body FileLink }, error) {
			link, err := a.link(ctx, in.Key.Key, in.Body)
			return &struct{ Body FileLink }{link}, a.Problem(err)
		})
}

// stream answers with an attachment.
func (a *Endpoints) stream(attachment download.Attachment) *huma.StreamResponse {
	return a.streamOr(attachment, func(_ http.ResponseWriter, err error) error { return err })
}

// streamOr answers with an attachment; instead may answer in its place where nothing of it was sent.
func (a *Endpoints) streamOr(attachment download.Attachment, instead func(w http.ResponseWriter, err error) error) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hctx huma.Context) {
		r, w := humago.Unwrap(hctx)
		leave, err := a.downloads.Enter(auth.User(r.Context()).ID, downloadsOfOne, "downloads")
		if err == nil {
			defer leave()
			err = attachment.Serve(w, r)
		}
		if err != nil {
			err = instead(w, err)
		}
		if err != nil && r.Context().Err() == nil {
			a.Refuse(w, r, err)
		}
	}}
}

func (a *Endpoints) link(ctx context.Context, key chat.SessionKey, in NewFileLink) (FileLink, error) {
	p, err := a.location(ctx, key)
	if err != nil {
		return FileLink{}, err
	}
	file, err := p.path(in.Path)
	if err != nil {
		return FileLink{}, err
	}
	attachment, err := download.File(ctx, p.box, file)
	if err != nil {
		return FileLink{}, err
	}
	life := filelink.DefaultLife
	if in.TTL > 0 {
		life = time.Duration(in.TTL) * time.Second
	}
	expires := time.Now().Add(life).UTC().Truncate(time.Second)
	url, err := a.Links.URL(filelink.Link{
		User: auth.User(ctx).ID, Runner: p.box.Name(), Path: cmp.Or(attachment.Real, file), Name: attachment.Name, Expires: expires,
	})
	return FileLink{URL: url, ExpiresAt: expires}, err
}

// location is the place of the files of a session.
type location struct {
	box  sandbox.Sandbox
	base string // the session's folder: relative paths start here
}

// onRunner registers an operation on the files of a session of the user, whose result is the body of the answer.
func onRunner[In endpoint.Keyed, T any](a *Endpoints, h huma.API, o huma.Operation, do func(ctx context.Context, p location, in *In) (T, error)) {
	endpoint.InSession(a.Base, h, o, func(ctx context.Context, s chat.Session, in *In) (T, error) {
		p, err := a.locationIn(ctx, s)
		if err != nil {
			var none T
			return none, err
		}
		return do(ctx, p, in)
	})
}

// location finds the runner of a session of the user and makes sure that it answers.
func (a *Endpoints) location(ctx context.Context, key chat.SessionKey) (location, error) {
	s, err := a.Own(ctx, key)
	if err != nil {
		return location{}, err
	}
	return a.locationIn(ctx, s)
}

func (a *Endpoints) locationIn(ctx context.Context, s chat.Session) (location, error) {
	box, err := sandbox.Reach(ctx, a.Sandboxes, auth.User(ctx).ID, s.Runner)
	if err != nil {
		return location{}, err
	}
	return locationOf(ctx, box, s), nil
}

// locationOf takes the workspace where the session's own folder is gone, or on another runner.
func locationOf(ctx context.Context, box sandbox.Sandbox, s chat.Session) location {
	p := location{box: box, base: box.Workspace()}
	cwd := chat.FolderOn(s.Cwd, s.CwdRunner, box.Name())
	if cwd == "" {
		return p
	}
	if info, err := box.Stat(ctx, cwd); err == nil && info.Dir {
		p.base = path.Clean(cwd)
	}
	return p
}

// path makes a path from a client absolute.
func (p location) path(sent string) (string, error) {
	switch {
	case strings.ContainsRune(sent, 0):
		return "", fault.Errorf(fault.Invalid, "a path has no NUL character")
	case len(sent) > maxPath:
		return "", fault.Errorf(fault.Invalid, "a path has at most %d bytes", maxPath)
	case path.IsAbs(sent):
		return path.Clean(sent), nil
	}
	return path.Join(p.base, sent), nil
}

func (p location) attachment(ctx context.Context, sent string) (download.Attachment, error) {
	file, _, err := p.find(ctx, sent)
	if err != nil {
		return download.Attachment{}, err
	}
	return download.File(ctx, p.box, file)
}

// find looks for what an answer names, from the session's folder or from the workspace.
func (p location) find(ctx context.Context, sent string) (string, sandbox.FileInfo, error) {
	file, err := p.path(sent)
	if err != nil {
		return "", sandbox.FileInfo{}, err
	}
	info, err := p.box.Stat(ctx, file)
	if fault.Is(err, fault.NotFound) && !path.IsAbs(sent) && p.base != p.box.Workspace() {
		file = path.Join(p.box.Workspace(), sent)
		info, err = p.box.Stat(ctx, file)
	}
	return file, info, err
}

func (p location) list(ctx context.Context, sent string) (Folder, error) {
	dir, err := p.path(sent)
	if err != nil {
		return Folder{}, err
	}
	infos, err := p.box.ReadDir(ctx, dir)
	if err != nil {
		return Folder{}, err
	}
	out := Folder{Path: dir, Entries: make([]FileEntry, 0, len(infos))}
	if parent := path.Dir(dir); parent != dir {
		out.Parent = parent
	}
	for _, folders := range []bool{true, false} {
		for _, f := range infos {
			if f.Dir == folders {
				entry := entryOf(f)
				entry.Path = path.Join(dir, entry.Name)
				out.Entries = append(out.Entries, entry)
			}
		}
	}
	return out, nil
}
