package sandbox

import (
	"context"
	"io"

	"xbot/internal/chat"
)

// None is the sandbox of a user who has none: each operation fails with Why, an error of kind Denied that
// describes what to do. Tools that need no machine work with it like with any other.
type None struct{ Why error }

var _ Sandbox = None{}

// Name is empty: there is no runner.
func (None) Name() string { return "" }

// Workspace returns the root, so that messages can name paths.
func (None) Workspace() string { return "/" }

// Exec fails: nothing was sent.
func (n None) Exec(context.Context, ExecRequest) (ExecResult, error) { return ExecResult{}, n.Why }

// Kill succeeds: nothing runs here.
func (None) Kill(context.Context, chat.CallID) error { return nil }

// Release succeeds: nothing is kept here.
func (None) Release(context.Context, chat.CallID) error { return nil }

// ReadOutput fails.
func (n None) ReadOutput(context.Context, chat.CallID, int64, int64) (FileData, error) {
	return FileData{}, n.Why
}

// ReadFile fails.
func (n None) ReadFile(context.Context, string, int64, int64) (FileData, error) {
	return FileData{}, n.Why
}

// WriteFile fails.
func (n None) WriteFile(context.Context, string, []byte, WriteMode) error { return n.Why }

// Stat fails.
func (n None) Stat(context.Context, string) (FileInfo, error) { return FileInfo{}, n.Why }

// ReadDir fails.
func (n None) ReadDir(context.Context, string) ([]FileInfo, error) { return nil, n.Why }

// MkdirAll fails.
func (n None) MkdirAll(context.Context, string) error { return n.Why }

// Remove fails.
func (n None) Remove(context.Context, string) error { return n.Why }

// RemoveAll fails.
func (n None) RemoveAll(context.Context, string) error { return n.Why }

// Move fails.
func (n None) Move(context.Context, string, string) error { return n.Why }

// Upload fails before it reads.
func (n None) Upload(context.Context, string, io.Reader, WriteMode) (int64, error) {
	return 0, n.Why
}

// Download fails before it writes.
func (n None) Download(context.Context, string, io.Writer) (int64, error) { return 0, n.Why }

// Glob fails.
func (n None) Glob(context.Context, GlobQuery) (GlobResult, error) { return GlobResult{}, n.Why }

// Grep fails.
func (n None) Grep(context.Context, GrepQuery) (GrepResult, error) { return GrepResult{}, n.Why }

// Start fails.
func (n None) Start(context.Context, StdioRequest) (Process, error) { return nil, n.Why }

// Close has nothing to end.
func (None) Close() error { return nil }

// Edit fails.
func (n None) Edit(context.Context, Edit) (int64, error) { return 0, n.Why }

// Edited fails.
func (n None) Edited(context.Context, chat.CallID) (bool, error) { return false, n.Why }
