// Package orphans removes the files of conversations that were deleted.
package orphans

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/turn/attachments"
)

// Sweeper removes the files that users sent into conversations that were deleted. A row stays until its file is gone, so
// files on a runner that is away are removed later. Several processes may run at once.
type Sweeper struct {
	Store interface {
		OrphanFiles(ctx context.Context) ([]attachments.OrphanFile, error)
		FileRemoved(ctx context.Context, id int64) error
	}
	Sandboxes sandbox.Finder
	Log       *slog.Logger
}

// orphansEvery is how soon the files of a deleted conversation go.
const orphansEvery = 10 * time.Second

// Run removes them until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	ticker := time.NewTicker(orphansEvery)
	defer ticker.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("files of deleted conversations are not removed, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Sweep removes what can be removed now.
func (s *Sweeper) Sweep(ctx context.Context) error {
	files, err := s.Store.OrphanFiles(ctx)
	if err != nil {
		return err
	}
	type owned struct {
		user   chat.UserID
		runner string
	}
	boxes := map[owned]sandbox.Sandbox{} // nil: it cannot be reached now
	for _, f := range files {
		at := owned{f.User, f.Runner}
		box, known := boxes[at]
		if !known {
			box, err = sandbox.Reach(ctx, s.Sandboxes, f.User, f.Runner)
			if revoked(err) { // the runner is not theirs any more: nothing there can be removed
				if err := s.Store.FileRemoved(ctx, f.ID); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				box = nil
			}
			boxes[at] = box
		}
		if box == nil {
			continue
		}
		if err := box.Remove(ctx, f.Path); err != nil && !fault.Is(err, fault.NotFound) {
			continue
		}
		_ = box.Remove(ctx, path.Dir(f.Path)) // only an empty folder goes
		if err := s.Store.FileRemoved(ctx, f.ID); err != nil {
			return err
		}
	}
	return nil
}

// revoked reports that there is no such runner for the user, as opposed to one that is away.
func revoked(err error) bool {
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	return err != nil && !offline && (fault.Is(err, fault.Denied) || fault.Is(err, fault.NotFound))
}
