package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/store/dbsqlc"
)

// maxTitleRunes bounds the title made from the first message of a session.
const maxTitleRunes = 60

// Claim gives the oldest waiting message, or end of a background task, of the session to the turn, opens the turn and appends the message to the
// transcript, in one transaction. n counts the claims of the turn, so that a repeated call finds its own; ok is false
// when nothing waits. A turn of the session that is still marked running cannot be alive, since one workflow id has
// one open run: it is settled first.
func (s *Store) Claim(ctx context.Context, key chat.SessionKey, turn chat.TurnID, run string, n int) (got chat.Claim, ok bool, err error) {
	err = s.inTx(ctx, func(tx *tx) error {
		repeated, err := tx.clearForClaim(ctx, key, turn)
		if err != nil {
			return err
		}
		if repeated {
			row, err := s.q.InboxClaimed(ctx, tx, dbsqlc.InboxClaimedParams{TurnID: &turn, Claim: int32(n)})
			if err == nil {
				got, ok = claimOf(row), true
				return nil
			}
			if !errors.Is(err, pgx.ErrNoRows) {
				return fmt.Errorf("look for an earlier claim: %w", err)
			}
		}
		row, err := s.q.InboxClaimNext(ctx, tx, dbsqlc.InboxClaimNextParams{TurnID: &turn, Claim: new(int32(n)), Session: key})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("claim a message: %w", err)
		}
		claimed := dbsqlc.InboxClaimedRow{ // sqlc does not know the types of a CTE's columns
			ID: chat.InboxID(row.ID), SessionKey: row.SessionKey, Kind: row.Kind, Channel: row.Channel, PlatformID: row.PlatformID, Body: row.Body,
			AcceptedAt: row.AcceptedAt, UserName: row.UserName, Cwd: row.Cwd, Title: row.Title,
		}
		got, ok = claimOf(claimed), true
		return tx.open(ctx, claimed, turn, run)
	})
	if errors.Is(err, errTurnClosed) {
		return chat.Claim{}, false, nil
	}
	return got, ok, err
}

// errTurnClosed rolls a claim back: its turn ended before, so nobody would answer the message. That happens to a worker
// that was frozen while it claimed, and to a run that an operator reset after its end.
var errTurnClosed = fault.Errorf(fault.Conflict, "the turn was closed before")

func claimOf(r dbsqlc.InboxClaimedRow) chat.Claim {
	return chat.Claim{Inbox: r.ID, Channel: r.Channel, User: r.UserName, Text: r.Body, Control: r.Kind == kindControl}
}

// clearForClaim settles an earlier turn that lost its run. repeated says that the turn is open already.
func (t *tx) clearForClaim(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (repeated bool, err error) {
	running, err := t.q.TurnRunning(ctx, t, key)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for an earlier turn: %w", err)
	case running == turn:
		return true, nil
	}
	_, err = t.settle(ctx, running)
	return false, err
}

// open writes the turn and the user's message, eagerly, so that what was claimed can be read before any answer.
func (t *tx) open(ctx context.Context, row dbsqlc.InboxClaimedRow, turn chat.TurnID, run string) error {
	opened, err := t.q.TurnInsert(ctx, t, dbsqlc.TurnInsertParams{ID: turn, SessionKey: row.SessionKey, RunID: run})
	if errors.Is(err, pgx.ErrNoRows) {
		return errTurnClosed
	}
	if err != nil {
		return fmt.Errorf("open turn: %w", err)
	}
	m := chat.Message{
		Session: row.SessionKey, Turn: turn, Role: chat.RoleUser, Content: row.Body,
		Inbox: row.ID, ClientMessageID: row.PlatformID,
	}
	switch row.Kind {
	case kindBackground: // nobody's message: no client knows its id
		m.Origin, m.ClientMessageID = chat.OriginBackground, ""
	case kindControl:
		m.Origin = chat.OriginCommand
	}
	if err := t.appendMessage(ctx, &m, chat.Preface(row.AcceptedAt, row.Cwd), nil); err != nil {
		return err
	}
	if row.Title == "" && row.Kind == kindMessage {
		title := chat.FirstWords(row.Body, maxTitleRunes)
		if err := t.q.SessionSetTitleIfEmpty(ctx, t, dbsqlc.SessionSetTitleIfEmptyParams{Key: row.SessionKey, Title: title}); err != nil {
			return fmt.Errorf("set title: %w", err)
		}
	}
	t.emit(row.SessionKey, chat.EventTurn, turnOf(opened))
	return nil
}

// langOf returns the language of the message that started a turn.
func (t *tx) langOf(ctx context.Context, turn chat.TurnID) (phrase.Lang, error) {
	text, err := t.q.TurnAsksFirst(ctx, t, &turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return phrase.English, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the turn's message: %w", err)
	}
	return phrase.Of(text), nil
}
