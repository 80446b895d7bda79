package store

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
	"xbot/internal/store/dbsqlc"
)

// Outcomes of messages that get no turn of their own, as their senders are told.
const (
	outcomeStopped    = "stopped"
	outcomeSuperseded = "superseded"
	outcomeRecalled   = "recalled"
	outcomeDropped    = "dropped"
	outcomeSummarized = "summarized"
)

// place lets a message that was just inserted change what else waits, as its mode says.
func (t *tx) place(ctx context.Context, in Inbound, got *Accepted) error {
	switch in.Queue.Mode {
	case chat.QueueCollect:
		return t.gather(ctx, in, got)
	case chat.QueueSupersede:
		_, err := t.replace(ctx, in, got)
		return err
	case chat.QueueInterrupt:
		late, err := t.replace(ctx, in, got)
		if err != nil || late {
			return err
		}
		return t.interrupt(ctx, in, got.ID)
	}
	return nil
}

// gather holds a burst until nobody has written for the quiet window.
func (t *tx) gather(ctx context.Context, in Inbound, got *Accepted) error {
	p := dbsqlc.QueueGatherParams{Session: in.Session, QuietMs: int32(in.Queue.DebounceMS), LongestMs: longestBurst}
	wait, err := t.q.QueueGather(ctx, t, p)
	if err != nil {
		return fmt.Errorf("gather the burst: %w", err)
	}
	got.Wait = time.Duration(wait) * time.Millisecond
	return nil
}

// replace lets a message take the place of those that wait before it. late says that it came after a newer one that
// has taken its place already.
func (t *tx) replace(ctx context.Context, in Inbound, got *Accepted) (late bool, err error) {
	newer, err := t.q.QueueReplacedBy(ctx, t, got.ID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, fmt.Errorf("look for a newer message: %w", err)
	}
	by := got.ID
	if late = err == nil; late {
		by, got.Position = newer, 0
	}
	rows, err := t.q.QueueReplace(ctx, t, &by)
	if err != nil {
		return false, fmt.Errorf("replace what waits: %w", err)
	}
	for _, r := range rows {
		if r.Was {
			t.drop(in.Session, got, r.ID, r.Body, outcomeSuperseded, i18n.Superseded)
		}
	}
	if !late {
		got.Position = max(1, got.Position-len(got.Dropped))
	}
	return late, nil
}

// interrupt stops the running turn by a row that names it, as a person's stop does. It is looked for last: a claim that
// took one of the older messages has ended before.
func (t *tx) interrupt(ctx context.Context, in Inbound, id chat.InboxID) error {
	turn, err := t.q.TurnRunning(ctx, t, in.Session)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the running turn: %w", err)
	}
	p := in.row(kindStop)
	p.PlatformID, p.Body = fmt.Sprintf("interrupt-%d-%s", id, rand.Text()), ""
	p.TargetTurn, p.Mode = &turn, chat.QueueInterrupt
	if _, err := t.q.InboxInsert(ctx, t, p); err != nil {
		return fmt.Errorf("interrupt the turn: %w", err)
	}
	return nil
}

// full accepts a message for which the queue has no room, as its drop policy says.
func (t *tx) full(ctx context.Context, in Inbound) (Accepted, error) {
	var outcome *string
	switch in.Queue.Drop {
	case chat.DropNew:
		outcome = new(outcomeDropped)
	case chat.DropOld, chat.DropSummarize: // accept has locked the queue
	default:
		return Accepted{}, tooMany(in.Queue.Cap)
	}
	row, err := t.insertMessage(ctx, in, noLimit, outcome)
	if errors.Is(err, pgx.ErrNoRows) { // sent twice at the same instant
		return t.duplicate(ctx, in, in.kind())
	}
	if err != nil {
		return Accepted{}, fmt.Errorf("accept message: %w", err)
	}
	got := Accepted{ID: row.ID, Mode: in.Queue.Mode, Fetch: outcome == nil && len(in.files()) > 0}
	t.queued(in, row.ID)
	if outcome != nil {
		t.drop(in.Session, &got, row.ID, in.Text, outcomeDropped, i18n.DroppedNew, in.Queue.Cap)
		return got, nil
	}
	if err := t.makeRoom(ctx, in, &got); err != nil {
		return Accepted{}, err
	}
	got.Position = max(1, int(row.Ahead)+1-len(got.Dropped))
	return got, t.place(ctx, in, &got)
}

func tooMany(limit int) error {
	return i18n.Fault(fault.RateLimited, i18n.QueueFull, limit)
}

// makeRoom drops the oldest messages until the queue is within its cap again. Commands are never dropped.
func (t *tx) makeRoom(ctx context.Context, in Inbound, got *Accepted) error {
	outcome, say := outcomeDropped, i18n.DroppedOld
	if in.Queue.Drop == chat.DropSummarize {
		outcome, say = outcomeSummarized, i18n.Summarized
	}
	rows, err := t.q.QueueDrop(ctx, t, dbsqlc.QueueDropParams{Session: in.Session, ID: got.ID, Cap: int32(in.Queue.Cap), Outcome: outcome})
	if err != nil {
		return fmt.Errorf("drop the oldest messages: %w", err)
	}
	if len(rows) == 0 {
		return t.mustFit(ctx, in)
	}
	for _, r := range rows {
		t.drop(in.Session, got, r.ID, r.Body, outcome, say, in.Queue.Cap)
		if err := t.disown(ctx, r.ID, outcome == outcomeSummarized); err != nil {
			return err
		}
	}
	return nil
}

// mustFit refuses a message for which nothing could give way because nothing but commands waits. Where a turn has taken what was
// in the way meanwhile there is room.
func (t *tx) mustFit(ctx context.Context, in Inbound) error {
	waiting, err := t.q.QueueCount(ctx, t, in.Session)
	if err != nil {
		return fmt.Errorf("count what waits: %w", err)
	}
	if int(waiting) > in.Queue.Cap {
		return tooMany(in.Queue.Cap)
	}
	return nil
}

// disown leaves what a message had replaced to the message that is claimed next, so that it still comes into the transcript.
func (t *tx) disown(ctx context.Context, id chat.InboxID, itself bool) error {
	if err := t.q.QueueDisown(ctx, t, dbsqlc.QueueDisownParams{ID: &id, Itself: itself}); err != nil {
		return fmt.Errorf("keep what message %d had replaced: %w", id, err)
	}
	return nil
}

// drop tells the sender of a message that it gets no turn, and why.
func (t *tx) drop(key chat.SessionKey, got *Accepted, id chat.InboxID, text, outcome string, say i18n.ID, args ...any) {
	told := i18n.Say(i18n.Of(text), say, args...)
	got.Dropped = append(got.Dropped, id)
	if id == got.ID {
		got.Ended = told
	}
	t.emit(key, chat.EventDropped, chat.Dropped{Inbox: id, Outcome: outcome, Text: told})
}
