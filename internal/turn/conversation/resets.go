package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Reset describes the reset of a conversation.
type Reset struct {
	Key    chat.SessionKey
	Once   string // key of the record
	Reason string // one of chat.Reset*
	model  string // to be chosen for the session; empty: its current one
}

// ResetKey returns the record key of a reset from the accepted row that asked for it, which outlives a turn that is released.
func ResetKey(id chat.InboxID) string { return "reset/" + strconv.FormatInt(int64(id), 10) }

// ResetSession starts a conversation over for the model, as the command of a turn: it sees nothing above the
// command, the to-do list is empty, no compaction holds, and the parts of the prompt are read again. Messages, running
// background tasks and memory stay. model is chosen for the session unless it is empty. If text was accepted behind the
// command it is answered next, and the user sees a divider; otherwise say is the command's answer as well. A command is carried out
// once, also if its turn was released and another one has claimed it.
func (s *Store) ResetSession(ctx context.Context, turn chat.TurnID, reason, model, say string) error {
	return s.AnswerCommand(ctx, turn, func(tx *pg.Tx, o chat.TurnCommand) (string, error) {
		lang := i18n.Lang(o.Lang)
		if err := s.BeginAnew(ctx, tx, Reset{Key: o.Session, Once: ResetKey(o.Inbox), Reason: reason, model: model}); err != nil {
			return "", err
		}
		followed, err := dbsqlc.Q.ResetFollowed(ctx, tx, o.Inbox)
		if err != nil {
			return "", fmt.Errorf("look for the text behind the command: %w", err)
		}
		divider := chat.Message{
			Session: o.Session, Turn: turn, Role: chat.RoleNotice, Origin: chat.OriginReset, Content: i18n.Say(lang, i18n.ResetNew),
		}
		if followed || say == "" {
			divider.Inbox, say = o.Inbox, ""
		}
		return say, AppendMessage(ctx, tx, &divider, "")
	})
}

// Renew resets a conversation without a user's request, such as one of a job that starts from nothing at each run: call
// it before the message of the run is accepted. once identifies the run: a second call with it changes nothing.
func (s *Store) Renew(ctx context.Context, key chat.SessionKey, once, reason string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		return s.BeginAnew(ctx, tx, Reset{Key: key, Once: "renew/" + once, Reason: reason})
	})
}

// BeginAnew writes the record of a reset, with which the conversation begins for the model, and applies it. If
// the record exists it changes nothing.
func (s *Store) BeginAnew(ctx context.Context, tx *pg.Tx, f Reset) error {
	newest, err := dbsqlc.Q.ResetNewest(ctx, tx, f.Key)
	if err != nil {
		return fmt.Errorf("look for the newest message: %w", err)
	}
	c, added, err := addControl(ctx, tx, f.Key, chat.Control{
		Kind: chat.ControlReset, Message: chat.MessageID(newest.MessageID), Key: f.Once, Reset: &chat.Reset{Reason: f.Reason},
	})
	if err != nil || !added {
		return err
	}
	err = addMemorizeJob(ctx, tx, removedPart{session: f.Key, key: f.Once, trigger: chat.MemorizeReset, upto: c.Message, newest: c.ID})
	if err != nil {
		return err
	}
	return s.clear(ctx, tx, f, c.ID)
}

// clear removes the state of the conversation from before a reset.
func (s *Store) clear(ctx context.Context, tx *pg.Tx, f Reset, control chat.ControlID) error {
	err := dbsqlc.Q.ResetSession(ctx, tx, dbsqlc.ResetSessionParams{SessionKey: f.Key, Control: int64(control), Model: chat.Clean(f.model)})
	if err != nil {
		return fmt.Errorf("begin anew: %w", err)
	}
	if err := dbsqlc.Q.ResetParts(ctx, tx, f.Key); err != nil {
		return fmt.Errorf("drop the parts of the prompt: %w", err)
	}
	if err := dbsqlc.Q.ActiveToolsReset(ctx, tx, f.Key); err != nil {
		return fmt.Errorf("forget the tools in use: %w", err)
	}
	cleared, err := dbsqlc.Q.ResetTodos(ctx, tx, f.Key)
	if err != nil {
		return fmt.Errorf("clear the to-do list: %w", err)
	}
	if cleared > 0 {
		tx.Emit(f.Key, chat.EventTodos, []chat.Todo{})
	}
	row, err := dbsqlc.Q.SessionGet(ctx, tx, f.Key)
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	tx.Emit(f.Key, chat.EventSession, s.SessionOf(row))
	return nil
}

// Resets lists the resets of a conversation, newest first, without those that a rewind has undone.
func (s *Store) Resets(ctx context.Context, key chat.SessionKey, limit int) ([]chat.Began, error) {
	rows, err := dbsqlc.Q.ResetList(ctx, s.db.Pool, dbsqlc.ResetListParams{SessionKey: key, Limit: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list resets: %w", err))
	}
	out := make([]chat.Began, len(rows))
	for i, r := range rows {
		var c chat.Control
		if err := json.Unmarshal(r.Body, &c); err != nil || c.Reset == nil {
			return nil, fmt.Errorf("decode reset record %d: %w", r.ID, err)
		}
		out[i] = chat.Began{ID: r.ID, At: r.CreatedAt, Reason: c.Reset.Reason, Upto: r.MessageID}
	}
	return out, nil
}

// Unfinished reports whether the newest message of the conversation has no answer, or one that was stopped, failed or was
// lost, while nothing runs or waits.
func (s *Store) Unfinished(ctx context.Context, key chat.SessionKey) (bool, error) {
	yes, err := dbsqlc.Q.ResetUnfinished(ctx, s.db.Pool, key)
	if err != nil {
		return false, pg.Classify(fmt.Errorf("look at the newest turn of %s: %w", key, err))
	}
	return yes, nil
}
