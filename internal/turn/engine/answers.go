package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// OpenQuestion returns the call of a session that has waited longest for an answer that the user may give; open is
// false if there is none.
func (s *Store) OpenQuestion(ctx context.Context, key chat.SessionKey, user chat.UserID) (call chat.ToolCall, open bool, err error) {
	row, err := dbsqlc.Q.ApprovalOldest(ctx, s.db.Pool, dbsqlc.ApprovalOldestParams{SessionKey: key, UserID: int64(user)})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.ToolCall{}, false, nil
	}
	return conversation.CallOf(row), err == nil, pg.Classify(err)
}

// AnswerInWords commits a message that answers an open question, in one transaction: its inbox row, which is applied at once,
// the user's text, the answer, and a notice with how it was understood. An empty a.Call means that the text fits no answer, or that the
// question was not shown where it was written (a.Shows); the notice explains it, and the question stays open. The same platform id with
// the same text is a duplicate. If the question is not open any more nothing is committed, and the error is a Conflict.
func (s *Store) AnswerInWords(ctx context.Context, in NewRow, a calls.Answer, notice string) (Accepted, error) {
	in.Text = chat.Clean(in.Text)
	got := Accepted{Answer: true}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		id, err := insertInbox(ctx, tx, in, kindCommand, nil, new(outcomeApplied))
		if errors.Is(err, pgx.ErrNoRows) {
			got, err = findDuplicate(ctx, tx, in, kindMessage)
			return err
		}
		if err != nil {
			return fmt.Errorf("accept an answer: %w", err)
		}
		got.ID = id
		tx.Speak()
		for _, m := range []chat.Message{
			{Session: in.Session, Role: chat.RoleUser, Origin: chat.OriginCommand, Content: in.Text, Sender: in.Sender, Inbox: id, ClientMessageID: in.PlatformID},
			{Session: in.Session, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: chat.Clean(notice), Inbox: id},
		} {
			if err := conversation.AppendMessage(ctx, tx, &m, ""); err != nil {
				return err
			}
		}
		if a.Shows != "" && in.To != nil {
			if err := calls.ShowAt(ctx, tx, a.Shows, in.Channel, in.Account, *in.To); err != nil {
				return err
			}
		}
		if a.Call != "" {
			if _, err := calls.AnswerCall(ctx, tx, a); err != nil {
				return err
			}
		}
		return noteExpired(ctx, tx, in, id)
	})
	if err != nil {
		return Accepted{}, err
	}
	return got, nil
}

// NotOpen reports whether an error of AnswerInWords means that the question is not open any more.
func NotOpen(err error) bool { return fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) }
