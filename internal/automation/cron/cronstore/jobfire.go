package cronstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/dbsqlc"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/inbox"
	"xbot/internal/user/users"
)

// keepRuns is the number of runs of a job that are kept.
const keepRuns = 1000

// maxCrashedRuns limits the runs of a job that crash the server within a day. Further times are skipped.
const maxCrashedRuns = 2

// FireJob posts the messages of a job's due times to its conversation and moves the job to its next time, in one transaction:
// after a crash of any process, a time has either run or is still the next one. Before the job's time it changes nothing. beat is
// set for heartbeats.
func (s *Store) FireJob(ctx context.Context, id chat.JobID, beat *chat.Heartbeat) (chat.Fired, error) {
	return s.actOnDue(ctx, id, func(ctx context.Context, f *fire) error { return f.due(ctx) }, beat)
}

// PassJob skips the due times of a job without posting messages. A job without a later time is paused.
func (s *Store) PassJob(ctx context.Context, id chat.JobID) (chat.Fired, error) {
	return s.actOnDue(ctx, id, func(ctx context.Context, f *fire) error { return f.pass(ctx) }, nil)
}

// actOnDue locks a job and acts on its due times, if it is active and not held.
func (s *Store) actOnDue(ctx context.Context, id chat.JobID, act func(context.Context, *fire) error, beat *chat.Heartbeat) (out chat.Fired, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		out = chat.Fired{}
		row, err := dbsqlc.Q.CronLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock job %s: %w", id, err)
		}
		f := fire{tx: tx, job: jobOf(row.CronJob), now: row.Clock, beat: beat, crashed: int(row.Crashed)}
		if f.job.State == chat.JobActive && !row.Held {
			err = act(ctx, &f)
		}
		out = chat.Fired{Job: f.job.Job, Told: f.told, Runs: f.came, At: f.now, Held: row.Held}
		f.wake()
		if f.job.Next != nil {
			out.Wait = f.job.Next.Add(f.job.offset()).Sub(f.now)
		}
		return err
	})
	return out, err
}

// RunJob posts the message of a job at once, on request. Repeating the request changes nothing.
func (s *Store) RunJob(ctx context.Context, id chat.JobID, once string) (out chat.Fired, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.CronLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return noJob(id)
		}
		if err != nil {
			return fmt.Errorf("lock job %s: %w", id, err)
		}
		if row.Held {
			return fault.Errorf(fault.Conflict, "the service of %s is withdrawn, or may not have the job any more, or the key of its conversation is revoked: publish the service first", id)
		}
		f := fire{tx: tx, job: jobOf(row.CronJob), now: row.Clock}
		err = f.record(ctx, run{key: "manual/" + once, at: f.now, reason: chat.RunManual})
		if err != nil {
			return err
		}
		if f.trouble != "" {
			return fault.Errorf(fault.NotFound, "the conversation of %s was deleted; give it another one", id)
		}
		j := f.job
		_, next, due := j.times()
		out = chat.Fired{Job: j.Job, Told: f.told, Runs: f.ran, At: f.now}
		f.wake()
		err = dbsqlc.Q.CronAdvance(ctx, tx, dbsqlc.CronAdvanceParams{ID: id, State: j.State, Trouble: j.Trouble, Ran: int32(f.ran), NextAt: next, DueAt: due})
		if err != nil {
			return fmt.Errorf("count a run of %s: %w", id, err)
		}
		return f.prune(ctx)
	})
	return out, err
}

// fire is a job that is being run.
type fire struct {
	tx   *pg.Tx
	job  Job
	now  time.Time
	beat *chat.Heartbeat

	crashed int // runs that crashed the server in the last day

	told    []chat.SessionKey
	ran     int // runs that were posted to a conversation
	came    int // times that were acted on, including those that were not posted
	trouble string
}

// run is one run of a job.
type run struct {
	key     string // unique among those of the job
	at      time.Time
	reason  string
	skipped string
}

// due acts on the due times and advances the job. If too many of its runs crashed the server, it skips them.
func (f *fire) due(ctx context.Context) error {
	if f.crashed >= maxCrashedRuns {
		return f.pass(ctx)
	}
	j := &f.job
	due, err := f.times(ctx)
	if err != nil || f.came == 0 {
		return err
	}
	if left := j.MaxRuns - j.Runs; j.MaxRuns > 0 && len(due.Run) > left {
		due.Run = due.Run[:max(left, 0)]
	}
	if err := f.runs(ctx, due.Run); err != nil {
		return err
	}
	return f.advance(ctx, due, f.trouble)
}

// pass skips the due times.
func (f *fire) pass(ctx context.Context) error {
	due, err := f.times(ctx)
	if err != nil || f.came == 0 {
		return err
	}
	due.Run, due.Passed = nil, f.came
	trouble := ""
	if due.Next.IsZero() {
		trouble = chat.TroubleCrashed
	}
	return f.advance(ctx, due, trouble)
}

// times returns the due times, and sets their number. It pauses a job whose schedule cannot be parsed.
func (f *fire) times(ctx context.Context) (schedule.Due, error) {
	j := &f.job
	table, err := schedule.New(j.Spec)
	if err != nil { // a timezone that there is no more
		return schedule.Due{}, f.advance(ctx, schedule.Due{Next: *j.Next}, chat.TroubleInvalid)
	}
	due := table.Due(*j.Next, f.now, j.offset(), schedule.Missed(j.Missed), time.Duration(j.MaxAge)*time.Second)
	f.came = len(due.Run) + due.Passed
	return due, nil
}

// advance moves the job to its next time, ends it if there is none, and pauses it in trouble.
func (f *fire) advance(ctx context.Context, due schedule.Due, trouble string) error {
	j := &f.job
	j.Next, j.Runs = &due.Next, j.Runs+f.ran
	switch {
	case trouble != "":
		j.State, j.Trouble, j.Next = chat.JobPaused, trouble, nil
	case due.Next.IsZero(), j.MaxRuns > 0 && j.Runs >= j.MaxRuns:
		j.State, j.Next = chat.JobDone, nil
	}
	_, next, dueAt := j.times()
	err := dbsqlc.Q.CronAdvance(ctx, f.tx, dbsqlc.CronAdvanceParams{
		ID: j.ID, State: j.State, Trouble: j.Trouble, Ran: int32(f.ran), Passed: int64(due.Passed), NextAt: next, DueAt: dueAt,
	})
	if err != nil {
		return fmt.Errorf("advance job %s: %w", j.ID, err)
	}
	if j.State == chat.JobDone {
		if err := deleteDoneJobs(ctx, f.tx, j.Owner); err != nil {
			return fmt.Errorf("forget what is done: %w", err)
		}
	}
	return f.prune(ctx)
}

// prune keeps the newest runs.
func (f *fire) prune(ctx context.Context) error {
	if f.job.Service != "" {
		if err := dbsqlc.Q.CronFiringsPrune(ctx, f.tx, dbsqlc.CronFiringsPruneParams{Job: string(f.job.ID), Keep: keepRuns}); err != nil {
			return fmt.Errorf("forget old firings of %s: %w", f.job.ID, err)
		}
	}
	return dbsqlc.Q.CronRunsPrune(ctx, f.tx, dbsqlc.CronRunsPruneParams{Job: string(f.job.ID), Keep: keepRuns})
}

// runs posts a run to the conversation for each time, in order.
func (f *fire) runs(ctx context.Context, times []time.Time) error {
	skip, err := "", error(nil)
	if f.job.Service == "" { // the others are queued by conversation
		skip, err = f.skips(ctx)
	}
	if err != nil {
		return err
	}
	for _, at := range times {
		r := run{key: at.UTC().Format(time.RFC3339), at: at, reason: chat.RunScheduled, skipped: skip}
		if schedule.Late(at, f.now, f.job.offset()) {
			r.reason = chat.RunMissed
		}
		if err := f.record(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// skips returns the reason why the job posts nothing now; empty: it posts. A run that waits for its turn is posted once: a queue of
// equal messages would be useless.
func (f *fire) skips(ctx context.Context) (string, error) {
	if f.beat != nil && f.beat.Skip != "" {
		return f.beat.Skip, nil
	}
	waits, err := dbsqlc.Q.CronRunWaits(ctx, f.tx, f.job.ID)
	if err != nil || waits {
		return "waiting", err
	}
	if out, err := users.Disabled(ctx, f.tx, f.job.Owner); err != nil || out {
		return "disabled", err
	}
	if f.beat == nil {
		return "", nil
	}
	if busy, err := dbsqlc.Q.CronBusy(ctx, f.tx, f.job.Owner); err != nil || busy {
		return "busy", err
	}
	return "", nil
}

// record records a due time: as a run, or, for the job of a service, as a firing in the queue.
func (f *fire) record(ctx context.Context, r run) error {
	if f.job.Service == "" {
		return f.recordRun(ctx, r)
	}
	n, err := dbsqlc.Q.CronFiringAdd(ctx, f.tx, dbsqlc.CronFiringAddParams{JobID: f.job.ID, Key: r.key, ScheduledAt: r.at, Reason: r.reason})
	if err != nil {
		return fmt.Errorf("note a firing of %s: %w", f.job.ID, err)
	}
	f.ran += int(n)
	f.tx.WakeTrack()
	return nil
}

// recordRun writes a run and its message to the conversation, once for each key.
func (f *fire) recordRun(ctx context.Context, r run) error {
	told := chat.InternalMessage{
		Session: f.job.Target, Key: string(f.job.ID) + "@" + r.key, Origin: chat.OriginCron, Text: f.text(r), Options: chat.Options{Think: f.job.Think},
	}
	reset := ""
	if told.Session == "" {
		told.Session, reset = OwnConversation(f.job.ID), chat.ResetRun
	}
	if f.job.Heartbeat != "" {
		told.Origin = chat.OriginHeartbeat
	}
	id, err := dbsqlc.Q.CronRunAdd(ctx, f.tx, dbsqlc.CronRunAddParams{
		JobID: f.job.ID, Key: r.key, ScheduledAt: r.at, Reason: r.reason, SessionKey: told.Session, Skipped: r.skipped,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("note a run of %s: %w", f.job.ID, err)
	}
	if r.skipped != "" {
		return nil
	}
	if told.To, err = f.address(ctx); err != nil {
		return err
	}
	if f.job.Target == "" {
		if err := f.converse(ctx, told); err != nil {
			return err
		}
	} else if may, err := f.may(ctx, f.job.Target); err != nil || !may {
		f.trouble = chat.TroubleGone
		return err
	}
	row, err := inbox.PostRow(ctx, f.tx, told, reset)
	if fault.Is(err, fault.NotFound) {
		f.trouble = chat.TroubleGone
		return nil
	}
	if err != nil {
		return err
	}
	if row == 0 { // posted under this key when the run was recorded before, and deleted since
		return nil
	}
	if f.job.Home != "" {
		f.tx.NotifyParent(f.job.Home)
	}
	f.told, f.ran = append(f.told, told.Session), f.ran+1
	return dbsqlc.Q.CronRunTold(ctx, f.tx, dbsqlc.CronRunToldParams{ID: id, InboxID: int64(row)})
}

// OwnConversation returns the key of the conversation of a job.
func OwnConversation(id chat.JobID) chat.SessionKey { return chat.SessionKey("cron:" + string(id)) }

// text returns the message for the model. The time is shown in the timezone of the job. A message of an administrator to conversations of
// services begins with a separate header, which no text written by a consumer can begin with.
func (f *fire) text(r run) string {
	zone := f.now.Location()
	if known, err := schedule.Zone(f.job.Zone); err == nil {
		zone = known
	}
	head, before := "cron", ""
	name, message := f.job.Name, f.job.Message
	if f.job.Heartbeat != "" {
		head = "heartbeat"
		if f.beat != nil {
			message = f.beat.Text
		}
	}
	switch {
	case f.job.Consumer:
		name, message = unclaimed(name), unclaimed(message)
	case f.job.Service != "":
		before = fromAdmin + "\n"
	}
	parts := []string{head + " " + name, "scheduled " + r.at.In(zone).Format("2006-01-02 15:04 MST")}
	switch r.reason {
	case chat.RunManual:
		parts[1] = "run by hand"
	case chat.RunMissed:
		parts = append(parts, "missed, made up for at "+f.now.In(zone).Format("2006-01-02 15:04"))
	}
	return before + "[" + strings.Join(parts, " · ") + "]\n" + message
}

// address returns the address of the reply on a platform, or nil if there is none.
func (f *fire) address(ctx context.Context) (*chat.Address, error) {
	from := f.job.Target
	if from == "" {
		from = f.job.Deliver
	}
	if f.job.Heartbeat != "" && from == LastTalk {
		last, err := dbsqlc.Q.CronLastTalk(ctx, f.tx, f.job.Owner)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("look where somebody wrote last: %w", err)
		}
		from = last
	}
	if from == "" {
		return nil, nil
	}
	if may, err := f.may(ctx, from); err != nil || !may {
		return nil, err
	}
	return inbox.CurrentAddress(ctx, f.tx, from)
}

// may reports whether the owner of the job may still post to a conversation: it may be deleted, or belong to another user by
// now.
func (f *fire) may(ctx context.Context, key chat.SessionKey) (bool, error) {
	yes, err := dbsqlc.Q.CronMay(ctx, f.tx, dbsqlc.CronMayParams{Owner: f.job.Owner, Key: key})
	if err != nil {
		return false, fmt.Errorf("look whose conversation %s is: %w", key, err)
	}
	return yes, nil
}

// LastTalk is the target value of heartbeats that are delivered to the conversation in which the user wrote last.
const LastTalk = "last"

// wake wakes the turns of the conversations that got a message, after the commit.
func (f *fire) wake() {
	for _, key := range f.told {
		f.tx.WakeTurn(key, "cron", "cron "+f.job.Name)
	}
}

// converse creates or updates the separate conversation of the job.
func (f *fire) converse(ctx context.Context, told chat.InternalMessage) error {
	channel, origin := "cron", chat.Origin{Label: f.job.Name, Provider: "cron"}
	if told.To != nil {
		channel, origin.Provider, origin.Account = told.To.Channel, told.To.Channel, told.To.Account
	}
	body, err := json.Marshal(origin)
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	agent := f.job.Agent
	if agent == "" {
		agent = "main"
	}
	err = dbsqlc.Q.CronSession(ctx, f.tx, dbsqlc.CronSessionParams{
		Key: told.Session, UserID: f.job.Owner, Channel: channel, Title: f.job.Name, Agent: agent, Origin: body, Model: f.job.Model,
	})
	if err != nil {
		return fmt.Errorf("open the conversation of %s: %w", f.job.ID, err)
	}
	return nil
}
