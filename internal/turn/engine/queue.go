package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/inbox"
)

// Outcomes of messages that get no separate turn, as shown to their senders.
const (
	outcomeStopped    = "stopped"
	outcomeSuperseded = "superseded"
	outcomeRecalled   = inbox.OutcomeRecalled
	outcomeDropped    = "dropped"
	outcomeSummarized = "summarized"
)

// placeInQueue applies the mode of a message that was just inserted to the others that wait.
func placeInQueue(ctx context.Context, t *pg.Tx, in NewRow, got *Accepted) error {
	switch in.Queue.Mode {
	case chat.QueueCollect:
		return gatherQueued(ctx, t, in, got)
	case chat.QueueSupersede:
		_, err := replaceQueued(ctx, t, in, got)
		return err
	case chat.QueueInterrupt:
		late, err := replaceQueued(ctx, t, in, got)
		if err != nil || late {
			return err
		}
		return interruptTurn(ctx, t, in, got.ID)
	}
	return nil
}

// gatherQueued holds a burst until no message has arrived during the quiet window.
func gatherQueued(ctx context.Context, t *pg.Tx, in NewRow, got *Accepted) error {
	p := dbsqlc.QueueGatherParams{Session: in.Session, QuietMs: int32(in.Queue.DebounceMS), LongestMs: longestBurst}
	wait, err := dbsqlc.Q.QueueGather(ctx, t, p)
	if err != nil {
		return fmt.Errorf("gather the burst: %w", err)
	}
	got.Wait = time.Duration(wait) * time.Millisecond
	return nil
}

// replaceQueued makes a message supersede those that wait before it. late is true if a newer message arrived first and has
// superseded this one already.
func replaceQueued(ctx context.Context, t *pg.Tx, in NewRow, got *Accepted) (late bool, err error) {
	newer, err := dbsqlc.Q.QueueReplacedBy(ctx, t, got.ID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("look for a newer message: %w", err)
	}
	by := got.ID
	if late = err == nil; late {
		by, got.Position = newer, 0
	}
	rows, err := dbsqlc.Q.QueueReplace(ctx, t, &by)
	if err != nil {
		return false, fmt.Errorf("replace what waits: %w", err)
	}
	for _, r := range rows {
		if r.Was {
			if err := dropQueued(ctx, t, in.Session, got, r.ID, r.Body, outcomeSuperseded, i18n.Superseded); err != nil {
				return false, err
			}
		}
	}
	if !late {
		got.Position = max(1, got.Position-len(got.Dropped))
	}
	return late, nil
}

// interruptTurn stops the running turn by a row that names it, as a user's stop does. It looks for the turn last: a claim that
// took one of the older messages has ended before.
func interruptTurn(ctx context.Context, t *pg.Tx, in NewRow, id chat.InboxID) error {
	turn, err := dbsqlc.Q.TurnRunning(ctx, t, in.Session)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the running turn: %w", err)
	}
	p := in.row(kindStop)
	p.PlatformID, p.Body = fmt.Sprintf("interrupt-%d-%s", id, rand.Text()), ""
	p.TargetTurn, p.Mode = &turn, chat.QueueInterrupt
	if _, err := dbsqlc.Q.InboxInsert(ctx, t, p); err != nil {
		return fmt.Errorf("interrupt the turn: %w", err)
	}
	return nil
}

// queueFull applies the drop policy to a message that exceeds the limit of the queue. Without one it returns RateLimited.
func queueFull(ctx context.Context, t *pg.Tx, in NewRow) (Accepted, error) {
	var outcome *string
	switch in.Queue.Drop {
	case chat.DropNew:
		outcome = new(outcomeDropped)
	case chat.DropOld, chat.DropSummarize: // accept has locked the queue
	default:
		return Accepted{}, tooMany(in.Queue.Cap)
	}
	row, err := insertMessage(ctx, t, in, noLimit, outcome)
	if errors.Is(err, pgx.ErrNoRows) { // sent twice at the same instant
		return findDuplicate(ctx, t, in, in.kind())
	}
	if err != nil {
		return Accepted{}, fmt.Errorf("accept message: %w", err)
	}
	got := Accepted{ID: row.ID, Mode: in.Queue.Mode, Fetch: outcome == nil && in.fetches()}
	emitQueued(t, in, row.ID)
	if outcome != nil {
		return got, dropQueued(ctx, t, in.Session, &got, row.ID, in.Text, outcomeDropped, i18n.DroppedNew, in.Queue.Cap)
	}
	if err := dropOldest(ctx, t, in, &got); err != nil {
		return Accepted{}, err
	}
	got.Position = max(1, int(row.Ahead)+1-len(got.Dropped))
	return got, placeInQueue(ctx, t, in, &got)
}

func tooMany(limit int) error {
	return i18n.Fault(fault.RateLimited, i18n.QueueFull, limit)
}

// dropOldest drops the oldest messages until the queue is within its limit. Commands are never dropped.
func dropOldest(ctx context.Context, t *pg.Tx, in NewRow, got *Accepted) error {
	outcome, say := outcomeDropped, i18n.DroppedOld
	if in.Queue.Drop == chat.DropSummarize {
		outcome, say = outcomeSummarized, i18n.Summarized
	}
	rows, err := dbsqlc.Q.QueueDrop(ctx, t, dbsqlc.QueueDropParams{Session: in.Session, ID: got.ID, Cap: int32(in.Queue.Cap), Outcome: outcome})
	if err != nil {
		return fmt.Errorf("drop the oldest messages: %w", err)
	}
	if len(rows) == 0 {
		return mustFit(ctx, t, in)
	}
	for _, r := range rows {
		if err := dropQueued(ctx, t, in.Session, got, r.ID, r.Body, outcome, say, in.Queue.Cap); err != nil {
			return err
		}
		if err := disownQueued(ctx, t, r.ID, outcome == outcomeSummarized); err != nil {
			return err
		}
	}
	return nil
}

// mustFit refuses a message if the queue is full of commands, which are never dropped. It accepts the message if a turn has
// claimed enough of the queue in the meantime.
func mustFit(ctx context.Context, t *pg.Tx, in NewRow) error {
	waiting, err := dbsqlc.Q.QueueCount(ctx, t, in.Session)
	if err != nil {
		return fmt.Errorf("count what waits: %w", err)
	}
	if int(waiting) > in.Queue.Cap {
		return tooMany(in.Queue.Cap)
	}
	return nil
}

// disownQueued assigns the messages that a message had superseded to the next claimed message, so that they still get into the
// transcript.
func disownQueued(ctx context.Context, t *pg.Tx, id chat.InboxID, itself bool) error {
	if err := dbsqlc.Q.QueueDisown(ctx, t, dbsqlc.QueueDisownParams{ID: &id, Itself: itself}); err != nil {
		return fmt.Errorf("keep what message %d had replaced: %w", id, err)
	}
	return nil
}

// dropQueued notifies the sender of a message that it gets no turn, with the reason.
func dropQueued(ctx context.Context, t *pg.Tx, key chat.SessionKey, got *Accepted, id chat.InboxID, text, outcome string, say i18n.ID, args ...any) error {
	told, err := inbox.EmitDropped(ctx, t, key, id, text, outcome, say, args...)
	if err != nil {
		return err
	}
	got.Dropped = append(got.Dropped, id)
	if id == got.ID {
		got.Ended = told
	}
	return nil
}
