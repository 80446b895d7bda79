package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"xbot/runner/wire"
)

// syncParents are the folders of the workspace in which copies of the server's folders are kept: the first that is not denied. On the server's
// own host the workspace is usually the home folder, and its .xbot the server's data folder, of which commands see nothing.
var syncParents = []string{".xbot", ".cache/xbot"}

// syncMark is the file that marks a folder as such a copy. A folder with other files and without it belongs to another program, for example to a
// server on this very machine, and is left alone.
const syncMark = ".synced-by-xbot"

// sync brings the runner's copy of a folder of the server as close to it as can be without content: what is not listed is removed, and modes are set.
// The answer names the files whose content is to be written. Nothing outside the copy is touched, whether or not commands put links into it.
func (d *daemon) sync(r wire.SyncFolder) (any, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	below, err := d.syncFolder(r.Name)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(d.cfg.Workspace, below)
	workspace, err := os.OpenRoot(d.cfg.Workspace)
	if err != nil {
		return nil, syncFailed(err)
	}
	defer workspace.Close()
	if err := workspace.MkdirAll(below, 0o755); err != nil {
		return nil, syncFailed(err)
	}
	root, err := workspace.OpenRoot(below)
	if err != nil {
		return nil, syncFailed(err)
	}
	defer root.Close()
	if err := claim(root, dir); err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.Name, "installed/") {
		if err := tidy(workspace, below, time.Now()); err != nil { // the next load tries again
			d.log.Warn("old copies of installed skills stay", "error", err)
		}
	}
	plan, err := compare(root, r.Files)
	if err != nil {
		return nil, syncFailed(err)
	}
	plan.Root = dir
	return plan, nil
}

// copyAge is how long a copy of an installed skill stays after it was last asked for: that of another version, or of one that was uninstalled.
const copyAge = 7 * 24 * time.Hour

// tidy records that a copy is used, and removes the other copies next to it that were unused for long. It continues where one of them cannot be removed.
func tidy(workspace *os.Root, below string, now time.Time) error {
	failed := []error{workspace.Chtimes(path.Join(below, syncMark), now, now)}
	beside, err := workspace.OpenRoot(path.Dir(below))
	if err != nil {
		return errors.Join(append(failed, err)...)
	}
	defer beside.Close()
	entries, err := fs.ReadDir(beside.FS(), ".")
	failed = append(failed, err)
	for _, entry := range entries {
		mark, err := beside.Lstat(path.Join(entry.Name(), syncMark))
		if err != nil || now.Sub(mark.ModTime()) < copyAge || entry.Name() == path.Base(below) {
			continue // not such a copy, or one that is in use
		}
		failed = append(failed, beside.RemoveAll(entry.Name()))
	}
	return errors.Join(failed...)
}

// syncFolder returns the folder of a copy, below the workspace.
func (d *daemon) syncFolder(name string) (below string, err error) {
	for _, parent := range syncParents {
		below = path.Join(parent, name)
		if _, err = d.files.WorkingFolder(filepath.Join(d.cfg.Workspace, below)); !wire.IsKind(err, wire.Denied) {
			break
		}
	}
	return below, err
}

// claim marks an empty folder as a copy, and fails for one with other files.
func claim(root *os.Root, dir string) error {
	if _, err := root.Lstat(syncMark); err == nil {
		return nil
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return syncFailed(err)
	}
	if len(entries) > 0 {
		return wire.Errorf(wire.Conflict, "%s holds files that no server put there: move them away, or choose another workspace for this runner", dir)
	}
	f, err := root.OpenFile(syncMark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return syncFailed(err)
	}
	if err := f.Close(); err != nil {
		return syncFailed(err)
	}
	return nil
}

func syncFailed(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return wire.Errorf(wire.Denied, "the folder cannot be kept in step: %v", err)
	}
	return wire.Errorf(wire.Unavailable, "the folder cannot be kept in step: %v", err)
}

// compare removes what is not listed and finds what is missing.
func compare(root *os.Root, files []wire.SyncFile) (wire.SyncPlan, error) {
	listed, folders := map[string]bool{}, map[string]bool{".": true}
	for _, file := range files {
		listed[file.Path] = true
		for dir := path.Dir(file.Path); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	if err := sweep(root, listed, folders); err != nil {
		return wire.SyncPlan{}, err
	}
	plan := wire.SyncPlan{Want: []string{}}
	for _, file := range files {
		if err := root.MkdirAll(path.Dir(file.Path), 0o755); err != nil {
			return wire.SyncPlan{}, err
		}
		same, err := settle(root, file)
		if err != nil {
			return wire.SyncPlan{}, err
		}
		if !same {
			plan.Want = append(plan.Want, file.Path)
		}
	}
	return plan, nil
}

// sweep removes everything but regular files that are listed and the folders that lead to them. Links are never
// followed: WalkDir does not, and the root would not let them lead outside.
func sweep(root *os.Root, listed, folders map[string]bool) error {
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a command removed it in the meantime
		case err != nil:
			return err
		case name == syncMark, entry.IsDir() && folders[name], entry.Type().IsRegular() && listed[name]:
			return nil
		}
		if err := root.RemoveAll(name); err != nil {
			return err
		}
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// settle reports whether a file has the listed content, and if so gives it the listed mode.
func settle(root *os.Root, file wire.SyncFile) (same bool, err error) {
	f, err := root.Open(file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return false, err
	}
	if hex.EncodeToString(hash.Sum(nil)) != file.SHA256 {
		return false, nil
	}
	mode := fs.FileMode(0o644)
	if file.Executable {
		mode = 0o755
	}
	return true, f.Chmod(mode)
}
