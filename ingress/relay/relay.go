// Package relay makes sure that no accepted row is forgotten: each second it repeats wakes and starts that failed, and
// settles turns whose run is gone.
package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"xbot/ingress/wake"
	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/leases"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

const (
	// relayEvery is the pause between rounds of the relay.
	relayEvery = time.Second
	// checkAfter is how long a running turn is trusted before its run is looked at again.
	checkAfter = 5 * time.Second
	// followAfter is how long a background task is trusted to be followed before that is looked at again.
	followAfter = 15 * time.Second
	// showAfter is how long a turn runs before users on a platform get a progress update.
	showAfter = 3 * time.Second
	// throttledAfter is how long a message waits for a free turn before the user gets a notice.
	throttledAfter = 10 * time.Second
	// heldAttempts is how many failed workflow tasks in a row mean that a run is blocked by its own code.
	heldAttempts = 3
)

// Agents finds group chats to start, and the subagent of a session.
type Agents interface {
	GroupsToStart(ctx context.Context) ([]chat.GroupID, error)
	Subagent(ctx context.Context, key chat.SessionKey) (chat.SubagentRef, error)
}

// Attachments finds messages whose files are to be fetched.
type Attachments interface {
	FilesToFetch(ctx context.Context) ([]chat.InboxID, error)
}

// Calls finds background tasks to start.
type Calls interface {
	TasksToStart(ctx context.Context, older time.Duration) ([]chat.CallID, error)
}

// Conversations finds memorize jobs to start.
type Conversations interface {
	MemorizesToStart(ctx context.Context) ([]chat.MemorizeID, error)
}

// Cron finds overdue jobs, and the track of service jobs if it has work whose wake may be lost.
type Cron interface {
	OverdueJobs(ctx context.Context) ([]chat.JobID, error)
	TracksToWake(ctx context.Context) ([]string, error)
}

// Deliveries finds sessions with deliveries, and turns whose progress is to be followed.
type Deliveries interface {
	ToDeliver(ctx context.Context) ([]delivery.Undelivered, error)
	ToFollow(ctx context.Context, older time.Duration) ([]delivery.Undelivered, error)
}

// Inbox drops messages of disabled users, and resets the pauses of wakes after an outage.
type Inbox interface {
	DropDisabled(ctx context.Context) error
	// EndBackOff makes due at once all that an outage of Temporal has put off.
	EndBackOff(ctx context.Context) error
}

// Leases counts the model calls of each tenant.
type Leases interface {
	CallsByTenant(ctx context.Context) ([]leases.TenantCalls, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	BangsToStart(ctx context.Context) ([]chat.InboxID, error)
	// Due is called first in each round. The relay queries only what is due.
	Due(ctx context.Context, after engine.Trusted) (engine.Due, error)
	GrantTurns(ctx context.Context) (late int, err error)
	ProviderWaits(ctx context.Context) (int, error)
	SetRun(ctx context.Context, turn chat.TurnID, run string) error
	SettleTurn(ctx context.Context, turn chat.TurnID) (engine.Settled, error)
	Stop(ctx context.Context, in engine.NewRow, lang i18n.Lang) (engine.Stopped, error)
	StopRequested(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error)
	NotifyMessageHeld(ctx context.Context, w engine.Waiting) error
	NotifyThrottled(ctx context.Context, w engine.Waiting) error
	NotifyTurnHeld(ctx context.Context, l engine.Live) error
	NotifyTurnPaused(ctx context.Context, l engine.Live) error
	Throttled(ctx context.Context, older time.Duration) ([]engine.Waiting, error)
	ToCheck(ctx context.Context, older time.Duration) ([]engine.Live, error)
	ToWake(ctx context.Context) ([]engine.Waiting, error)
	TurnsByTenant(ctx context.Context) ([]engine.TenantTurns, error)
	Unclaimed(ctx context.Context, older time.Duration) ([]engine.Waiting, error)
}

// Users finds users to delete, and work of disabled users to stop.
type Users interface {
	DeletionsToStart(ctx context.Context) ([]chat.UserID, error)
	DisabledWork(ctx context.Context) ([]users.DisabledWork, error)
	Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error)
}

// Migrations stores migrations of storage.
type Migrations interface {
	MigrationsToStart(ctx context.Context) ([]chat.MigrationID, error)
}

// Relay guarantees that no accepted row is forgotten: it wakes sessions whose rows wait, settles turns whose run is
// gone, and starts work outside turns. Any number of relays may run.
type Relay struct {
	Agents        Agents
	Attachments   Attachments
	Calls         Calls
	Conversations Conversations
	Cron          Cron
	Deliveries    Deliveries
	Inbox         Inbox
	Leases        Leases
	Migrations    Migrations
	Turns         Turns
	Users         Users
	// Wakes wakes a workflow and returns an error if that failed.
	Wakes interface {
		Now(ctx context.Context, w chat.Wake) error
	}
	Client interface {
		DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
	}
	Unpauser Unpauser // nil: runs stay paused
	Metrics  *Metrics
	// HeldAfter is how long an answer may be blocked before the user gets a notice (five minutes).
	HeldAfter time.Duration
	Log       *slog.Logger
	failing   bool
	outage    outage
}

// Run makes rounds until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	ticker := time.NewTicker(relayEvery)
	defer ticker.Stop()
	for {
		err := r.Round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		r.report(err)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// report logs the start and the end of trouble, not each round of it.
func (r *Relay) report(err error) {
	switch {
	case err != nil && !r.failing:
		r.Log.Warn("relay round failed, trying again each second", "error", err)
	case err == nil && r.failing:
		r.Log.Info("relay works again")
	}
	r.failing = err != nil
}

// Round makes one round: it asks once what may be due, and does that. If nothing is due that is all.
func (r *Relay) Round(ctx context.Context) error {
	failed := r.probe(ctx)
	due, err := r.Turns.Due(ctx, engine.Trusted{Turn: checkAfter, Task: followAfter, Unshown: showAfter, Unanswered: r.HeldAfter})
	if err != nil {
		return err
	}
	r.showQuiet(due)
	for _, work := range []struct {
		due  bool
		rows bool // it is done without Temporal, too
		do   func(context.Context) error
	}{
		{due.Wakes, false, r.wakeWaiting},
		{due.Turns, false, r.checkRunning},
		{due.Throttled, false, r.scheduleTurns},
		{due.Held, true, r.tellUnclaimed},
		{due.Groups, false, waking(r, chat.WakeGroup, r.Agents.GroupsToStart)},
		{due.Jobs, false, waking(r, chat.WakeJob, r.Cron.OverdueJobs)},
		{due.Jobs, false, waking(r, chat.WakeTrack, r.Cron.TracksToWake)},
		{due.Outbound, false, r.delivering(r.Deliveries.ToDeliver)},
		{due.Progress, false, r.delivering(r.toFollow)},
		{due.Files, false, waking(r, chat.WakeFetch, r.Attachments.FilesToFetch)},
		{due.Commands, false, waking(r, chat.WakeBang, r.Turns.BangsToStart)},
		{due.Tasks, false, waking(r, chat.WakeTask, r.tasksToStart)},
		{due.Memorizing, false, waking(r, chat.WakeMemorize, r.Conversations.MemorizesToStart)},
		{due.Disabled, true, r.stopDisabled},
		{due.Deletions, false, waking(r, chat.WakeDeletion, r.Users.DeletionsToStart)},
		{due.Migrations, false, waking(r, chat.WakeMigration, r.Migrations.MigrationsToStart)},
	} {
		if work.due && (work.rows || r.outage == noOutage) {
			err := work.do(ctx)
			r.suspect(err)
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// showQuiet sets the metrics of turns if the round checks none, and those of slots if no message is throttled. Otherwise the
// functions that check turns and grant slots set them.
func (r *Relay) showQuiet(due engine.Due) {
	if !due.Turns {
		r.Metrics.Held.Set(0)
		r.Metrics.Paused.Set(0)
	}
	if due.Throttled {
		return
	}
	r.Metrics.Running.Set(float64(due.Load.Running))
	r.Metrics.Waiting.Set(0)
	r.Metrics.Without.Set(float64(due.Load.WithoutProvider))
	r.Metrics.Calls.WithLabelValues("running").Set(float64(due.Load.CallsRunning))
	r.Metrics.Calls.WithLabelValues("waiting").Set(float64(due.Load.CallsWaiting))
}

func (r *Relay) toFollow(ctx context.Context) ([]delivery.Undelivered, error) {
	return r.Deliveries.ToFollow(ctx, showAfter)
}

func (r *Relay) tasksToStart(ctx context.Context) ([]chat.CallID, error) {
	return r.Calls.TasksToStart(ctx, followAfter)
}

// waking wakes the workflows of due rows that may have none, for example since the database of Temporal was lost. A wake
// of a workflow that runs already changes nothing.
func waking[ID chat.CallID | chat.GroupID | chat.InboxID | chat.JobID | chat.MemorizeID | chat.MigrationID | chat.UserID | string](r *Relay, kind chat.WakeKind, take func(context.Context) ([]ID, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		ids, err := take(ctx)
		if err != nil {
			return err
		}
		return each(ids, func(id ID) error { return r.Wakes.Now(ctx, chat.Wake{Kind: kind, ID: fmt.Sprint(id)}) })
	}
}

// delivering does the same for sessions with something to deliver or to show.
func (r *Relay) delivering(take func(context.Context) ([]delivery.Undelivered, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		sessions, err := take(ctx)
		if err != nil {
			return err
		}
		return each(sessions, func(u delivery.Undelivered) error {
			return r.Wakes.Now(ctx, chat.Wake{Kind: chat.WakeDeliver, ID: string(u.Session), Channel: u.Channel})
		})
	}
}

func (r *Relay) wakeWaiting(ctx context.Context) error {
	rows, err := r.Turns.ToWake(ctx)
	if err != nil {
		return err
	}
	woken := map[chat.SessionKey]bool{}
	return each(rows, func(row engine.Waiting) error {
		if woken[row.Session] {
			return nil
		}
		woken[row.Session] = true
		return r.wake(ctx, row)
	})
}

func (r *Relay) wake(ctx context.Context, row engine.Waiting) error {
	if err := r.Wakes.Now(ctx, row.Wake()); err != nil {
		return err
	}
	r.Metrics.Woken.Inc()
	return nil
}

// each calls a function for all items; an error of one does not stop the others. If Temporal or Postgres cannot be reached,
// the rest is left to a later round.
func each[T any](items []T, do func(T) error) error {
	var failed error
	for _, item := range items {
		err := do(item)
		failed = errors.Join(failed, err)
		if away(err) {
			break
		}
	}
	return failed
}

// away reports whether an error means that a server does not answer.
func away(err error) bool {
	if fault.Is(err, fault.Unavailable) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.DeadlineExceeded](err); ok {
		return true
	}
	_, ok := errors.AsType[*serviceerror.Unavailable](err)
	return ok
}

func (r *Relay) checkRunning(ctx context.Context) error {
	turns, err := r.Turns.ToCheck(ctx, checkAfter)
	if err != nil {
		return err
	}
	held, paused := 0, 0
	err = each(turns, func(t engine.Live) error {
		run, err := r.check(ctx, t)
		if run.blocked {
			held++
		}
		if run.paused {
			paused++
		}
		return err
	})
	r.Metrics.Held.Set(float64(held))
	r.Metrics.Paused.Set(float64(paused))
	return err
}

// check looks at the run of a turn that is marked running and settles the turn if the run is gone.
func (r *Relay) check(ctx context.Context, t engine.Live) (run state, err error) {
	ctx, cancel := context.WithTimeout(ctx, wake.Timeout)
	defer cancel()
	if run, err = r.look(ctx, t.Session, t.RunID); err != nil {
		return state{}, err
	}
	switch {
	case run.resetTo != "":
		return run, r.Turns.SetRun(ctx, t.Turn, run.resetTo)
	case run.gone:
		settled, err := r.Turns.SettleTurn(ctx, t.Turn)
		if err == nil && settled != engine.SettledBefore {
			r.Log.Warn("turn settled: its run was closed from outside", "session", t.Session, "turn", t.Turn, "settled", settled)
			r.Metrics.Settled.WithLabelValues(string(settled)).Inc()
		}
		return run, err
	case run.paused:
		return run, r.paused(ctx, t, run.id)
	case run.blocked && !t.Told && time.Since(t.Started) > r.HeldAfter:
		return run, r.Turns.NotifyTurnHeld(ctx, t)
	}
	return run, nil
}

// paused notifies the user that the run was paused, and unpauses it if they stop it: only a running run can end.
func (r *Relay) paused(ctx context.Context, t engine.Live, id string) error {
	stop, err := r.Turns.StopRequested(ctx, t.Session, t.Turn)
	switch {
	case err != nil:
		return err
	case stop && r.Unpauser != nil:
		r.Log.Info("a paused turn goes on, to be stopped", "session", t.Session, "turn", t.Turn)
		return r.Unpauser.Unpause(ctx, id, t.RunID)
	case !t.Told:
		return r.Turns.NotifyTurnPaused(ctx, t)
	}
	return nil
}

// state is the state of a run in Temporal.
type state struct {
	gone    bool   // closed, or unknown to Temporal
	resetTo string // the run that took its place by a reset
	blocked bool   // its workflow tasks fail again and again
	paused  bool   // an operator paused it
	id      string // of the workflow
}

func (r *Relay) look(ctx context.Context, key chat.SessionKey, run string) (state, error) {
	id, _, err := wake.WorkflowOf(ctx, r.Agents, key)
	if err != nil {
		return state{}, err
	}
	got, err := r.Client.DescribeWorkflowExecution(ctx, id, run)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return state{gone: true}, nil
	}
	if err != nil {
		return state{}, fmt.Errorf("describe the run of %s: %w", key, err)
	}
	if closed(got.GetWorkflowExecutionInfo().GetStatus()) {
		return state{gone: true, resetTo: got.GetWorkflowExtendedInfo().GetResetRunId()}, nil
	}
	return state{
		blocked: got.GetPendingWorkflowTask().GetAttempt() >= heldAttempts, id: id,
		paused: got.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_PAUSED,
	}, nil
}

// closed reports whether a run has ended. A paused one has not, nor has one in a state that is not known here.
func closed(s enums.WorkflowExecutionStatus) bool {
	switch s {
	case enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, enums.WORKFLOW_EXECUTION_STATUS_FAILED, enums.WORKFLOW_EXECUTION_STATUS_CANCELED,
		enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return true
	}
	return false
}

// tellUnclaimed notifies senders whose message no turn could claim for long, because the run that should is blocked.
func (r *Relay) tellUnclaimed(ctx context.Context) error {
	rows, err := r.Turns.Unclaimed(ctx, r.HeldAfter)
	if err != nil {
		return err
	}
	return each(rows, func(row engine.Waiting) error { return r.Turns.NotifyMessageHeld(ctx, row) })
}
