package runners

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// syncTime bounds how long one runner may take to get the server's folders.
const syncTime = 5 * time.Minute

// maxSyncs bounds how many runners get them at once: all come back together when the server was restarted.
const maxSyncs = 4

// folders are the parts of the data folder that runners have copies of.
var folders = []string{"skills", "agents"}

// lookEvery is how soon a change of the server's folders is seen.
const lookEvery = 5 * time.Second

// Folders keeps copies of the server's skills and agents at every runner that is connected.
type Folders struct {
	home string // XBOT_HOME
	log  *slog.Logger
	busy chan struct{} // one token for each runner that gets them now

	mu     sync.Mutex
	looked time.Time
	state  uint64 // of the folders, when they were looked at last
}

// NewFolders keeps the folders of a home in step.
func NewFolders(home string, log *slog.Logger) *Folders {
	return &Folders{home: home, log: log, busy: make(chan struct{}, maxSyncs)}
}

// Sync copies the server's folders to a runner that has connected, and again whenever they have changed, until ctx ends with the connection.
// After a failure it is tried again with the next change or connection.
func (f *Folders) Sync(ctx context.Context, local sandbox.Local, id sandbox.RunnerID) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		state := f.look()
		f.copy(ctx, local, id)
		for now := state; now == state; now = f.look() {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}
}

// look returns a number that changes with the names, sizes and times of the folders' files. However many runners ask, it looks once in a while.
func (f *Folders) look() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) < lookEvery/2 {
		return f.state
	}
	sum := fnv.New64a()
	seen := 0
	for _, name := range folders {
		// An unreadable entry counts as not there.
		_ = filepath.WalkDir(filepath.Join(f.home, name), func(at string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // see above
			}
			if seen++; seen > wire.MaxSyncFiles {
				return fs.SkipAll
			}
			if info, err := entry.Info(); err == nil {
				fmt.Fprintln(sum, at, info.Size(), info.ModTime().UnixNano(), info.Mode())
			}
			return nil
		})
	}
	f.looked, f.state = time.Now(), sum.Sum64()
	return f.state
}

func (f *Folders) copy(ctx context.Context, local sandbox.Local, id sandbox.RunnerID) {
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
	for _, name := range folders {
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
