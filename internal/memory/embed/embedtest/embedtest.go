// Package embedtest makes embeddings without a service, for tests and benchmarks: the same text has the same one in every
// process, and texts that share words, parts of words, or words that a thesaurus calls the same are near each other.
package embedtest

import (
	"cmp"
	"context"
	"hash/fnv"
	"math"
	"sync"

	"xbot/internal/memory/embed"
	"xbot/internal/memory/lexical"
)

// Dim is how many numbers an embedding has.
const Dim = 256

// Embedder makes them. Its fields are set before it is used, but Fail may change under Break.
type Embedder struct {
	Name      string            // of the model; empty: test
	Thesaurus map[string]string // words, as lexical.Words has them, to the word for all that mean the same
	Max       int               // tokens of one text that are read; 0: embed.DefaultMaxTokens

	mu     sync.Mutex
	fail   error
	called int
}

var _ embed.Embedder = (*Embedder)(nil)

// Model implements embed.Embedder.
func (e *Embedder) Model() string {
	if e.Name == "" {
		return "test"
	}
	return e.Name
}

// MaxTokens implements embed.Embedder.
func (e *Embedder) MaxTokens() int { return cmp.Or(e.Max, embed.DefaultMaxTokens) }

// Break makes the embedder fail from now on; nil mends it.
func (e *Embedder) Break(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail = err
}

// Called returns how many texts were asked for.
func (e *Embedder) Called() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.called
}

// Embed implements embed.Embedder.
func (e *Embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	e.called += len(texts)
	fail := e.fail
	e.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = e.one(embed.Fit(text, e.MaxTokens()))
	}
	return out, nil
}

func (e *Embedder) one(text string) []float32 {
	v := make([]float32, Dim)
	v[0] = 1e-3 // no text is without a direction
	for _, word := range lexical.Words(text) {
		if same, ok := e.Thesaurus[word]; ok {
			word = same
		}
		add(v, word, 1)
		for r := []rune(word); len(r) > 3; r = r[1:] {
			add(v, "#"+string(r[:3]), 0.3)
		}
	}
	sum := 0.0
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

func add(v []float32, feature string, weight float32) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(feature)) // a hash takes everything
	sum := h.Sum64()
	if sum>>32&1 == 0 {
		weight = -weight
	}
	v[sum%Dim] += weight
}
