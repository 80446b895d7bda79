// Package files carries out file operations and searches for a runner. Paths are absolute or relative to the workspace, and reach all that the
// operating system permits this user, except the denied folders, which hold the keys and the data of the product. Denial is decided by the identity
// of folders after symbolic links are followed and the folder is open, not by comparing names, so no link, "..", mount or race leads around it.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// maxPath bounds paths that come from outside, in bytes; systems allow 4096.
const maxPath = 4096

// maxLinks bounds how many dangling links are followed; systems follow 40.
const maxLinks = 40

// Tree is the file system as a runner offers it. Its methods are safe for use by many goroutines.
type Tree struct {
	workspace string
	deniedMu  sync.RWMutex                            // for denied and deniedThen
	denied    []string                                // absolute, links followed as far as they lead
	writable  []string                                // likewise; nil does not limit
	hidden    func() (hide, keep []string, err error) // what else commands do not see; nil if they see all
	spool     string                                  // holds unfinished uploads
	edits     *edits

	deniedThen    map[identity]bool // when the runner started
	writableThen  map[identity]bool // likewise: a command can put a link in place of a folder that lies in another of them
	workspaceThen map[identity]bool // likewise
	held          []*os.File        // these folders

	mu       sync.Mutex
	uploads  map[string]*upload
	finished map[string]time.Time // uploads that are in place, for uploadIdle
}

// Open prepares a tree. State is the runner's own folder; unfinished uploads of an earlier run are removed from it.
// A workspace inside a denied folder is an error.
func Open(workspace string, denied []string, state string) (*Tree, error) {
	t := &Tree{spool: filepath.Join(state, "uploads"), uploads: map[string]*upload{}, finished: map[string]time.Time{}}
	var err error
	if t.edits, err = openEdits(state); err != nil {
		return nil, err
	}
	t.workspace = workspace
	if err := t.Deny(denied); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(t.spool); err != nil {
		return nil, fmt.Errorf("remove unfinished uploads: %w", err)
	}
	if err := os.MkdirAll(t.spool, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for uploads: %w", err)
	}
	return t, nil
}

// Deny adds folders and files that no operation reaches from now on. A folder around the workspace is an error, and adds nothing.
func (t *Tree) Deny(folders []string) error {
	var real []string
	for _, dir := range folders {
		path, err := follow(dir, 0)
		if err != nil {
			return fmt.Errorf("the denied folder %s cannot be looked at: %w", dir, err)
		}
		real = append(real, path)
	}
	before, beforeThen := t.denials()
	then, err := t.hold(real)
	if err != nil {
		return err
	}
	maps.Copy(then, beforeThen)
	t.setDenials(slices.Concat(before, real), then)
	if _, err := t.WorkingFolder(""); err != nil {
		t.setDenials(before, beforeThen)
		return fmt.Errorf("the workspace %s lies inside a denied folder: choose another with --workspace", t.workspace)
	}
	return nil
}

// denials returns the denied folders and the identities that they had. Both are replaced, never changed.
func (t *Tree) denials() (names []string, then map[identity]bool) {
	t.deniedMu.RLock()
	defer t.deniedMu.RUnlock()
	return t.denied, t.deniedThen
}

func (t *Tree) setDenials(names []string, then map[identity]bool) {
	t.deniedMu.Lock()
	defer t.deniedMu.Unlock()
	t.denied, t.deniedThen = names, then
}

// Restrict limits what may be changed to what lies in the given folders, absolute and with links followed. It must be
// called before the tree is used.
func (t *Tree) Restrict(writable []string) (err error) {
	t.writable = writable
	t.writableThen, err = t.hold(writable)
	return err
}

// Close closes the folders that are held.
func (t *Tree) Close() error {
	var errs []error
	for _, f := range t.held {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Denied returns the folders that no operation reaches.
func (t *Tree) Denied() []string {
	names, _ := t.denials()
	return names
}

// absolute makes a path from outside absolute and clean.
func (t *Tree) absolute(path string) (string, error) {
	switch {
	case path == "":
		return "", wire.Errorf(wire.Invalid, "the path is empty")
	case len(path) > maxPath:
		return "", wire.Errorf(wire.Invalid, "the path is longer than %d bytes", maxPath)
	case strings.ContainsRune(path, 0):
		return "", wire.Errorf(wire.Invalid, "the path contains a NUL byte")
	case filepath.IsAbs(path):
		return filepath.Clean(path), nil
	}
	return filepath.Join(t.workspace, path), nil
}

// WorkingFolder returns the folder in which a command runs. It need not exist: that is for the command's start to say.
func (t *Tree) WorkingFolder(path string) (string, error) {
	if path == "" {
		path = t.workspace
	}
	abs, err := t.absolute(path)
	if err != nil {
		return "", err
	}
	real, err := follow(abs, 0)
	if err != nil {
		return "", explain(err, abs)
	}
	p, err := t.open(real)
	if wire.IsKind(err, wire.Denied) {
		return "", err
	}
	if err == nil {
		p.close()
	}
	return abs, nil // or it is not there
}

// follow resolves every symbolic link of an absolute path. What does not exist yet stays as it is, after the links
// that lead to it were resolved.
func follow(path string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if target, err := os.Readlink(path); err == nil {
		if links >= maxLinks {
			return "", &fs.PathError{Op: "follow", Path: path, Err: unix.ELOOP}
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		return follow(filepath.Clean(target), links+1)
	}
	parent, err := follow(filepath.Dir(path), links)
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

func denied(path string) error {
	return wire.Errorf(wire.Denied, "%s belongs to xbot itself and is not accessible", path)
}

// explain turns an error of the operating system into one that can travel.
func explain(err error, path string) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*wire.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wire.Errorf(wire.NotFound, "%s does not exist", path)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EROFS):
		return wire.Errorf(wire.Denied, "%s: %v", path, reason(err))
	case errors.Is(err, unix.ENOTEMPTY):
		return wire.Errorf(wire.Invalid, "%s is not empty", path)
	case errors.Is(err, fs.ErrExist):
		return wire.Errorf(wire.Conflict, "%s exists already", path)
	case errors.Is(err, unix.EISDIR):
		return wire.Errorf(wire.Invalid, "%s is a folder", path)
	case errors.Is(err, unix.ENOTDIR):
		return wire.Errorf(wire.Invalid, "%s: a part of the path is not a folder", path)
	case errors.Is(err, unix.ENAMETOOLONG), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ELOOP):
		return wire.Errorf(wire.Invalid, "%s: %v", path, reason(err))
	case errors.Is(err, unix.EFBIG):
		return wire.Errorf(wire.TooLarge, "%s: %v", path, reason(err))
	}
	for _, passing := range []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM, unix.EAGAIN, unix.EINTR} {
		if errors.Is(err, passing) {
			return wire.Errorf(wire.Unavailable, "%s: %v", path, reason(err))
		}
	}
	// A socket, a device without a driver, a full disk: a retry fails until a user repairs it.
	return wire.Errorf(wire.Invalid, "%s: %v", path, reason(err))
}

// reason leaves out names of system calls and internal paths.
func reason(err error) error {
	if errno, ok := errors.AsType[unix.Errno](err); ok {
		return errno
	}
	return err
}
