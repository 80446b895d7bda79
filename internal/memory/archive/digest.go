package archive

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/tokens"
)

const (
	// digestTime is how long a model may take to shorten an entry.
	digestTime = 2 * time.Minute
	// digestClaim is how long an entry is left to the process that has it shortened, which may die: longer than that takes.
	digestClaim = 2 * digestTime
)

// Digester has a model shorten texts. It returns RateLimited if it cannot be asked now.
type Digester interface {
	Digest(ctx context.Context, user chat.UserID, text string, most int) (string, error)
}

// Digests keeps what entries were shortened to.
type Digests interface {
	// ClaimDigest leaves an entry to its caller for some time; false: another caller has it, or it is shortened.
	ClaimDigest(ctx context.Context, id chat.ArchivalID, pause time.Duration) (mine bool, err error)
	// KeepDigest stores the digest and releases the entry, or without a digest postpones the next attempt.
	KeepDigest(ctx context.Context, id chat.ArchivalID, digest string, pause time.Duration) error
}

// isLong reports whether an embedding of a text would be one of its beginning.
func (a *Archive) isLong(text string) bool { return tokens.Count(text) > a.embedder.MaxTokens() }

// waitsForDigest reports whether the embedding of a new entry is left to Run, which has it shortened.
func (a *Archive) waitsForDigest(text string) bool {
	return a.Compress && a.embedder != nil && a.isLong(text)
}

// long takes out of some entries those that have to be shortened first.
func (a *Archive) long(entries []chat.PendingEntry, d Digester) (ready, long []chat.PendingEntry) {
	for _, e := range entries {
		if d != nil && e.Digest == "" && a.isLong(e.Content) {
			long = append(long, e)
		} else {
			ready = append(ready, e)
		}
	}
	return ready, long
}

// shorten has an entry shortened, by one process at a time and once: what was written is kept before an embedding is made of
// it. Where that fails its embedding is one of its beginning.
func (a *Archive) shorten(ctx context.Context, d Digester, e chat.PendingEntry) error {
	if mine, err := a.store.ClaimDigest(ctx, e.ID, digestClaim); err != nil || !mine {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, digestTime)
	defer cancel()
	digest, err := d.Digest(asking, e.MemoryOwner.User, e.Content, a.embedder.MaxTokens())
	switch {
	case err == nil:
		return a.store.KeepDigest(ctx, e.ID, digest, 0)
	case ctx.Err() != nil:
		return err
	case fault.Is(err, fault.RateLimited):
		return a.store.KeepDigest(ctx, e.ID, "", max(fault.After(err), keepPause))
	}
	a.log.Warn("an entry of an archive is too long for its embedding and could not be shortened; the embedding is made of its beginning",
		"entry", e.ID, "error", err)
	return a.keep(ctx, []chat.PendingEntry{e})
}
