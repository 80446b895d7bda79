// Package sweeper deletes the objects of deleted conversations, and the parts of uploads that a crash left.
package sweeper

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"xbot/internal/fault"
	"xbot/internal/storage"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagestore"
)

const (
	interval  = 10 * time.Second // between two rounds
	batchSize = 20               // deletions of one round
	// repeatAfter is longer than any write takes. A prefix is deleted once more after it.
	repeatAfter = 20 * time.Minute
	// retryAfter is the time until the next attempt at a failed deletion.
	retryAfter = time.Minute
	// abortInterval is the time between two searches for parts of uploads, and abortAge the age from which the sweeper removes them.
	abortInterval, abortAge = time.Hour, time.Hour
)

// Rows stores deletions.
type Rows interface {
	DueDeletions(ctx context.Context, storages []string, n int) ([]storagestore.Deletion, error)
	RepeatDeletion(ctx context.Context, id int64, after time.Duration) error
	EndDeletion(ctx context.Context, id int64) error
	PostponeDeletion(ctx context.Context, id int64, after time.Duration) error
}

// Sweeper deletes objects. A row stays until the storage has confirmed, so objects of a storage that is away are deleted later. Several processes
// may run at once.
type Sweeper struct {
	Rows     Rows
	Storages storage.Backends
	Log      *slog.Logger
}

// Run deletes objects until ctx ends.
func (w *Sweeper) Run(ctx context.Context) error {
	if len(w.Storages) == 0 {
		return nil
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var aborted time.Time
	for {
		if err := w.Delete(ctx); err != nil && ctx.Err() == nil {
			w.Log.Warn("stored files of deleted conversations not deleted, trying again", "error", err, "cause", s3.Cause(err))
		}
		if now := time.Now(); now.Sub(aborted) > abortInterval {
			aborted = now
			w.abort(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Delete deletes the objects that are due, and returns the last error.
func (w *Sweeper) Delete(ctx context.Context) error {
	due, err := w.Rows.DueDeletions(ctx, w.Storages.Names(), batchSize)
	if err != nil {
		return err
	}
	for _, d := range due {
		if failed := w.delete(ctx, d); failed != nil {
			err = failed
		}
	}
	return err
}

func (w *Sweeper) delete(ctx context.Context, d storagestore.Deletion) error {
	s, err := w.Storages.Get(d.Storage)
	if err == nil && strings.HasSuffix(d.Key, "/") {
		_, err = storage.DeleteAll(ctx, s, d.Key)
	} else if err == nil {
		err = s.Delete(ctx, d.Key)
	}
	switch {
	case fault.Is(err, fault.Invalid): // no valid key: no object can have it
		return w.Rows.EndDeletion(ctx, d.ID)
	case err != nil:
		if postponed := w.Rows.PostponeDeletion(ctx, d.ID, retryAfter); postponed != nil {
			return postponed
		}
		return err
	case strings.HasSuffix(d.Key, "/") && d.Passes == 0:
		return w.Rows.RepeatDeletion(ctx, d.ID, repeatAfter)
	}
	return w.Rows.EndDeletion(ctx, d.ID)
}

// abort removes the parts of uploads that have not ended.
func (w *Sweeper) abort(ctx context.Context) {
	for _, name := range slices.Sorted(slices.Values(w.Storages.Names())) {
		s, err := w.Storages.Get(name)
		if err != nil {
			continue // it is one of the names
		}
		n, err := s.AbortUploads(ctx, time.Now().Add(-abortAge))
		if err != nil && ctx.Err() == nil {
			w.Log.Warn("parts of broken uploads not removed, trying again in an hour", "storage", name, "error", err, "cause", s3.Cause(err))
		}
		if n > 0 {
			w.Log.Info("parts of broken uploads removed", "storage", name, "uploads", n)
		}
	}
}
