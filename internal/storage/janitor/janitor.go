// Package janitor deletes the objects of deleted conversations, and the parts of uploads that a crash left.
package janitor

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
	every = 10 * time.Second // between two looks
	batch = 20               // deletions of one look
	// writeTime is longer than any write takes: what is below a prefix is deleted once more after it.
	writeTime = 20 * time.Minute
	// retryAfter is when a deletion that failed is tried again.
	retryAfter = time.Minute
	// abortEvery and abortAge are how often the parts of uploads are looked for, and how old they are then.
	abortEvery, abortAge = time.Hour, time.Hour
)

// Rows stores deletions.
type Rows interface {
	DueDeletions(ctx context.Context, storages []string, n int) ([]storagestore.Deletion, error)
	RepeatDeletion(ctx context.Context, id int64, after time.Duration) error
	EndDeletion(ctx context.Context, id int64) error
	PostponeDeletion(ctx context.Context, id int64, after time.Duration) error
}

// Janitor deletes objects. A row stays until the storage has confirmed, so objects of a storage that is away are deleted later. Several processes
// may run at once.
type Janitor struct {
	Rows     Rows
	Storages storage.Backends
	Log      *slog.Logger
}

// Run deletes objects until ctx ends.
func (j *Janitor) Run(ctx context.Context) error {
	if len(j.Storages) == 0 {
		return nil
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var aborted time.Time
	for {
		if err := j.Delete(ctx); err != nil && ctx.Err() == nil {
			j.Log.Warn("stored files of deleted conversations not deleted, trying again", "error", err, "cause", s3.Cause(err))
		}
		if now := time.Now(); now.Sub(aborted) > abortEvery {
			aborted = now
			j.abort(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// Delete deletes the objects that are due, and returns the last error.
func (j *Janitor) Delete(ctx context.Context) error {
	due, err := j.Rows.DueDeletions(ctx, j.Storages.Names(), batch)
	if err != nil {
		return err
	}
	for _, d := range due {
		if failed := j.delete(ctx, d); failed != nil {
			err = failed
		}
	}
	return err
}

func (j *Janitor) delete(ctx context.Context, d storagestore.Deletion) error {
	s, err := j.Storages.Get(d.Storage)
	if err == nil && strings.HasSuffix(d.Key, "/") {
		_, err = storage.DeleteAll(ctx, s, d.Key)
	} else if err == nil {
		err = s.Delete(ctx, d.Key)
	}
	switch {
	case fault.Is(err, fault.Invalid): // no key: nothing can be there
		return j.Rows.EndDeletion(ctx, d.ID)
	case err != nil:
		if postponed := j.Rows.PostponeDeletion(ctx, d.ID, retryAfter); postponed != nil {
			return postponed
		}
		return err
	case strings.HasSuffix(d.Key, "/") && d.Passes == 0:
		return j.Rows.RepeatDeletion(ctx, d.ID, writeTime)
	}
	return j.Rows.EndDeletion(ctx, d.ID)
}

// abort removes the parts of uploads that did not end.
func (j *Janitor) abort(ctx context.Context) {
	for _, name := range slices.Sorted(slices.Values(j.Storages.Names())) {
		s, err := j.Storages.Get(name)
		if err != nil {
			continue // it is one of the names
		}
		n, err := s.AbortUploads(ctx, time.Now().Add(-abortAge))
		if err != nil && ctx.Err() == nil {
			j.Log.Warn("parts of broken uploads not removed, trying again in an hour", "storage", name, "error", err, "cause", s3.Cause(err))
		}
		if n > 0 {
			j.Log.Info("parts of broken uploads removed", "storage", name, "uploads", n)
		}
	}
}
