// Package vector finds the nearest among many embeddings, with chromem-go. It keeps nothing that lasts and no text: an index
// is filled from where the embeddings are stored, and what it finds is read there.
package vector

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/philippgille/chromem-go"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Hit is an entry with how alike it is to what was asked for: the cosine, from -1 to 1.
type Hit struct {
	ID    chat.ArchivalID
	Score float64
}

// EmbedFunc makes the embedding of a text.
type EmbedFunc = chromem.EmbeddingFunc

// DB holds the indexes of a process, in memory. It is safe for concurrent use.
type DB struct {
	collections *chromem.DB
	embed       EmbedFunc
}

// New returns a database without an index. A nil embed refuses: chromem-go would take nil for a wish to send texts to OpenAI
// with the key that it finds in the environment.
func New(embed EmbedFunc) *DB {
	if embed == nil {
		embed = refuse
	}
	return &DB{collections: chromem.NewDB(), embed: embed}
}

func refuse(context.Context, string) ([]float32, error) {
	return nil, fault.Errorf(fault.Internal, "the index was given a text, and no model makes embeddings here")
}

// Create returns an empty index, which takes the place of the one that has the name.
func (d *DB) Create(name string) (*Index, error) {
	c, err := d.collections.CreateCollection(name, nil, d.embed)
	if err != nil {
		return nil, fmt.Errorf("create the index %s: %w", name, err)
	}
	return &Index{documents: c, ids: map[chat.ArchivalID]struct{}{}}, nil
}

// Drop removes an index. A search that still runs on it gets what it held.
func (d *DB) Drop(name string) error {
	if err := d.collections.DeleteCollection(name); err != nil {
		return fmt.Errorf("drop the index %s: %w", name, err)
	}
	return nil
}

// Names returns the names of the indexes that it holds, in order.
func (d *DB) Names() []string { return slices.Sorted(maps.Keys(d.collections.ListCollections())) }

// Index holds embeddings of one number of dimensions, that of the first, and compares a question with each of them: it
// finds the nearest, always. It is safe for concurrent use.
type Index struct {
	// mu keeps documents, dim and ids together: a collection counts without its lock when it deletes, refuses a question for
	// more than it holds, and cannot list what that is.
	mu        sync.RWMutex
	documents *chromem.Collection
	dim       int
	ids       map[chat.ArchivalID]struct{}
}

// Put adds embeddings or replaces them, and keeps them. Those of another number of dimensions, or without a direction, are
// passed over.
func (x *Index) Put(ctx context.Context, embeddings map[chat.ArchivalID][]float32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, e := range embeddings {
		if !hasDirection(e) || x.dim != 0 && len(e) != x.dim {
			continue
		}
		if err := x.documents.AddDocument(ctx, chromem.Document{ID: key(id), Embedding: e}); err != nil {
			return fmt.Errorf("index entry %d: %w", id, err)
		}
		x.dim = len(e)
		x.ids[id] = struct{}{}
	}
	return nil
}

// hasDirection reports whether an embedding can be given the length 1.
func hasDirection(e []float32) bool {
	sum := float32(0)
	for _, f := range e {
		sum += f * f
	}
	return sum > 0 && !math.IsInf(float64(sum), 0)
}

// Delete takes entries out.
func (x *Index) Delete(ctx context.Context, ids ...chat.ArchivalID) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		if _, known := x.ids[id]; !known {
			continue
		}
		if err := x.documents.Delete(ctx, nil, nil, key(id)); err != nil {
			return fmt.Errorf("take entry %d out of the index: %w", id, err)
		}
		delete(x.ids, id)
	}
	return nil
}

// Nearest returns the n nearest at most, the best first; nothing for an embedding of another number of dimensions, or
// without a direction.
func (x *Index) Nearest(ctx context.Context, to []float32, n int) ([]Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n = min(n, len(x.ids))
	if n <= 0 || len(to) != x.dim || !hasDirection(to) {
		return nil, nil
	}
	found, err := x.documents.QueryEmbedding(ctx, to, n, nil, nil)
	if err == nil {
		err = ctx.Err() // a query that is broken off returns what it had looked at, without an error
	}
	if err != nil {
		return nil, fmt.Errorf("search the index: %w", err)
	}
	best := make([]Hit, len(found))
	for i, r := range found {
		id, err := strconv.ParseInt(r.ID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the id of an entry: %w", err)
		}
		best[i] = Hit{chat.ArchivalID(id), float64(r.Similarity)}
	}
	slices.SortFunc(best, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID)) })
	return best, nil
}

// IDs returns what it holds, in no order.
func (x *Index) IDs() []chat.ArchivalID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]chat.ArchivalID, 0, len(x.ids))
	for id := range x.ids {
		out = append(out, id)
	}
	return out
}

// Floats returns how many numbers it holds, of four bytes each.
func (x *Index) Floats() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.dim * len(x.ids)
}

func key(id chat.ArchivalID) string { return strconv.FormatInt(int64(id), 10) }
