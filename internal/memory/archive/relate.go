package archive

import (
	"context"
	"slices"
	"time"

	"xbot/internal/chat"
)

// Related returns the n entries at most that are closest to any of some texts.
func (a *Archive) Related(ctx context.Context, w chat.MemoryOwner, texts []string, n int) ([]chat.ArchivalEntry, error) {
	var lists [][]chat.ArchivalID
	embeddings := a.embed(ctx, texts...)
	for i, text := range texts {
		words, err := a.store.ArchiveSearch(ctx, w, text, deep)
		if err != nil {
			return nil, err
		}
		lists = append(lists, words)
		if i < len(embeddings) {
			hits, err := a.nearest(ctx, w, embeddings[i:i+1])
			if err != nil {
				return nil, err
			}
			lists = append(lists, idsOf(hits))
		}
	}
	ids := fuse(lists...)
	return a.store.ArchiveGet(ctx, w, ids[:min(n, len(ids))])
}

// Prepare makes entries of texts, with embeddings where they are made now, and leaves out those whose content another entry has
// already, unless that one is about to go.
func (a *Archive) Prepare(ctx context.Context, w chat.MemoryOwner, texts []string, at time.Time, going []chat.ArchivalID) ([]chat.ArchivalEntry, error) {
	embeddings := a.embed(ctx, texts...)
	var out []chat.ArchivalEntry
	for i, text := range texts {
		e := chat.ArchivalEntry{Content: text, At: at}
		var own [][]float32
		if i < len(embeddings) {
			own = embeddings[i : i+1]
			if !a.waitsForDigest(text) {
				e.Embedding, e.Model = embeddings[i], a.embedder.Model()
			}
		}
		like, err := a.like(ctx, w, text, own)
		if err != nil {
			return nil, err
		}
		same := func(f Found) bool { return !slices.Contains(going, f.ID) && isDuplicate(f, text) }
		twice := func(o chat.ArchivalEntry) bool { return isDuplicate(Found{o, 1}, text) }
		if !slices.ContainsFunc(like, same) && !slices.ContainsFunc(out, twice) {
			out = append(out, e)
		}
	}
	return out, nil
}
