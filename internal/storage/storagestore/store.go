// Package storagestore stores the rows of object storage: edits of files, and objects to delete.
package storagestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/storage/dbsqlc"
)

// Store stores the rows.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Edit is the change of a file by the call of a tool.
type Edit struct {
	Call   chat.CallID
	User   chat.UserID // the consumer
	Key    string
	Size   int64  // bytes of the new content
	Digest string // SHA-256 of it, in hexadecimal digits
	Done   bool   // the object was stored
}

// Edit returns the edit of a call. ok is false if none was begun.
func (s *Store) Edit(ctx context.Context, user chat.UserID, call chat.CallID) (e Edit, ok bool, err error) {
	row, err := dbsqlc.Q.StorageEditGet(ctx, s.db.Pool, dbsqlc.StorageEditGetParams{CallID: string(call), UserID: user})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, false, nil
	}
	if err != nil {
		return e, false, pg.Classify(fmt.Errorf("read the edit of call %s: %w", call, err))
	}
	return Edit{Call: call, User: user, Key: row.Key, Size: row.Size, Digest: row.Digest, Done: row.Done}, true, nil
}

// BeginEdit records an edit before its object is stored. It changes nothing once the edit is done.
func (s *Store) BeginEdit(ctx context.Context, e Edit) error {
	err := dbsqlc.Q.StorageEditBegin(ctx, s.db.Pool, dbsqlc.StorageEditBeginParams{CallID: string(e.Call), UserID: e.User, Key: e.Key, Size: e.Size, Digest: e.Digest})
	return pg.Classify(err)
}

// EndEdit records that the object of an edit was stored.
func (s *Store) EndEdit(ctx context.Context, user chat.UserID, call chat.CallID) error {
	return pg.Classify(dbsqlc.Q.StorageEditDone(ctx, s.db.Pool, dbsqlc.StorageEditDoneParams{CallID: string(call), UserID: user}))
}

// Deletion is an object to delete, or with a slash at the end of its key, all objects whose keys begin with it.
type Deletion struct {
	ID      int64
	Storage string
	Key     string
	Passes  int // how often a prefix was deleted
}

// DueDeletions takes at most n deletions from the given back ends. Other processes do not see them for five minutes.
func (s *Store) DueDeletions(ctx context.Context, storages []string, n int) ([]Deletion, error) {
	rows, err := dbsqlc.Q.StorageDeletionsDue(ctx, s.db.Pool, dbsqlc.StorageDeletionsDueParams{Storages: storages, N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the stored files to delete: %w", err))
	}
	out := make([]Deletion, len(rows))
	for i, r := range rows {
		out[i] = Deletion{ID: r.ID, Storage: r.Storage, Key: r.Key, Passes: int(r.Passes)}
	}
	return out, nil
}

// RepeatDeletion has a prefix deleted once more.
func (s *Store) RepeatDeletion(ctx context.Context, id int64, after time.Duration) error {
	return pg.Classify(dbsqlc.Q.StorageDeletionAgain(ctx, s.db.Pool, dbsqlc.StorageDeletionAgainParams{ID: id, After: pg.Interval(after)}))
}

// EndDeletion records that a deletion is complete.
func (s *Store) EndDeletion(ctx context.Context, id int64) error {
	return pg.Classify(dbsqlc.Q.StorageDeletionDone(ctx, s.db.Pool, id))
}

// PostponeDeletion has a deletion that failed tried again.
func (s *Store) PostponeDeletion(ctx context.Context, id int64, after time.Duration) error {
	return pg.Classify(dbsqlc.Q.StorageDeletionLater(ctx, s.db.Pool, dbsqlc.StorageDeletionLaterParams{ID: id, After: pg.Interval(after)}))
}

// Usage is how much a place holds of the files of consumer conversations.
type Usage struct {
	Storage       string // back end of object storage; empty: runners
	Conversations int64
	Bytes         int64 // as last counted
}

// Usage returns how much each place holds, and how many deletions wait.
func (s *Store) Usage(ctx context.Context) (all []Usage, deletions int64, err error) {
	rows, err := dbsqlc.Q.StorageUsage(ctx, s.db.Pool)
	if err != nil {
		return nil, 0, pg.Classify(fmt.Errorf("count the stored files: %w", err))
	}
	for _, r := range rows {
		all = append(all, Usage{Storage: r.Storage, Conversations: r.Conversations, Bytes: r.Bytes})
	}
	deletions, err = dbsqlc.Q.StorageDeletionsWaiting(ctx, s.db.Pool)
	return all, deletions, pg.Classify(err)
}
