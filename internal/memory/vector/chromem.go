package vector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	chromem "github.com/philippgille/chromem-go"

	"xbot/internal/chat"
)

// chromemIndex is an Index over a collection of chromem-go, which compares with every entry.
type chromemIndex struct {
	collection *chromem.Collection

	mu  sync.RWMutex
	dim int
	ids map[chat.ArchivalID]struct{}
}

var _ Index = (*chromemIndex)(nil)

// New returns an empty index.
func New() (Index, error) {
	never := func(context.Context, string) ([]float32, error) {
		return nil, errors.New("embeddings come with their entries")
	}
	c, err := chromem.NewDB().CreateCollection("archive", nil, never)
	if err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return &chromemIndex{collection: c, ids: map[chat.ArchivalID]struct{}{}}, nil
}

// Put implements Index.
func (x *chromemIndex) Put(ctx context.Context, embeddings map[chat.ArchivalID][]float32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, e := range embeddings {
		if x.dim == 0 {
			x.dim = len(e)
		}
		if len(e) != x.dim || len(e) == 0 {
			continue
		}
		if err := x.collection.AddDocument(ctx, chromem.Document{ID: name(id), Embedding: e}); err != nil {
			return fmt.Errorf("index %d: %w", id, err)
		}
		x.ids[id] = struct{}{}
	}
	return nil
}

// Delete implements Index.
func (x *chromemIndex) Delete(ids ...chat.ArchivalID) error {
	if len(ids) == 0 {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = name(id)
		delete(x.ids, id)
	}
	return x.collection.Delete(context.Background(), nil, nil, names...) // it lives in memory and waits for nobody
}

// Nearest implements Index.
func (x *chromemIndex) Nearest(ctx context.Context, to []float32, n int) ([]Hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if n = min(n, len(x.ids)); n <= 0 || len(to) != x.dim {
		return nil, nil
	}
	found, err := x.collection.QueryEmbedding(ctx, to, n, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("search an index: %w", err)
	}
	out := make([]Hit, len(found))
	for i, f := range found {
		id, err := strconv.ParseInt(f.ID, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read an index: %w", err)
		}
		out[i] = Hit{chat.ArchivalID(id), float64(f.Similarity)}
	}
	return out, nil
}

// IDs implements Index.
func (x *chromemIndex) IDs() []chat.ArchivalID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Collect(maps.Keys(x.ids))
}

// Floats implements Index.
func (x *chromemIndex) Floats() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.dim * len(x.ids)
}

func name(id chat.ArchivalID) string { return strconv.FormatInt(int64(id), 10) }
