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

// TurnPermit is what a person says to all calls of a running turn.
type TurnPermit struct {
	Session  chat.SessionKey
	Turn     chat.TurnID // empty: the one that runs
	User     chat.UserID
	UserName string
	Key      string // id of the message that says so, if there is one: the same again means the same turn
	Allow    bool   // false: what was allowed so is taken back, and calls ask again
}

// ErrNothingRuns is what AllowTurn returns where it names no turn and none runs.
var ErrNothingRuns error = fault.Errorf(fault.Conflict, "no turn runs in this conversation")

// AllowTurn lets every call of a running turn run that would be asked about, or takes that back. It holds until the turn ends, and for
// the calls that wait already. It lifts no rule that denies, no preset that reads only, no question of the model, and nothing that a hook
// wants asked; subagents have turns of their own. Repeated, it changes nothing. Whoever may not answer for the calls of the turn is
// Denied; after its end it is a Conflict; a turn that is not of the session is NotFound. The caller wakes the turn.
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

// turnToAllow finds the turn that is meant and locks it; done says that it is as it should be already.
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

// meantTurn is the turn that a message means which names none: the one for which it was taken before, or the one that runs.
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

// allowByTurn allows a call whose question was opened in this transaction, if everything is allowed in its turn, which is locked.
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

// countAllowed counts calls that were allowed because everything is, and tells people of it each time so many have come together.
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

// lockTurn locks the turn of a call. Of a session that was deleted it is none.
func lockTurn(ctx context.Context, t *pg.Tx, id chat.CallID) (dbsqlc.Turn, error) {
	turn, err := dbsqlc.Q.ApprovalLockTurn(ctx, t, id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return turn, fmt.Errorf("lock the turn of call %s: %w", id, err)
	}
	return turn, nil
}
