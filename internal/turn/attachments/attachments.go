// Package attachments stores the files of messages, before and after they are on the runner of their conversation.
package attachments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/quota"
)

// FetchTime limits how long a message waits for its files.
const FetchTime = 4 * time.Minute

// commandKind is the kind of the row of a command, which runs in parallel to turns.
const commandKind = "command"

// Store keeps attachments.
type Store struct {
	db    *pg.DB
	quota *quota.Quota
}

// New returns a store over a database.
func New(db *pg.DB, limits *quota.Quota) *Store { return &Store{db: db, quota: limits} }

// Add notes the files of a message that was just inserted.
func Add(ctx context.Context, t *pg.Tx, session chat.SessionKey, id chat.InboxID, files []chat.Attachment) error {
	for i, f := range files {
		err := dbsqlc.Q.FileInsert(ctx, t, dbsqlc.FileInsertParams{
			InboxID: int64(id), N: int32(i + 1), Session: session, Kind: chat.Clean(f.Kind), Key: chat.Clean(f.Key), Name: chat.Clean(f.Name), Size: f.Size, OfMessage: chat.Clean(f.Of), At: chat.Clean(f.At), Picture: f.Shown,
		})
		if err != nil {
			return fmt.Errorf("note file %d of a message: %w", i+1, err)
		}
	}
	return nil
}

// AttachmentSet returns the attachments of a message. It returns NotFound if it has none, or is gone.
func (s *Store) AttachmentSet(ctx context.Context, id chat.InboxID) (chat.AttachmentSet, error) {
	row, err := dbsqlc.Q.FileParcel(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.AttachmentSet{}, fault.Errorf(fault.NotFound, "message %d has no files", id)
	}
	if err != nil {
		return chat.AttachmentSet{}, pg.Classify(fmt.Errorf("read the files of message %d: %w", id, err))
	}
	p := chat.AttachmentSet{
		Inbox: id, Session: row.SessionKey, Channel: row.Channel, Account: row.Account, Owner: row.Owner, Runner: row.Runner,
		UserName: row.UserName, Accepted: row.AcceptedAt, Waits: row.Waits, Label: row.Label,
		Command: row.Command, Dir: row.Dir, DirRunner: row.DirRunner,
	}
	if len(row.Place) == 0 {
		row.Place = []byte("{}") // it came from no platform
	}
	if err := json.Unmarshal(row.Place, &p.To); err != nil {
		return chat.AttachmentSet{}, fmt.Errorf("read the place of message %d: %w", id, err)
	}
	p.Files, err = Of(ctx, s.db.Pool, id)
	return p, pg.Classify(err)
}

// Of lists the files of a message.
func Of(ctx context.Context, db pg.DBTX, id chat.InboxID) ([]chat.AttachmentFetch, error) {
	rows, err := dbsqlc.Q.FileList(ctx, db, int64(id))
	if err != nil {
		return nil, fmt.Errorf("list the files of message %d: %w", id, err)
	}
	out := make([]chat.AttachmentFetch, len(rows))
	for i, r := range rows {
		out[i] = chat.AttachmentFetch{
			Attachment: chat.Attachment{Kind: r.Kind, Key: r.Key, Name: r.Name, Size: r.Size, Of: r.OfMessage},
			N:          int(r.N), State: chat.AttachmentState(r.State), Runner: r.Runner, Path: r.Path, Problem: r.Problem, Picture: r.Picture,
			Transcript: r.Transcript, Unheard: r.Unheard, Pages: int(r.Pages), Unshown: r.Unshown,
		}
		if r.Key == "" { // it had a path from the beginning, or is only a picture
			out[i].At = r.Path
		}
	}
	return out, nil
}

// FileQuoted returns the path and size of the n-th file of a message on its runner, if that file is a quoted one that was
// fetched for the same conversation before. It returns NotFound if it was not.
func (s *Store) FileQuoted(ctx context.Context, id chat.InboxID, n int, runner string) (path string, size int64, err error) {
	row, err := dbsqlc.Q.FileQuoted(ctx, s.db.Pool, dbsqlc.FileQuotedParams{InboxID: int64(id), N: int32(n), Runner: runner})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", 0, fault.Errorf(fault.NotFound, "file %d of message %d was not fetched before", n, id)
	}
	return row.Path, row.Size, pg.Classify(err)
}

// FileStored notes where a file is now. The first note is final.
func (s *Store) FileStored(ctx context.Context, id chat.InboxID, f chat.AttachmentFetch) error {
	p := dbsqlc.FileStoredParams{
		InboxID: int64(id), N: int32(f.N), Runner: f.Runner, Path: f.Path, Size: f.Size, Picture: f.Picture, Transcript: chat.Clean(f.Transcript), Unheard: chat.Clean(f.Unheard),
		Pages: int32(f.Pages), Unshown: chat.Clean(f.Unshown),
	}
	return pg.Classify(dbsqlc.Q.FileStored(ctx, s.db.Pool, p))
}

// FileProblem notes why a file is not there; failed: it is not tried again.
func (s *Store) FileProblem(ctx context.Context, id chat.InboxID, n int, problem string, failed bool) error {
	p := dbsqlc.FileProblemParams{InboxID: int64(id), N: int32(n), Problem: chat.Clean(problem), Failed: failed}
	return pg.Classify(dbsqlc.Q.FileProblem(ctx, s.db.Pool, p))
}

// EndFetch ends the attachments that were not fetched, makes the message claimable, and wakes its turn. A second call changes
// nothing.
func (s *Store) EndFetch(ctx context.Context, id chat.InboxID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.FilesEnd(ctx, tx, int64(id)); err != nil {
			return fmt.Errorf("end the files of message %d: %w", id, err)
		}
		released, err := dbsqlc.Q.FilesRelease(ctx, tx, id)
		for _, r := range released {
			if r.Kind != commandKind {
				tx.Wake(chat.Wake{Kind: chat.WakeTurn, ID: string(r.SessionKey), Channel: r.Channel, User: r.UserID, Text: "files came"})
			}
		}
		return err
	})
}

// FilesToFetch takes messages that wait for their files, each at most once a back-off: 2 s, doubling to 60 s.
func (s *Store) FilesToFetch(ctx context.Context) ([]chat.InboxID, error) {
	ids, err := dbsqlc.Q.FilesToFetch(ctx, s.db.Pool)
	return ids, pg.Classify(err)
}

// OldFiles returns at most a hundred files of a user on a runner that are older than the given time.
func (s *Store) OldFiles(ctx context.Context, owner chat.UserID, runner string, older time.Duration) ([]chat.OldFile, error) {
	rows, err := dbsqlc.Q.FilesOld(ctx, s.db.Pool, dbsqlc.FilesOldParams{UserID: owner, Runner: runner, Older: pg.Interval(older)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for old files: %w", err))
	}
	out := make([]chat.OldFile, len(rows))
	for i, r := range rows {
		out[i] = chat.OldFile{ID: r.ID, Path: r.Path}
	}
	return out, nil
}

// FileRemoved records that a file is not there any more.
func (s *Store) FileRemoved(ctx context.Context, id int64) error {
	return pg.Classify(dbsqlc.Q.FileRemoved(ctx, s.db.Pool, id))
}

// OrphanFile is a file on a runner whose conversation is gone.
type OrphanFile struct {
	ID     int64
	User   chat.UserID // a user who reaches it: its owner, or an administrator if it is on the server's host
	Runner string
	Path   string
}

// OrphanFiles lists some files of conversations that were deleted and that are still on a runner.
func (s *Store) OrphanFiles(ctx context.Context) ([]OrphanFile, error) {
	rows, err := dbsqlc.Q.FilesOrphaned(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the files of conversations that are gone: %w", err))
	}
	out := make([]OrphanFile, len(rows))
	for i, r := range rows {
		out[i] = OrphanFile{ID: r.ID, User: chat.UserID(r.ReachedBy), Runner: r.Runner, Path: r.Path}
	}
	return out, nil
}
