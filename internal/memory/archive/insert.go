package archive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/lexical"
)

const (
	// similar is from where on an entry is shown to the author of another.
	similar = 0.5
	// duplicate is from where on two entries are equal, by their words and by their meaning. By meaning alone a false
	// alarm would lose a fact: embeddings of "Ann was born in May" and "Bob was born in May" are that near.
	duplicate = 0.9
	// shown is how many similar entries are shown.
	shown = 5
)

// Inserted is the result of adding an entry.
type Inserted struct {
	ID        chat.ArchivalID // 0: it was not added, since Duplicate has the same content
	Duplicate *Found
	Similar   []Found // the most similar first
}

// Insert adds an entry, unless another has the same content. It replaces the entry replaces; 0: none. The same
// key adds once. Errors: those of Store.Archive, and Invalid for an empty text.
func (a *Archive) Insert(ctx context.Context, w chat.MemoryOwner, key, content string, replaces chat.ArchivalID) (Inserted, error) {
	content = strings.TrimSpace(content)
	if content == "" {
		return Inserted{}, fault.Errorf(fault.Invalid, "content is empty; say what is to be remembered")
	}
	if said, again, err := a.store.MemoryWritten(ctx, w, key); again || err != nil {
		var out Inserted
		if err == nil {
			_, err = fmt.Sscan(said, &out.ID)
		}
		return out, err
	}
	entry := chat.ArchivalEntry{Content: content, At: time.Now()}
	embedding := a.embed(ctx, content)
	if len(embedding) > 0 && !a.waitsForDigest(content) {
		entry.Embedding, entry.Model = embedding[0], a.embedder.Model()
	}
	like, err := a.like(ctx, w, content, embedding)
	if err != nil {
		return Inserted{}, err
	}
	like = slices.DeleteFunc(like, func(f Found) bool { return f.ID == replaces })
	if i := slices.IndexFunc(like, func(f Found) bool { return isDuplicate(f, content) }); i >= 0 && replaces == 0 {
		return Inserted{Duplicate: &like[i]}, nil
	}
	id, err := a.store.Archive(ctx, w, key, entry, replaces)
	return Inserted{ID: id, Similar: like}, err
}

// Similar returns the entries that are similar to a text, the most similar first, shown at most.
func (a *Archive) Similar(ctx context.Context, w chat.MemoryOwner, text string) ([]Found, error) {
	return a.like(ctx, w, text, a.embed(ctx, text))
}

func (a *Archive) like(ctx context.Context, w chat.MemoryOwner, text string, embedding [][]float32) ([]Found, error) {
	words, err := a.store.ArchiveSearch(ctx, w, text, deep)
	if err != nil {
		return nil, err
	}
	hits, err := a.nearest(ctx, w, embedding)
	if err != nil {
		return nil, err
	}
	ids := fuse(words, idsOf(hits))
	entries, err := a.store.ArchiveGet(ctx, w, ids[:min(2*shown, len(ids))])
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(withSimilarity(entries, text, hits), func(f Found) bool { return f.Similarity <= similar })
	slices.SortStableFunc(found, func(x, y Found) int {
		if x.Similarity > y.Similarity {
			return -1
		}
		return 1
	})
	return found[:min(shown, len(found))], nil
}

// isDuplicate reports whether an entry has the same content as a text.
func isDuplicate(f Found, content string) bool {
	return f.Similarity > duplicate && lexical.Likeness(f.Content, content) > duplicate
}
