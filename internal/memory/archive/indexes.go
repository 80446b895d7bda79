package archive

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/memory/vector"
)

// maxFloats is how many numbers all indexes of a process hold before those that were not used for the longest time are
// dropped: 256 MB, or 160 000 entries of 384 numbers. One index alone may be larger.
const maxFloats = 64 << 20

// indexCost is the fixed cost of an index, counted in numbers: also the empty ones of many users are bounded.
const indexCost = 1 << 10

// indexes are the embeddings in memory, one index for each memory that is searched, made of what Postgres holds.
type indexes struct {
	store Store
	db    *vector.DB
	model string // that made the embeddings
	limit int    // of numbers

	mu   sync.Mutex
	open map[chat.MemoryOwner]*index
}

// index is one of them, as it was at a revision and after so many deletions.
type index struct {
	*vector.Index

	mu                  sync.Mutex
	revision, deletions int64
	used                time.Time // guarded by indexes.mu
}

// fresh returns an index that holds everything that any process has committed before.
func (s *indexes) fresh(ctx context.Context, w chat.MemoryOwner) (*vector.Index, error) {
	x, err := s.of(w)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.follow(ctx, s.store, w, s.model); err != nil {
		return nil, err
	}
	return x.Index, s.shrink(w)
}

// of returns the index of a memory, an empty one at first. The lock is held while it is made, as while one is dropped: the
// database has an index of each name that is open, and no other.
func (s *indexes) of(w chat.MemoryOwner) (*index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, ok := s.open[w]
	if !ok {
		made, err := s.db.Create(s.name(w))
		if err != nil {
			return nil, err
		}
		x = &index{Index: made}
		s.open[w] = x
	}
	x.used = time.Now()
	return x, nil
}

// name returns that of the index of one memory by one model.
func (s *indexes) name(w chat.MemoryOwner) string {
	return fmt.Sprintf("%d/%q/%q", w.User, w.Agent, s.model)
}

// follow reads what was written since the index looked last. What a page misses because it was committed in the meantime has a
// later revision, since writers of one memory wait for each other.
func (x *index) follow(ctx context.Context, store Store, w chat.MemoryOwner, model string) error {
	revision, deletions, err := store.ArchiveHead(ctx, w)
	if err != nil {
		return err
	}
	for more := revision > x.revision; more; {
		var found map[chat.ArchivalID][]float32
		var upto int64
		if found, upto, more, err = store.ArchiveSince(ctx, w, model, x.revision); err != nil {
			return err
		}
		if err := x.Put(ctx, found); err != nil {
			return err
		}
		x.revision = upto
	}
	x.revision = max(x.revision, revision)
	if deletions == x.deletions {
		return nil
	}
	ids, err := store.ArchiveIDs(ctx, w)
	if err != nil {
		return err
	}
	have := make(map[chat.ArchivalID]bool, len(ids))
	for _, id := range ids {
		have[id] = true
	}
	gone := slices.DeleteFunc(x.IDs(), func(id chat.ArchivalID) bool { return have[id] })
	if err := x.Delete(ctx, gone...); err != nil {
		return err
	}
	x.deletions = deletions
	return nil
}

// shrink drops the indexes that were not used for the longest time until the others are small enough. The one that is in
// use stays.
func (s *indexes) shrink(inUse chat.MemoryOwner) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, x := range s.open {
		total += x.Floats() + indexCost
	}
	for total > s.limit {
		var oldest chat.MemoryOwner
		found := false
		for w, x := range s.open {
			if w != inUse && (!found || x.used.Before(s.open[oldest].used)) {
				oldest, found = w, true
			}
		}
		if !found {
			return nil
		}
		if err := s.db.Drop(s.name(oldest)); err != nil {
			return err
		}
		total -= s.open[oldest].Floats() + indexCost
		delete(s.open, oldest)
	}
	return nil
}
