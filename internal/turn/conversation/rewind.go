package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

const (
	// rewindWords limits the words that identify a message in an answer, in characters.
	rewindWords = 60
	// rewindChoices limits the messages that an answer offers.
	rewindChoices = 10
)

// TurnCommand returns the command that a turn has claimed. It returns NotFound if it has claimed none, or its session was deleted.
func (s *Store) TurnCommand(ctx context.Context, turn chat.TurnID) (chat.TurnCommand, error) {
	return orderOf(ctx, s.db.Pool, turn)
}

func orderOf(ctx context.Context, db pg.DBTX, turn chat.TurnID) (chat.TurnCommand, error) {
	row, err := dbsqlc.Q.OrderOf(ctx, db, &turn)
	if err != nil {
		return chat.TurnCommand{}, pg.Classify(fmt.Errorf("read the command of turn %s: %w", turn, err))
	}
	lang, err := users.LanguageOf(ctx, db, row.UserID, row.SessionKey, row.Body)
	if err != nil {
		return chat.TurnCommand{}, err
	}
	return chat.TurnCommand{
		Lang: string(lang), Session: row.SessionKey, Turn: turn, Inbox: row.ID, User: row.UserID, Message: row.MessageID, Text: row.Body, Answered: row.Answered,
	}, nil
}

// AnswerCommand carries out the command of a turn and answers it, in one transaction. If do returns an empty text it has
// written the answer. A command that has its answer, or whose turn is closed, is not carried out.
func (s *Store) AnswerCommand(ctx context.Context, turn chat.TurnID, do func(tx *pg.Tx, o chat.TurnCommand) (string, error)) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.TurnLock(ctx, tx, turn)
		if errors.Is(err, pgx.ErrNoRows) || (err == nil && row.State != chat.TurnRunning) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock turn: %w", err)
		}
		o, err := orderOf(ctx, tx, turn)
		if err != nil || o.Answered {
			return err
		}
		said, err := do(tx, o)
		if err != nil || said == "" {
			return err
		}
		notice := chat.Message{
			Session: o.Session, Turn: turn, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: chat.Clean(said), Inbox: o.Inbox,
		}
		return AppendMessage(ctx, tx, &notice, "")
	})
}

// AnswerTurnCommand answers the command of a turn with a text, and does nothing else.
func (s *Store) AnswerTurnCommand(ctx context.Context, turn chat.TurnID, text string) error {
	return s.AnswerCommand(ctx, turn, func(*pg.Tx, chat.TurnCommand) (string, error) { return text, nil })
}

// Rewind takes a user's message and everything after it out of the conversation, as the command of a turn, and answers
// the command: their back-th last message, or the one with the id to. The command itself stays, and so do files. The
// conversation begins for the model where it did before that message: with an older reset and compaction, with the to-do
// list of then, and without the edits made by the removed turns. If there is no such message, the answer explains it.
// A command is carried out once, also if its turn was released and another one has claimed it.
func (s *Store) Rewind(ctx context.Context, turn chat.TurnID, back int, to chat.MessageID) error {
	return s.AnswerCommand(ctx, turn, func(tx *pg.Tx, o chat.TurnCommand) (string, error) {
		lang := i18n.Lang(o.Lang)
		control, err := rewoundBefore(ctx, tx, o)
		if errors.Is(err, pgx.ErrNoRows) {
			var refusal string
			control, refusal, err = rewindConversation(ctx, tx, o, lang, back, to)
			if err != nil || refusal != "" {
				return refusal, err
			}
		}
		if err != nil {
			return "", err
		}
		return sayRewound(ctx, tx, o, lang, control)
	})
}

// rewindKey returns the key of the record of a rewind. It is made from the row of the command, which outlives a turn that is
// released.
func rewindKey(o chat.TurnCommand) string { return fmt.Sprintf("rewind/%d", o.Inbox) }

// rewoundBefore finds the record that an earlier turn made of the same command.
func rewoundBefore(ctx context.Context, t *pg.Tx, o chat.TurnCommand) (chat.Control, error) {
	row, err := dbsqlc.Q.ControlByKey(ctx, t, dbsqlc.ControlByKeyParams{SessionKey: o.Session, Key: rewindKey(o)})
	if err != nil {
		return chat.Control{}, err
	}
	return controlOf(row)
}

func rewindConversation(ctx context.Context, t *pg.Tx, o chat.TurnCommand, lang i18n.Lang, back int, to chat.MessageID) (chat.Control, string, error) {
	first, refusal, err := rewindTo(ctx, t, o, lang, back, to)
	if err != nil || refusal != "" {
		return chat.Control{}, refusal, err
	}
	control, _, err := addControl(ctx, t, o.Session, chat.Control{
		Kind: chat.ControlRewind, Message: o.Message - 1, Turn: o.Turn, Key: rewindKey(o), Rewind: &chat.Rewind{From: first},
	})
	if err != nil {
		return control, "", err
	}
	if err := takeOut(ctx, t, o.Session, control, o.Message); err != nil {
		return control, "", err
	}
	return control, "", beginWhereItHolds(ctx, t, o.Session, control.ID)
}

// takeOut takes the rows from the message of a record on, before another one, out of the conversation: messages, records that replace
// them, and the edits that their turns made of messages that stay.
func takeOut(ctx context.Context, t *pg.Tx, key chat.SessionKey, rewind chat.Control, before chat.MessageID) error {
	first := rewind.Rewind.From
	err := dbsqlc.Q.RewindMark(ctx, t, dbsqlc.RewindMarkParams{SessionKey: key, Control: int64(rewind.ID), First: first, Before: before})
	if err != nil {
		return fmt.Errorf("take messages out: %w", err)
	}
	err = dbsqlc.Q.RewindControls(ctx, t, dbsqlc.RewindControlsParams{SessionKey: key, Control: int64(rewind.ID), First: first})
	if err != nil {
		return fmt.Errorf("void what stands for them: %w", err)
	}
	return undoEdits(ctx, t, key, rewind)
}

// beginWhereItHolds sets the reset, the compaction and the to-do list in force as the beginning of a conversation for the model, after
// records took messages out or were taken back.
func beginWhereItHolds(ctx context.Context, t *pg.Tx, key chat.SessionKey, changed ...chat.ControlID) error {
	began, err := dbsqlc.Q.RewindReset(ctx, t, key)
	if err != nil {
		return fmt.Errorf("find the reset that holds: %w", err)
	}
	wrote := began > 0
	for _, id := range changed {
		if wrote {
			break
		}
		if wrote, err = dbsqlc.Q.TodosRewound(ctx, t, dbsqlc.TodosRewoundParams{SessionKey: key, Control: int64(id)}); err != nil {
			return fmt.Errorf("look for to-do lists that were taken out: %w", err)
		}
	}
	if wrote {
		if err := planAgain(ctx, t, key); err != nil {
			return err
		}
	}
	var compaction *chat.ControlID
	id, err := dbsqlc.Q.RewindCompaction(ctx, t, key)
	if err == nil {
		compaction = &id
	} else if !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("look for the compaction that holds: %w", err)
	}
	if err := dbsqlc.Q.SessionSetCompaction(ctx, t, dbsqlc.SessionSetCompactionParams{Key: key, CompactionID: compaction}); err != nil {
		return fmt.Errorf("begin with the compaction that holds: %w", err)
	}
	return nil
}

// rewindTo returns the message to begin with, or why there is none.
func rewindTo(ctx context.Context, t *pg.Tx, o chat.TurnCommand, lang i18n.Lang, back int, to chat.MessageID) (chat.MessageID, string, error) {
	if to != 0 {
		problem, err := rewindable(ctx, t, o.Session, to)
		if err == nil && problem == "" && to >= o.Message {
			problem = i18n.RewindGone
		}
		if err != nil || problem == "" {
			return to, "", err
		}
		return 0, i18n.Say(lang, problem, to), nil
	}
	targets, err := dbsqlc.Q.RewindTargets(ctx, t, dbsqlc.RewindTargetsParams{SessionKey: o.Session, Before: o.Message, N: int32(max(back, rewindChoices))})
	switch {
	case err != nil:
		return 0, "", fmt.Errorf("look for messages to take back: %w", err)
	case back <= len(targets):
		return targets[back-1].ID, "", nil
	case len(targets) == 0:
		return 0, i18n.Say(lang, i18n.RewindNone), nil
	}
	lines := []string{i18n.Say(lang, i18n.RewindChoose, len(targets)), ""}
	for _, m := range targets[:min(len(targets), rewindChoices)] {
		lines = append(lines, fmt.Sprintf("* `m%d` %s", m.ID, chat.FirstWords(m.Content, rewindWords)))
	}
	return 0, strings.Join(lines, "\n"), nil
}

// rewindable returns why a message cannot be taken back; empty: it can.
func rewindable(ctx context.Context, t *pg.Tx, key chat.SessionKey, id chat.MessageID) (i18n.ID, error) {
	m, err := dbsqlc.Q.RewindTarget(ctx, t, dbsqlc.RewindTargetParams{SessionKey: key, ID: id})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return i18n.RewindGone, nil
	case err != nil:
		return "", fmt.Errorf("read message %d: %w", id, err)
	case m.Role != chat.RoleUser || m.Origin != "" || m.DisplayOnly:
		return i18n.RewindNotOne, nil
	case m.RewoundBy != nil:
		return i18n.RewindTwice, nil
	}
	return "", nil
}

// undoEdits voids the edits of messages that stay, if the turns that made them were taken out.
func undoEdits(ctx context.Context, t *pg.Tx, key chat.SessionKey, rewind chat.Control) error {
	edits, err := dbsqlc.Q.RewindEdits(ctx, t, dbsqlc.RewindEditsParams{SessionKey: key, First: rewind.Rewind.From, Control: int64(rewind.ID)})
	if err != nil {
		return fmt.Errorf("look for edits to undo: %w", err)
	}
	for _, e := range edits {
		_, _, err := addControl(ctx, t, key, chat.Control{
			Kind: chat.ControlUndo, Message: e.MessageID, Turn: rewind.Turn, Key: fmt.Sprintf("undo/%d/%d", rewind.ID, e.ID), Undo: e.ID, By: rewind.ID,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func sayRewound(ctx context.Context, t *pg.Tx, o chat.TurnCommand, lang i18n.Lang, control chat.Control) (string, error) {
	first, err := dbsqlc.Q.RewindTarget(ctx, t, dbsqlc.RewindTargetParams{SessionKey: o.Session, ID: control.Rewind.From})
	if err != nil {
		return "", fmt.Errorf("read the first message: %w", err)
	}
	n, err := dbsqlc.Q.RewindCount(ctx, t, dbsqlc.RewindCountParams{SessionKey: o.Session, Control: int64(control.ID)})
	if err != nil {
		return "", fmt.Errorf("count what was taken out: %w", err)
	}
	t.Emit(o.Session, chat.EventRewind, chat.Rewound{From: control.Rewind.From, Upto: control.Message})
	return i18n.Say(lang, i18n.Rewound, n, chat.FirstWords(first.Content, rewindWords)), nil
}

// CheckRewind returns why a message cannot be taken back, before the command is sent: NotFound or Conflict.
func (s *Store) CheckRewind(ctx context.Context, key chat.SessionKey, id chat.MessageID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		problem, err := rewindable(ctx, tx, key, id)
		return refusal(problem, err, id)
	})
}

func refusal(problem i18n.ID, err error, id chat.MessageID) error {
	switch {
	case err != nil || problem == "":
		return err
	case problem == i18n.RewindGone:
		return i18n.Fault(fault.NotFound, problem, id)
	}
	return i18n.Fault(fault.Conflict, problem, id)
}
