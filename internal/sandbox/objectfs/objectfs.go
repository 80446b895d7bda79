// Package objectfs implements a file system over object storage, as a sandbox in which no command runs. A file is an object; its key is a root
// and its path. There are no links, and a folder exists as long as a file is below it. A file is replaced only if it is still the one that was
// looked at, so that of two writers at the same time one gets a Conflict.
package objectfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/storage"
	"xbot/internal/storage/storagestore"
	"xbot/runner/wire"
)

// The folders of a conversation in storage.
const (
	Generated   = "gen"
	Attachments = "att"
)

// Root returns what the keys of a consumer conversation begin with, without a slash at the end. The trigger delete_stored_files of the schema
// makes the same one.
func Root(admin chat.UserID, service, conversation string) string {
	return fmt.Sprintf("%d/svc/%s/%s", admin, service, conversation)
}

// Edits records edits.
type Edits interface {
	Edit(ctx context.Context, user chat.UserID, call chat.CallID) (e storagestore.Edit, ok bool, err error)
	BeginEdit(ctx context.Context, e storagestore.Edit) error
	EndEdit(ctx context.Context, user chat.UserID, call chat.CallID) error
}

// FileSystem is a file system below a root. It is safe for concurrent use.
type FileSystem struct {
	sandbox.None

	store storage.Store
	root  string
	user  chat.UserID
	edits Edits
}

var _ sandbox.Sandbox = (*FileSystem)(nil)

// maxRead bounds what ReadFile returns, in bytes. It is all held in memory.
const maxRead = 64 << 20

// maxVerified is the size up to which a part of a file is read by reading, and checking, the whole, in bytes.
const maxVerified = 4 << 20

// New returns the file system of a consumer below a root.
func New(store storage.Store, root string, user chat.UserID, edits Edits) *FileSystem {
	refused := fault.Errorf(fault.Denied, "no command runs in object storage")
	return &FileSystem{None: sandbox.None{Why: refused}, store: store, root: root, user: user, edits: edits}
}

// Name is the name of the back end.
func (f *FileSystem) Name() string { return f.store.Name() }

// key returns the key of a path; empty: the root.
func (f *FileSystem) key(name string) (string, error) {
	clean := path.Clean("/" + name)
	if clean == "/" {
		return "", nil
	}
	key := f.root + clean
	return key, storage.CheckKey(key)
}

// file is key for what cannot be the root.
func (f *FileSystem) file(name string) (string, error) {
	key, err := f.key(name)
	if err == nil && key == "" {
		err = isFolder(name)
	}
	return key, err
}

func isFolder(name string) error { return fault.Errorf(fault.Invalid, "%s is a folder", name) }

func missing(name string) error { return fault.Errorf(fault.NotFound, "%s does not exist", name) }

// name is the path of a key.
func (f *FileSystem) name(key string) string { return strings.TrimPrefix(key, f.root) }

// Stat describes a file or folder.
func (f *FileSystem) Stat(ctx context.Context, name string) (sandbox.FileInfo, error) {
	key, err := f.key(name)
	switch {
	case err != nil:
		return sandbox.FileInfo{}, err
	case key == "":
		return folder("/"), nil
	}
	o, err := f.store.Stat(ctx, key)
	if !fault.Is(err, fault.NotFound) {
		return f.info(o), err
	}
	found, err := f.hasFiles(ctx, key)
	if err == nil && !found {
		err = missing(name)
	}
	return folder(f.name(key)), err
}

// hasFiles reports whether a file is below a key.
func (f *FileSystem) hasFiles(ctx context.Context, key string) (bool, error) {
	found, err := f.store.List(ctx, key+"/", "", 1)
	return len(found) > 0, err
}

func folder(name string) sandbox.FileInfo {
	return sandbox.FileInfo{Path: name, Real: name, Dir: true, Mode: fs.ModeDir | 0o755}
}

func (f *FileSystem) info(o storage.Object) sandbox.FileInfo {
	name := f.name(o.Key)
	return sandbox.FileInfo{Path: name, Real: name, Size: o.Size, Mode: 0o644, ModTime: o.Modified}
}

// ReadFile returns a part of a file. A file up to 4 MiB, and a whole one, is checked against its digest.
func (f *FileSystem) ReadFile(ctx context.Context, name string, offset, limit int64) (sandbox.FileData, error) {
	key, err := f.file(name)
	if err != nil {
		return sandbox.FileData{}, err
	}
	if limit > maxRead {
		return sandbox.FileData{}, fault.Errorf(fault.TooLarge, "at most %d bytes can be read at once: read the file in parts", maxRead)
	}
	whole := int64(maxVerified)
	if limit == 0 && offset == 0 {
		whole = maxRead
	}
	data, o, err := storage.Read(ctx, f.store, key, "", whole)
	switch {
	case err == nil:
		data = data[min(offset, o.Size):]
		if limit > 0 && limit < int64(len(data)) {
			data = data[:limit]
		}
		return sandbox.FileData{Data: data, Size: o.Size, ModTime: o.Modified}, nil
	case !fault.Is(err, fault.TooLarge), whole == maxRead, limit == 0 && o.Size-offset > maxRead:
		return sandbox.FileData{}, f.folderOr(ctx, key, name, err)
	}
	body, o, err := f.store.Get(ctx, key, offset, limit)
	if err != nil {
		return sandbox.FileData{}, err
	}
	defer body.Close()
	if err := storage.CheckDigest(o); err != nil {
		return sandbox.FileData{}, err
	}
	data, err = io.ReadAll(body)
	return sandbox.FileData{Data: data, Size: o.Size, ModTime: o.Modified}, err
}

// folderOr replaces NotFound where a path is a folder.
func (f *FileSystem) folderOr(ctx context.Context, key, name string, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if found, failed := f.hasFiles(ctx, key); failed != nil || found {
		return errors.Join(failed, isFolder(name))
	}
	return missing(name)
}

// Download copies a whole file, which is checked against its digest: an error at the end means that the copy is of no use.
func (f *FileSystem) Download(ctx context.Context, name string, to io.Writer) (int64, error) {
	key, err := f.file(name)
	if err != nil {
		return 0, err
	}
	body, o, err := f.store.Get(ctx, key, 0, 0)
	if err != nil {
		return 0, f.folderOr(ctx, key, name, err)
	}
	defer body.Close()
	return io.Copy(to, storage.Verify(body, o, ""))
}

// URL returns an address that opens a file without credentials; empty: the storage has none.
func (f *FileSystem) URL(ctx context.Context, name string, l storage.Link) (string, error) {
	key, err := f.file(name)
	if err != nil {
		return "", err
	}
	o, err := f.store.Stat(ctx, key)
	if err == nil {
		err = storage.CheckDigest(o)
	}
	if err != nil {
		return "", err
	}
	return f.store.URL(ctx, key, l)
}

// all lists the objects below a path.
func (f *FileSystem) all(ctx context.Context, key string, most int) ([]storage.Object, error) {
	if key == "" {
		key = f.root
	}
	return storage.All(ctx, f.store, key+"/", most)
}

// ReadDir lists a folder by name.
func (f *FileSystem) ReadDir(ctx context.Context, name string) ([]sandbox.FileInfo, error) {
	key, err := f.key(name)
	if err != nil {
		return nil, err
	}
	all, err := f.all(ctx, key, wire.MaxDirEntries)
	if err != nil {
		return nil, err
	}
	at := path.Clean("/" + name)
	if len(all) == 0 && key != "" {
		if _, err := f.store.Stat(ctx, key); !fault.Is(err, fault.NotFound) {
			return nil, errors.Join(err, fault.Errorf(fault.Invalid, "%s is no folder", name))
		}
		return nil, missing(name)
	}
	var out []sandbox.FileInfo
	for _, o := range all {
		first, rest, deeper := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(f.name(o.Key), at), "/"), "/")
		switch entry := path.Join(at, first); {
		case deeper && rest != "" && !slices.ContainsFunc(out, func(i sandbox.FileInfo) bool { return i.Path == entry }):
			out = append(out, folder(entry))
		case !deeper:
			out = append(out, f.info(o))
		}
	}
	slices.SortFunc(out, func(a, b sandbox.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Size returns how many bytes the files below a path have. TooLarge: there are more files than most.
func (f *FileSystem) Size(ctx context.Context, name string, most int) (bytes int64, err error) {
	key, err := f.key(name)
	if err != nil {
		return 0, err
	}
	all, err := f.all(ctx, key, most)
	for _, o := range all {
		bytes += o.Size
	}
	return bytes, err
}

// MkdirAll makes nothing: a folder exists once a file is in it. Conflict: a file is there.
func (f *FileSystem) MkdirAll(ctx context.Context, name string) error {
	key, err := f.key(name)
	if err != nil {
		return err
	}
	if key == "" {
		return nil
	}
	if err := f.checkParents(ctx, key); err != nil {
		return fault.Errorf(fault.Conflict, "%w", err)
	}
	switch _, err := f.store.Stat(ctx, key); {
	case err == nil:
		return fault.Errorf(fault.Conflict, "%s is a file", name)
	case !fault.Is(err, fault.NotFound):
		return err
	}
	return nil
}

// checkParents is Invalid if a file is in the place of a folder above a key.
func (f *FileSystem) checkParents(ctx context.Context, key string) error {
	for at := path.Dir(key); len(at) > len(f.root); at = path.Dir(at) {
		_, err := f.store.Stat(ctx, at)
		switch {
		case err == nil:
			return fault.Errorf(fault.Invalid, "%s is a file, and no folder", f.name(at))
		case !fault.Is(err, fault.NotFound):
			return err
		}
	}
	return nil
}

// Remove removes a file. A folder that exists is not empty, so it stays: Invalid.
func (f *FileSystem) Remove(ctx context.Context, name string) error {
	key, err := f.file(name)
	if err != nil {
		return err
	}
	o, err := f.store.Stat(ctx, key)
	if err != nil {
		return f.folderOr(ctx, key, name, err)
	}
	if err := f.recordEdit(ctx, o, ""); err != nil {
		return err
	}
	return f.store.Delete(ctx, key)
}

// RemoveAll removes a file, or what is below a folder.
func (f *FileSystem) RemoveAll(ctx context.Context, name string) error {
	key, err := f.file(name)
	if err != nil {
		return err
	}
	_, err = f.store.Stat(ctx, key)
	if err == nil {
		return f.store.Delete(ctx, key)
	}
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	n, err := storage.DeleteAll(ctx, f.store, key+"/")
	if err == nil && n == 0 {
		err = missing(name)
	}
	return err
}

// maxMoved bounds how many files a folder has that is moved: each is copied.
const maxMoved = 2000

// Move copies what is at a path to another one, and removes it then: after a crash it may be at both.
func (f *FileSystem) Move(ctx context.Context, from, to string) error {
	source, err := f.file(from)
	if err != nil {
		return err
	}
	target, err := f.file(to)
	if err != nil {
		return err
	}
	if strings.HasPrefix(target+"/", source+"/") {
		return fault.Errorf(fault.Invalid, "%s cannot be moved into itself", from)
	}
	if err := f.checkParents(ctx, target); err != nil {
		return err
	}
	if found, err := f.hasFiles(ctx, target); err != nil || found {
		return errors.Join(err, fault.Errorf(fault.Conflict, "%s exists already", to))
	}
	o, err := f.store.Stat(ctx, source)
	if err == nil {
		return f.moveFile(ctx, o, target)
	}
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	if _, err := f.store.Stat(ctx, target); !fault.Is(err, fault.NotFound) {
		return errors.Join(err, fault.Errorf(fault.Conflict, "%s exists already", to))
	}
	return f.moveFolder(ctx, source, target, from)
}

func (f *FileSystem) moveFile(ctx context.Context, o storage.Object, target string) error {
	o, err := f.store.Stat(ctx, o.Key)
	if err != nil {
		return err
	}
	if err := f.recordEdit(ctx, o, ""); err != nil {
		return err
	}
	if _, err := storage.Copy(ctx, f.store, o, f.store, target, storage.Condition{Absent: true}); err != nil {
		return err
	}
	return f.store.Delete(ctx, o.Key)
}

func (f *FileSystem) moveFolder(ctx context.Context, source, target, from string) error {
	all, err := storage.All(ctx, f.store, source+"/", maxMoved)
	if err == nil && len(all) == 0 {
		err = missing(from)
	}
	for _, o := range all {
		if err == nil {
			err = storage.CheckKey(target + strings.TrimPrefix(o.Key, source))
		}
	}
	if err != nil {
		return err
	}
	for _, o := range all {
		if err := f.moveFile(ctx, o, target+strings.TrimPrefix(o.Key, source)); err != nil {
			return err
		}
	}
	return nil
}

// compareAge orders files, the newest first.
func compareAge(a, b storage.Object) int {
	if c := b.Modified.Compare(a.Modified); c != 0 {
		return c
	}
	return strings.Compare(a.Key, b.Key)
}

// withLimit bounds the time of a search. 0 means no limit.
func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, sandbox.ErrSlow)
}
