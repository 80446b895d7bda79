package calls

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// Waiting returns the call for an answer that names none: the open one of the session and its subagents that has waited longest.
// answered is true if the same message has answered the call before.
func (s *Store) Waiting(ctx context.Context, a Answer) (call chat.ToolCall, key chat.SessionKey, answered bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		var id chat.CallID
		if id, key, call, answered, err = oldestOpenCall(ctx, tx, a); err != nil || answered {
			return err
		}
		row, err := dbsqlc.Q.CallGet(ctx, tx, id)
		call = conversation.CallOf(row)
		return err
	})
	return call, key, answered, err
}

// AnswerAll gives the same answer to all open questions of a session and its subagents whether a call may run, in one transaction, and
// returns the calls, oldest first. Those that a hook has deferred to an administrator stay open, and so do questions of the model. The
// same message again finds the calls that it was the answer to, and answers no other. ErrNothingAsked: nothing is open.
func (s *Store) AnswerAll(ctx context.Context, a Answer) ([]chat.ToolCall, error) {
	var out []chat.ToolCall
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		before, err := dbsqlc.Q.ApprovalsByKey(ctx, tx, dbsqlc.ApprovalsByKeyParams{SessionKey: a.Session, AnswerKey: chat.Clean(a.Key), UserID: int64(a.User)})
		if err != nil {
			return fmt.Errorf("look for earlier answers: %w", err)
		}
		if len(before) > 0 {
			out = callsOf(before)
			return nil
		}
		open, err := dbsqlc.Q.ApprovalsOpen(ctx, tx, dbsqlc.ApprovalsOpenParams{SessionKey: a.Session, UserID: int64(a.User)})
		if err != nil {
			return fmt.Errorf("list the open questions: %w", err)
		}
		if len(open) == 0 {
			return nothingOpen(ctx, tx, a)
		}
		for _, call := range open {
			one := a
			one.Session, one.Call = call.SessionKey, call.ID
			row, err := AnswerCall(ctx, tx, one)
			if err != nil {
				return err
			}
			out = append(out, conversation.CallOf(row))
		}
		return nil
	})
	return out, err
}

func callsOf(rows []dbsqlc.ToolCall) []chat.ToolCall {
	out := make([]chat.ToolCall, 0, len(rows))
	for _, row := range rows {
		out = append(out, conversation.CallOf(row))
	}
	return out
}
