package sandbox

import (
	"context"
	"io"

	"xbot/internal/chat"
)

// Nowhere is the sandbox of somebody who has none: whatever is asked of it fails with Why, an error of kind Denied that
// says what to do. Tools that need no machine work with it like with any other.
type Nowhere struct{ Why error }

var _ Sandbox = Nowhere{}

// Name is empty: there is no runner.
func (Nowhere) Name() string { return "" }

// Workspace is the root, so that paths can be spoken of.
func (Nowhere) Workspace() string { return "/" }

// Exec fails: nothing was sent.
func (n Nowhere) Exec(context.Context, ExecRequest) (ExecResult, error) { return ExecResult{}, n.Why }

// Kill succeeds: nothing runs here.
func (Nowhere) Kill(context.Context, chat.CallID) error { return nil }

// Release succeeds: nothing is kept here.
func (Nowhere) Release(context.Context, chat.CallID) error { return nil }

// ReadOutput fails.
func (n Nowhere) ReadOutput(context.Context, chat.CallID, int64, int64) (FileData, error) {
	return FileData{}, n.Why
}

// ReadFile fails.
func (n Nowhere) ReadFile(context.Context, string, int64, int64) (FileData, error) {
	return FileData{}, n.Why
}

// WriteFile fails.
func (n Nowhere) WriteFile(context.Context, string, []byte, WriteMode) error { return n.Why }

// Stat fails.
func (n Nowhere) Stat(context.Context, string) (FileInfo, error) { return FileInfo{}, n.Why }

// ReadDir fails.
func (n Nowhere) ReadDir(context.Context, string) ([]FileInfo, error) { return nil, n.Why }

// MkdirAll fails.
func (n Nowhere) MkdirAll(context.Context, string) error { return n.Why }

// Remove fails.
func (n Nowhere) Remove(context.Context, string) error { return n.Why }

// Upload fails before it reads.
func (n Nowhere) Upload(context.Context, string, io.Reader, WriteMode) (int64, error) {
	return 0, n.Why
}

// Download fails before it writes.
func (n Nowhere) Download(context.Context, string, io.Writer) (int64, error) { return 0, n.Why }

// Glob fails.
func (n Nowhere) Glob(context.Context, GlobQuery) (GlobResult, error) { return GlobResult{}, n.Why }

// Grep fails.
func (n Nowhere) Grep(context.Context, GrepQuery) (GrepResult, error) { return GrepResult{}, n.Why }

// Start fails.
func (n Nowhere) Start(context.Context, StdioRequest) (Process, error) { return nil, n.Why }

// Close has nothing to end.
func (Nowhere) Close() error { return nil }

// Edit fails.
func (n Nowhere) Edit(context.Context, Edit) (int64, error) { return 0, n.Why }

// Edited fails.
func (n Nowhere) Edited(context.Context, chat.CallID) (bool, error) { return false, n.Why }
