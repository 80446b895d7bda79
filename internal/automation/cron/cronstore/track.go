package cronstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/inbox"
	"xbot/internal/user/users"
)

const (
	// trackPage limits the runs of a firing that one transaction writes.
	trackPage = 500
	// trackLook is the interval after which the track is checked although runs are in progress: the end of a turn wakes it.
	trackLook = 15 * time.Second
	// fromAdmin begins the message of an administrator to conversations of a service.
	fromAdmin = "[System Instruction - From Admin]"
)

// AdvanceTrack advances the queue of runs of services' jobs, in one transaction: ended runs free their places, runs that take too long are
// asked to stop, the firing that came first gets more of its runs, runs of consumers are skipped whose key is revoked or whose service has
// used up its tokens of the day, and the next runs get the free places. Runs of conversations in a handover wait. Repeating it is safe:
// a firing posts to each conversation once.
func (s *Store) AdvanceTrack(ctx context.Context, places int, most time.Duration) (out chat.Tracked, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := LockTrack(ctx, tx); err != nil {
			return err
		}
		if err := stopLate(ctx, tx, most); err != nil {
			return err
		}
		if err := settle(ctx, tx); err != nil {
			return err
		}
		filled, added, err := fill(ctx, tx)
		if err != nil {
			return err
		}
		if err := dbsqlc.Q.TrackPass(ctx, tx); err != nil {
			return fmt.Errorf("pass over runs of keys and services that may have none: %w", err)
		}
		posted, err := dbsqlc.Q.TrackPosted(ctx, tx, pg.Interval(most))
		if err != nil {
			return fmt.Errorf("count runs: %w", err)
		}
		n := int(posted.N)
		for n < places {
			told, more, err := postNext(ctx, tx)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			n += told
		}
		waits, err := dbsqlc.Q.TrackWaits(ctx, tx)
		if err != nil {
			return fmt.Errorf("look who waits: %w", err)
		}
		out = chat.Tracked{Posted: n, Waiting: waits, Added: added, Wait: trackLook}
		if left := time.Duration(posted.LeftS * float64(time.Second)); posted.N > 0 && left > 0 {
			out.Wait = min(out.Wait, left)
		}
		if filled || n < places && waits {
			out.Wait = 0 // there is more to write
		}
		return nil
	})
	return out, err
}

// settle frees the places of runs whose turns are over. Those of jobs that have been deleted since are deleted then.
func settle(ctx context.Context, tx *pg.Tx) error {
	jobs, err := dbsqlc.Q.TrackSettle(ctx, tx)
	if err != nil {
		return fmt.Errorf("settle runs: %w", err)
	}
	return forgetRuns(ctx, tx, jobs)
}

// fill adds runs of firings to the queue. filled reports whether there was a firing to process.
func fill(ctx context.Context, tx *pg.Tx) (filled bool, added int, err error) {
	single, err := dbsqlc.Q.TrackFillOne(ctx, tx, trackPage)
	if err != nil {
		return false, 0, fmt.Errorf("write the runs of firings that tell one conversation: %w", err)
	}
	some, err := dbsqlc.Q.TrackFill(ctx, tx, trackPage)
	if err != nil {
		return false, 0, fmt.Errorf("write the runs of a firing: %w", err)
	}
	added = int(single)
	for _, f := range some {
		added += int(f.Added)
	}
	return single > 0 || len(some) > 0, added, nil
}

// stopLate stops the turns of runs that take too long. A run that no turn has begun is dropped.
func stopLate(ctx context.Context, tx *pg.Tx, most time.Duration) error {
	late, err := dbsqlc.Q.TrackLate(ctx, tx, pg.Interval(most))
	if err != nil {
		return fmt.Errorf("look for runs that take too long: %w", err)
	}
	for _, r := range late {
		if r.TurnID == "" {
			if err := drop(ctx, tx, chat.InboxID(r.InboxID)); err != nil {
				return err
			}
			continue
		}
		stops, err := dbsqlc.Q.TrackStop(ctx, tx, dbsqlc.TrackStopParams{Key: "timeout/" + strconv.FormatInt(r.ID, 10), TurnID: new(chat.TurnID(r.TurnID)), SessionKey: r.SessionKey})
		if err != nil {
			return fmt.Errorf("stop run %d: %w", r.ID, err)
		}
		for _, s := range stops {
			tx.WakeTurn(s.SessionKey, s.Channel, "stop")
		}
	}
	return nil
}

func drop(ctx context.Context, tx *pg.Tx, id chat.InboxID) error {
	rows, err := dbsqlc.Q.TrackDrop(ctx, tx, id)
	if err != nil {
		return fmt.Errorf("drop a run that nobody began: %w", err)
	}
	for _, r := range rows {
		if _, err := inbox.EmitDropped(ctx, tx, r.SessionKey, r.ID, r.Body, inbox.OutcomeRecalled, i18n.Recalled); err != nil {
			return err
		}
	}
	return nil
}

// postNext posts the next run to its conversation. told is 0 if the conversation is gone; more is false if there is no next run.
func postNext(ctx context.Context, tx *pg.Tx) (told int, more bool, err error) {
	r, err := dbsqlc.Q.TrackNext(ctx, tx)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look for the next run: %w", err)
	}
	if !r.There {
		return 0, true, dbsqlc.Q.TrackGone(ctx, tx, r.ID)
	}
	f := fire{tx: tx, job: jobOf(r.CronJob), now: r.Clock}
	f.job.Consumer = r.Own
	text := f.text(run{key: r.Key, at: r.ScheduledAt, reason: r.Reason})
	to, err := inbox.CurrentAddress(ctx, tx, r.SessionKey)
	if err != nil {
		return 0, false, err
	}
	row, err := inbox.PostRow(ctx, tx, chat.InternalMessage{
		Session: r.SessionKey, Key: string(f.job.ID) + "@" + r.Key, Origin: chat.OriginCron, Text: text, To: to, Options: chat.Options{Think: f.job.Think},
	}, "")
	if fault.Is(err, fault.NotFound) || err == nil && row == 0 { // deleted in the meantime, or posted when the run existed before
		return 0, true, dbsqlc.Q.TrackGone(ctx, tx, r.ID)
	}
	if err != nil {
		return 0, false, err
	}
	tx.WakeTurn(r.SessionKey, "cron", "cron "+f.job.Name)
	return 1, true, dbsqlc.Q.TrackPost(ctx, tx, dbsqlc.TrackPostParams{ID: r.ID, InboxID: int64(row)})
}

// LockTrack locks the track until the transaction ends. It is locked before conversations are.
func LockTrack(ctx context.Context, tx *pg.Tx) error {
	if err := dbsqlc.Q.TrackLock(ctx, tx); err != nil {
		return fmt.Errorf("lock the track: %w", err)
	}
	return nil
}

// PutBack frees the places of a conversation's runs that no turn has begun: a handover begins, and they continue when it ends. The caller
// holds the lock of the track (LockTrack).
func PutBack(ctx context.Context, tx *pg.Tx, key chat.SessionKey) error {
	if err := dbsqlc.Q.TrackPutBack(ctx, tx, key); err != nil {
		return fmt.Errorf("put the runs of %s back in line: %w", key, err)
	}
	tx.WakeTrack()
	return nil
}

// TracksToWake returns the track's id if it has work that may have lost its wake.
func (s *Store) TracksToWake(ctx context.Context) ([]string, error) {
	due, err := dbsqlc.Q.TrackToWake(ctx, s.db.Pool)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !due {
		return nil, nil
	}
	return []string{chat.TrackID}, pg.Classify(err)
}

// claimsAdmin matches text that reads as the header of an administrator.
var claimsAdmin = regexp.MustCompile(`(?i)\[(\s*system\s+instruction)`)

// unclaimed removes text of a consumer that imitates the header of an administrator.
func unclaimed(text string) string { return claimsAdmin.ReplaceAllString(text, "($1") }

// Owner describes the owner of jobs.
type Owner struct {
	// Consumer reports whether the owner is one conversation of a service, which owns these jobs.
	Consumer     bool
	Service      string
	Conversation chat.SessionKey
	Admin        chat.UserID // of the service
	May          bool        // the service has the capability scheduler

	Administrator bool
}

// JobOwner describes a user as the owner of jobs, existing or new. It returns NotFound if there is no such user.
func (s *Store) JobOwner(ctx context.Context, user chat.UserID) (Owner, error) {
	r, err := dbsqlc.Q.CronOwner(ctx, s.db.Pool, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return Owner{}, fault.Errorf(fault.NotFound, "there is no user %d", user)
	}
	if err != nil {
		return Owner{}, pg.Classify(fmt.Errorf("look who has jobs: %w", err))
	}
	return Owner{
		Consumer: r.Kind == users.KindConsumer, Service: r.ServiceID, Conversation: chat.SessionKey(r.SessionKey), Admin: chat.UserID(r.AdminID), May: r.May,
		Administrator: r.Kind == users.KindPerson && r.Role == users.RoleAdmin,
	}, nil
}

// WakeService wakes the jobs of a service that may act again, in the transaction that permits them.
func WakeService(ctx context.Context, tx *pg.Tx, service string) error {
	ids, err := dbsqlc.Q.CronOfService(ctx, tx, service)
	if err != nil {
		return fmt.Errorf("look for the jobs of %s: %w", service, err)
	}
	for _, id := range ids {
		tx.WakeJob(id)
	}
	tx.WakeTrack()
	return nil
}
