package store

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/phrase"
	"xbot/internal/store/dbsqlc"
)

// maxTitleRunes bounds the title made from the first message of a session.
const maxTitleRunes = 60

// Claim gives the oldest waiting message of the session to the turn, opens the turn and appends the message to the
// transcript, in one transaction. n counts the claims of the turn, so that a repeated call finds its own; ok is false
// when nothing waits. A turn of the session that is still marked running cannot be alive, since one workflow id has
// one open run: it is settled first.
func (s *Store) Claim(ctx context.Context, key chat.SessionKey, turn chat.TurnID, run string, n int) (got chat.Claim, ok bool, err error) {
	err = s.inTx(ctx, func(tx *tx) error {
		row, err := s.q.InboxClaimed(ctx, tx, dbsqlc.InboxClaimedParams{TurnID: &turn, Claim: int32(n)})
		if err == nil {
			got, ok, err = tx.claimed(ctx, row)
			return err
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look for an earlier claim: %w", err)
		}
		if err := tx.clearForClaim(ctx, key, turn); err != nil {
			return err
		}
		row, err = s.q.InboxClaimNext(ctx, tx, dbsqlc.InboxClaimNextParams{TurnID: &turn, Claim: int32(n), Session: key})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("claim a message: %w", err)
		}
		if got, ok, err = tx.claimed(ctx, row); err != nil {
			return err
		}
		return tx.open(ctx, row, turn, run)
	})
	return got, ok, err
}

func (t *tx) claimed(ctx context.Context, row dbsqlc.Inbox) (chat.Claim, bool, error) {
	user, err := t.q.UserGet(ctx, t, row.UserID)
	if err != nil {
		return chat.Claim{}, false, fmt.Errorf("read sender: %w", err)
	}
	return chat.Claim{Inbox: row.ID, Channel: row.Channel, User: user.Name, Text: row.Body}, true, nil
}

// clearForClaim settles an earlier turn that lost its run and expires stops meant for other turns.
func (t *tx) clearForClaim(ctx context.Context, key chat.SessionKey, turn chat.TurnID) error {
	stale, err := t.q.TurnRunning(ctx, t, key)
	if err == nil && stale != turn {
		if _, err := t.settle(ctx, stale); err != nil {
			return err
		}
	} else if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("look for an earlier turn: %w", err)
	}
	if err := t.q.InboxStopsExpire(ctx, t, dbsqlc.InboxStopsExpireParams{SessionKey: key, TurnID: &turn}); err != nil {
		return fmt.Errorf("expire stops: %w", err)
	}
	return nil
}

// open writes the turn and the user's message, eagerly, so that what was claimed can be read before any answer.
func (t *tx) open(ctx context.Context, row dbsqlc.Inbox, turn chat.TurnID, run string) error {
	opened, err := t.q.TurnInsert(ctx, t, dbsqlc.TurnInsertParams{ID: turn, SessionKey: row.SessionKey, RunID: run})
	if err != nil {
		return fmt.Errorf("open turn: %w", err)
	}
	session, err := t.q.SessionGet(ctx, t, row.SessionKey)
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	m := chat.Message{
		Session: row.SessionKey, Turn: turn, Role: chat.RoleUser, Content: row.Body,
		Inbox: row.ID, ClientMessageID: row.PlatformID,
	}
	if err := t.appendMessage(ctx, &m, preface(row.AcceptedAt, session.Cwd), nil); err != nil {
		return err
	}
	if session.Title == "" {
		title := firstWords(row.Body, maxTitleRunes)
		if err := t.q.SessionSetTitleIfEmpty(ctx, t, dbsqlc.SessionSetTitleIfEmptyParams{Key: row.SessionKey, Title: title}); err != nil {
			return fmt.Errorf("set title: %w", err)
		}
	}
	if opened == 1 {
		turnRow, err := t.q.TurnGet(ctx, t, turn)
		if err != nil {
			return fmt.Errorf("read turn: %w", err)
		}
		t.emit(row.SessionKey, chat.EventTurn, turnOf(turnRow))
	}
	return nil
}

// preface is what the model reads before a user message: when it was written and where its tools start. It stands
// with the message and not in the system prompt, so that the prompt stays cacheable (spec/004 §4.4.4).
func preface(at time.Time, cwd string) string {
	text := at.UTC().Format("[2006-01-02 Mon 15:04 UTC")
	if cwd != "" {
		text += " · folder " + cwd
	}
	return text + "]"
}

// firstWords returns the first line of text, shortened to at most n characters.
func firstWords(text string, n int) string {
	for i, r := range text {
		if r == '\n' && i > 0 {
			text = text[:i]
			break
		}
	}
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
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
