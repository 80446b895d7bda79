package calls

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// TurnPermit is a user's decision on all calls of a running turn.
type TurnPermit struct {
	Session  chat.SessionKey
	Turn     chat.TurnID // empty: the one that runs
	User     chat.UserID
	UserName string
	Key      string // id of the user's message, if there is one: the same again means the same turn
	Allow    bool   // false: an earlier permission is withdrawn, and calls ask again
}

// ErrNothingRuns is the error of AllowTurn if it names no turn and none runs.
var ErrNothingRuns error = fault.Errorf(fault.Conflict, "no turn runs in this conversation")

// AllowTurn allows every call of a running turn that would need an approval, or withdraws that. It holds until the turn ends, and for
// the calls that wait already. It lifts no rule that denies, no read-only preset, no question of the model, and nothing that a hook
// wants asked; it does not cover the turns of subagents. Repeated, it changes nothing. It returns Denied if the user may not answer for
// the calls of the turn, Conflict after its end, and NotFound if the turn is not of the session. The caller wakes the turn.
func (s *Store) AllowTurn(ctx context.Context, a TurnPermit) (chat.Turn, error) {
	var out chat.Turn
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, done, err := turnToAllow(ctx, tx, &a)
		if err != nil || done {
			out = conversation.TurnOf(row)
			return err
		}
		if row, err = dbsqlc.Q.TurnAllow(ctx, tx, dbsqlc.TurnAllowParams{ID: row.ID, AllowsBy: allower(a), AllowsKey: chat.Clean(a.Key)}); err != nil {
			return fmt.Errorf("allow turn %s: %w", row.ID, err)
		}
		if a.Allow {
			if row, err = allowOpen(ctx, tx, row); err != nil {
				return err
			}
		}
		out = conversation.TurnOf(row)
		tx.Emit(row.SessionKey, chat.EventTurn, out)
		return nil
	})
	return out, err
}

func allower(a TurnPermit) string {
	if !a.Allow {
		return ""
	}
	return a.UserName
}

// turnToAllow finds the turn and locks it; done is true if it needs no change.
func turnToAllow(ctx context.Context, t *pg.Tx, a *TurnPermit) (row dbsqlc.Turn, done bool, err error) {
	said := false
	if a.Turn == "" {
		if a.Turn, said, err = meantTurn(ctx, t, *a); err != nil {
			return row, false, err
		}
	}
	row, err = dbsqlc.Q.TurnLock(ctx, t, a.Turn)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && row.SessionKey != a.Session {
		return dbsqlc.Turn{}, false, fault.Errorf(fault.NotFound, "there is no turn %q in this conversation", a.Turn)
	}
	if err != nil {
		return row, false, fmt.Errorf("lock turn %s: %w", a.Turn, err)
	}
	may, err := dbsqlc.Q.TurnMayAllow(ctx, t, dbsqlc.TurnMayAllowParams{ID: a.Turn, UserID: int64(a.User)})
	switch {
	case err != nil:
		return row, false, fmt.Errorf("read who may answer for turn %s: %w", a.Turn, err)
	case !may:
		return row, false, i18n.Fault(fault.Denied, i18n.AskNotYours)
	case said:
		return row, true, nil
	case row.State != chat.TurnRunning:
		return row, false, fault.Errorf(fault.Conflict, "the turn has ended")
	}
	return row, (row.AllowsBy != "") == a.Allow, nil
}

// meantTurn returns the turn for a message that names none: the one for which the message was used before, or the running one.
func meantTurn(ctx context.Context, t *pg.Tx, a TurnPermit) (id chat.TurnID, said bool, err error) {
	if id, err = dbsqlc.Q.TurnAllowedBy(ctx, t, dbsqlc.TurnAllowedByParams{SessionKey: a.Session, AllowsKey: chat.Clean(a.Key)}); err == nil {
		return id, true, nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		id, err = dbsqlc.Q.TurnRunning(ctx, t, a.Session)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, ErrNothingRuns
	}
	if err != nil {
		return "", false, fmt.Errorf("find the running turn: %w", err)
	}
	return id, false, nil
}

// allowOpen allows the calls of a turn that wait.
func allowOpen(ctx context.Context, t *pg.Tx, turn dbsqlc.Turn) (dbsqlc.Turn, error) {
	rows, err := dbsqlc.Q.ApprovalsOfTurn(ctx, t, dbsqlc.ApprovalsOfTurnParams{TurnID: string(turn.ID), AnsweredBy: turn.AllowsBy})
	if err != nil {
		return turn, fmt.Errorf("allow the open calls of turn %s: %w", turn.ID, err)
	}
	for _, row := range rows {
		t.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
		if err := settleQuestion(ctx, t, row.ID); err != nil {
			return turn, err
		}
	}
	return countAllowed(ctx, t, turn, len(rows))
}

// allowByTurn allows a call whose question was opened in this transaction, if its turn, which is locked, allows all calls.
func allowByTurn(ctx context.Context, t *pg.Tx, turn dbsqlc.Turn, id chat.CallID) (bool, error) {
	if turn.AllowsBy == "" {
		return false, nil
	}
	row, err := dbsqlc.Q.ApprovalOfTurn(ctx, t, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("allow call %s: %w", id, err)
	}
	t.Emit(row.SessionKey, chat.EventTool, conversation.ToolEvent(row))
	_, err = countAllowed(ctx, t, turn, 1)
	return true, err
}

// countAllowed counts calls that the permission of the turn allowed, and notifies its user every chat.AllowedWarning calls.
func countAllowed(ctx context.Context, t *pg.Tx, turn dbsqlc.Turn, n int) (dbsqlc.Turn, error) {
	if n == 0 {
		return turn, nil
	}
	row, err := dbsqlc.Q.TurnCountAllowed(ctx, t, dbsqlc.TurnCountAllowedParams{ID: turn.ID, N: int32(n)})
	if err != nil {
		return turn, fmt.Errorf("count the allowed calls of turn %s: %w", turn.ID, err)
	}
	if turn.AllowsCalls/chat.AllowedWarning == row.AllowsCalls/chat.AllowedWarning {
		return row, nil
	}
	lang, err := conversation.LangOfTurn(ctx, t, row.ID)
	if err != nil {
		return row, err
	}
	t.Emit(row.SessionKey, chat.EventTurn, conversation.TurnOf(row))
	return row, conversation.AppendNotice(ctx, t, row.SessionKey, row.ID, i18n.Say(lang, i18n.TurnAllowedMany, row.AllowsCalls))
}

// lockTurn locks the turn of a call. It returns an empty turn if the session was deleted.
func lockTurn(ctx context.Context, t *pg.Tx, id chat.CallID) (dbsqlc.Turn, error) {
	turn, err := dbsqlc.Q.ApprovalLockTurn(ctx, t, id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return turn, fmt.Errorf("lock the turn of call %s: %w", id, err)
	}
	return turn, nil
}
