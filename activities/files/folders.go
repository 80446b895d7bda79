package files

import (
	"context"
	"fmt"
	"path"
	"strings"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
)

// Folders finds where the files of conversations are: where their tools work, with the same rights.
type Folders struct {
	Sessions interface {
		Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	}
	Sandboxes activities.RunnerSandboxes
}

// Folder is where the files of one conversation are.
type Folder struct {
	Box  sandbox.Sandbox
	base string // relative paths begin here
}

// Of returns the folder of a conversation; runner is where it was before, or empty.
func (f *Folders) Of(ctx context.Context, key chat.SessionKey, runner string) (Folder, error) {
	s, owner, err := f.Sessions.Session(ctx, key)
	if err != nil {
		return Folder{}, err
	}
	if runner == "" {
		runner = s.Runner
	}
	box, err := f.Sandboxes.Box(ctx, owner, runner)
	if err != nil {
		return Folder{}, err
	}
	if _, err := box.Stat(ctx, "."); err != nil { // its workspace is known once it has answered
		return Folder{}, err
	}
	base := chat.FolderOn(s.Cwd, s.CwdRunner, box.Name())
	if base == "" {
		base = box.Workspace()
	}
	return Folder{box, path.Clean(base)}, nil
}

// Find looks for a file that an answer links. Files outside of the folder and the workspace are not sent: a model that names
// a file of the system does not mean to send it.
func (f Folder) Find(ctx context.Context, link string, most int64) (string, error) {
	file := link
	if !path.IsAbs(file) {
		file = path.Join(f.base, file)
	}
	file = path.Clean(file)
	if !below(file, f.base) && !below(file, path.Clean(f.Box.Workspace())) {
		return "", i18n.Fault(fault.Denied, i18n.FileOutside)
	}
	info, err := f.Box.Stat(ctx, file)
	switch {
	case fault.Is(err, fault.NotFound):
		return "", i18n.Fault(fault.NotFound, i18n.FileMissing)
	case err != nil:
		return "", err
	case info.Dir:
		return "", i18n.Fault(fault.Invalid, i18n.FileFolder)
	case info.Size == 0:
		return "", i18n.Fault(fault.Invalid, i18n.FileEmpty)
	case info.Size > most:
		return "", i18n.Fault(fault.TooLarge, i18n.FileLarge, Megabytes(most))
	}
	return file, nil
}

func below(file, dir string) bool {
	return dir == "/" || strings.HasPrefix(file, dir+"/")
}

// Megabytes formats a limit for users.
func Megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}
