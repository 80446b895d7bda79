package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"path"
	"strings"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/document/filename"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Reach makes sure that the runner of new sessions of the user answers.
func (a *Endpoints) Reach(ctx context.Context) error {
	_, err := sandbox.Reach(ctx, a.Sandboxes, auth.User(ctx).ID, "")
	return err
}

// Put stores a file in the session's folder of uploads. Nothing is overwritten: a name that is taken gets a number. A file that has the name and
// the content already is returned, so that a request that is sent again changes nothing.
func (a *Endpoints) Put(ctx context.Context, key chat.SessionKey, name string, content []byte) (UploadedFile, error) {
	p, err := a.location(ctx, key)
	if err != nil {
		return UploadedFile{}, err
	}
	leave, err := a.uploads.Enter(auth.User(ctx).ID, maxUploads)
	if err != nil {
		return UploadedFile{}, err
	}
	defer leave()
	if err := a.Attachments.CheckSpace(ctx, auth.User(ctx).ID, int64(len(content))); err != nil {
		return UploadedFile{}, err
	}
	within, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	u := &upload{location: p, dir: path.Join(p.base, defaultUploadDir)}
	stored, err := u.put(within, filename.Safe(name), content)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		err = fault.Errorf(fault.Unavailable, "the runner %s did not store %s within %s; send the request again", p.box.Name(), name, answerTime)
	}
	return stored, err
}

// put stores a file, unless it is there.
func (u *upload) put(ctx context.Context, name string, content []byte) (UploadedFile, error) {
	if err := u.prepare(ctx); err != nil {
		return UploadedFile{}, err
	}
	size := int64(len(content))
	if file := path.Join(u.dir, name); u.holds(ctx, file, content) {
		return UploadedFile{Name: name, Path: file, Size: size}, nil
	}
	arriving := path.Join(u.dir, arrivingPrefix+strings.ToLower(rand.Text()))
	_, err := u.box.Upload(ctx, arriving, bytes.NewReader(content), sandbox.WriteCreate)
	if err == nil {
		name, err = u.place(ctx, arriving, name)
	}
	if err != nil {
		u.done = []UploadedFile{{Path: arriving}}
		u.undo(ctx)
		return UploadedFile{}, err
	}
	return UploadedFile{Name: name, Path: path.Join(u.dir, name), Size: size}, nil
}

// holds reports whether a file has a content.
func (u *upload) holds(ctx context.Context, file string, content []byte) bool {
	info, err := u.box.Stat(ctx, file)
	if err != nil || info.Dir || info.Link != "" || info.Size != int64(len(content)) {
		return false
	}
	var has bytes.Buffer
	_, err = u.box.Download(ctx, file, &has)
	return err == nil && bytes.Equal(has.Bytes(), content)
}
