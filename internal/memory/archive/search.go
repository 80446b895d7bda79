package archive

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/memory/lexical"
	"xbot/internal/memory/vector"
)

// Ways in which a search looks.
const (
	ByWords   = "words"
	ByMeaning = "meaning"
	Fused     = "fused"
)

const (
	// deep is how many entries each way finds before they are made one list.
	deep = 50
	// fusion is k of reciprocal rank fusion: the larger it is, the less the first places count for more than the others.
	fusion = 60
)

// Found is an entry that was searched for.
type Found struct {
	chat.ArchivalEntry

	Similarity float64 // to the text that was searched for, from 0 to 1
}

// Search returns the n entries at most that meet a query best, the best first.
func (a *Archive) Search(ctx context.Context, w chat.MemoryOwner, query string, n int) ([]Found, error) {
	return a.SearchBy(ctx, w, query, n, Fused)
}

// SearchBy does what Search does in one way alone, which is for measuring.
func (a *Archive) SearchBy(ctx context.Context, w chat.MemoryOwner, query string, n int, way string) ([]Found, error) {
	var words []chat.ArchivalID
	var hits []vector.Hit
	g, looking := errgroup.WithContext(ctx)
	if way != ByMeaning {
		g.Go(func() (err error) {
			words, err = a.store.ArchiveSearch(looking, w, query, deep)
			return err
		})
	}
	if way != ByWords {
		g.Go(func() (err error) {
			hits, err = a.nearest(looking, w, a.embed(looking, query))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	ids := fuse(words, idsOf(hits))
	found, err := a.store.ArchiveGet(ctx, w, ids[:min(n, len(ids))])
	if err != nil {
		return nil, err
	}
	return withSimilarity(found, query, hits), nil
}

// nearest returns the entries nearest to the first of some embeddings; none where there are none.
func (a *Archive) nearest(ctx context.Context, w chat.MemoryOwner, to [][]float32) ([]vector.Hit, error) {
	if len(to) == 0 {
		return nil, nil
	}
	x, err := a.indexes.fresh(ctx, w)
	if err != nil {
		return nil, err
	}
	return x.Nearest(ctx, to[0], deep)
}

// fuse makes one list of several by reciprocal rank: a high rank in one counts, several ranks count more.
func fuse(lists ...[]chat.ArchivalID) []chat.ArchivalID {
	score := map[chat.ArchivalID]float64{}
	for _, list := range lists {
		for i, id := range list {
			score[id] += 1 / float64(fusion+i+1)
		}
	}
	return slices.SortedFunc(maps.Keys(score), func(a, b chat.ArchivalID) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(b, a)) // the newer first
	})
}

// withSimilarity returns how alike entries are to a text: by meaning where that is known, else by their words.
func withSimilarity(entries []chat.ArchivalEntry, text string, hits []vector.Hit) []Found {
	out := make([]Found, len(entries))
	for i, e := range entries {
		out[i] = Found{e, lexical.Likeness(e.Content, text)}
		if at := slices.IndexFunc(hits, func(h vector.Hit) bool { return h.ID == e.ID }); at >= 0 {
			out[i].Similarity = max(0, hits[at].Score)
		}
	}
	return out
}

func idsOf(hits []vector.Hit) []chat.ArchivalID {
	out := make([]chat.ArchivalID, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}
