package consumer

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"reflect"
	"strings"
	"time"

	"xbot/internal/document/filename"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/service"
)

// Limits of one upload.
const (
	maxFileBytes = 20 << 20
	maxFiles     = 20
	maxBeside    = 1 << 20 // of a request without its files, in bytes
	// receiveTime is how long a client may take to send one piece, and undoTime bounds the removal of the files of a failed upload.
	receiveTime, undoTime = time.Minute, 10 * time.Second
)

// upload stores the files of a form in the file system of a conversation, all or none.
func (a *API) upload(w http.ResponseWriter, r *http.Request) {
	files, err := a.takeFiles(w, r)
	if err != nil {
		a.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(files) // the client is gone if this fails
}

func (a *API) takeFiles(w http.ResponseWriter, r *http.Request) ([]AttachmentBody, error) {
	ctx := r.Context()
	c, err := a.conversation(ctx, visitOf(ctx), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if r.ContentLength > maxFiles*maxFileBytes+maxBeside {
		return nil, tooLarge("the upload")
	}
	leave, err := a.uploads.Enter(c.Key, uploadsOfKey)
	if err != nil {
		return nil, err
	}
	defer leave()
	form, err := r.MultipartReader()
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "send the files as multipart/form-data in the field \"file\"")
	}
	box, err := a.files(ctx, c)
	if err != nil {
		return nil, err
	}
	u := &openUpload{box: box, control: http.NewResponseController(w), until: time.Now().Add(a.uploads.time)}
	within, cancel := context.WithDeadline(ctx, u.until)
	defer cancel()
	out, err := u.take(within, form)
	if err != nil && u.late() { // the time limit caused any error
		err = errLate
	}
	if err != nil {
		u.undo(ctx)
	}
	return out, err
}

// files returns the file system of a conversation. The reason why there is none does not concern the consumer.
func (a *API) files(ctx context.Context, c service.Conversation) (sandbox.Sandbox, error) {
	if a.Files == nil {
		return nil, errNoFiles
	}
	box, err := a.Files.OfConversation(ctx, c)
	if fault.Is(err, fault.Denied) || fault.Is(err, fault.NotFound) {
		return nil, errNoFiles
	}
	return box, err
}

var errNoFiles = fault.Errorf(fault.Conflict, "this service takes no files and keeps none at the moment; send pictures within the message instead")

// openUpload is an unfinished upload.
type openUpload struct {
	box     sandbox.Sandbox
	control *http.ResponseController
	until   time.Time
	folders []string // folders that were made for it
}

func (u *openUpload) take(ctx context.Context, form *multipart.Reader) ([]AttachmentBody, error) {
	var out []AttachmentBody
	for {
		if err := u.alive(); err != nil {
			return nil, err
		}
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err != nil:
			return nil, fault.Errorf(fault.Invalid, "the upload broke off or is no multipart/form-data: send it again")
		case part.FormName() != "file" || part.FileName() == "":
			return nil, fault.Errorf(fault.Invalid, "the form has a field %.40q; send files, in the field \"file\"", part.FormName())
		case len(out) == maxFiles:
			return nil, fault.Errorf(fault.TooLarge, "at most %d files can be sent at once", maxFiles)
		}
		one, err := u.file(ctx, part)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return nil, fault.Errorf(fault.Invalid, "there is no file in the field \"file\"")
	}
	return out, nil
}

// file stores one file in a separate folder, so that no name is taken.
func (u *openUpload) file(ctx context.Context, part *multipart.Part) (AttachmentBody, error) {
	inside := path.Join(randomFolder(), filename.Safe(part.FileName()))
	folder := path.Dir(path.Join(attachmentsFolder, inside))
	u.folders = append(u.folders, folder)
	if err := u.box.MkdirAll(ctx, folder); err != nil {
		return AttachmentBody{}, err
	}
	from := &pieces{openUpload: u, from: part}
	size, err := u.box.Upload(ctx, path.Join(attachmentsFolder, inside), from, sandbox.WriteCreate)
	if from.err != nil {
		return AttachmentBody{}, from.err // the client's fault explains the error of the runner
	}
	return AttachmentBody{Path: inside, Name: path.Base(inside), Type: typeOf(inside), Size: size}, err
}

// undo removes the files of a failed upload. Files that stay are removed with the conversation.
func (u *openUpload) undo(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	for _, folder := range u.folders {
		_ = u.box.RemoveAll(ctx, folder) // see above
	}
}

// late reports whether the upload has had its time.
func (u *openUpload) late() bool { return !time.Now().Before(u.until) }

// alive extends the deadlines for the next piece, to the end of the upload's time at most.
func (u *openUpload) alive() error {
	now := time.Now()
	read := now.Add(receiveTime)
	if u.until.Before(read) {
		read = u.until
	}
	return errors.Join(u.control.SetReadDeadline(read), u.control.SetWriteDeadline(now.Add(2*receiveTime)))
}

// pieces reads one file of a form, up to the limit.
type pieces struct {
	*openUpload

	from io.Reader
	size int64
	err  error
}

// Read reads a piece.
func (p *pieces) Read(buf []byte) (int, error) {
	if err := p.alive(); err != nil {
		p.err = err
		return 0, err
	}
	n, err := p.from.Read(buf)
	if p.size += int64(n); p.size > maxFileBytes {
		p.err = tooLarge("a file")
		return 0, p.err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		p.err = fault.Errorf(fault.Invalid, "the upload broke off: send it again")
		return n, p.err
	}
	return n, err
}

func tooLarge(what string) error {
	return fault.Errorf(fault.TooLarge, "%s is too large: at most %d files of %d MB each can be sent", what, maxFiles, maxFileBytes>>20)
}

func randomFolder() string {
	var raw [4]byte
	_, _ = rand.Read(raw[:]) // never fails
	return strings.ToLower(hex.EncodeToString(raw[:]))
}

func reflectType[T any]() reflect.Type { return reflect.TypeFor[T]() }
