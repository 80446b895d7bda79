package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/document/filename"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Limits of one upload.
const (
	maxUploadBytes = 100 << 20 // a file
	maxUploadFiles = 10
	maxUploadExtra = 1 << 20 // of a request without its files: boundaries and headers of parts
	maxSameNames   = 1000    // numbers that are tried for a name that is taken
	maxUploads     = 8       // of a user at once; each holds a file open on a runner
)

// How long a client may take to send a piece of an upload, and how long the answer may take after it.
const (
	receiveTime = time.Minute
	answerTime  = 2 * time.Minute
)

// undoTime bounds the removal of the files of a failed upload.
const undoTime = 10 * time.Second

// arrivingPrefix begins the name of a file that is complete and about to get its own name. A file that is older than abandoned gets none.
const (
	arrivingPrefix = ".xbot-upload-"
	abandoned      = time.Hour
)

// defaultUploadDir is the folder for uploads, in the session's own.
const defaultUploadDir = "uploads"

// UploadedFile is a file that was stored.
type UploadedFile struct {
	Name string `json:"name" doc:"As it was stored: made safe, numbered if the name was taken."`
	Path string `json:"path" doc:"Absolute path on the runner."`
	Size int64  `json:"size" doc:"Bytes."`
}

// Uploaded lists the stored files.
type Uploaded struct {
	Files []UploadedFile `json:"files"`
}

// describeUpload adds the body of an upload to the OpenAPI document. The operation itself must not declare it: huma reads a
// declared body into memory.
func describeUpload(h huma.API) {
	item := h.OpenAPI().Paths[filesPath]
	described := *item.Post
	described.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
		Type: huma.TypeObject, Required: []string{"file"},
		Properties: map[string]*huma.Schema{
			"dir":  {Type: huma.TypeString, Description: "Folder relative to the session's folder; default: uploads. It must precede the files."},
			"file": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		},
	}}}}
	item.Post = &described
}

func (a *Endpoints) uploadFiles(ctx context.Context, in *struct {
	endpoint.Key
	endpoint.Request
}) (*struct{ Body Uploaded }, error) {
	p, err := a.location(ctx, in.Key.Key)
	if err != nil {
		return nil, a.Problem(err)
	}
	leave, err := a.uploads.Enter(auth.User(ctx).ID, maxUploads)
	if err != nil {
		return nil, a.Problem(err)
	}
	defer leave()
	if in.HTTP().ContentLength > maxUploadFiles*maxUploadBytes+maxUploadExtra {
		return nil, a.Problem(fault.Errorf(fault.TooLarge, "at most %d files of at most %d MB each can be uploaded at once", maxUploadFiles, maxUploadBytes>>20))
	}
	if err := a.Attachments.CheckSpace(ctx, auth.User(ctx).ID, max(in.HTTP().ContentLength, 0)); err != nil {
		return nil, a.Problem(err)
	}
	form, err := in.HTTP().MultipartReader()
	if err != nil {
		return nil, a.Problem(fault.Errorf(fault.Invalid, "send the files as multipart/form-data in the field \"file\""))
	}
	u := &upload{location: p, control: http.NewResponseController(in.Writer()), dir: path.Join(p.base, defaultUploadDir)}
	files, err := u.take(ctx, form)
	return &struct{ Body Uploaded }{Uploaded{Files: files}}, a.Problem(err)
}

// upload stores the parts of a form while they arrive.
type upload struct {
	location
	control *http.ResponseController
	dir     string
	ready   bool // dir is there
	done    []UploadedFile
}

// take stores all files or none.
func (u *upload) take(ctx context.Context, form *multipart.Reader) ([]UploadedFile, error) {
	for {
		if err := u.alive(); err != nil {
			return nil, err
		}
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = u.part(ctx, part)
		} else {
			err = fault.Errorf(fault.Invalid, "the upload broke off or is no multipart/form-data: send it again")
		}
		if err != nil {
			u.undo(ctx)
			return nil, err
		}
	}
	if len(u.done) == 0 {
		return nil, fault.Errorf(fault.Invalid, "there is no file in the field \"file\"")
	}
	return u.done, nil
}

func (u *upload) part(ctx context.Context, part *multipart.Part) error {
	switch part.FormName() {
	case "dir":
		return u.setDir(part)
	case "file":
		return u.file(ctx, part)
	}
	return fault.Errorf(fault.Invalid, "the form has a field %q; only \"dir\" and \"file\" are known", part.FormName())
}

// setDir accepts folders inside the session's own only.
func (u *upload) setDir(part *multipart.Part) error {
	text, err := io.ReadAll(io.LimitReader(part, maxPath+1))
	if err != nil {
		return fault.Errorf(fault.Invalid, "the field \"dir\" could not be read")
	}
	dir := string(text)
	switch {
	case u.ready:
		return fault.Errorf(fault.Invalid, "the field \"dir\" must come before the files")
	case len(dir) > maxPath || strings.ContainsRune(dir, 0) || strings.ContainsRune(dir, '\\'):
		return fault.Errorf(fault.Invalid, "%q is not the path of a folder", dir[:min(len(dir), 100)])
	case path.IsAbs(dir):
		return fault.Errorf(fault.Invalid, "the folder of an upload is given relative to the session's folder %s", u.base)
	}
	for step := range strings.SplitSeq(dir, "/") {
		if step == ".." {
			return fault.Errorf(fault.Invalid, "the folder of an upload lies inside the session's folder %s", u.base)
		}
	}
	if dir != "" {
		u.dir = path.Join(u.base, dir)
	}
	return nil
}

// file stores one file under a name that is free.
func (u *upload) file(ctx context.Context, part *multipart.Part) error {
	if len(u.done) == maxUploadFiles {
		return fault.Errorf(fault.TooLarge, "at most %d files can be uploaded at once", maxUploadFiles)
	}
	if part.FileName() == "" {
		return fault.Errorf(fault.Invalid, "the form has a file without a file name")
	}
	if err := u.prepare(ctx); err != nil {
		return err
	}
	arriving := path.Join(u.dir, arrivingPrefix+strings.ToLower(rand.Text()))
	u.done = append(u.done, UploadedFile{Path: arriving})
	one := &u.done[len(u.done)-1]
	from := &pieces{upload: u, from: part, name: filename.Safe(part.FileName())}
	size, err := u.box.Upload(ctx, arriving, from, sandbox.WriteCreate)
	if from.err != nil {
		return from.err // the client's fault explains the error of the runner
	}
	if err != nil {
		return err
	}
	name, err := u.place(ctx, arriving, from.name)
	if err != nil {
		return err
	}
	*one = UploadedFile{Name: name, Path: path.Join(u.dir, name), Size: size}
	return nil
}

// prepare makes the folder. It goes through no symbolic link: one that a command left there could lead anywhere.
func (u *upload) prepare(ctx context.Context) error {
	if u.ready {
		return nil
	}
	at := u.base
	for step := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(u.dir, u.base), "/"), "/") {
		at = path.Join(at, step)
		info, err := u.box.Stat(ctx, at)
		if fault.Is(err, fault.NotFound) {
			break
		}
		if err != nil {
			return err
		}
		if at != u.base && info.Link != "" {
			return fault.Errorf(fault.Denied, "%s is a symbolic link; uploads go to real folders only", at)
		}
	}
	if err := u.box.MkdirAll(ctx, u.dir); err != nil {
		return err
	}
	u.ready = true
	return u.sweep(ctx)
}

// place gives a complete file its name, or the name with a number: it never overwrites a file, however many uploads run at once,
// and a kill of the server leaves no part of a file under the name.
func (u *upload) place(ctx context.Context, arriving, name string) (string, error) {
	for n := range maxSameNames {
		try := filename.Numbered(name, n)
		err := u.box.Move(ctx, arriving, path.Join(u.dir, try))
		if !fault.Is(err, fault.Conflict) {
			return try, err
		}
	}
	return "", fault.Errorf(fault.Conflict, "%s has too many files named like %s; choose another name", u.dir, name)
}

// sweep removes complete files that a killed server has not given their names.
func (u *upload) sweep(ctx context.Context) error {
	list, err := u.box.ReadDir(ctx, u.dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		if strings.HasPrefix(path.Base(f.Path), arrivingPrefix) && !f.Dir && time.Since(f.ModTime) > abandoned {
			_ = u.box.Remove(ctx, f.Path) // another upload may have removed it; the next one tries again
		}
	}
	return nil
}

// undo removes the files that a failed upload has stored.
func (u *upload) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	for _, f := range u.done {
		_ = u.box.Remove(ctx, f.Path) // a file that stays is visible to the user
	}
}

// alive extends the deadline for the next piece. The server's own limits are for whole requests.
func (u *upload) alive() error {
	now := time.Now()
	if err := u.control.SetReadDeadline(now.Add(receiveTime)); err != nil {
		return fmt.Errorf("wait for an upload: %w", err)
	}
	if err := u.control.SetWriteDeadline(now.Add(receiveTime + answerTime)); err != nil {
		return fmt.Errorf("wait for an upload: %w", err)
	}
	return nil
}

// pieces reads one file of a form, up to the limit. Its error is remembered, since a reader of pieces may wrap it or
// take the end of a broken connection for the end of the file.
type pieces struct {
	upload *upload
	from   io.Reader
	name   string
	size   int64
	err    error
}

func (p *pieces) Read(buf []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	if p.err = p.upload.alive(); p.err != nil {
		return 0, p.err
	}
	n, err := p.from.Read(buf)
	p.size += int64(n)
	switch {
	case p.size > maxUploadBytes:
		p.err = fault.Errorf(fault.TooLarge, "%s has more than %d MB, which is the limit for a file", p.name, maxUploadBytes>>20)
	case err != nil && !errors.Is(err, io.EOF):
		p.err = fault.Errorf(fault.Invalid, "the upload of %s broke off: send it again", p.name)
	case err != nil:
		return n, io.EOF
	}
	return n, p.err
}
