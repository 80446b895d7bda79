package wake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"

	"go.temporal.io/api/serviceerror"

	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/outage"
	"xbot/internal/user/users"
)

// Turns wakes turns. It is the Waker, or a fake in tests.
type Turns interface {
	Wake(ctx context.Context, r TurnWake) error
}

// Starts starts work outside turns. It is the Starter, or a fake in tests.
type Starts interface {
	StartBackground(ctx context.Context, call chat.CallID) error
	StartBang(ctx context.Context, id chat.InboxID) error
	StartDeliver(ctx context.Context, u delivery.Undelivered) error
	StartFetch(ctx context.Context, id chat.InboxID) error
	StartCron(ctx context.Context, id chat.JobID) error
	StartGroup(ctx context.Context, id chat.GroupID) error
	StartMemorize(ctx context.Context, id chat.MemorizeID) error
	StartDeletion(ctx context.Context, id chat.UserID) error
	StartMigration(ctx context.Context, id chat.MigrationID) error
	StartTrack(ctx context.Context) error
}

// Dispatcher starts or signals the workflow of a committed row, for each kind of wake. It bounds how long that takes, and
// leaves failures to the relay.
type Dispatcher struct {
	Turns  Turns
	Starts Starts
	// Users finds the names of users, for operators; nil: runs do not name them.
	Users interface {
		UserByID(ctx context.Context, id chat.UserID) (users.User, error)
	}
	Log *slog.Logger
	// Outages counts the wakes that fail while Temporal or Postgres is away; nil: each is logged.
	Outages *outage.Watch

	under sync.WaitGroup
}

// Wake wakes workflows without keeping the caller waiting, also after the context of the caller has ended: their rows
// are committed.
func (d *Dispatcher) Wake(wakes ...chat.Wake) {
	for _, w := range wakes {
		d.under.Go(func() {
			err := d.Now(context.Background(), w)
			if errors.Is(err, context.DeadlineExceeded) {
				err = fmt.Errorf("%w: %w", serviceerror.NewDeadlineExceeded("Temporal did not answer in time"), err)
			}
			if err != nil && !d.Outages.Refused(err) {
				d.Log.Warn("workflow not woken, the relay tries again", "kind", w.Kind, "id", w.ID, "error", err)
			}
		})
	}
}

// Wait waits for the wakes under way.
func (d *Dispatcher) Wait() { d.under.Wait() }

// Now wakes one workflow within Timeout and returns an error if that failed. It may be repeated at will.
func (d *Dispatcher) Now(ctx context.Context, w chat.Wake) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	switch w.Kind {
	case chat.WakeTurn:
		return d.turn(ctx, w)
	case chat.WakeDeliver:
		return d.Starts.StartDeliver(ctx, delivery.Undelivered{Session: chat.SessionKey(w.ID), Channel: w.Channel})
	case chat.WakeGroup:
		return d.Starts.StartGroup(ctx, chat.GroupID(w.ID))
	case chat.WakeBang:
		return numbered(ctx, w, d.Starts.StartBang)
	case chat.WakeFetch:
		return numbered(ctx, w, d.Starts.StartFetch)
	case chat.WakeTask:
		return d.Starts.StartBackground(ctx, chat.CallID(w.ID))
	case chat.WakeJob:
		return d.Starts.StartCron(ctx, chat.JobID(w.ID))
	case chat.WakeMemorize:
		return numbered(ctx, w, d.Starts.StartMemorize)
	case chat.WakeDeletion:
		return numbered(ctx, w, d.Starts.StartDeletion)
	case chat.WakeMigration:
		return numbered(ctx, w, d.Starts.StartMigration)
	case chat.WakeTrack:
		return d.Starts.StartTrack(ctx)
	}
	return fault.Errorf(fault.Internal, "nobody knows how to wake a %q", w.Kind)
}

func (d *Dispatcher) turn(ctx context.Context, w chat.Wake) error {
	if w.UserName == "" && w.User != 0 && d.Users != nil {
		user, err := d.Users.UserByID(ctx, w.User)
		if err != nil {
			return err
		}
		w.UserName = user.Name
	}
	return d.Turns.Wake(ctx, TurnWake{Session: chat.SessionKey(w.ID), Channel: w.Channel, UserName: w.UserName, Text: w.Text, Agent: w.Agent, Idle: w.Idle})
}

// numbered starts a workflow named by the number of its row.
func numbered[ID ~int64](ctx context.Context, w chat.Wake, start func(context.Context, ID) error) error {
	id, err := strconv.ParseInt(w.ID, 10, 64)
	if err != nil {
		return fault.Errorf(fault.Internal, "wake a %s: %w", w.Kind, err)
	}
	return start(ctx, ID(id))
}
