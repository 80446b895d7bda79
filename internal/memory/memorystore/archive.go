package memorystore

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
)

// Archive adds an entry to an archive and takes out another that it replaces; 0: none. The same key writes once; an empty
// one always. It returns NotFound if there is nothing to replace, and TooLarge if it is longer than chat.MaxArchival.
func (s *Store) Archive(ctx context.Context, w chat.MemoryOwner, key string, e chat.ArchivalEntry, replaces chat.ArchivalID) (chat.ArchivalID, error) {
	said, _, err := s.changeMemory(ctx, w, key, func(tx *pg.Tx) (string, error) {
		var gone []chat.ArchivalID
		if replaces != 0 {
			gone = []chat.ArchivalID{replaces}
		}
		ids, err := changeArchive(ctx, tx, w, []chat.ArchivalEntry{e}, gone)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(ids[0]), nil
	})
	if err != nil {
		return 0, err
	}
	var id chat.ArchivalID
	_, err = fmt.Sscan(said, &id)
	return id, err
}

// Forget takes an entry out of an archive. It returns NotFound if there is no such entry.
func (s *Store) Forget(ctx context.Context, w chat.MemoryOwner, id chat.ArchivalID) error {
	_, _, err := s.changeMemory(ctx, w, "", func(tx *pg.Tx) (string, error) {
		_, err := changeArchive(ctx, tx, w, nil, []chat.ArchivalID{id})
		return "", err
	})
	return err
}

// changeArchive adds and deletes entries, in the lock of the user. It returns NotFound if one to delete is not there.
func changeArchive(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, added []chat.ArchivalEntry, gone []chat.ArchivalID) ([]chat.ArchivalID, error) {
	if len(added)+len(gone) == 0 {
		return nil, nil
	}
	n, err := dbsqlc.Q.ArchiveDelete(ctx, t, dbsqlc.ArchiveDeleteParams{UserID: w.User, Agent: w.Agent, Ids: numbers(gone)})
	if err != nil {
		return nil, fmt.Errorf("delete from the archive: %w", err)
	}
	if int(n) != len(gone) {
		return nil, fault.Errorf(fault.NotFound, "the archive has no such entry any more; search it again")
	}
	revision, err := dbsqlc.Q.HeadBump(ctx, t, dbsqlc.HeadBumpParams{UserID: w.User, Agent: w.Agent, Deletions: n})
	if err != nil {
		return nil, fmt.Errorf("count the changes of the archive: %w", err)
	}
	ids := make([]chat.ArchivalID, len(added))
	for i, e := range added {
		content := chat.Clean(e.Content)
		if size := utf8.RuneCountInString(content); size > chat.MaxArchival {
			return nil, fault.Errorf(fault.TooLarge, "an entry of the archive has at most %d characters, and this one %d: shorten or split it", chat.MaxArchival, size)
		}
		words, size := lexical.Vector(content)
		ids[i], err = dbsqlc.Q.ArchiveAdd(ctx, t, dbsqlc.ArchiveAddParams{
			UserID: w.User, Agent: w.Agent, Content: content, At: at(e.At), Words: words, Size: int32(size),
			Embedding: packed(e.Embedding), EmbeddingModel: e.Model, Revision: revision,
		})
		if err != nil {
			return nil, fmt.Errorf("add to the archive: %w", err)
		}
	}
	return ids, nil
}

// ArchiveCount counts the entries of an archive.
func (s *Store) ArchiveCount(ctx context.Context, w chat.MemoryOwner) (int, error) {
	n, err := dbsqlc.Q.ArchiveCount(ctx, s.db.Pool, dbsqlc.ArchiveCountParams{UserID: w.User, Agent: w.Agent})
	return int(n), pg.Classify(err)
}

// ArchiveGet returns those of some entries that are in an archive, in the order in which they are asked for.
func (s *Store) ArchiveGet(ctx context.Context, w chat.MemoryOwner, ids []chat.ArchivalID) ([]chat.ArchivalEntry, error) {
	rows, err := dbsqlc.Q.ArchiveGet(ctx, s.db.Pool, dbsqlc.ArchiveGetParams{UserID: w.User, Agent: w.Agent, Ids: numbers(ids)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the archive: %w", err))
	}
	out := make([]chat.ArchivalEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.ArchivalEntry{ID: r.ID, Content: r.Content, At: r.At}
	}
	slices.SortFunc(out, func(a, b chat.ArchivalEntry) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return out, nil
}

// ArchiveList returns the newest n entries of an archive, the newest first. before is the id of one that they are older
// than; 0: all.
func (s *Store) ArchiveList(ctx context.Context, w chat.MemoryOwner, before chat.ArchivalID, n int) ([]chat.ArchivalEntry, error) {
	rows, err := dbsqlc.Q.ArchiveList(ctx, s.db.Pool, dbsqlc.ArchiveListParams{UserID: w.User, Agent: w.Agent, Before: int64(before), N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the archive: %w", err))
	}
	out := make([]chat.ArchivalEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.ArchivalEntry{ID: r.ID, Content: r.Content, At: r.At}
	}
	return out, nil
}

// ArchiveSearch returns the entries that hold the most telling words of a query, the best first, n at most.
func (s *Store) ArchiveSearch(ctx context.Context, w chat.MemoryOwner, query string, n int) ([]chat.ArchivalID, error) {
	p := dbsqlc.ArchiveSearchParams{UserID: w.User, Agent: w.Agent, Most: int32(n)}
	if p.Queries, p.Weights = tsQueries(query); len(p.Queries) == 0 {
		return nil, nil
	}
	rows, err := dbsqlc.Q.ArchiveSearch(ctx, s.db.Pool, p)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("search the archive: %w", err))
	}
	out := make([]chat.ArchivalID, len(rows))
	for i, r := range rows {
		out[i] = chat.ArchivalID(r.ID)
	}
	return out, nil
}

// MemoryLog returns entries of a log that are about a span of time, those that hold the most words of a query first; without
// a query the newest first.
func (s *Store) MemoryLog(ctx context.Context, w chat.MemoryOwner, query string, since, until time.Time, n int) ([]chat.HistoryEntry, error) {
	queries, _ := tsQueries(query)
	if queries == nil {
		queries = []string{}
	}
	rows, err := dbsqlc.Q.HistorySearch(ctx, s.db.Pool, dbsqlc.HistorySearchParams{
		UserID: w.User, Agent: w.Agent, Since: since, Until: until, Queries: queries, N: int32(n),
	})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("search the log of memory: %w", err))
	}
	out := make([]chat.HistoryEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.HistoryEntry{ID: r.ID, Session: r.SessionKey, Entry: r.Entry, From: r.FromAt, To: r.ToAt}
	}
	return out, nil
}

// tsQueries returns a query as Postgres reads it, one tsquery a term. Terms are letters and digits, which need no escaping.
func tsQueries(query string) (queries []string, weights []float64) {
	for _, t := range lexical.Query(chat.Clean(query)) {
		q := "'" + t.Text + "'"
		if t.Prefix {
			q += ":*"
		}
		queries, weights = append(queries, q), append(weights, t.Weight)
	}
	return queries, weights
}

func numbers(ids []chat.ArchivalID) []int64 {
	out := make([]int64, len(ids))
	for i, id := range ids {
		out[i] = int64(id)
	}
	return out
}

// packed returns an embedding as it is stored; nil stays NULL.
func packed(embedding []float32) []byte {
	if embedding == nil {
		return nil
	}
	out := make([]byte, 0, 4*len(embedding))
	for _, f := range embedding {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f))
	}
	return out
}

func unpacked(stored []byte) []float32 {
	out := make([]float32, len(stored)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(stored[4*i:]))
	}
	return out
}
