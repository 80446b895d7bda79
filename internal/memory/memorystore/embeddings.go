package memorystore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/user/users"
)

// ArchiveHead returns how often an archive was written, and how often something was deleted from it: an index that has both
// numbers is up to date.
func (s *Store) ArchiveHead(ctx context.Context, w chat.MemoryOwner) (revision, deletions int64, err error) {
	row, err := dbsqlc.Q.HeadGet(ctx, s.db.Pool, dbsqlc.HeadGetParams{UserID: w.User, Agent: w.Agent})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, 0, nil
	}
	return row.Revision, row.Deletions, pg.Classify(err)
}

// archivePage is about how many embeddings are read at once: 30 MB of 1536 numbers.
const archivePage = 5000

// ArchiveSince returns embeddings by a model that were written after a revision, with the last revision among them; more is
// true where there are others.
func (s *Store) ArchiveSince(ctx context.Context, w chat.MemoryOwner, model string, after int64) (found map[chat.ArchivalID][]float32, upto int64, more bool, err error) {
	rows, err := dbsqlc.Q.ArchiveSince(ctx, s.db.Pool, dbsqlc.ArchiveSinceParams{UserID: w.User, Agent: w.Agent, EmbeddingModel: model, After: after, N: archivePage})
	if err != nil {
		return nil, 0, false, pg.Classify(fmt.Errorf("read embeddings: %w", err))
	}
	found, upto = make(map[chat.ArchivalID][]float32, len(rows)), after
	for _, r := range rows {
		found[r.ID], upto = unpacked(r.Embedding), r.Revision
	}
	return found, upto, len(rows) >= archivePage, nil
}

// ArchiveIDs returns what an archive holds.
func (s *Store) ArchiveIDs(ctx context.Context, w chat.MemoryOwner) ([]chat.ArchivalID, error) {
	ids, err := dbsqlc.Q.ArchiveIDs(ctx, s.db.Pool, dbsqlc.ArchiveIDsParams{UserID: w.User, Agent: w.Agent})
	return ids, pg.Classify(err)
}

// ArchivePending returns the oldest n entries of all archives that have no embedding by a model, except those that another
// process has reserved.
func (s *Store) ArchivePending(ctx context.Context, model string, n int) ([]chat.PendingEntry, error) {
	rows, err := dbsqlc.Q.ArchivePending(ctx, s.db.Pool, dbsqlc.ArchivePendingParams{Model: model, N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for entries without an embedding: %w", err))
	}
	out := make([]chat.PendingEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.PendingEntry{MemoryOwner: chat.MemoryOwner{User: r.UserID, Agent: r.Agent}, ID: r.ID, Content: r.Content, Digest: r.Digest}
	}
	return out, nil
}

// Embed keeps embeddings by a model. An entry without one is not asked for again: the model cannot make it. Entries that
// were deleted in the meantime, or belong to another user by now, are passed over.
func (s *Store) Embed(ctx context.Context, model string, entries []chat.PendingEntry) error {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b chat.PendingEntry) int {
		return cmp.Or(cmp.Compare(a.MemoryOwner.User, b.MemoryOwner.User), cmp.Compare(a.MemoryOwner.Agent, b.MemoryOwner.Agent)) // several users are always locked in one order
	})
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		var of chat.MemoryOwner
		var revision int64
		for i, e := range entries {
			if i == 0 || e.MemoryOwner != of {
				if err := users.Lock(ctx, tx, e.MemoryOwner.User); err != nil {
					return fmt.Errorf("lock memory: %w", err)
				}
				var err error
				if revision, err = dbsqlc.Q.HeadBump(ctx, tx, dbsqlc.HeadBumpParams{UserID: e.MemoryOwner.User, Agent: e.MemoryOwner.Agent}); err != nil {
					return fmt.Errorf("count the changes of the archive: %w", err)
				}
				of = e.MemoryOwner
			}
			err := dbsqlc.Q.ArchiveEmbed(ctx, tx, dbsqlc.ArchiveEmbedParams{
				UserID: of.User, Agent: of.Agent, ID: e.ID, Embedding: packed(e.Embedding), EmbeddingModel: model, Revision: revision,
			})
			if err != nil {
				return fmt.Errorf("keep an embedding: %w", err)
			}
		}
		return nil
	})
}
