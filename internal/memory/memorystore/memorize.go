package memorystore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
	"xbot/internal/user/users"
)

// MemoryWritten returns the result of a change of memory by its key; found is false if it was not made.
func (s *Store) MemoryWritten(ctx context.Context, w chat.MemoryOwner, key string) (result string, found bool, err error) {
	result, err = dbsqlc.Q.MemoryWritten(ctx, s.db.Pool, dbsqlc.MemoryWrittenParams{UserID: w.User, Agent: w.Agent, Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return result, err == nil, pg.Classify(err)
}

// Memorize writes what a conversation adds to memory, all of it or nothing. fresh is false where its key was written before:
// nothing is changed then. It returns Conflict if a note or block has changed since the change was composed.
func (s *Store) Memorize(ctx context.Context, w chat.MemoryOwner, m chat.Memorized) (fresh bool, err error) {
	_, fresh, err = s.changeMemory(ctx, w, m.Key, func(tx *pg.Tx) (string, error) {
		for _, n := range m.Notes {
			if err := changeNote(ctx, tx, w, n); err != nil {
				return "", err
			}
		}
		for _, b := range m.Blocks {
			if err := changeBlock(ctx, tx, w, m.Session, b); err != nil {
				return "", err
			}
		}
		for _, c := range m.Souls {
			if _, err := changeSoul(ctx, tx, w, c); err != nil {
				return "", err
			}
		}
		if _, err := changeArchive(ctx, tx, w, m.Archive, m.Delete); err != nil {
			return "", err
		}
		return "", addHistory(ctx, tx, w, m)
	})
	return fresh, err
}

// changeMemory runs fn and stores its result under a key, one change after the other for each user. For a key that is
// stored already it changes nothing and returns the stored result. An empty key means that a user makes the change, who
// may repeat it.
func (s *Store) changeMemory(
	ctx context.Context, w chat.MemoryOwner, key string, fn func(tx *pg.Tx) (result string, err error),
) (result string, fresh bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := users.Lock(ctx, tx, w.User); err != nil {
			return fmt.Errorf("lock memory: %w", err)
		}
		result, err = dbsqlc.Q.MemoryWritten(ctx, tx, dbsqlc.MemoryWrittenParams{UserID: w.User, Agent: w.Agent, Key: key})
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if result, err = fn(tx); err != nil {
			return err
		}
		if fresh = true; key == "" {
			return nil
		}
		err = dbsqlc.Q.MemoryWrite(ctx, tx, dbsqlc.MemoryWriteParams{UserID: w.User, Agent: w.Agent, Key: key, Result: chat.Clean(result)})
		if err != nil {
			return fmt.Errorf("keep the key of a change of memory: %w", err)
		}
		return nil
	})
	return result, fresh && err == nil, err
}

func changeNote(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, n chat.NoteChange) error {
	was, err := dbsqlc.Q.MemoryGet(ctx, t, dbsqlc.MemoryGetParams{UserID: w.User, Agent: w.Agent, Path: n.Path})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read memory: %w", err)
	}
	if was != n.Was {
		return fault.Errorf(fault.Conflict, "the note %s was changed meanwhile", n.Path)
	}
	return setMemory(ctx, t, w, n.Path, n.Content)
}

func addHistory(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, m chat.Memorized) error {
	if m.History == "" {
		return nil
	}
	words, size := lexical.Vector(chat.Clean(m.History))
	err := dbsqlc.Q.HistoryAdd(ctx, t, dbsqlc.HistoryAddParams{
		UserID: w.User, Agent: w.Agent, SessionKey: m.Session, Entry: chat.Clean(m.History), Words: words, Size: int32(size), FromAt: at(m.From), ToAt: at(m.To),
	})
	if err != nil {
		return fmt.Errorf("add to the log of memory: %w", err)
	}
	return nil
}

// at returns a time that is known, or now.
func at(t time.Time) time.Time {
	if t.IsZero() {
		return time.Now()
	}
	return t
}

// MemoryHistory returns the newest n entries of a log, the newest first. before is the id of an entry that they are older
// than; 0: all.
func (s *Store) MemoryHistory(ctx context.Context, w chat.MemoryOwner, before int64, n int) ([]chat.HistoryEntry, error) {
	rows, err := dbsqlc.Q.HistoryList(ctx, s.db.Pool, dbsqlc.HistoryListParams{UserID: w.User, Agent: w.Agent, Before: before, N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the log of memory: %w", err))
	}
	out := make([]chat.HistoryEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.HistoryEntry{ID: r.ID, Session: r.SessionKey, Entry: r.Entry, From: r.FromAt, To: r.ToAt}
	}
	return out, nil
}
