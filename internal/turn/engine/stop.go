package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/subagents/subagentstore"
)

// Stopped is the result of a stop.
type Stopped struct {
	Accepted
	Turn      chat.TurnID // the running turn it is for, empty if none ran
	Cleared   int         // queued messages that will not get a turn
	Subagents int         // subagents that worked for the conversation, also in the background and in group chats
	Groups    int         // group chats that ended with it
}

// Stop commits a stop: queued messages end as stopped at once, and the running turn, if there is one, gets a row that
// names it. The row is for that turn alone: if the turn ends first, the row goes stale and affects nothing else. A stop
// that a user typed, and did not press, is answered with what it found.
func (s *Store) Stop(ctx context.Context, in NewRow, lang i18n.Lang) (Stopped, error) {
	in.Text = chat.Clean(in.Text)
	got, err := s.stop(ctx, in, lang)
	if errors.Is(err, errStopped) {
		got, err = s.stop(ctx, in, lang)
	}
	return got, err
}

// Busy reports whether a turn of a conversation runs, also one that waits for an answer, or messages wait for a turn.
func (s *Store) Busy(ctx context.Context, key chat.SessionKey) (bool, error) {
	_, err := dbsqlc.Q.TurnRunning(ctx, s.db.Pool, key)
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return err == nil, pg.Classify(err)
	}
	waiting, err := dbsqlc.Q.InboxPending(ctx, s.db.Pool, key)
	return len(waiting) > 0, pg.Classify(err)
}

// errStopped rolls a stop back: another delivery of it was committed at the same instant.
var errStopped = fault.Errorf(fault.Conflict, "the id of this stop was used before")

func (s *Store) stop(ctx context.Context, in NewRow, lang i18n.Lang) (Stopped, error) {
	var got Stopped
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		known, err := findDuplicate(ctx, tx, in, kindStop)
		if err == nil {
			got = Stopped{Accepted: known}
			return nil
		}
		if !fault.Is(err, fault.NotFound) {
			return err
		}
		got = Stopped{}
		if _, err := subagentstore.LockTree(ctx, tx, in.Session); err != nil { // no subagent is started in the meantime
			return err
		}
		reset, err := stopExpired(ctx, tx, in)
		if err != nil {
			return err
		}
		if err := clearQueue(ctx, tx, in, lang, &got); err != nil {
			return err
		}
		target, outcome := (*chat.TurnID)(nil), new(outcomeApplied)
		turn, err := dbsqlc.Q.TurnRunning(ctx, tx, in.Session)
		if err == nil {
			got.Turn, target, outcome = turn, &turn, nil
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("find the running turn: %w", err)
		}
		got.ID, err = insertInbox(ctx, tx, in, kindStop, target, outcome)
		if errors.Is(err, pgx.ErrNoRows) {
			return errStopped // the transaction rolls back: the queued messages wait again
		}
		if err != nil {
			return err
		}
		if got.Subagents, got.Groups, err = subagentstore.StopBelow(ctx, tx, in.Session, "stop "+strconv.FormatInt(int64(got.ID), 10)); err != nil {
			return err
		}
		if in.Text == "" && got.Subagents == 0 && got.Groups == 0 {
			return nil // the page shows what a press did
		}
		return answerStop(ctx, tx, in, lang, got, reset)
	})
	return got, err
}

// StopTurn stops one turn of a session if it is the running one, and leaves what waits behind it. It reports whether it runs.
func (s *Store) StopTurn(ctx context.Context, in NewRow, turn chat.TurnID) (runs bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		runs = false
		if _, err := subagentstore.LockTree(ctx, tx, in.Session); err != nil { // no subagent is started in the meantime
			return err
		}
		running, err := dbsqlc.Q.TurnRunning(ctx, tx, in.Session)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && running != turn {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find the running turn: %w", err)
		}
		runs = true
		id, err := insertInbox(ctx, tx, in, kindStop, &turn, nil)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it was stopped before
		}
		if err != nil {
			return err
		}
		_, _, err = subagentstore.StopBelow(ctx, tx, in.Session, "stop "+strconv.FormatInt(int64(id), 10))
		return err
	})
	return runs, err
}

// stopExpired returns why the conversation had expired before a user typed the stop: the stop counts as an interaction, so the next
// message could not detect it. Call it before rows are locked, as when a message is accepted.
func stopExpired(ctx context.Context, t *pg.Tx, in NewRow) (reason string, err error) {
	if in.Text == "" {
		return "", nil // pressed
	}
	return expiredReason(ctx, t, in)
}

func clearQueue(ctx context.Context, t *pg.Tx, in NewRow, lang i18n.Lang, got *Stopped) error {
	p := dbsqlc.InboxStopPendingParams{SessionKey: in.Session}
	if in.OwnAlone {
		p.Writer = in.User
	}
	cleared, err := dbsqlc.Q.InboxStopPending(ctx, t, p)
	if err != nil {
		return fmt.Errorf("clear queued messages: %w", err)
	}
	got.Cleared = len(cleared)
	for _, row := range cleared {
		id := chat.InboxID(row)
		got.Dropped = append(got.Dropped, id)
		t.Emit(in.Session, chat.EventDropped, chat.Dropped{Inbox: id, Outcome: outcomeStopped, Text: i18n.Say(lang, i18n.StoppedQueued)})
	}
	return nil
}

// answerStop shows the stop in the transcript, with what it found, and stores with it that the conversation had expired.
func answerStop(ctx context.Context, t *pg.Tx, in NewRow, lang i18n.Lang, got Stopped, reset string) error {
	if reset != "" {
		if err := dbsqlc.Q.ResetNote(ctx, t, dbsqlc.ResetNoteParams{ID: got.ID, Reset: reset}); err != nil {
			return fmt.Errorf("note the end of the conversation: %w", err)
		}
	}
	if in.Text != "" {
		asked := chat.Message{
			Session: in.Session, Role: chat.RoleUser, Origin: chat.OriginCommand, Content: in.Text, Sender: in.Sender, Inbox: got.ID, ClientMessageID: in.PlatformID,
		}
		if err := conversation.AppendMessage(ctx, t, &asked, ""); err != nil {
			return err
		}
	}
	var parts []string
	switch {
	case got.Turn != "":
		parts = append(parts, i18n.Say(lang, i18n.StopsTurn))
	case got.Subagents == 0 && got.Groups == 0:
		parts = append(parts, i18n.Say(lang, i18n.StopsNothing))
	}
	if got.Subagents > 0 {
		parts = append(parts, i18n.Say(lang, i18n.StopsSubagents, got.Subagents))
	}
	if got.Groups > 0 {
		parts = append(parts, i18n.Say(lang, i18n.StopsGroups, got.Groups))
	}
	text := i18n.Row(lang, parts...)
	if got.Cleared > 0 {
		text = i18n.Row(lang, text, i18n.Say(lang, i18n.StopsQueued, got.Cleared))
	}
	notice := chat.Message{Session: in.Session, Role: chat.RoleNotice, Origin: chat.OriginCommand, Content: text, Inbox: got.ID}
	t.Touch()
	return conversation.AppendMessage(ctx, t, &notice, "")
}

// stopSentence returns why a turn was stopped: a user stopped it or wrote a newer message, or its owner was disabled or halted.
func stopSentence(ctx context.Context, t *pg.Tx, turn dbsqlc.Turn) (i18n.ID, error) {
	owner, err := dbsqlc.Q.TurnOwner(ctx, t, turn.SessionKey)
	if err != nil {
		return "", fmt.Errorf("look whose turn was stopped: %w", err)
	}
	if owner.DisabledAt != nil || owner.HaltedAt != nil && !turn.StartedAt.After(*owner.HaltedAt) {
		return i18n.ShutOut, nil
	}
	newer, err := dbsqlc.Q.QueueInterrupted(ctx, t, dbsqlc.QueueInterruptedParams{SessionKey: turn.SessionKey, TurnID: &turn.ID})
	if err != nil {
		return "", fmt.Errorf("look for what stopped the turn: %w", err)
	}
	if newer {
		return i18n.Interrupted, nil
	}
	return i18n.Stopped, nil
}
