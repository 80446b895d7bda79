package conversation

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

const (
	// maxOffloadsListed limits the listed offloads of a session.
	maxOffloadsListed = 200
	// maxFilesChecked limits the offloaded files that are checked for changes.
	maxFilesChecked = 20
)

// StoreOffload stores the whole of the result that a call has just got as a summary. If another call has the id, the
// whole result stays in the conversation.
func StoreOffload(ctx context.Context, t *pg.Tx, call dbsqlc.ToolCall, o chat.Offload) (dbsqlc.ToolCall, error) {
	body := chat.Clean(o.Body)
	hash := sha256.Sum256([]byte(body))
	p := dbsqlc.OffloadSaveParams{
		SessionKey: call.SessionKey, ID: o.ID, CallID: &call.ID, Hash: hash[:], Body: body, Bytes: int32(len(body)), Tool: chat.Clean(o.Tool),
	}
	if f := o.File; f != nil {
		p.Path, p.Runner, p.FileSize, p.FileTime, p.FileHash = chat.Clean(f.Path), f.Runner, f.Size, &f.Time, f.Hash
	}
	n, err := dbsqlc.Q.OffloadSave(ctx, t, p)
	if err != nil {
		return call, fmt.Errorf("keep the whole result of call %s: %w", call.ID, err)
	}
	if n == 1 {
		return call, nil
	}
	call, err = dbsqlc.Q.CallKeepWhole(ctx, t, dbsqlc.CallKeepWholeParams{ID: call.ID, Result: body})
	if err != nil {
		return call, fmt.Errorf("put the whole result of call %s back: %w", call.ID, err)
	}
	return call, nil
}

// OffloadBody returns the whole of an offloaded result that a session can recall: its result or, for a subagent, one of
// the session that stores its offloads. NotFound if there is none.
func (s *Store) OffloadBody(ctx context.Context, key chat.SessionKey, id string) (string, error) {
	body, err := dbsqlc.Q.OffloadBody(ctx, s.db.Pool, dbsqlc.OffloadBodyParams{SessionKey: key, ID: chat.Clean(id)})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.Errorf(fault.NotFound, "there is no offloaded result %q in this conversation", id)
	}
	if err != nil {
		return "", pg.Classify(fmt.Errorf("read offload %s: %w", id, err))
	}
	return body, nil
}

// Offloads lists the offloads that a session can recall, the newest 200, newest first.
func (s *Store) Offloads(ctx context.Context, key chat.SessionKey) ([]chat.OffloadEntry, error) {
	rows, err := dbsqlc.Q.OffloadList(ctx, s.db.Pool, dbsqlc.OffloadListParams{SessionKey: key, N: maxOffloadsListed})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list offloads: %w", err))
	}
	out := make([]chat.OffloadEntry, len(rows))
	for i, r := range rows {
		out[i] = chat.OffloadEntry{ID: r.ID, Tool: r.Tool, Path: r.Path, Bytes: int(r.Bytes)}
	}
	return out, nil
}

// OffloadedFiles returns those of the named offloads that show files, the newest 20, with the state of the files when they
// were read.
func (s *Store) OffloadedFiles(ctx context.Context, key chat.SessionKey, ids []string) ([]chat.OffloadedFile, error) {
	rows, err := dbsqlc.Q.OffloadFiles(ctx, s.db.Pool, dbsqlc.OffloadFilesParams{SessionKey: key, Ids: ids, N: maxFilesChecked})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read offloaded files: %w", err))
	}
	out := make([]chat.OffloadedFile, len(rows))
	for i, r := range rows {
		out[i] = chat.OffloadedFile{ID: r.ID, User: r.UserID, File: chat.FileState{
			Path: r.Path, Runner: r.Runner, Size: r.FileSize, Time: *r.FileTime, Hash: r.FileHash,
		}}
	}
	return out, nil
}

// CallResult returns the whole result of a call of a session, however the conversation shows it. NotFound when there is
// no such call or it has no result yet.
func (s *Store) CallResult(ctx context.Context, key chat.SessionKey, id chat.CallID) (string, error) {
	row, err := dbsqlc.Q.CallWhole(ctx, s.db.Pool, chat.CallID(chat.Clean(string(id))))
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && row.SessionKey != key:
		return "", fault.Errorf(fault.NotFound, "there is no call %q in this session", id)
	case err != nil:
		return "", pg.Classify(fmt.Errorf("read the result of call %s: %w", id, err))
	case row.State != chat.CallDone:
		return "", fault.Errorf(fault.NotFound, "the call has no result yet: ask again when it is done")
	}
	return row.Result, nil
}

// DropBodies deletes those of the bodies that no offload refers to any more. The second statement sees the rows committed
// while the first one waited.
func DropBodies(ctx context.Context, t *pg.Tx, hashes [][]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	if err := dbsqlc.Q.BlobLock(ctx, t, hashes); err != nil {
		return fmt.Errorf("lock offloaded bodies: %w", err)
	}
	if _, err := dbsqlc.Q.BlobDrop(ctx, t, hashes); err != nil {
		return fmt.Errorf("remove offloaded bodies: %w", err)
	}
	return nil
}
