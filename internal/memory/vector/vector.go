// Package vector finds the nearest among many embeddings. An Index lives in memory and holds no text: what it finds is
// read from where it is kept.
package vector

import (
	"context"

	"xbot/internal/chat"
)

// Hit is an entry with how alike it is to what was asked for: the cosine, from -1 to 1.
type Hit struct {
	ID    chat.ArchivalID
	Score float64
}

// Index holds embeddings of one length: that of the first. It is safe for concurrent use.
type Index interface {
	// Put adds embeddings or replaces them. Those of another length are passed over.
	Put(ctx context.Context, embeddings map[chat.ArchivalID][]float32) error
	Delete(ids ...chat.ArchivalID) error
	// Nearest returns the n nearest at most, the best first; nothing for an embedding of another length.
	Nearest(ctx context.Context, to []float32, n int) ([]Hit, error)
	// IDs returns what it holds, in no order.
	IDs() []chat.ArchivalID
	// Floats says how many numbers it holds, of four bytes each.
	Floats() int
}
