// Package sandbox is the port through which tools act on a machine: the server's host, a container or a user's own
// computer. There is one execution path: the port speaks the runner protocol (package runner/wire) to a runner,
// through any process that holds its socket.
package sandbox

import (
	"context"
	"io"
	"io/fs"
	"time"

	"xbot/internal/chat"
	"xbot/runner/wire"
)

// Sandbox is one place where commands run and files live. Paths are absolute, or relative to Workspace.
// Errors carry fault kinds: NotFound, Denied (a path outside the allowed roots, a permission), Invalid, TooLarge,
// Unavailable (the runner cannot be reached: an OfflineError, the same for every operation).
type Sandbox interface {
	Name() string
	Workspace() string

	// Exec attaches to the command with req.ID or starts it, then waits for its end, streaming what it prints.
	// It is safe to call again after any crash: the same id never runs twice, and the same id with another command
	// is refused (Conflict). When ctx ends the command continues; Kill ends it. Unavailable means that nothing was sent:
	// the runner stayed offline; once sent, Exec waits for the runner's return until ctx ends or
	// the budget is used up.
	Exec(ctx context.Context, req ExecRequest) (ExecResult, error)
	// Kill ends the whole process group of a command, by SIGTERM and after a grace period by SIGKILL.
	// A kill of a command that has ended, or never started, is no error; one that never started never will.
	Kill(ctx context.Context, id chat.CallID) error
	// Release makes the runner delete the record of a command whose result is recorded.
	Release(ctx context.Context, id chat.CallID) error
	// ReadOutput returns a part of what a command wrote, while it runs and after its end until it is released or pruned;
	// then it is NotFound. FileData.Size is how much there is so far.
	ReadOutput(ctx context.Context, id chat.CallID, offset, limit int64) (FileData, error)

	ReadFile(ctx context.Context, path string, offset, limit int64) (FileData, error)
	WriteFile(ctx context.Context, path string, data []byte, mode WriteMode) error
	Stat(ctx context.Context, path string) (FileInfo, error)
	ReadDir(ctx context.Context, path string) ([]FileInfo, error)
	MkdirAll(ctx context.Context, path string) error
	Remove(ctx context.Context, path string) error
	// RemoveAll removes a file, a link or a folder with all that it holds. It follows no link. Where it fails, a part may be gone.
	RemoveAll(ctx context.Context, path string) error
	// Move renames a file, a link or a folder. An existing file at the new path is never replaced: Conflict.
	Move(ctx context.Context, from, to string) error

	// Upload is WriteFile for content of any size up to wire.MaxUpload, Download reads a whole file of any size. Both
	// hold one part in memory at a time. A file that changes while it is downloaded is a Conflict.
	Upload(ctx context.Context, path string, from io.Reader, mode WriteMode) (int64, error)
	Download(ctx context.Context, path string, to io.Writer) (int64, error)

	// Edit is Upload for the change of a call, which is carried out once however often it is tried, also over a kill of the runner: later
	// changes of the file stay. Conflict means that the file does not have the content that Before names. It returns the size that
	// the file was given. Edited reports whether it was carried out; a runner of an older version does not know.
	Edit(ctx context.Context, e Edit) (int64, error)
	Edited(ctx context.Context, id chat.CallID) (bool, error)

	Glob(ctx context.Context, q GlobQuery) (GlobResult, error)
	Grep(ctx context.Context, q GrepQuery) (GrepResult, error)

	// Start starts a process to talk to over its standard streams. It lives until ctx ends, Kill, or the loss of the
	// connection to the runner (a SessionLostError), and is never restarted automatically.
	Start(ctx context.Context, req StdioRequest) (Process, error)

	// Close ends what the sandbox keeps for itself: the processes of Start. Commands and files stay.
	Close() error
}

// ExecRequest is a command to attach to or start.
type ExecRequest struct {
	ID      chat.CallID
	Command string                           // given to the shell of the runner (sh -c)
	Dir     string                           // working folder; empty means the workspace
	Env     []string                         // added to the runner's clean environment, "KEY=value"
	Timeout time.Duration                    // the runner kills the process group after it; 0 means the runner's own ceiling of 24 h
	Budget  time.Duration                    // Exec returns ExecRunning once the command has run this long, or cannot be reached for this long after it was sent; 0 means never
	Limit   int64                            // bytes of each stream kept for the result: the head and the tail; 0 means 64 KiB
	Offset  int64                            // output before this offset is not streamed again
	Output  func(offset int64, piece []byte) // live output, stdout and stderr in the order written; may be nil

	// StartedOn is the job store that Starting named in an earlier attempt; empty if there was none. A runner that has
	// another store by now (a new container, a wiped disk) answers ExecLost instead of running the command again,
	// and an attempt that follows one does not give up because the runner is offline.
	StartedOn string
	// Secrets are variables that only the command may read: its runner keeps them in no file and hides their values in what the command
	// writes. A runner that cannot keep them from other commands refuses to start it (Denied), and so does one of an older version (Invalid).
	Secrets []wire.Secret
	// Confinement narrow what the command may do. A runner that cannot build them refuses to start it (Denied), and so does one of an older
	// version (Invalid).
	Confinement chat.Confinement
	// Input means that the command reads what Feed writes. Its output is what it writes to stdout, whole: a command that writes
	// more than wire.MaxLog is ended.
	Input bool
	// Starting is called before the command is sent for the first time, with the id of the runner's job store, to be
	// noted where the next attempt finds it. Its error ends Exec before anything was sent. May be nil.
	Starting func(ctx context.Context, store string) error
}

// ExecState is how a command ended.
type ExecState string

// The end states, and ExecRunning, which is none.
const (
	ExecRunning  ExecState = "running"   // the budget is used up; the command continues, Output is what it printed so far
	ExecExited   ExecState = "exited"    // Code is its exit status
	ExecTimedOut ExecState = "timed_out" // killed by its timeout
	ExecKilled   ExecState = "killed"    // killed by Kill, or by its runner for a reason that ends Output: a signal, a full disk, too many processes
	ExecLost     ExecState = "lost"      // it had started, and how it ended is unknown; it is never run again
)

// ExecResult is the end of a command.
type ExecResult struct {
	State     ExecState
	Code      int    // exit status; 128+n for a command that died of signal n
	Output    []byte // stdout and stderr in the order written; if longer than Limit, head and tail with a line between that gives the number of bytes left out
	Truncated bool
	Total     int64 // bytes written in all
	Started   time.Time
	Ended     time.Time
	Errors    []byte // with Input: the end of what it wrote to stderr
}

// WriteMode selects what WriteFile may do.
type WriteMode string

// The modes. All write to a temporary file and rename, so that a crash leaves the old or the new content.
const (
	WriteCreate  WriteMode = "create"  // Conflict if the file exists
	WriteReplace WriteMode = "replace" // create or overwrite, keeping the permissions of what was there
)

// Edit is the change that a call makes to a file.
type Edit struct {
	ID     chat.CallID
	Path   string
	From   io.Reader // the new content
	Mode   WriteMode
	Before string      // SHA-256, in hexadecimal, of the content that it replaces; empty: any content
	Perm   fs.FileMode // of a new file, of which the umask of the runner may take some; 0: as any new file. An older runner does not heed it.
}

// FileData is a part of a file.
type FileData struct {
	Data    []byte
	Size    int64     // of the whole file
	ModTime time.Time // of the file; zero for the output of a command
}

// FileInfo describes a file or folder.
type FileInfo struct {
	Path    string
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	Dir     bool
	Link    string // target, for a symbolic link
	Real    string // of Stat: the path with all links followed; empty from an older runner
}

// GlobQuery finds files by name; ** matches any number of folders. Newest first.
type GlobQuery struct {
	Pattern string
	Root    string        // empty means the workspace
	Limit   int           // files at most; 0 means 200
	Time    time.Duration // how long the runner may search, see ErrSlow; 0 means as long as it takes
}

// GlobResult lists what a GlobQuery found.
type GlobResult struct {
	Paths     []string
	Truncated bool
}

// GrepQuery finds lines by a regular expression (RE2).
type GrepQuery struct {
	Pattern    string
	Root       string // file or folder; empty means the workspace
	Include    string // glob on file names, e.g. *.go; {a,b} alternatives allowed
	IgnoreCase bool
	Context    int           // lines around each match
	Limit      int           // matches at most; 0 means 200
	Time       time.Duration // as in GlobQuery
}

// GrepResult lists what a GrepQuery found. Binary files and files over 1 MiB are passed over.
type GrepResult struct {
	Matches   []GrepMatch
	Truncated bool
	Skipped   int // files passed over
}

// GrepMatch is a line. Match is false for lines of context.
type GrepMatch struct {
	Path  string
	Line  int
	Text  string // at most 500 characters
	Match bool
}
