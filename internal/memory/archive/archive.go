// Package archive searches what is remembered of users: by words, in Postgres, and by meaning where embeddings are made,
// in an index in memory. Both answers are made one. Nothing depends on embeddings: while no service makes them, or it
// fails, words are enough.
package archive

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/embed"
	"xbot/internal/memory/vector"
)

// Store keeps archives, durably.
type Store interface {
	Archive(ctx context.Context, w chat.MemoryOwner, key string, e chat.ArchivalEntry, replaces chat.ArchivalID) (chat.ArchivalID, error)
	ArchiveGet(ctx context.Context, w chat.MemoryOwner, ids []chat.ArchivalID) ([]chat.ArchivalEntry, error)
	ArchiveSearch(ctx context.Context, w chat.MemoryOwner, query string, n int) ([]chat.ArchivalID, error)
	ArchiveHead(ctx context.Context, w chat.MemoryOwner) (revision, deletions int64, err error)
	ArchiveSince(ctx context.Context, w chat.MemoryOwner, model string, after int64) (found map[chat.ArchivalID][]float32, upto int64, more bool, err error)
	ArchiveIDs(ctx context.Context, w chat.MemoryOwner) ([]chat.ArchivalID, error)
	ArchivePending(ctx context.Context, model string, n int) ([]chat.PendingEntry, error)
	Embed(ctx context.Context, model string, entries []chat.PendingEntry) error
	Digests
	MemoryWritten(ctx context.Context, w chat.MemoryOwner, key string) (result string, found bool, err error)
}

// Archive is all archives. It is safe for concurrent use; so are several over one database, in different processes.
type Archive struct {
	// Compress leaves the embeddings of new entries that are too long for one to Run, which has them shortened. It is set
	// before the archive is used.
	Compress bool

	store    Store
	embedder embed.Embedder // nil: none
	log      *slog.Logger
	indexes  indexes

	mu     sync.Mutex
	paused time.Time // the embedder failed, and is not asked by searches before
}

// New returns the archives on a store. embedder may be nil.
func New(store Store, embedder embed.Embedder, log *slog.Logger) *Archive {
	a := &Archive{store: store, embedder: embedder, log: log}
	a.indexes = indexes{store: store, limit: maxFloats, open: map[chat.MemoryOwner]*index{}}
	if embedder != nil { // without one nothing is indexed
		a.indexes.db, a.indexes.model = vector.New(one(embedder)), embedder.Model()
	}
	return a
}

// one makes embeddings of one text each.
func one(e embed.Embedder) vector.EmbedFunc {
	return func(ctx context.Context, text string) ([]float32, error) {
		made, err := e.Embed(ctx, []string{text})
		if err != nil {
			return nil, err
		}
		return made[0], nil
	}
}

const (
	// queryWait is how long a search, or a tool that adds an entry, waits for embeddings.
	queryWait = 5 * time.Second
	// queryPause is how long queries do without embeddings after a request for one failed, unless the service asks for
	// longer.
	queryPause = 30 * time.Second
)

// embed makes embeddings for a caller that waits; nil where there are none now.
func (a *Archive) embed(ctx context.Context, texts ...string) [][]float32 {
	if a.embedder == nil || len(texts) == 0 || a.isPaused() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryWait)
	defer cancel()
	out, err := a.embedder.Embed(ctx, texts)
	if err != nil {
		a.log.Warn("no embeddings are made; memory is searched by words alone", "model", a.embedder.Model(), "error", err)
		a.pause(min(max(queryPause, fault.After(err)), keepMaxPause))
		return nil
	}
	return out
}

func (a *Archive) isPaused() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.paused)
}

func (a *Archive) pause(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.paused = time.Now().Add(d)
}
