// Package tooltest is a sandbox on the real file system and real processes, inside the test's own process, for unit
// tests of tools. It keeps the contract of sandbox.Sandbox except one clause: a command dies with the test process.
// The runner has its own conformance suite; this package is not one.
package tooltest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Box is a Sandbox whose workspace is a folder on this machine.
type Box struct {
	root string

	mu        sync.Mutex
	jobs      map[chat.CallID]*job
	edits     map[chat.CallID]int64 // carried out, and how large their files were
	processes []*process
}

var _ sandbox.Sandbox = (*Box)(nil)

// New returns a Box with an empty workspace that is removed when the test ends, commands included.
func New(t testing.TB) *Box {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	box := &Box{root: root, jobs: map[chat.CallID]*job{}, edits: map[chat.CallID]int64{}}
	t.Cleanup(box.killAll)
	t.Cleanup(func() { _ = box.Close() }) // never fails
	return box
}

// Call returns a call with the given arguments, in the workspace of the box.
func (b *Box) Call(id chat.CallID, arguments string) tool.Call {
	return tool.Call{ID: id, Session: "agent:main:web:thread:test", User: 1, Arguments: arguments, Box: b}
}

// Name returns "test".
func (b *Box) Name() string { return "test" }

// Workspace returns the folder.
func (b *Box) Workspace() string { return b.root }

// Put writes a file below the workspace, with its folders.
func (b *Box) Put(t testing.TB, name, content string) string {
	t.Helper()
	file := b.abs(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// Get reads a file below the workspace.
func (b *Box) Get(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(b.abs(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (b *Box) abs(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(b.root, name)
}

// ReadFile reads at most limit bytes from offset; a limit of 0 means the rest of the file.
func (b *Box) ReadFile(_ context.Context, path string, offset, limit int64) (sandbox.FileData, error) {
	f, err := os.Open(b.abs(path))
	if err != nil {
		return sandbox.FileData{}, kindly(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return sandbox.FileData{}, kindly(err)
	}
	if info.IsDir() {
		return sandbox.FileData{}, fault.Errorf(fault.Invalid, "%s is a folder", path)
	}
	if limit <= 0 {
		limit = info.Size()
	}
	data, err := io.ReadAll(io.NewSectionReader(f, offset, limit))
	return sandbox.FileData{Data: data, Size: info.Size(), ModTime: info.ModTime()}, kindly(err)
}

// WriteFile writes to a temporary file and renames it, through symbolic links.
func (b *Box) WriteFile(_ context.Context, path string, data []byte, mode sandbox.WriteMode) error {
	target := b.abs(path)
	perm := fs.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	if info, err := os.Stat(target); err == nil {
		if mode == sandbox.WriteCreate {
			return fault.Errorf(fault.Conflict, "%s exists", path)
		}
		perm = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".write-*")
	if err != nil {
		return kindly(err)
	}
	// After the rename there is nothing left to remove.
	defer func() { _ = os.Remove(f.Name()) }()
	_, writeErr := f.Write(data)
	if err := errors.Join(writeErr, f.Chmod(perm), f.Close()); err != nil {
		return kindly(err)
	}
	if mode == sandbox.WriteCreate {
		err := os.Link(f.Name(), target) // of two at once, one creates
		if errors.Is(err, fs.ErrExist) {
			return fault.Errorf(fault.Conflict, "%s exists", path)
		}
		return kindly(err)
	}
	return kindly(os.Rename(f.Name(), target))
}

// Edit writes once for each id.
func (b *Box) Edit(ctx context.Context, e sandbox.Edit) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size, done := b.edits[e.ID]; done && e.ID != "" {
		return size, nil
	}
	if e.Before != "" {
		data, err := os.ReadFile(b.abs(e.Path))
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != e.Before {
			return 0, fault.Errorf(fault.Conflict, "%s is not what it was", e.Path)
		}
	}
	size, err := b.Upload(ctx, e.Path, e.From, e.Mode)
	if err == nil && e.Perm != 0 {
		err = os.Chmod(b.abs(e.Path), e.Perm)
	}
	if err == nil {
		b.edits[e.ID] = size
	}
	return size, err
}

// Edited reports whether Edit wrote.
func (b *Box) Edited(_ context.Context, id chat.CallID) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, done := b.edits[id]
	return done, nil
}

// Stat describes a path; links are followed.
func (b *Box) Stat(_ context.Context, path string) (sandbox.FileInfo, error) {
	info, err := os.Stat(b.abs(path))
	if err != nil {
		return sandbox.FileInfo{}, kindly(err)
	}
	out := describe(b.abs(path), info)
	if out.Real, err = filepath.EvalSymlinks(out.Path); err != nil {
		return sandbox.FileInfo{}, kindly(err)
	}
	if target, err := os.Readlink(out.Path); err == nil {
		out.Link = target
	}
	return out, nil
}

// ReadDir lists a folder by name. Like a runner, it leaves out entries that vanish during the listing.
func (b *Box) ReadDir(_ context.Context, path string) ([]sandbox.FileInfo, error) {
	entries, err := os.ReadDir(b.abs(path))
	if err != nil {
		return nil, kindly(err)
	}
	infos := make([]sandbox.FileInfo, 0, len(entries))
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			continue
		}
		infos = append(infos, describe(filepath.Join(b.abs(path), entry.Name()), info))
	}
	return infos, nil
}

func describe(path string, info fs.FileInfo) sandbox.FileInfo {
	return sandbox.FileInfo{Path: path, Size: info.Size(), Mode: info.Mode(), ModTime: info.ModTime(), Dir: info.IsDir()}
}

// MkdirAll makes a folder and those above it.
func (b *Box) MkdirAll(_ context.Context, path string) error {
	return kindly(os.MkdirAll(b.abs(path), 0o755))
}

// Remove removes a file or an empty folder.
func (b *Box) Remove(_ context.Context, path string) error { return kindly(os.Remove(b.abs(path))) }

// RemoveAll removes a file or folder, and all below it.
func (b *Box) RemoveAll(_ context.Context, path string) error {
	if _, err := os.Lstat(b.abs(path)); err != nil {
		return kindly(err)
	}
	return kindly(os.RemoveAll(b.abs(path)))
}

// Move renames, and replaces nothing.
func (b *Box) Move(_ context.Context, from, to string) error {
	b.mu.Lock() // of two moves to one path at once, one is refused
	defer b.mu.Unlock()
	if _, err := os.Lstat(b.abs(to)); err == nil {
		return fault.Errorf(fault.Conflict, "%s exists already", to)
	}
	return kindly(os.Rename(b.abs(from), b.abs(to)))
}

// kindly gives an error of the operating system its fault kind.
func kindly(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fault.Errorf(fault.NotFound, "%w", err)
	case errors.Is(err, fs.ErrPermission):
		return fault.Errorf(fault.Denied, "%w", err)
	default:
		return fault.Errorf(fault.Invalid, "%w", err)
	}
}
