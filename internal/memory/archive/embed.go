package archive

import (
	"cmp"
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// batch is how many texts a service embeds in one call.
	batch = 64
	// keepPause is how long the loop waits when nothing is left to do; keepMaxPause how long after failures, at most.
	keepPause    = 20 * time.Second
	keepMaxPause = 10 * time.Minute
)

// Run makes the embeddings that are missing, until ctx ends: of entries that were added while the service was away, or
// before there was one, or of another model, or that are too long for it and shortened first. Several processes may do so;
// what two make at once is the same, and no two shorten an entry at once. d may be nil: what is too long is cut.
func (a *Archive) Run(ctx context.Context, d Digester) error {
	if a.embedder == nil {
		return nil
	}
	pause := keepPause
	for {
		n, err := a.Catch(ctx, d)
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.Warn("entries of archives wait for their embeddings", "model", a.embedder.Model(), "error", err)
			pause = nextPause(pause, err)
		case n > 0:
			pause = 0
		default:
			pause = keepPause
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
			pause = max(pause, keepPause)
		}
	}
}

// nextPause returns how long the loop waits after a failure: twice as long as before, and as long as the service asks for.
func nextPause(pause time.Duration, err error) time.Duration {
	return min(max(2*pause, fault.After(err)), keepMaxPause)
}

// Catch makes the embeddings of the oldest entries that have none, a batch at most, and has one that is too long shortened. It
// returns how many there were.
func (a *Archive) Catch(ctx context.Context, d Digester) (int, error) {
	entries, err := a.store.ArchivePending(ctx, a.embedder.Model(), batch)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	ready, long := a.long(entries, d)
	if err := a.keep(ctx, ready); err != nil {
		return 0, err
	}
	if len(long) > 0 {
		err = a.shorten(ctx, d, long[0])
	}
	return len(entries), err
}

// keep makes embeddings and stores them.
func (a *Archive) keep(ctx context.Context, entries []chat.PendingEntry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := a.fill(ctx, entries); err != nil {
		return err
	}
	return a.store.Embed(ctx, a.embedder.Model(), entries)
}

// fill makes the embeddings of entries. Where the service refuses them together they are asked for one by one, and one
// that it refuses alone, while it takes another text, gets none.
func (a *Archive) fill(ctx context.Context, entries []chat.PendingEntry) error {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = cmp.Or(e.Digest, e.Content)
	}
	made, err := a.embedder.Embed(ctx, texts)
	switch {
	case err == nil:
		for i := range entries {
			entries[i].Embedding = made[i]
		}
		return nil
	case !fault.Is(err, fault.Invalid):
		return err
	case len(entries) == 1:
		_, err := a.embedder.Embed(ctx, []string{"memory"})
		return err
	}
	for i := range entries {
		if err := a.fill(ctx, entries[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}
