package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Bounds of unfinished uploads.
const (
	maxUploads = 64
	uploadIdle = 10 * time.Minute // without a new part
)

// upload collects the parts of a file's new content.
type upload struct {
	mu   sync.Mutex
	file *os.File
	size int64
	used time.Time // guarded by Tree.mu
}

// Write takes one part of a file's new content. With the last part the whole is put in place at once: a crash leaves
// the old or the new content.
func (t *Tree) Write(w wire.Write) (wire.WriteResult, error) {
	if err := checkWrite(w); err != nil {
		return wire.WriteResult{}, err
	}
	if t.wasFinished(w.Upload) {
		return wire.WriteResult{}, nil // the answer to the last part was lost on its way
	}
	if w.Edit != "" {
		if before, err := t.Edited(w.Edit); err != nil || before.Done {
			return wire.WriteResult{Edited: before.Done, Size: before.Size}, err
		}
	}
	if w.Last && w.Offset == 0 {
		return t.finish(w, bytes.NewReader(w.Data))
	}
	u, err := t.upload(w)
	if err != nil {
		return wire.WriteResult{}, err
	}
	if u == nil {
		return wire.WriteResult{Restart: true}, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if w.Retry && !w.Last && w.Offset+int64(len(w.Data)) == u.size {
		return wire.WriteResult{}, nil // the answer to this part was lost on its way
	}
	if w.Offset != u.size {
		t.drop(w.Upload, u)
		return wire.WriteResult{Restart: true}, nil
	}
	return t.append(u, w)
}

func (t *Tree) append(u *upload, w wire.Write) (wire.WriteResult, error) {
	n, err := u.file.Write(w.Data)
	u.size += int64(n)
	if err == nil && !w.Last {
		return wire.WriteResult{}, nil
	}
	defer t.drop(w.Upload, u)
	if err == nil {
		_, err = u.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return wire.WriteResult{}, explain(err, w.Path)
	}
	return t.finish(w, u.file)
}

// finish puts the content in place and remembers the upload, so that a repeated last part is known to be done.
func (t *Tree) finish(w wire.Write, content io.ReadSeeker) (wire.WriteResult, error) {
	edited, err := t.replaceFile(w, content)
	if err != nil {
		return wire.WriteResult{}, err
	}
	result := wire.WriteResult{Edited: edited, Size: w.Offset + int64(len(w.Data))}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(t.finished, func(_ string, at time.Time) bool { return now.Sub(at) > uploadIdle })
	t.finished[w.Upload] = now
	return result, nil
}

func (t *Tree) wasFinished(upload string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.finished[upload]
	return ok
}

func checkWrite(w wire.Write) error {
	switch {
	case w.Mode != wire.WriteCreate && w.Mode != wire.WriteReplace:
		return wire.Errorf(wire.Invalid, "the write mode %q is neither create nor replace", w.Mode)
	case len(w.Data) > wire.MaxChunk:
		return wire.Errorf(wire.TooLarge, "a part has %d bytes and the limit is %d", len(w.Data), wire.MaxChunk)
	case w.Offset < 0 || w.Offset+int64(len(w.Data)) > wire.MaxUpload:
		return wire.Errorf(wire.TooLarge, "a file of more than %d bytes is not accepted", wire.MaxUpload)
	case w.Perm > 0o777:
		return wire.Errorf(wire.Invalid, "the permissions %o are none of a file's", w.Perm)
	case !isPlainName(w.Upload):
		return wire.Errorf(wire.Invalid, "an upload id has 1 to 64 letters and digits")
	}
	return nil
}

func isPlainName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// upload finds the upload of a part or, for a first part, begins it. Nil means that it is not there any more.
func (t *Tree) upload(w wire.Write) (*upload, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for id, u := range t.uploads {
		if now.Sub(u.used) > uploadIdle {
			t.dropLocked(id, u)
		}
	}
	u := t.uploads[w.Upload]
	switch {
	case u != nil:
	case w.Offset != 0:
		return nil, nil
	case len(t.uploads) >= maxUploads:
		return nil, wire.Errorf(wire.Unavailable, "%d files are being written already: try again later", maxUploads)
	default:
		f, err := os.OpenFile(filepath.Join(t.spool, w.Upload), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, explain(err, w.Path)
		}
		u = &upload{file: f}
		t.uploads[w.Upload] = u
	}
	u.used = now
	return u, nil
}

func (t *Tree) drop(id string, u *upload) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uploads[id] == u {
		t.dropLocked(id, u)
	}
}

func (t *Tree) dropLocked(id string, u *upload) {
	delete(t.uploads, id)
	_ = u.file.Close()           // its content was copied or is not wanted
	_ = os.Remove(u.file.Name()) // what stays is removed at the next start
}

// replaceFile writes the content to a temporary file next to its destination and moves it there. edited is true if another try of the edit did so.
func (t *Tree) replaceFile(w wire.Write, content io.ReadSeeker) (edited bool, err error) {
	p, err := t.locate(w.Path)
	if err != nil {
		return false, err
	}
	defer p.close()
	if err := t.mayChange(p); err != nil {
		return false, err
	}
	old, err := p.stat()
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return false, explain(err, p.path)
	}
	exists := err == nil
	if exists {
		if err := mayReplace(p, w, old, content); err != nil || w.Mode == wire.WriteCreate {
			return false, err
		}
	}
	temp := &location{folder: p.folder, base: ".xbot-" + rand.Text(), path: p.path}
	if err := fill(temp, content, newPerm(w), exists, old); err != nil {
		_ = unix.Unlinkat(temp.folder, temp.base, 0) // it may not have come into being
		return false, explain(err, p.path)
	}
	edited, err = t.moveOnce(w, temp, p)
	if err != nil || edited {
		_ = unix.Unlinkat(temp.folder, temp.base, 0) // the error that counts is known
		if errors.Is(err, unix.EEXIST) {
			return false, mayReplace(p, w, old, content)
		}
		return edited, explain(err, p.path)
	}
	return false, explain(p.sync(), p.path)
}

// moveOnce moves the temporary file to its place: once for each edit.
func (t *Tree) moveOnce(w wire.Write, temp, p *location) (edited bool, err error) {
	if w.Edit == "" {
		return false, move(temp, p, w.Mode)
	}
	return t.edit(w, temp, p, w.Offset+int64(len(w.Data)))
}

// mayReplace judges a destination that exists. In create mode nil means that an earlier try has done the work.
func mayReplace(p *location, w wire.Write, old unix.Stat_t, content io.ReadSeeker) error {
	if w.Mode == wire.WriteCreate {
		if w.Retry && sameContent(p, content) {
			return nil
		}
		return wire.Errorf(wire.Conflict, "%s exists already", p.path)
	}
	switch old.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		return wire.Errorf(wire.Invalid, "%s is a folder", p.path)
	default:
		return wire.Errorf(wire.Invalid, "%s is not a regular file", p.path)
	}
	// A rename asks for no right on the file it replaces; a user who protected it expects otherwise.
	return explain(unix.Faccessat(p.folder, p.base, unix.W_OK, unix.AT_EACCESS), p.path)
}

func sameContent(p *location, content io.ReadSeeker) bool {
	f, err := p.openFile(unix.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return false
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return false
	}
	if info, err := f.Stat(); err != nil || info.Size() != size {
		return false
	}
	return equal(f, content)
}

func equal(a, b io.Reader) bool {
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(a, bufA)
		m, errB := io.ReadFull(b, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false
		}
		if errA != nil || errB != nil {
			return n == m && isEnd(errA) && isEnd(errB)
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// newPerm returns what a file gets that was not there before, less the umask.
func newPerm(w wire.Write) uint32 {
	if w.Perm == 0 {
		return 0o666
	}
	return w.Perm
}

// fill writes the temporary file, with the permissions of what it will replace.
func fill(temp *location, content io.Reader, perm uint32, exists bool, old unix.Stat_t) error {
	f, err := temp.openFile(unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err == nil && exists {
		// Only root may give a file away; for others the file becomes theirs, as with any editor that renames.
		_ = f.Chown(int(old.Uid), int(old.Gid))
		err = f.Chmod(os.FileMode(old.Mode & 0o777))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// move gives the temporary file its name. In create mode an existing file wins: EEXIST.
func move(temp, p *location, mode string) error {
	if mode == wire.WriteReplace {
		return unix.Renameat(temp.folder, temp.base, p.folder, p.base)
	}
	err := unix.Linkat(temp.folder, temp.base, p.folder, p.base, 0)
	if err == nil {
		return unix.Unlinkat(temp.folder, temp.base, 0)
	}
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOTSUP) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	if _, err := p.stat(); err == nil { // a file system without hard links: the check has a gap of microseconds
		return unix.EEXIST
	}
	return unix.Renameat(temp.folder, temp.base, p.folder, p.base)
}
