package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/dbsqlc"
)

// SteerWaits reports whether the next message in the queue of a session is meant for the running turn.
func (s *Store) SteerWaits(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error) {
	yes, err := dbsqlc.Q.InboxSteerWaits(ctx, s.db.Pool, dbsqlc.InboxSteerWaitsParams{Session: key, TurnID: turn})
	if err != nil {
		return false, pg.Classify(fmt.Errorf("look for messages to the turn: %w", err))
	}
	return yes, nil
}

// Steer gives a running turn the messages at the head of the queue that are to steer it, appends them to the transcript, and
// gives the calls of the turn that have not begun a result that states it, in one transaction. n counts the claims of the turn
// while it runs, from 1, so that a repeated call finds its earlier claim. It takes later messages, too: a repeated workflow task
// may have counted fewer claims than were made. A turn that is closed takes nothing.
func (s *Store) Steer(ctx context.Context, key chat.SessionKey, turn chat.TurnID, n int) (got chat.Steered, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		got = chat.Steered{}
		row, err := dbsqlc.Q.TurnLock(ctx, tx, turn)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && row.State != chat.TurnRunning {
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock turn: %w", err)
		}
		before, err := dbsqlc.Q.InboxClaimed(ctx, tx, dbsqlc.InboxClaimedParams{TurnID: &turn, Claim: int32(n)})
		if err != nil {
			return fmt.Errorf("look for an earlier claim: %w", err)
		}
		if got.Skipped, err = skipCalls(ctx, tx, turn); err != nil {
			return err
		}
		if err := steerTurn(ctx, tx, key, turn, n, s.stores.Quota.Zones(), &got); err != nil || len(before) == 0 {
			return err
		}
		got.Messages, got.Text = got.Messages+len(before), before[0].Body
		return nil
	})
	return got, err
}

func steerTurn(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, n int, zones []string, got *chat.Steered) error {
	rows, err := dbsqlc.Q.InboxSteer(ctx, t, dbsqlc.InboxSteerParams{TurnID: turn, Claim: int32(n), Session: key})
	if err != nil {
		return fmt.Errorf("claim messages: %w", err)
	}
	for _, r := range rows {
		row := claimed{
			ID: r.ID, Kind: r.Kind, Channel: r.Channel, UserID: r.UserID, PlatformID: r.PlatformID, Body: r.Body, Sender: r.Sender, AcceptedAt: r.AcceptedAt,
			Reset: r.Reset, Options: r.Options, Files: r.Files, UserName: r.UserName, Title: r.Title, Cwd: r.Cwd, Replaces: r.Replaces, Timezone: r.Timezone, Amended: r.Amended,
		}
		if err := appendInbound(ctx, t, key, turn, row, zones); err != nil {
			return err
		}
	}
	if got.Messages = len(rows); got.Messages > 0 {
		got.Text = rows[0].Body
	}
	return nil
}

// skipCalls ends the calls of a turn that have not begun.
func skipCalls(ctx context.Context, t *pg.Tx, turn chat.TurnID) (skipped int, err error) {
	open, err := dbsqlc.Q.CallListOpen(ctx, t, turn)
	if err != nil {
		return 0, fmt.Errorf("list open calls: %w", err)
	}
	for _, c := range open {
		if c.State != chat.CallOpen {
			continue
		}
		said := i18n.Say(i18n.English, i18n.CallSkipped)
		if err := calls.FinishCall(ctx, t, c.ID, chat.ToolResult{Content: said, IsError: true}); err != nil {
			return 0, err
		}
		skipped++
	}
	return skipped, nil
}
