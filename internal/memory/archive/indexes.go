package archive

import (
	"context"
	"slices"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/memory/vector"
)

// maxFloats is how many numbers all indexes of a process hold before those that were not used for the longest time are
// dropped: 256 MB, or 160 000 entries of 384 numbers. One index alone may be larger.
const maxFloats = 64 << 20

// indexCost is what an index costs beside its numbers, counted as numbers: also the empty ones of many people are bounded.
const indexCost = 1 << 10

// indexes are the embeddings in memory, one index for each memory that is searched, made of what Postgres holds.
type indexes struct {
	shelf Shelf
	limit int // of numbers

	mu   sync.Mutex
	open map[chat.Whose]*index
}

// index is one of them, as it was at a revision and after so many deletions.
type index struct {
	vector.Index

	mu                  sync.Mutex
	revision, deletions int64
	used                time.Time // guarded by indexes.mu
}

// fresh returns an index that holds all that was committed before, whoever wrote it.
func (s *indexes) fresh(ctx context.Context, w chat.Whose, model string) (*vector.Index, error) {
	x := s.of(w)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, s.shelf, w, model); err != nil {
		return nil, err
	}
	s.shrink(w)
	return &x.Index, nil
}

func (s *indexes) of(w chat.Whose) *index {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.open[w]
	if !ok {
		x = &index{}
		s.open[w] = x
	}
	x.used = time.Now()
	return x
}

// follow reads what was written since the index looked last. What a page misses because it was committed meanwhile has a
// later revision, since writers of one memory wait for each other.
func (x *index) follow(ctx context.Context, shelf Shelf, w chat.Whose, model string) error {
	revision, deletions, err := shelf.ArchiveHead(ctx, w)
	if err != nil {
		return err
	}
	for more := revision > x.revision; more; {
		var found map[chat.ArchivalID][]float32
		var upto int64
		if found, upto, more, err = shelf.ArchiveSince(ctx, w, model, x.revision); err != nil {
			return err
		}
		x.Put(found)
		x.revision = upto
	}
	x.revision = max(x.revision, revision)
	if deletions == x.deletions {
		return nil
	}
	ids, err := shelf.ArchiveIDs(ctx, w)
	if err != nil {
		return err
	}
	have := make(map[chat.ArchivalID]bool, len(ids))
	for _, id := range ids {
		have[id] = true
	}
	x.deletions = deletions
	x.Delete(slices.DeleteFunc(x.IDs(), func(id chat.ArchivalID) bool { return have[id] })...)
	return nil
}

// shrink drops the indexes that were not used for the longest time until the others are small enough. The one that is in
// use stays.
func (s *indexes) shrink(inUse chat.Whose) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, x := range s.open {
		total += x.Floats() + indexCost
	}
	for total > s.limit {
		var oldest chat.Whose
		found := false
		for w, x := range s.open {
			if w != inUse && (!found || x.used.Before(s.open[oldest].used)) {
				oldest, found = w, true
			}
		}
		if !found {
			return
		}
		total -= s.open[oldest].Floats() + indexCost
		delete(s.open, oldest)
	}
}
