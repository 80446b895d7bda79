package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/lexical"
	"xbot/internal/store/dbsqlc"
)

// MemoryWritten returns what came of a change of memory by its key; found is false where it was not made.
func (s *Store) MemoryWritten(ctx context.Context, w chat.Whose, key string) (result string, found bool, err error) {
	result, err = s.q.MemoryWritten(ctx, s.pool, dbsqlc.MemoryWrittenParams{UserID: w.User, Agent: w.Agent, Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return result, err == nil, classify(err)
}

// Memorize writes what a conversation left in memory, all of it or nothing. fresh is false where its key was written
// before: nothing is changed then. Conflict: a note or block is not what it was when the change was made up.
func (s *Store) Memorize(ctx context.Context, w chat.Whose, m chat.Memorized) (fresh bool, err error) {
	_, fresh, err = s.changeMemory(ctx, w, m.Key, func(tx *tx) (string, error) {
		for _, n := range m.Notes {
			if err := tx.changeNote(ctx, w, n); err != nil {
				return "", err
			}
		}
		for _, b := range m.Blocks {
			if err := tx.changeBlock(ctx, w, m.Session, b); err != nil {
				return "", err
			}
		}
		for _, c := range m.Souls {
			if _, err := tx.changeSoul(ctx, w, c); err != nil {
				return "", err
			}
		}
		if _, err := tx.changeArchive(ctx, w, m.Archive, m.Delete); err != nil {
			return "", err
		}
		return "", tx.addHistory(ctx, w, m)
	})
	return fresh, err
}

// changeMemory runs fn and keeps what it says with a key, one change after the other for each person. A key that was
// kept before changes nothing: what was said then is returned. An empty key is that of a person, who may do a thing again.
func (s *Store) changeMemory(
	ctx context.Context, w chat.Whose, key string, fn func(tx *tx) (result string, err error),
) (result string, fresh bool, err error) {
	err = s.inTx(ctx, func(tx *tx) error {
		if err := s.q.MemoryLock(ctx, tx, w.User); err != nil {
			return fmt.Errorf("lock memory: %w", err)
		}
		result, err = s.q.MemoryWritten(ctx, tx, dbsqlc.MemoryWrittenParams{UserID: w.User, Agent: w.Agent, Key: key})
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if result, err = fn(tx); err != nil {
			return err
		}
		if fresh = true; key == "" {
			return nil
		}
		err = s.q.MemoryWrite(ctx, tx, dbsqlc.MemoryWriteParams{UserID: w.User, Agent: w.Agent, Key: key, Result: Clean(result)})
		if err != nil {
			return fmt.Errorf("keep the key of a change of memory: %w", err)
		}
		return nil
	})
	return result, fresh && err == nil, err
}

func (t *tx) changeNote(ctx context.Context, w chat.Whose, n chat.NoteChange) error {
	was, err := t.q.MemoryGet(ctx, t, dbsqlc.MemoryGetParams{UserID: w.User, Agent: w.Agent, Path: n.Path})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read memory: %w", err)
	}
	if was != n.Was {
		return fault.Errorf(fault.Conflict, "the note %s was changed meanwhile", n.Path)
	}
	return t.setMemory(ctx, w, n.Path, n.Content)
}

func (t *tx) addHistory(ctx context.Context, w chat.Whose, m chat.Memorized) error {
	if m.History == "" {
		return nil
	}
	err := t.q.HistoryAdd(ctx, t, dbsqlc.HistoryAddParams{
		UserID: w.User, Agent: w.Agent, SessionKey: m.Session, Entry: Clean(m.History), Words: indexed(m.History), FromAt: at(m.From), ToAt: at(m.To),
	})
	if err != nil {
		return fmt.Errorf("add to the log of memory: %w", err)
	}
	return nil
}

// indexed is the words of a text as an index holds them.
func indexed(text string) []string {
	if words := lexical.Words(Clean(text)); words != nil {
		return words
	}
	return []string{} // a nil list would be NULL
}

// at is a time that is known, or now.
func at(t time.Time) time.Time {
	if t.IsZero() {
		return time.Now()
	}
	return t
}

// MemoryHistory returns the newest n entries of a log, the newest first. before is the id of an entry that they are older
// than; 0: all.
func (s *Store) MemoryHistory(ctx context.Context, w chat.Whose, before int64, n int) ([]chat.HistoryEntry, error) {
	rows, err := s.q.HistoryList(ctx, s.pool, dbsqlc.HistoryListParams{UserID: w.User, Agent: w.Agent, Before: before, N: int32(n)})
	if err != nil {
		return nil, classify(fmt.Errorf("read the log of memory: %w", err))
	}
	out := make([]chat.HistoryEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.HistoryEntry{ID: r.ID, Session: r.SessionKey, Entry: r.Entry, From: r.FromAt, To: r.ToAt}
	}
	return out, nil
}
