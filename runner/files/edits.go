package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/job"
	"xbot/runner/wire"
)

// How long, and how many, edits are remembered.
const (
	KeepEdits = 8 * 24 * time.Hour // longer than calls are retried
	maxEdits  = 10_000
)

// edits remembers which edits were carried out, by the id of their call, so that one that is tried again changes nothing.
//
//	<state>/edits/open/<edit>  written and synced before the file is moved to its place: the edit is about to happen
//	<state>/edits/done/<edit>  the same, moved here afterwards: it has happened
//
// The temporary file decides about an edit left open by a kill: as long as it exists it was not moved to its place.
type edits struct {
	dir string
	mu  sync.Mutex // held from the look at a record to the end of its edit
}

// edit is the record of one.
type edit struct {
	Path   string `json:"path"`             // absolute, links followed
	Temp   string `json:"temp"`             // name in the same folder
	Before string `json:"before,omitempty"` // hash of what it replaces, where the writer named it
	Size   int64  `json:"size"`
}

func openEdits(state string) (*edits, error) {
	e := &edits{dir: filepath.Join(state, "edits")}
	for _, sub := range []string{"open", "done"} {
		if err := os.MkdirAll(filepath.Join(e.dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make the folder for edits: %w", err)
		}
	}
	return e, nil
}

func editName(id string) string {
	hash := sha256.Sum256([]byte(id))
	return hex.EncodeToString(hash[:20])
}

// Edited reports whether an edit was carried out, and how large its file was then.
func (t *Tree) Edited(id string) (wire.EditResult, error) {
	if id == "" || len(id) > wire.MaxEditID {
		return wire.EditResult{}, wire.Errorf(wire.Invalid, "the id of an edit has 1 to %d bytes", wire.MaxEditID)
	}
	t.edits.mu.Lock()
	defer t.edits.mu.Unlock()
	return t.edited(editName(id))
}

func (t *Tree) edited(name string) (wire.EditResult, error) {
	if done, err := job.ReadJSON[edit](filepath.Join(t.edits.dir, "done"), name); err == nil {
		return wire.EditResult{Done: true, Size: done.Size}, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return wire.EditResult{}, wire.Errorf(wire.Unavailable, "what is kept of edits cannot be read: %v", err)
	}
	return t.settle(name)
}

// settle decides what became of an edit that a kill may have interrupted.
func (t *Tree) settle(name string) (wire.EditResult, error) {
	left, err := job.ReadJSON[edit](filepath.Join(t.edits.dir, "open"), name)
	_, torn := errors.AsType[*json.SyntaxError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wire.EditResult{}, nil
	case torn:
		return wire.EditResult{}, t.edits.undo(name) // it is written whole before anything happens
	case err != nil:
		return wire.EditResult{}, wire.Errorf(wire.Unavailable, "what is kept of edits cannot be read: %v", err)
	}
	happened, err := t.happened(left)
	switch {
	case err != nil:
		return wire.EditResult{}, err
	case !happened:
		return wire.EditResult{}, t.edits.undo(name)
	}
	return wire.EditResult{Done: true, Size: left.Size}, t.edits.conclude(name)
}

// happened reports whether the temporary file of an edit got to its place. One that did not is removed.
func (t *Tree) happened(e edit) (bool, error) {
	p, err := t.open(e.Path)
	if wire.IsKind(err, wire.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer p.close()
	temp := &location{folder: p.folder, base: e.Temp, path: p.path}
	waits, tempErr := temp.stat()
	there, err := p.stat()
	if tempErr == nil {
		if err := unix.Unlinkat(temp.folder, temp.base, 0); err != nil {
			return false, explain(err, p.path)
		}
		return err == nil && identityOf(waits) == identityOf(there), nil // linked, and not yet unlinked
	}
	if err != nil {
		return false, nil //nolint:nilerr // neither of them is there: the temporary file was removed
	}
	hash, err := hashOf(p)
	return e.Before == "" || hash != e.Before, err
}

// edit moves a temporary file to its place unless that edit was carried out before, or the file is not what it was.
func (t *Tree) edit(w wire.Write, temp, p *location, size int64) (done bool, err error) {
	t.edits.mu.Lock()
	defer t.edits.mu.Unlock()
	name := editName(w.Edit)
	if before, err := t.edited(name); err != nil || before.Done {
		return before.Done, err
	}
	if w.Before != "" {
		if hash, err := hashOf(p); err != nil || hash != w.Before {
			return false, wire.Errorf(wire.Conflict, "%s is not what it was when it was read", p.path)
		}
	}
	if err := job.Replace(filepath.Join(t.edits.dir, "open"), name, edit{Path: p.path, Temp: temp.base, Before: w.Before, Size: size}); err != nil {
		return false, wire.Errorf(wire.Unavailable, "the edit cannot be noted: %v", err)
	}
	if err := move(temp, p, w.Mode); err != nil {
		return false, errors.Join(err, t.edits.undo(name))
	}
	return false, errors.Join(p.sync(), t.edits.conclude(name))
}

// conclude records that an edit has happened. If the note is lost, the temporary file shows the same.
func (e *edits) conclude(name string) error {
	return os.Rename(filepath.Join(e.dir, "open", name), filepath.Join(e.dir, "done", name))
}

func (e *edits) undo(name string) error { return os.Remove(filepath.Join(e.dir, "open", name)) }

// hashOf returns the SHA-256 of a file, hexadecimal.
func hashOf(p *location) (string, error) {
	f, err := p.openFile(unix.O_RDONLY, 0)
	if err != nil {
		return "", explain(err, p.path)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", explain(err, p.path)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// SettleEdits decides what became of edits that a kill interrupted, before any other change of their files.
func (t *Tree) SettleEdits() error {
	t.edits.mu.Lock()
	defer t.edits.mu.Unlock()
	entries, err := os.ReadDir(filepath.Join(t.edits.dir, "open"))
	for _, entry := range entries {
		if _, settleErr := t.settle(entry.Name()); settleErr != nil {
			err = errors.Join(err, settleErr)
		}
	}
	return err
}

// PruneEdits forgets edits that are old, or too many.
func (t *Tree) PruneEdits(now time.Time) error {
	dir := filepath.Join(t.edits.dir, "done")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var kept []fs.FileInfo
	drop := func(info fs.FileInfo) { err = errors.Join(err, os.Remove(filepath.Join(dir, info.Name()))) }
	for _, entry := range entries {
		info, infoErr := entry.Info()
		switch {
		case infoErr != nil: // gone in the meantime
		case info.ModTime().Before(now.Add(-KeepEdits)):
			drop(info)
		default:
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept[:max(0, len(kept)-maxEdits)] {
		drop(info)
	}
	return err
}
