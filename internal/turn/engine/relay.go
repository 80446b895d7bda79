package engine

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/storage/storagestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

// Trusted is how long the relay assumes that each kind of work runs, before it checks again.
type Trusted struct {
	Turn       time.Duration // that is marked running
	Task       time.Duration // that runs in the background
	Unshown    time.Duration // a turn of which a platform shows nothing yet
	Unanswered time.Duration // a message that no turn has claimed
}

// Due has the kinds of work that may be due. False is certain; true means that the relay has to look.
type Due struct {
	Wakes      bool // ToWake
	Turns      bool // ToCheck
	Throttled  bool // GrantTurns, Throttled
	Held       bool // Unclaimed
	Commands   bool // BangsToStart
	Files      bool // FilesToFetch
	Tasks      bool // TasksToStart
	Outbound   bool // ToDeliver
	Progress   bool // ToFollow
	Jobs       bool // OverdueJobs, TracksToWake
	Groups     bool // GroupsToStart
	Memorizing bool // MemorizesToStart
	Disabled   bool // DisabledWork
	Deletions  bool // DeletionsToStart
	Migrations bool // MigrationsToStart

	Load Load
}

// Load has the numbers of running turns and model calls, for the metrics.
type Load struct {
	Running         int // running turns, without those that wait for their provider
	WithoutProvider int // turns that wait for their provider
	CallsRunning    int // running calls to models
	CallsWaiting    int // calls to models that wait for a free slot of their tenant
}

// Due reads in one statement which work may be due, and the load that the metrics show if no message is throttled.
func (s *Store) Due(ctx context.Context, after Trusted) (Due, error) {
	r, err := dbsqlc.Q.RelayDue(ctx, s.db.Pool, dbsqlc.RelayDueParams{
		CheckAfter: pg.Interval(after.Turn), FollowAfter: pg.Interval(after.Task), ShowAfter: pg.Interval(after.Unshown),
		HeldAfter: pg.Interval(after.Unanswered), MemorizeAfter: pg.Interval(conversation.MemorizeAfter), DeletionAfter: pg.Interval(users.DeletionAfter),
		MigrationAfter: pg.Interval(storagestore.MigrationAfter),
	})
	if err != nil {
		return Due{}, pg.Classify(fmt.Errorf("look for what is due: %w", err))
	}
	return Due{
		Wakes: r.Messages || r.Answers || r.Reports,
		Turns: r.Turns, Throttled: r.Throttled, Held: r.Held, Commands: r.Commands, Files: r.Files, Tasks: r.Tasks, Outbound: r.Outbound,
		Progress: r.Progress, Jobs: r.Jobs || r.Track, Groups: r.Groups, Memorizing: r.Memorizing, Disabled: r.Disabled, Deletions: r.Deletions, Migrations: r.Migrations,
		Load: Load{Running: int(r.Running), WithoutProvider: int(r.WithoutProvider), CallsRunning: int(r.CallsRunning), CallsWaiting: int(r.CallsWaiting)},
	}, nil
}

// ToWake takes rows that wait without a running turn, and answers of users or subagents that their running turn has not acted on (Inbox
// is 0 then), each at most once a back-off: 2 s, doubling to 60 s. Several relays may call it at once; a row goes to one of them.
func (s *Store) ToWake(ctx context.Context) ([]Waiting, error) {
	rows, err := dbsqlc.Q.InboxToWake(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for rows to wake: %w", err))
	}
	answers, err := dbsqlc.Q.ApprovalToWake(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for answers to wake: %w", err))
	}
	reports, err := dbsqlc.Q.SubagentToWake(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for answers of subagents to wake: %w", err))
	}
	out := make([]Waiting, 0, len(rows)+len(answers)+len(reports))
	for _, r := range rows {
		out = append(out, Waiting{Inbox: r.ID, Session: r.SessionKey, User: r.UserID, Channel: r.Channel, Text: r.Body})
	}
	for _, r := range answers {
		out = append(out, Waiting{Session: r.Key, User: r.UserID, Channel: r.Channel})
	}
	for _, r := range reports {
		out = append(out, Waiting{Session: r.Key, User: r.UserID, Channel: r.Channel})
	}
	return out, nil
}

// Live is a turn marked running.
type Live struct {
	Turn    chat.TurnID
	Session chat.SessionKey
	RunID   string
	Started time.Time
	Told    bool // the user was notified that it is held up
}

// ToCheck takes running turns that were not checked for the given time.
func (s *Store) ToCheck(ctx context.Context, older time.Duration) ([]Live, error) {
	rows, err := dbsqlc.Q.TurnToCheck(ctx, s.db.Pool, pg.Interval(older))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for turns to check: %w", err))
	}
	out := make([]Live, len(rows))
	for i, r := range rows {
		out[i] = Live{Turn: r.ID, Session: r.SessionKey, RunID: r.RunID, Started: r.StartedAt, Told: r.HeldToldAt != nil}
	}
	return out, nil
}

// SetRun stores the run that a workflow reset gave a turn.
func (s *Store) SetRun(ctx context.Context, turn chat.TurnID, run string) error {
	return pg.Classify(dbsqlc.Q.TurnSetRun(ctx, s.db.Pool, dbsqlc.TurnSetRunParams{ID: turn, RunID: run}))
}

// Unclaimed returns messages that no turn has claimed for the given time and whose sender got no notice yet.
func (s *Store) Unclaimed(ctx context.Context, older time.Duration) ([]Waiting, error) {
	rows, err := dbsqlc.Q.InboxHeld(ctx, s.db.Pool, pg.Interval(older))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for held messages: %w", err))
	}
	out := make([]Waiting, len(rows))
	for i, r := range rows {
		out[i] = Waiting{Inbox: r.ID, Session: r.SessionKey, Text: r.Body}
	}
	return out, nil
}

// NotifyTurnHeld notifies the user, once, that the reply is held up.
func (s *Store) NotifyTurnHeld(ctx context.Context, l Live) error {
	return s.tellTurn(ctx, l, i18n.Held)
}

// NotifyTurnPaused notifies the user, once, that an administrator has paused the run.
func (s *Store) NotifyTurnPaused(ctx context.Context, l Live) error {
	return s.tellTurn(ctx, l, i18n.RunPaused)
}

func (s *Store) tellTurn(ctx context.Context, l Live, say i18n.ID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.TurnMarkHeld(ctx, tx, l.Turn)
		if err != nil || n == 0 {
			return err
		}
		lang, err := conversation.LangOfTurn(ctx, tx, l.Turn)
		if err != nil {
			return err
		}
		return conversation.AppendNotice(ctx, tx, l.Session, l.Turn, i18n.Say(lang, say))
	})
}

// NotifyMessageHeld does the same for a message that no turn could claim.
func (s *Store) NotifyMessageHeld(ctx context.Context, w Waiting) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.InboxMarkHeld(ctx, tx, w.Inbox)
		if err != nil || n == 0 {
			return err
		}
		return conversation.AppendSystemNotice(ctx, tx, w.Session, i18n.Held)
	})
}
