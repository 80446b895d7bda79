package conversation

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/quota"
)

// NewFork describes a copy of a conversation to be made.
type NewFork struct {
	From    chat.SessionKey
	Key     chat.SessionKey // of the copy
	Channel string          // of the copy
	Title   string          // of the copy
	// Upto is the message with whose turn the copy ends; 0 means all of the conversation.
	Upto chat.MessageID
	// Back leaves out that many of the user's last messages and what followed them. It excludes Upto.
	Back int
}

// Fork copies a conversation, for the same user, into a new session: turns that are over with their steps,
// messages, calls, offloaded results and control records, so that the model sees of it what it saw then. Ids are new,
// bodies of offloaded results are shared, runs in Temporal and usage stay those of the original. The original may run
// in the meantime, and be deleted later. If a session of the key is a fork of the original already, that is returned. It
// returns NotFound or Conflict if the conversation has no such message, or its turn runs still, Conflict if the owner has as many
// sessions as allowed, and Denied if it is one with a service.
func (s *Store) Fork(ctx context.Context, n NewFork) (chat.Session, error) {
	from, owner, err := s.Session(ctx, n.From)
	if err == nil {
		err = NewSession{Key: n.Key, Agent: from.Agent}.checkNotService()
	}
	if err != nil {
		return chat.Session{}, err
	}
	// All statements of the copy have to read one snapshot.
	err = quota.Make(ctx, s.quota, s.db, quota.Making{Of: quota.Sessions, Owner: owner, Still: true}, func(tx *pg.Tx) (bool, error) {
		rows, err := dbsqlc.Q.ForkSession(ctx, tx, dbsqlc.ForkSessionParams{NewKey: n.Key, SessionKey: n.From, Channel: n.Channel, Title: chat.Clean(n.Title)})
		if err != nil {
			return false, fmt.Errorf("create the copy of the session: %w", err)
		}
		if rows == 0 {
			return false, forkedBefore(ctx, tx, n)
		}
		upto, err := forkEnd(ctx, tx, n)
		if err != nil {
			return false, err
		}
		return true, forkConversation(ctx, tx, n, upto)
	})
	if err != nil {
		return chat.Session{}, err
	}
	made, _, err := s.Session(ctx, n.Key)
	return made, err
}

func forkedBefore(ctx context.Context, t *pg.Tx, n NewFork) error {
	there, err := dbsqlc.Q.SessionGet(ctx, t, n.Key)
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.Errorf(fault.NotFound, "there is no session %q", n.From)
	}
	if err == nil && there.ForkOf != n.From {
		err = fault.Errorf(fault.Conflict, "there is a session %q already", n.Key)
	}
	return err
}

// forkEnd returns the last message that may be copied.
func forkEnd(ctx context.Context, t *pg.Tx, n NewFork) (chat.MessageID, error) {
	switch {
	case n.Back > 0:
		targets, err := dbsqlc.Q.RewindTargets(ctx, t, dbsqlc.RewindTargetsParams{SessionKey: n.From, Before: math.MaxInt64, N: int32(n.Back)})
		if err == nil && len(targets) < n.Back {
			err = fault.Errorf(fault.NotFound, "there are not %d messages of yours in this conversation, only %d", n.Back, len(targets))
		}
		if err != nil {
			return 0, err
		}
		return targets[n.Back-1].ID - 1, nil
	case n.Upto == 0:
		return math.MaxInt64, nil
	}
	end, err := dbsqlc.Q.ForkEnd(ctx, t, dbsqlc.ForkEndParams{SessionKey: n.From, ID: n.Upto})
	switch {
	case errors.Is(err, pgx.ErrNoRows) || (err == nil && end.RewoundBy != nil):
		return 0, fault.Errorf(fault.NotFound, "there is no message m%d in this conversation", n.Upto)
	case err != nil:
		return 0, fmt.Errorf("read message %d: %w", n.Upto, err)
	case end.State == string(chat.TurnRunning):
		return 0, fault.Errorf(fault.Conflict, "the turn of this message is running still; wait for its end, or name an earlier message")
	}
	return chat.MessageID(end.Last), nil
}

// forkConversation copies the rows that belong to the messages up to the given one.
func forkConversation(ctx context.Context, t *pg.Tx, n NewFork, upto chat.MessageID) error {
	rows, err := dbsqlc.Q.ForkMessages(ctx, t, dbsqlc.ForkMessagesParams{SessionKey: n.From, Upto: upto})
	if err != nil {
		return fmt.Errorf("list the messages to copy: %w", err)
	}
	ids, err := dbsqlc.Q.ForkMessageIDs(ctx, t, int32(len(rows)))
	if err != nil {
		return fmt.Errorf("draw ids of messages: %w", err)
	}
	c := newCopies(n.Key)
	for i, r := range rows {
		c.addMessage(r, ids[i])
	}
	controls, err := forkedControls(ctx, t, n.From, upto, c)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error {
			return dbsqlc.Q.ForkTurns(ctx, t, dbsqlc.ForkTurnsParams{NewKey: n.Key, OldTurns: c.oldTurns, NewTurns: c.newTurns})
		},
		func() error {
			return dbsqlc.Q.ForkMessageRows(ctx, t, dbsqlc.ForkMessageRowsParams{NewKey: n.Key, OldIds: c.oldMessages, NewIds: c.newMessages, NewTurns: c.messageTurns})
		},
		func() error {
			return dbsqlc.Q.ForkCalls(ctx, t, dbsqlc.ForkCallsParams{NewKey: n.Key, OldIds: c.oldMessages, NewIds: c.newMessages, NewTurns: c.messageTurns})
		},
		func() error {
			return dbsqlc.Q.ForkPictures(ctx, t, dbsqlc.ForkPicturesParams{NewKey: n.Key, SessionKey: n.From})
		},
		func() error {
			return dbsqlc.Q.ForkOffloads(ctx, t, dbsqlc.ForkOffloadsParams{
				NewKey: n.Key, SessionKey: n.From, OldTurns: c.oldTurns, NewTurns: c.newTurns, OldIds: c.oldMessages, Whole: upto == math.MaxInt64,
			})
		},
		func() error { return dbsqlc.Q.ForkControlRows(ctx, t, controls) },
		func() error { return forkSteps(ctx, t, c) },
		func() error {
			return dbsqlc.Q.ForkBegin(ctx, t, dbsqlc.ForkBeginParams{Key: n.Key, CompactionID: c.compaction, ResetID: c.reset})
		},
		func() error { return planOf(ctx, t, n, c) },
		func() error {
			return dbsqlc.Q.ForkParts(ctx, t, dbsqlc.ForkPartsParams{NewKey: n.Key, SessionKey: n.From})
		},
		func() error {
			return dbsqlc.Q.ForkActiveTools(ctx, t, dbsqlc.ForkActiveToolsParams{NewKey: n.Key, SessionKey: n.From})
		},
		func() error {
			return dbsqlc.Q.ForkRefusedTools(ctx, t, dbsqlc.ForkRefusedToolsParams{NewKey: n.Key, SessionKey: n.From})
		},
		func() error {
			return dbsqlc.Q.ForkRefusedRequests(ctx, t, dbsqlc.ForkRefusedRequestsParams{NewKey: n.Key, SessionKey: n.From})
		},
	} {
		if err := step(); err != nil {
			return fmt.Errorf("copy %s: %w", n.From, err)
		}
	}
	return nil
}

// forkedControls returns the control records of the copy.
func forkedControls(ctx context.Context, t *pg.Tx, from chat.SessionKey, upto chat.MessageID, c *copies) (dbsqlc.ForkControlRowsParams, error) {
	out := dbsqlc.ForkControlRowsParams{NewKey: c.key}
	rows, err := dbsqlc.Q.ForkControls(ctx, t, dbsqlc.ForkControlsParams{SessionKey: from, Upto: upto})
	if err != nil {
		return out, fmt.Errorf("read control records: %w", err)
	}
	ids, err := dbsqlc.Q.ForkControlIDs(ctx, t, int32(len(rows)))
	if err != nil {
		return out, fmt.Errorf("draw ids of control records: %w", err)
	}
	for i, r := range rows {
		old, err := controlOf(dbsqlc.ControlByKeyRow(r))
		if err != nil {
			return out, err
		}
		made, ok := c.control(old, chat.ControlID(ids[i]))
		if !ok {
			continue
		}
		body, err := EncodeControl(made)
		if err != nil {
			return out, err
		}
		out.OldIds, out.NewIds = append(out.OldIds, int64(old.ID)), append(out.NewIds, int64(made.ID))
		out.MessageIds, out.NewTurns = append(out.MessageIds, int64(made.Message)), append(out.NewTurns, string(made.Turn))
		out.Bodies = append(out.Bodies, string(body))
	}
	return out, nil
}

// forkSteps copies the steps, with the ids of their sources replaced by those of the copy.
func forkSteps(ctx context.Context, t *pg.Tx, c *copies) error {
	rows, err := dbsqlc.Q.ForkStepMarks(ctx, t, c.oldTurns)
	if err != nil {
		return err
	}
	var p dbsqlc.ForkStepsParams
	for _, r := range rows {
		p.OldTurns, p.NewTurns = append(p.OldTurns, string(r.TurnID)), append(p.NewTurns, string(c.turns[r.TurnID]))
		p.Steps = append(p.Steps, r.Step)
		p.ControlUptos = append(p.ControlUptos, int64(c.controlBefore(chat.ControlID(r.ControlUpto))))
		p.MessageUptos = append(p.MessageUptos, int64(c.messageBefore(chat.MessageID(r.MessageUpto))))
		compaction := chat.ControlID(0)
		if r.CompactionID != nil {
			compaction = c.controls[chat.ControlID(*r.CompactionID)]
		}
		p.Compactions = append(p.Compactions, int64(compaction))
	}
	return dbsqlc.Q.ForkSteps(ctx, t, p)
}

// ForkedTurn returns the id of the copy of a turn.
func ForkedTurn(key chat.SessionKey, turn chat.TurnID) chat.TurnID {
	sum := sha256.Sum256([]byte(string(key) + "\x00" + string(turn)))
	return chat.TurnID(fmt.Sprintf("%x", sum[:16]))
}
