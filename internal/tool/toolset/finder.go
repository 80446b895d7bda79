package toolset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"

	"xbot/internal/memory/lexical"
	"xbot/internal/tool"
)

// Embedder makes embeddings of length 1.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() string
}

// Finder finds tools by words, and by meaning where there are embeddings. It is safe for concurrent use; it must not be copied.
type Finder struct {
	Embedder Embedder // nil: words alone
	Log      *slog.Logger

	mu    sync.Mutex
	known map[[sha256.Size]byte][]float32 // of texts of tools
}

// maxKnown bounds the embeddings in memory: about 6 kB each.
const maxKnown = 4096

// Find returns at most n of the tools, the likeliest first. A query that fits none finds none.
func (f *Finder) Find(ctx context.Context, query string, among []tool.Spec, n int) []tool.Spec {
	byWords := rankByWords(query, among)
	byMeaning := f.rankByMeaning(ctx, query, among)
	order := fuse(len(among), byWords, byMeaning)
	out := make([]tool.Spec, 0, n)
	for _, i := range order[:min(n, len(order))] {
		out = append(out, among[i])
	}
	return out
}

// document returns the text that a tool is found by. Names count more than descriptions, so it has them more than once.
func document(s tool.Spec) string {
	name := spaced(s.Name)
	return strings.Join([]string{name, name, name, s.Group, s.Description}, " ")
}

// spaced returns a name as words: CamelCase and snake_case come apart.
func spaced(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		upper := 'A' <= r && r <= 'Z'
		if upper && lower || r == '_' || r == '-' {
			b.WriteByte(' ')
		}
		if r != '_' && r != '-' {
			b.WriteRune(r)
		}
		lower = 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return b.String()
}

// The constants of BM25, at their usual values.
const (
	saturation = 1.2
	lengths    = 0.75
)

// rankByWords sorts the tools that have words of the query by BM25, the best first, as places in the list.
func rankByWords(query string, among []tool.Spec) []int {
	terms := lexical.Query(query)
	words, total := make([][]string, len(among)), 0
	for i, s := range among {
		words[i] = lexical.Words(document(s))
		total += len(words[i])
	}
	average := max(1, float64(total)/float64(max(1, len(among))))
	scores := make([]float64, len(among))
	for _, t := range terms {
		counts, having := make([]float64, len(among)), 0.0
		for i := range words {
			for _, w := range words[i] {
				if w == t.Text || t.Prefix && strings.HasPrefix(w, t.Text) {
					counts[i]++
				}
			}
			if counts[i] > 0 {
				having++
			}
		}
		rarity := math.Log(1 + (float64(len(among))-having+0.5)/(having+0.5))
		for i, n := range counts {
			scores[i] += t.Weight * rarity * n * (saturation + 1) / (n + saturation*(1-lengths+lengths*float64(len(words[i]))/average))
		}
	}
	return ranked(scores, 0)
}

// leastLike is the likeness from which on a tool is near to a query in meaning. Texts without anything in common reach about 0.2 with the
// usual models.
const leastLike = 0.3

// rankByMeaning sorts the tools that are near to the query, the nearest first. Where embeddings cannot be had, words have to do.
func (f *Finder) rankByMeaning(ctx context.Context, query string, among []tool.Spec) []int {
	if f.Embedder == nil || len(among) == 0 || strings.TrimSpace(query) == "" {
		return nil
	}
	known, err := f.embeddings(ctx, among)
	if err == nil {
		var asked [][]float32
		if asked, err = f.Embedder.Embed(ctx, []string{query}); err == nil {
			scores := make([]float64, len(among))
			for i, e := range known {
				scores[i] = dot(asked[0], e)
			}
			return ranked(scores, leastLike)
		}
	}
	f.Log.Warn("tools are found by words alone: embeddings cannot be had", "error", err)
	return nil
}

// batch is the number of texts that are embedded at once.
const batch = 64

// embeddings returns those of all tools, and makes the missing ones.
func (f *Finder) embeddings(ctx context.Context, among []tool.Spec) ([][]float32, error) {
	out, keys := make([][]float32, len(among)), make([][sha256.Size]byte, len(among))
	var missing []int
	f.mu.Lock()
	for i, s := range among {
		keys[i] = sha256.Sum256([]byte(f.Embedder.Model() + "\x00" + document(s)))
		if out[i] = f.known[keys[i]]; out[i] == nil {
			missing = append(missing, i)
		}
	}
	f.mu.Unlock()
	for part := range slices.Chunk(missing, batch) {
		texts := make([]string, len(part))
		for j, i := range part {
			texts[j] = spaced(among[i].Name) + ": " + among[i].Description
		}
		made, err := f.Embedder.Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		f.mu.Lock()
		if f.known == nil || len(f.known) > maxKnown {
			f.known = map[[sha256.Size]byte][]float32{}
		}
		for j, i := range part {
			out[i], f.known[keys[i]] = made[j], made[j]
		}
		f.mu.Unlock()
	}
	return out, nil
}

func dot(a, b []float32) (sum float64) {
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// ranked returns the places of scores above a bound, the highest first.
func ranked(scores []float64, above float64) []int {
	var out []int
	for i, s := range scores {
		if s > above {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return out
}

// fuseAt is the constant of reciprocal rank fusion, at its usual value.
const fuseAt = 60

// fuse makes one order of several.
func fuse(n int, orders ...[]int) []int {
	scores := make([]float64, n)
	for _, order := range orders {
		for place, i := range order {
			scores[i] += 1 / float64(fuseAt+place+1)
		}
	}
	return ranked(scores, 0)
}
