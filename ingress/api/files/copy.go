package files

import (
	"context"
	"crypto/rand"
	"io"
	"path"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Bounds of one copy.
const (
	maxCopied      = 10_000  // files and folders
	maxCopiedBytes = 2 << 30 // of their content
)

// copy copies a file, or a folder with its content. A folder is copied next to its destination and put there whole: a failure in
// between loses nothing but the copy.
func (p location) copy(ctx context.Context, from, to string) error {
	info, err := p.box.Stat(ctx, from)
	if err != nil {
		return err
	}
	if !info.Dir {
		return p.copyFile(ctx, info, to)
	}
	if to == from || strings.HasPrefix(to, strings.TrimSuffix(from, "/")+"/") {
		return fault.Errorf(fault.Invalid, "%s cannot be copied into itself", from)
	}
	if _, err := p.box.Stat(ctx, to); !fault.Is(err, fault.NotFound) {
		return orElse(err, fault.Errorf(fault.Conflict, "%s exists already", to))
	}
	entries, err := sandbox.Below(ctx, p.box, from, maxCopied)
	if err != nil {
		return err
	}
	var size int64
	for _, entry := range entries {
		size += entry.Size
	}
	if size > maxCopiedBytes {
		return fault.Errorf(fault.TooLarge, "%s holds more than %d GB: use a command", from, maxCopiedBytes>>30)
	}
	beside := path.Join(path.Dir(to), ".copy-"+rand.Text())
	if err = p.copyAll(ctx, from, entries, beside); err == nil {
		err = p.box.Move(ctx, beside, to)
	}
	if err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		_ = p.box.RemoveAll(undo, beside) // a folder that stays is visible to the user
	}
	return err
}

func (p location) copyAll(ctx context.Context, from string, entries []sandbox.FileInfo, to string) error {
	if err := p.box.MkdirAll(ctx, to); err != nil {
		return err
	}
	for _, entry := range entries {
		if err := p.copyEntry(ctx, entry, path.Join(to, strings.TrimPrefix(entry.Path, from))); err != nil {
			return err
		}
	}
	return nil
}

func orElse(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func (p location) copyEntry(ctx context.Context, entry sandbox.FileInfo, to string) error {
	if entry.Dir {
		return p.box.MkdirAll(ctx, to)
	}
	return p.copyFile(ctx, entry, to)
}

// copyFile passes the content through, a part at a time. The copy has the permissions of the file.
func (p location) copyFile(ctx context.Context, from sandbox.FileInfo, to string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, w := io.Pipe()
	read := make(chan error, 1)
	go func() {
		_, err := p.box.Download(ctx, from.Path, w)
		read <- err
		_ = w.CloseWithError(err) // it returns nil always
	}()
	_, err := p.box.Edit(ctx, sandbox.Edit{Path: to, From: r, Mode: sandbox.WriteCreate, Perm: from.Mode.Perm()})
	_ = r.CloseWithError(err) // it returns nil always; the reader's side ends
	if readErr := <-read; err == nil || readErr != nil && !fault.Is(err, fault.Conflict) {
		return readErr
	}
	return err
}
