package guestfs

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const folderMode = fs.ModeDir | 0o755

// WriteFile implements sandbox.Sandbox.
func (r *fileSystem) WriteFile(ctx context.Context, text string, data []byte, mode sandbox.WriteMode) error {
	_, err := r.Upload(ctx, text, bytes.NewReader(data), mode)
	return err
}

// Upload implements sandbox.Sandbox.
func (r *fileSystem) Upload(ctx context.Context, text string, from io.Reader, mode sandbox.WriteMode) (int64, error) {
	return r.Edit(ctx, sandbox.Edit{Path: text, From: from, Mode: mode})
}

// Edit implements sandbox.Sandbox. Folders on the way to the file are made.
func (r *fileSystem) Edit(ctx context.Context, e sandbox.Edit) (int64, error) {
	ctx, cancel := context.WithTimeout(sandbox.Unnamed(ctx), WriteTime)
	defer cancel()
	p, real, there, err := r.target(ctx, e.Path)
	if err != nil {
		return 0, err
	}
	if err := r.fits(ctx, p); err != nil {
		return 0, err
	}
	if !there {
		if err := p.mount.volume.sandbox().MkdirAll(ctx, path.Dir(real)); err != nil {
			return 0, translateError(err, p.path)
		}
	}
	e.Path, e.Perm = real, 0
	n, err := p.mount.volume.sandbox().Edit(ctx, e)
	r.grows(ctx, p, n)
	return n, translateError(err, p.path)
}

// Edited implements sandbox.Sandbox.
func (r *fileSystem) Edited(ctx context.Context, id chat.CallID) (bool, error) {
	ctx = sandbox.Unnamed(ctx)
	files := r.mounts[0].volume // the one that calls write to
	if _, err := files.open(ctx); err != nil {
		return false, err
	}
	done, err := files.sandbox().Edited(ctx, id)
	return done, translateError(err, "the file")
}

// MkdirAll implements sandbox.Sandbox.
func (r *fileSystem) MkdirAll(ctx context.Context, text string) error {
	ctx = sandbox.Unnamed(ctx)
	p, err := r.find(text)
	if err == nil && (p.mount == nil || p.rel == "") {
		return nil // the folders of a file system are always there
	}
	p, real, there, err := r.target(ctx, text)
	if err != nil || there {
		return err
	}
	return translateError(p.mount.volume.sandbox().MkdirAll(ctx, real), p.path)
}

// Remove implements sandbox.Sandbox.
func (r *fileSystem) Remove(ctx context.Context, text string) error {
	return r.remove(ctx, text, sandbox.Sandbox.Remove)
}

// RemoveAll implements sandbox.Sandbox.
func (r *fileSystem) RemoveAll(ctx context.Context, text string) error {
	return r.remove(ctx, text, sandbox.Sandbox.RemoveAll)
}

func (r *fileSystem) remove(ctx context.Context, text string, remove func(sandbox.Sandbox, context.Context, string) error) error {
	ctx = sandbox.Unnamed(ctx)
	p, real, there, err := r.target(ctx, text)
	if err == nil && !there {
		err = missing(p.path)
	}
	if err != nil {
		return err
	}
	if err := remove(p.mount.volume.sandbox(), ctx, real); err != nil {
		return translateError(err, p.path)
	}
	r.shrinks(ctx, p)
	return nil
}

// Move implements sandbox.Sandbox.
func (r *fileSystem) Move(ctx context.Context, from, to string) error {
	ctx = sandbox.Unnamed(ctx)
	p, realFrom, there, err := r.target(ctx, from)
	if err == nil && !there {
		err = missing(p.path)
	}
	if err != nil {
		return err
	}
	q, realTo, taken, err := r.target(ctx, to)
	switch {
	case err != nil:
		return err
	case taken:
		return fault.Errorf(fault.Conflict, "%s exists already", q.path)
	}
	box := p.mount.volume.sandbox() // one folder of the file system is written to
	if err := box.MkdirAll(ctx, path.Dir(realTo)); err != nil {
		return translateError(err, q.path)
	}
	return translateError(box.Move(ctx, realFrom, realTo), q.path)
}
