// Package vector finds the nearest among many embeddings. An Index lives in memory and holds no text: what it finds is
// read from where it is kept.
package vector

import (
	"cmp"
	"slices"
	"sync"

	"xbot/internal/chat"
)

// blockRows is how many embeddings stand in one piece of memory: an index that grows never copies what it holds, and has
// at most that much to spare.
const blockRows = 1024

// Hit is an entry with how alike it is to what was asked for: the cosine, from -1 to 1.
type Hit struct {
	ID    chat.ArchivalID
	Score float64
}

// Index holds embeddings of one number of dimensions, that of the first, and of length 1, and compares a question with
// each of them: it finds the nearest, always. It is safe for concurrent use; the empty one is ready.
type Index struct {
	mu     sync.RWMutex
	dim    int
	ids    []chat.ArchivalID // of the rows
	rows   map[chat.ArchivalID]int
	blocks [][]float32 // of blockRows rows each
}

// Put adds embeddings or replaces them. Those of another number of dimensions are passed over.
func (x *Index) Put(embeddings map[chat.ArchivalID][]float32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, e := range embeddings {
		if x.dim == 0 {
			x.dim, x.rows = len(e), map[chat.ArchivalID]int{}
		}
		if len(e) != x.dim || len(e) == 0 {
			continue
		}
		row, known := x.rows[id]
		if !known {
			row = x.grow(id)
		}
		copy(x.row(row), e)
	}
}

// grow adds a row for an entry.
func (x *Index) grow(id chat.ArchivalID) int {
	row := len(x.ids)
	x.ids = append(x.ids, id)
	x.rows[id] = row
	switch last := row / blockRows; {
	case last < len(x.blocks):
		x.blocks[last] = append(x.blocks[last], make([]float32, x.dim)...)
	case last == 0: // most people never need a whole one
		x.blocks = append(x.blocks, make([]float32, x.dim))
	default:
		x.blocks = append(x.blocks, make([]float32, x.dim, blockRows*x.dim))
	}
	return row
}

func (x *Index) row(n int) []float32 {
	at := n % blockRows * x.dim
	return x.blocks[n/blockRows][at : at+x.dim]
}

// Delete takes entries out. The last row takes the place of each.
func (x *Index) Delete(ids ...chat.ArchivalID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		row, known := x.rows[id]
		if !known {
			continue
		}
		last := len(x.ids) - 1
		copy(x.row(row), x.row(last))
		x.ids[row] = x.ids[last]
		x.rows[x.ids[row]] = row
		delete(x.rows, id)
		x.ids = x.ids[:last]
		if end := len(x.blocks) - 1; last%blockRows == 0 {
			x.blocks = slices.Delete(x.blocks, end, end+1)
		} else {
			x.blocks[end] = x.blocks[end][:last%blockRows*x.dim]
		}
	}
}

// Nearest returns the n nearest at most, the best first; nothing for an embedding of another number of dimensions.
func (x *Index) Nearest(to []float32, n int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(to) != x.dim || n <= 0 {
		return nil
	}
	var best []Hit
	for i, id := range x.ids {
		h := Hit{id, float64(dot(to, x.row(i)))}
		if len(best) == n {
			if h.Score <= best[n-1].Score {
				continue
			}
			best = best[:n-1]
		}
		at, _ := slices.BinarySearchFunc(best, h, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		best = slices.Insert(best, at, h)
	}
	return best
}

// IDs returns what it holds, in no order.
func (x *Index) IDs() []chat.ArchivalID {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Clone(x.ids)
}

// Floats says how many numbers it holds, of four bytes each.
func (x *Index) Floats() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.dim * len(x.ids)
}
