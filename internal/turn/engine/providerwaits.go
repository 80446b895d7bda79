package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// A turn waits for a model provider that cannot be reached, except in the first step of a turn that an API request began: the client that
// waits for the response has retries. It stays running and its step stays open, but it takes no slot: waiting turns must not delay
// those whose provider answers. Users get a notice when the wait begins.

// WaitForProvider begins or continues the wait of a turn for its provider. rest is the pause before the next attempt, which the end of
// the wait or a message of a user may shorten. waits is false if the turn must not wait, or has waited as long as the policy permits:
// then its step fails.
func (s *Store) WaitForProvider(ctx context.Context, step chat.Step, f chat.ProviderFailure) (rest time.Duration, waits bool, err error) {
	limits, err := s.stores.Quota.Caps(ctx)
	if err != nil {
		return 0, false, err
	}
	most := time.Duration(limits.ProviderWaitMinutes) * time.Minute
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.WaitBegin(ctx, tx, dbsqlc.WaitBeginParams{
			TurnID: step.Turn, Step: int32(step.N), Reason: chat.Clean(f.Reason), Most: pg.Interval(most), Pause: pg.Interval(f.Pause),
			LeastPause: pg.Interval(min(f.LeastPause, f.Pause)), Attempt: int32(f.Attempt),
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("let the turn wait: %w", err)
		}
		rest = time.Duration(row.PauseMs) * time.Millisecond
		if waits = row.Fresh || !row.Over; waits {
			tx.Emit(step.Session, chat.EventTurn, conversation.TurnOf(row.Turn)) // with the time of the next attempt
		}
		if !row.Fresh {
			return nil
		}
		tx.After.SlotFreed = true
		return tellWait(ctx, tx, step, f.Reason, most)
	})
	return rest, waits, err
}

// tellWait appends, once, the notice that a turn waits: to its conversation and, for a subagent, to the user's conversation at the top,
// where only the first of the subagents that one request started appends it.
func tellWait(ctx context.Context, t *pg.Tx, step chat.Step, reason string, most time.Duration) error {
	lang, err := conversation.LangOfTurn(ctx, t, step.Turn)
	if err != nil {
		return err
	}
	text := i18n.Say(lang, i18n.ProviderWaits, i18n.Reason(lang, chat.Clean(reason)), hours(lang, most))
	if err := conversation.AppendNotice(ctx, t, step.Session, step.Turn, text); err != nil {
		return err
	}
	above, err := dbsqlc.Q.WaitTellAbove(ctx, t, &step.Turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for whom the subagent works: %w", err)
	}
	return conversation.AppendNotice(ctx, t, above.SessionKey, above.TurnID, text)
}

func hours(lang i18n.Lang, d time.Duration) string {
	minutes := int(d / time.Minute)
	switch {
	case minutes < 60:
		return i18n.Say(lang, i18n.ProgressMinute, minutes)
	case minutes%60 == 0:
		return i18n.Say(lang, i18n.ProgressHour, minutes/60)
	}
	return i18n.Say(lang, i18n.ProgressHours, minutes/60, minutes%60)
}

// supersededPause is how long a superseded attempt waits, which must not call the provider. Its turn cancels it earlier.
const supersededPause = time.Minute

// ProviderDue returns how long a waiting turn has to wait before it asks its provider again, or 0 if it may ask now. hastened is the message
// that brought the attempt forward, as far as the caller knows: only the attempt that knows the newest one asks the provider.
func (s *Store) ProviderDue(ctx context.Context, turn chat.TurnID, hastened chat.InboxID) (time.Duration, error) {
	due, err := dbsqlc.Q.WaitDue(ctx, s.db.Pool, dbsqlc.WaitDueParams{TurnID: turn, HastenedBy: int64(hastened)})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("look when the provider is asked again: %w", err))
	}
	if due.Superseded {
		return supersededPause, nil
	}
	return time.Duration(due.PauseMs) * time.Millisecond, nil
}

// HastenProvider brings the next attempt of a turn that waits forward, if a message has come for which that was not done. It returns the
// message for which it was done, now or before, and the number of attempts; zero if the turn does not wait.
func (s *Store) HastenProvider(ctx context.Context, turn chat.TurnID) (by chat.InboxID, attempts int, err error) {
	row, err := dbsqlc.Q.WaitHasten(ctx, s.db.Pool, turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, pg.Classify(fmt.Errorf("bring the next attempt forward: %w", err))
	}
	return chat.InboxID(row.HastenedBy), int(row.AsksAttempt), nil
}

// resumeTurn ends the wait of a turn whose step has ended. It takes a slot again, even if none is free.
func resumeTurn(ctx context.Context, t *pg.Tx, step chat.Step) error {
	row, err := dbsqlc.Q.WaitEnd(ctx, t, step.Turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("end the wait for the provider: %w", err)
	}
	t.Emit(step.Session, chat.EventTurn, conversation.TurnOf(row))
	return nil
}

// ProviderWaits counts the turns that wait for their providers.
func (s *Store) ProviderWaits(ctx context.Context) (int, error) {
	n, err := dbsqlc.Q.WaitCount(ctx, s.db.Pool)
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("count turns that wait for their providers: %w", err))
	}
	return int(n), nil
}
