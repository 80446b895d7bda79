package users

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// DeletionAfter is how long a deletion may show no progress before its workflow is woken again. A workflow that works looks more often.
const DeletionAfter = time.Minute

// orphanPrompts is the number of prompts that one statement removes: each of them, and its foreign keys, look for rows that refer to it.
const orphanPrompts = 50

// Delete promises that a user is deleted with all that they have, and disables them, in one transaction. The workflow does the rest; it
// cannot be taken back. by is the administrator, nil for an operator. The last administrator stays: Conflict. Done again it changes nothing.
func (s *Store) Delete(ctx context.Context, id chat.UserID, by *chat.UserID) error {
	return s.administer(ctx, id, true, func(tx *pg.Tx, row dbsqlc.User) error {
		if row.DisabledAt == nil {
			if err := dbsqlc.Q.AccountDisable(ctx, tx, dbsqlc.AccountDisableParams{ID: id, ByUser: by}); err != nil {
				return fmt.Errorf("shut a person out: %w", err)
			}
		}
		tx.Wake(chat.Wake{Kind: chat.WakeDeletion, ID: strconv.FormatInt(int64(id), 10)})
		return dbsqlc.Q.DeletionAdd(ctx, tx, dbsqlc.DeletionAddParams{ID: id, AskedBy: (*int64)(by)})
	})
}

// DeleteBelow promises that a user who belongs to another one is deleted, a service or a consumer, and disables them. It is Delete for users
// that are no persons. Done again it changes nothing.
func DeleteBelow(ctx context.Context, tx *pg.Tx, id chat.UserID, by *chat.UserID) error {
	if err := dbsqlc.Q.AccountDisable(ctx, tx, dbsqlc.AccountDisableParams{ID: id, ByUser: by}); err != nil {
		return fmt.Errorf("shut user %d out: %w", id, err)
	}
	tx.Wake(chat.Wake{Kind: chat.WakeDeletion, ID: strconv.FormatInt(int64(id), 10)})
	return dbsqlc.Q.DeletionAdd(ctx, tx, dbsqlc.DeletionAddParams{ID: id, AskedBy: (*int64)(by)})
}

// Deletion reads how far the deletion of a user is. It returns NotFound if it was not requested, or it is done.
func (s *Store) Deletion(ctx context.Context, id chat.UserID) (chat.Deletion, error) {
	row, err := dbsqlc.Q.DeletionGet(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Deletion{}, fault.Errorf(fault.NotFound, "person %d is not being deleted", id)
	}
	if err != nil {
		return chat.Deletion{}, pg.Classify(fmt.Errorf("read the deletion of user %d: %w", id, err))
	}
	return chat.Deletion{Name: row.Name, Conversations: int(row.Conversations), Left: int(row.LeftOver), Age: time.Duration(row.AgeS * float64(time.Second))}, nil
}

// DeletionsToStart takes deletions on which no work was done for a while.
func (s *Store) DeletionsToStart(ctx context.Context) ([]chat.UserID, error) {
	ids, err := dbsqlc.Q.DeletionToStart(ctx, s.db.Pool, pg.Interval(DeletionAfter))
	return ids, pg.Classify(err)
}

// DeletionChecked records that the workflow of a deletion is at it.
func (s *Store) DeletionChecked(ctx context.Context, id chat.UserID) error {
	return pg.Classify(dbsqlc.Q.DeletionChecked(ctx, s.db.Pool, id))
}

// StillRunning counts what has to end before a user is deleted: turns in their conversations, or on messages of theirs elsewhere, and
// answers that are on their way.
func (s *Store) StillRunning(ctx context.Context, id chat.UserID) (int, error) {
	n, err := dbsqlc.Q.DeletionRunning(ctx, s.db.Pool, id)
	return int(n), pg.Classify(err)
}

// ConversationsOf lists some conversations of a user, at most as many as named. Subagents belong to theirs.
func (s *Store) ConversationsOf(ctx context.Context, id chat.UserID, most int) ([]chat.SessionKey, error) {
	keys, err := dbsqlc.Q.DeletionSessions(ctx, s.db.Pool, dbsqlc.DeletionSessionsParams{ID: id, Most: int32(most)})
	return keys, pg.Classify(err)
}

// JobsOf lists some cron jobs of a user, at most as many as named.
func (s *Store) JobsOf(ctx context.Context, id chat.UserID, most int) ([]chat.JobID, error) {
	ids, err := dbsqlc.Q.DeletionJobs(ctx, s.db.Pool, dbsqlc.DeletionJobsParams{UserID: id, Most: int32(most)})
	return ids, pg.Classify(err)
}

// FilesOf counts the files of a user that are still on runners.
func (s *Store) FilesOf(ctx context.Context, id chat.UserID) (int, error) {
	n, err := dbsqlc.Q.DeletionFiles(ctx, s.db.Pool, id)
	return int(n), pg.Classify(err)
}

// PruneOrphans removes some prompts of turns that are gone, of any age, and returns how many.
func (s *Store) PruneOrphans(ctx context.Context) (int, error) {
	n, err := dbsqlc.Q.RetentionPrompts(ctx, s.db.Pool, dbsqlc.RetentionPromptsParams{Most: orphanPrompts, Older: pg.Interval(0)})
	return int(n), pg.Classify(err)
}

// EndDeletion deletes a user whose deletion was asked for, with everything that is left of them. Done again it changes nothing.
func (s *Store) EndDeletion(ctx context.Context, id chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := dbsqlc.Q.DeletionGet(ctx, tx, id); errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the deletion of user %d: %w", id, err)
		}
		if err := dbsqlc.Q.DeletionAccess(ctx, tx, id); err != nil {
			return fmt.Errorf("withdraw what user %d may on platforms: %w", id, err)
		}
		if err := dbsqlc.Q.DeletionHost(ctx, tx, id); err != nil {
			return fmt.Errorf("keep the runner of the server's host: %w", err)
		}
		if _, err := dbsqlc.Q.DeletionUser(ctx, tx, id); err != nil {
			return fmt.Errorf("delete user %d: %w", id, err)
		}
		if err := dbsqlc.Q.DeletionEnd(ctx, tx, id); err != nil {
			return fmt.Errorf("end the deletion of user %d: %w", id, err)
		}
		return tx.NotifyAccess(ctx)
	})
}

// Deleted returns which of these users were deleted.
func (s *Store) Deleted(ctx context.Context, ids []chat.UserID) ([]chat.UserID, error) {
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = int64(id)
	}
	gone, err := dbsqlc.Q.DeletionsEnded(ctx, s.db.Pool, numbers)
	return gone, pg.Classify(err)
}
