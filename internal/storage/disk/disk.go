// Package disk stores objects in a folder: on the disk of the one server, or on a mount that all servers share. An object is one file, written
// beside its place, synchronized, and renamed. Its metadata follows the body, so that both change at once.
package disk

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"xbot/internal/fault"
	"xbot/internal/storage"
)

// The folders below that of the store.
const (
	objects = "objects"
	uploads = "uploads"
)

// The end of a file: the length of the metadata, and a mark.
const (
	mark     = "xbot-obj"
	tailSize = 4 + len(mark)
	maxMeta  = 4096 // bytes
)

// meta is the metadata of an object.
type meta struct {
	Size     int64     `json:"size"`
	Digest   string    `json:"sha256"`
	Tag      string    `json:"tag,omitempty"`
	ETag     string    `json:"etag"`
	Modified time.Time `json:"modified"`
}

// Store is a folder. Make it with Open.
type Store struct {
	root *os.Root

	mu sync.Mutex // conditional writes of this process; those of other processes are held off by a lock of the folder
}

var _ storage.Store = (*Store)(nil)

// Open opens a store, and makes its folder where it does not exist. No link leads out of it.
func Open(folder string) (*Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Errorf(fault.Unavailable, "make the folder of stored files (STORAGE_DIR): %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "open the folder of stored files (STORAGE_DIR): %w", err)
	}
	for _, name := range []string{objects, uploads} {
		if err := root.MkdirAll(name, 0o700); err != nil {
			return nil, errors.Join(classify(err), root.Close())
		}
	}
	return &Store{root: root}, nil
}

// Close closes the folder.
func (s *Store) Close() error { return s.root.Close() }

// Name is storage.Disk.
func (*Store) Name() string { return storage.Disk }

// Put stores an object.
func (s *Store) Put(ctx context.Context, key string, c storage.Content, when storage.Condition) (storage.Object, error) {
	if err := storage.CheckKey(key); err != nil {
		return storage.Object{}, err
	}
	if c.Size > storage.MaxObject {
		return storage.Object{}, fault.Errorf(fault.TooLarge, "a file has at most %d MB", int64(storage.MaxObject)>>20)
	}
	m := meta{Size: c.Size, Digest: c.Digest, Tag: c.Tag, ETag: rand.Text(), Modified: time.Now().UTC()}
	upload := uploads + "/" + m.ETag
	if err := s.write(ctx, upload, c, m); err != nil {
		return storage.Object{}, errors.Join(err, s.remove(upload))
	}
	if err := s.place(ctx, upload, key, when); err != nil {
		return storage.Object{}, errors.Join(err, s.remove(upload))
	}
	return m.object(key), nil
}

// write writes a body with its metadata and synchronizes the file.
func (s *Store) write(ctx context.Context, name string, c storage.Content, m meta) error {
	if _, err := c.Body.Seek(0, io.SeekStart); err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return classify(err)
	}
	n, err := io.Copy(file, contextReader{ctx, c.Body})
	if err == nil && n != c.Size {
		err = fault.Errorf(fault.Internal, "a body of %d bytes has %d", c.Size, n)
	}
	if err == nil {
		tail := append(binary.BigEndian.AppendUint32(text, uint32(len(text))), mark...)
		_, err = file.Write(tail)
	}
	if err == nil {
		err = file.Sync()
	}
	return classify(errors.Join(err, file.Close()))
}

// place renames an upload to its key where the condition holds.
func (s *Store) place(ctx context.Context, upload, key string, when storage.Condition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	release, err := s.lock()
	if err != nil {
		return err
	}
	defer release()
	if when != (storage.Condition{}) {
		now, err := s.Stat(ctx, key)
		switch {
		case fault.Is(err, fault.NotFound) && when.ETag == "":
		case err != nil && !fault.Is(err, fault.NotFound):
			return err
		case err != nil || when.Absent || now.ETag != when.ETag:
			return fault.Errorf(fault.Conflict, "the file exists already, or was changed meanwhile")
		}
	}
	name := objects + "/" + key
	if err := s.root.MkdirAll(path.Dir(name), 0o700); errors.Is(err, syscall.ENOTDIR) {
		return errPlace
	} else if err != nil {
		return classify(err)
	}
	if err := s.root.Rename(upload, name); err != nil {
		return classify(err)
	}
	return s.syncFolder(path.Dir(name))
}

// lock holds off writes and deletions of other processes that use the folder.
func (s *Store) lock() (release func(), err error) {
	file, err := s.root.OpenFile(".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, classify(err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(classify(err), file.Close())
	}
	return func() { _ = file.Close() }, nil // closing releases the lock
}

func (s *Store) syncFolder(name string) error {
	folder, err := s.root.Open(name)
	if err != nil {
		return classify(err)
	}
	return classify(errors.Join(folder.Sync(), folder.Close()))
}

// Get opens a body.
func (s *Store) Get(_ context.Context, key string, offset, length int64) (io.ReadCloser, storage.Object, error) {
	file, m, err := s.open(key)
	if err != nil {
		return nil, storage.Object{}, err
	}
	left := max(m.Size-offset, 0)
	if length > 0 {
		left = min(left, length)
	}
	return section{io.NewSectionReader(file, offset, left), file}, m.object(key), nil
}

type section struct {
	io.Reader
	io.Closer
}

// Stat describes an object.
func (s *Store) Stat(_ context.Context, key string) (storage.Object, error) {
	file, m, err := s.open(key)
	if err != nil {
		return storage.Object{}, err
	}
	return m.object(key), file.Close()
}

// open opens the file of an object and reads its metadata.
func (s *Store) open(key string) (_ *os.File, m meta, err error) {
	if err := storage.CheckKey(key); err != nil {
		return nil, m, err
	}
	file, err := s.root.OpenFile(objects+"/"+key, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, m, classify(err)
	}
	if m, err = readMeta(file); err != nil {
		return nil, m, errors.Join(err, file.Close())
	}
	return file, m, nil
}

var errDamaged = fault.Errorf(fault.Internal, "a stored file was changed outside of xbot, or damaged, and is not used: restore it from a backup of the storage")

func readMeta(file *os.File) (m meta, err error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return m, classify(err)
	case info.IsDir():
		return m, errMissing
	case !info.Mode().IsRegular() || info.Size() < int64(tailSize):
		return m, errDamaged
	}
	tail := make([]byte, tailSize)
	if _, err := file.ReadAt(tail, info.Size()-int64(tailSize)); err != nil {
		return m, classify(err)
	}
	n := int64(binary.BigEndian.Uint32(tail))
	if string(tail[4:]) != mark || n > maxMeta || n > info.Size()-int64(tailSize) {
		return m, errDamaged
	}
	text := make([]byte, n)
	if _, err := file.ReadAt(text, info.Size()-int64(tailSize)-n); err != nil {
		return m, classify(err)
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Size != info.Size()-int64(tailSize)-n {
		return m, errDamaged
	}
	return m, nil
}

func (m meta) object(key string) storage.Object {
	return storage.Object{Key: key, Size: m.Size, Modified: m.Modified, ETag: m.ETag, Digest: m.Digest, Tag: m.Tag}
}

// Delete deletes an object, and the folders that are empty then.
func (s *Store) Delete(_ context.Context, key string) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	release, err := s.lock()
	if err != nil {
		return err
	}
	defer release()
	name := objects + "/" + key
	switch info, err := s.root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && info.IsDir():
		return nil
	case err != nil:
		return classify(err)
	}
	if err := s.remove(name); err != nil {
		return err
	}
	for folder := path.Dir(name); folder != objects; folder = path.Dir(folder) {
		if s.root.Remove(folder) != nil { // it holds something
			return s.syncFolder(folder)
		}
	}
	return s.syncFolder(objects)
}

func (s *Store) remove(name string) error {
	if err := s.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return classify(err)
	}
	return nil
}

// List lists objects. It reads the whole folder of the prefix for each page.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]storage.Object, error) {
	if err := storage.CheckPrefix(prefix); err != nil {
		return nil, err
	}
	if limit < 1 || limit > 1000 {
		return nil, fault.Errorf(fault.Invalid, "a list of stored files has 1 to 1000 entries")
	}
	folder := path.Join(objects, prefix)
	if !strings.HasSuffix(prefix, "/") {
		folder = path.Dir(objects + "/" + prefix)
	}
	var keys []string
	err := fs.WalkDir(s.root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return nil // removed meanwhile
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if key := strings.TrimPrefix(name, objects+"/"); d.Type().IsRegular() && strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
		return nil
	})
	if err != nil {
		return nil, classify(err)
	}
	slices.Sort(keys)
	var out []storage.Object
	for _, key := range keys {
		o, err := s.Stat(ctx, key)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o.Digest, o.Tag = "", ""
		if out = append(out, o); len(out) == limit {
			break
		}
	}
	return out, nil
}

// URL is empty: a folder has no addresses.
func (*Store) URL(context.Context, string, storage.Link) (string, error) { return "", nil }

// AbortUploads removes uploads.
func (s *Store) AbortUploads(_ context.Context, before time.Time) (n int, err error) {
	entries, err := fs.ReadDir(s.root.FS(), uploads)
	if err != nil {
		return 0, classify(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue // it ended, or goes on
		}
		if err := s.remove(uploads + "/" + e.Name()); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

var errPlace = fault.Errorf(fault.Conflict, "a folder is in the place of the file, or a file in the place of a folder")

var errMissing = fault.Errorf(fault.NotFound, "there is no stored file of this name")

// classify gives an error of the file system a kind, without a path.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return errMissing
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, fs.ErrExist):
		return errPlace
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.Errorf(fault.Invalid, "the name of the file is too long")
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s: %w", cmp.Or(at.Op, "use"), at.Err)
	}
	return fault.Errorf(fault.Unavailable, "the folder of stored files cannot be used: %w", err)
}

// contextReader ends with its context.
type contextReader struct {
	ctx  context.Context //nolint:containedctx // of the one write that it serves
	from io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
