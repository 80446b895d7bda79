package runners

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// syncTime bounds how long one runner may take to get the server's folders.
const syncTime = 5 * time.Minute

// maxSyncs bounds how many runners get them at once: all come back together when the server was restarted.
const maxSyncs = 4

// Folders copies the server's skills and agents to every runner that connects.
type Folders struct {
	home string // XBOT_HOME
	log  *slog.Logger
	busy chan struct{} // one token for each runner that gets them now
}

// NewFolders keeps the folders of a home in step.
func NewFolders(home string, log *slog.Logger) *Folders {
	return &Folders{home: home, log: log, busy: make(chan struct{}, maxSyncs)}
}

// Sync copies the server's folders to a runner that has connected. After a failure it is tried again when the runner
// connects again.
func (f *Folders) Sync(ctx context.Context, local sandbox.Local, id sandbox.RunnerID) {
	select {
	case f.busy <- struct{}{}:
		defer func() { <-f.busy }()
	case <-ctx.Done():
		return
	}
	ctx, cancel := context.WithTimeout(ctx, syncTime)
	defer cancel()
	router := sandbox.NewRouter(sandbox.RouterConfig{Local: local})
	defer router.Close()
	box := sandbox.NewRunner(string(id), router.Link(id), sandbox.RunnerConfig{})
	for _, name := range []string{"skills", "agents"} {
		root, err := os.OpenRoot(filepath.Join(f.home, name))
		if err != nil {
			continue // the server has none
		}
		err = errors.Join(sandbox.SyncFolder(ctx, box, name, root.FS()), root.Close())
		switch {
		case err == nil, ctx.Err() != nil:
		case fault.Is(err, fault.Denied): // an older runner on the server's own host, where the copy would lie in XBOT_HOME
			f.log.Debug("a folder is not kept in step", "runner", string(id), "folder", name, "error", err)
		default:
			f.log.Warn("a folder could not be brought to a runner", "runner", string(id), "folder", name, "error", err)
		}
	}
}
