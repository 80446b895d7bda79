package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
)

// Call reads a call and its session.
func (s *Store) Call(ctx context.Context, id chat.CallID) (chat.Call, error) {
	row, err := s.q.CallGet(ctx, s.pool, id)
	if err != nil {
		return chat.Call{}, classify(fmt.Errorf("read call %s: %w", id, err))
	}
	session, err := s.q.SessionGet(ctx, s.pool, row.SessionKey)
	if err != nil {
		return chat.Call{}, classify(fmt.Errorf("read session of call %s: %w", id, err))
	}
	c := chat.Call{
		ToolCall: callOf(row), Session: row.SessionKey, Turn: row.TurnID, Step: int(row.Step),
		User: session.UserID, Cwd: session.Cwd, CwdRunner: session.CwdRunner, Runner: session.Runner, StartedOn: row.StartedOn,
	}
	if row.Runner != "" {
		c.Runner = row.Runner
	}
	if c.Class == chat.ClassExec {
		c.Env, err = s.commandEnv(ctx, row.SessionKey, row.TurnID, 0)
	}
	return c, err
}

// BeginCall marks a call as running, with the runner it is about to be sent to, before anything is sent. It reports
// false when the call is done, its turn closed, or its permission missing: then it must not run.
func (s *Store) BeginCall(ctx context.Context, c chat.Call) (bool, error) {
	began := false
	err := s.inTx(ctx, func(tx *tx) error {
		row, err := s.q.CallBegin(ctx, tx, dbsqlc.CallBeginParams{ID: c.ID, Runner: c.Runner})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("begin call: %w", err)
		}
		began = true
		if c.State == chat.CallOpen {
			tx.emit(row.SessionKey, chat.EventTool, toolEvent(row))
		}
		return nil
	})
	return began, err
}

// SetStartedOn notes the job store that a command is about to be sent to, before it is sent. The first note stands. It is
// a Conflict when the call has its result already, because its turn was closed, or is gone: nobody would follow the
// command, so it must not be sent.
func (s *Store) SetStartedOn(ctx context.Context, id chat.CallID, store string) error {
	n, err := s.q.CallSetStartedOn(ctx, s.pool, dbsqlc.CallSetStartedOnParams{ID: id, StartedOn: store})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the call was ended before its command was sent")
	}
	return classify(err)
}

// FinishCall records the result of a call with what is kept beside it: the whole of a result that is only a summary, and
// the background task that its command has become if it goes on, in one transaction. The first writer wins: a later result is dropped.
func (s *Store) FinishCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error {
	return s.inTx(ctx, func(tx *tx) error { return tx.finishCall(ctx, id, r) })
}

// AbandonCall records the result of a call that nobody follows any more, unless it has one. Its command, if it was sent, is to be
// killed: that is noted in the same transaction.
func (s *Store) AbandonCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error {
	return s.inTx(ctx, func(tx *tx) error {
		if err := tx.q.KillNoteCall(ctx, tx, id); err != nil {
			return fmt.Errorf("note the kill of %s: %w", id, err)
		}
		return tx.finishCall(ctx, id, r)
	})
}

func (t *tx) finishCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error {
	p := dbsqlc.CallFinishParams{ID: id, Result: Clean(r.Content), IsError: r.IsError, TookMs: r.Took.Milliseconds()}
	if r.Offload != nil {
		p.Offload = r.Offload.ID
	}
	row, err := t.q.CallFinish(ctx, t, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("finish call %s: %w", id, err)
	}
	if r.Offload != nil {
		if row, err = t.offload(ctx, row, *r.Offload); err != nil {
			return err
		}
	}
	if r.Background != nil {
		if row, err = t.beginTask(ctx, id, *r.Background); err != nil {
			return err
		}
	}
	if err := t.told(ctx, row.SessionKey, r.Told); err != nil {
		return err
	}
	if row.Approval == chat.ApprovalVoid {
		if err := t.settleQuestion(ctx, id); err != nil {
			return err
		}
	}
	t.emit(row.SessionKey, chat.EventTool, toolEvent(row))
	return nil
}

// Intent returns what a call noted before it acted; empty if nothing.
func (s *Store) Intent(ctx context.Context, id chat.CallID) (string, error) {
	intent, err := s.q.CallIntent(ctx, s.pool, id)
	return intent, classify(err)
}

// SetIntent notes, durably, what a call is about to do.
func (s *Store) SetIntent(ctx context.Context, id chat.CallID, intent string) error {
	return classify(s.q.CallSetIntent(ctx, s.pool, dbsqlc.CallSetIntentParams{ID: id, Intent: Clean(intent)}))
}

func toolEvent(r dbsqlc.ToolCall) chat.ToolEvent {
	return chat.ToolEvent{Turn: r.TurnID, Step: int(r.Step), ToolCall: callOf(r)}
}

func callOf(r dbsqlc.ToolCall) chat.ToolCall {
	return chat.ToolCall{
		ID: r.ID, ProviderID: r.ProviderID, Name: r.Name, Class: r.Class, Arguments: r.Arguments, State: r.State, Summary: r.Summary,
		Result: r.Result, IsError: r.IsError, Offload: r.Offload, Task: r.Task, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Rule: r.Rule, Approval: approvalOf(r),
		Questions: r.Questions, Hook: r.Hook, HookAfter: r.HookAfter,
	}
}
