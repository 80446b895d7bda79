package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// Call returns a call and its session.
func (s *Store) Call(ctx context.Context, id chat.CallID) (chat.Call, error) {
	found, err := dbsqlc.Q.CallToRun(ctx, s.db.Pool, id)
	if err != nil {
		return chat.Call{}, pg.Classify(fmt.Errorf("read call %s: %w", id, err))
	}
	row := found.ToolCall
	c := chat.Call{
		ToolCall: conversation.CallOf(row), Session: row.SessionKey, Turn: row.TurnID, Step: int(row.Step),
		User: found.UserID, Cwd: found.Cwd, CwdRunner: found.CwdRunner, Runner: cmp.Or(row.Runner, found.SessionRunner), StartedOn: row.StartedOn,
	}
	if c.Class == chat.ClassExec {
		c.Env, err = s.CommandEnv(ctx, row.SessionKey, row.TurnID, 0)
	}
	return c, err
}

// BeginCall marks a call as running, with the runner it is about to be sent to, before anything is sent. It reports false if
// the call has its result, its turn is closed, or its permission is missing: then it must not run.
func (s *Store) BeginCall(ctx context.Context, c chat.Call) (bool, error) {
	began := false
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.CallBegin(ctx, tx, dbsqlc.CallBeginParams{ID: c.ID, Runner: c.Runner})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("begin call: %w", err)
		}
		began = true
		if c.State == chat.CallOpen {
			tx.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
		}
		return nil
	})
	return began, err
}

// SetStartedOn notes the job store that a command is about to be sent to, before it is sent. The first note is final. It returns
// Conflict if the call is gone or has its result already, because its turn was closed: nothing would follow the command, so
// it must not be sent.
func (s *Store) SetStartedOn(ctx context.Context, id chat.CallID, store string) error {
	n, err := dbsqlc.Q.CallSetStartedOn(ctx, s.db.Pool, dbsqlc.CallSetStartedOnParams{ID: id, StartedOn: store})
	if err == nil && n == 0 {
		return fault.Errorf(fault.Conflict, "the call was ended before its command was sent")
	}
	return pg.Classify(err)
}

// FinishCall records the result of a call in one transaction, together with the whole of a result that is only a summary, and with the
// background task that its command has become if it continues. The first writer wins: a later result is dropped.
func (s *Store) FinishCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error { return FinishCall(ctx, tx, id, r) })
}

// AbandonCall records the result of a call that no activity follows any more, unless it has one. If its command was sent, the
// same transaction records that it is to be killed.
func (s *Store) AbandonCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.KillNoteCall(ctx, tx, id); err != nil {
			return fmt.Errorf("note the kill of %s: %w", id, err)
		}
		return FinishCall(ctx, tx, id, r)
	})
}

// FinishCall ends a call with its result, unless it has ended.
func FinishCall(ctx context.Context, t *pg.Tx, id chat.CallID, r chat.ToolResult) error {
	p := dbsqlc.CallFinishParams{ID: id, Result: chat.Clean(r.Content), IsError: r.IsError, TookMs: r.Took.Milliseconds(), Pictures: []chat.PictureRef{}, Diff: chat.Clean(r.Diff), Sources: append([]chat.WebSource{}, r.Sources...)}
	if len(r.Pictures) > 0 {
		call, err := dbsqlc.Q.CallGet(ctx, t, id)
		if err != nil {
			return fmt.Errorf("read call %s: %w", id, err)
		}
		if p.Pictures, err = attachments.AddPictures(ctx, t, call.SessionKey, r.Pictures...); err != nil {
			return err
		}
	}
	if r.Offload != nil {
		p.Offload = r.Offload.ID
	}
	row, err := dbsqlc.Q.CallFinish(ctx, t, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("finish call %s: %w", id, err)
	}
	if r.Offload != nil {
		if row, err = conversation.StoreOffload(ctx, t, row, *r.Offload); err != nil {
			return err
		}
	}
	if r.Background != nil {
		if row, err = beginTask(ctx, t, id, *r.Background); err != nil {
			return err
		}
	}
	if err := markReported(ctx, t, row.SessionKey, r.Told); err != nil {
		return err
	}
	if row.Approval == chat.ApprovalVoid {
		if err := settleQuestion(ctx, t, id); err != nil {
			return err
		}
	}
	t.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
	return nil
}

// Intent returns the note that a call made before it acted; empty if none.
func (s *Store) Intent(ctx context.Context, id chat.CallID) (string, error) {
	intent, err := dbsqlc.Q.CallIntent(ctx, s.db.Pool, id)
	return intent, pg.Classify(err)
}

// SetIntent stores, durably, the next action of a call.
func (s *Store) SetIntent(ctx context.Context, id chat.CallID, intent string) error {
	return pg.Classify(dbsqlc.Q.CallSetIntent(ctx, s.db.Pool, dbsqlc.CallSetIntentParams{ID: id, Intent: chat.Clean(intent)}))
}
