package engine

import (
	"context"
	"encoding/json"
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

// Claim gives the next waiting message, or end of a background task, of the session to the turn, opens the turn and appends
// the message to the transcript, in one transaction. A collected burst is claimed as a whole, each of its messages a
// row of the transcript. n counts the claims of the turn, so that a repeated call finds its earlier claim; ok is false if nothing
// waits, or the next message is held until its burst has ended. A turn of the session that is still marked running has lost
// its run, since one workflow id has one open run: it is settled first.
func (s *Store) Claim(ctx context.Context, key chat.SessionKey, turn chat.TurnID, run string, n int) (got chat.Claim, ok bool, err error) {
	err = s.taking(ctx, func(tx *pg.Tx, slot *slotClaim) error {
		got, ok = chat.Claim{}, false
		repeated, err := s.clearForClaim(ctx, tx, slot, key, turn)
		if err != nil {
			return err
		}
		if repeated {
			if got, ok, err = claimedBefore(ctx, tx, key, turn, n); err != nil || ok {
				return err
			}
		}
		if free, err := acquireSlot(ctx, tx, slot, key); err != nil || !free {
			got.InLine = slot.inLine
			return err
		}
		rows, err := dbsqlc.Q.InboxClaimNext(ctx, tx, dbsqlc.InboxClaimNextParams{TurnID: &turn, Claim: int32(n), Session: key})
		if err != nil {
			return fmt.Errorf("claim a message: %w", err)
		}
		if len(rows) == 0 {
			return nil
		}
		batch := make([]claimed, len(rows))
		for i, r := range rows {
			batch[i] = claimed(r)
		}
		got, ok = batch[0].claim(), true
		if err := s.expire(ctx, tx, key, batch[0]); err != nil {
			return err
		}
		return openTurn(ctx, tx, key, batch, turn, run, s.stores.Quota.Zones())
	})
	if errors.Is(err, errTurnClosed) {
		got, ok, err = chat.Claim{}, false, nil
	}
	if err != nil || ok {
		return got, ok, err
	}
	before, ok, err := s.endedBefore(ctx, key, turn, run, n)
	if err != nil || ok {
		return before, ok, err
	}
	return got, false, nil
}

// endedBefore returns the claim of a turn that the run has finished already: Temporal repeats a workflow task whose worker was lost, or
// that met a new signal at its end, from its beginning.
func (s *Store) endedBefore(ctx context.Context, key chat.SessionKey, turn chat.TurnID, run string, n int) (got chat.Claim, ok bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		state, err := dbsqlc.Q.TurnEnded(ctx, tx, dbsqlc.TurnEndedParams{ID: turn, RunID: run})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look how the turn ended: %w", err)
		}
		if got, ok, err = claimedBefore(ctx, tx, key, turn, n); err == nil && ok {
			got.Ended, got.Steer = state, false
		}
		return err
	})
	return got, ok, err
}

// errTurnClosed rolls a claim back: its turn has ended, so it would not answer the message. That happens to a workflow task
// that is repeated, to a worker that was frozen while it claimed, and to a run that an operator reset after its end.
var errTurnClosed = fault.Errorf(fault.Conflict, "the turn was closed before")

// claimed is a row that a turn has claimed.
type claimed dbsqlc.InboxClaimNextRow

func (r claimed) claim() chat.Claim {
	return chat.Claim{Inbox: chat.InboxID(r.ID), Channel: r.Channel, User: r.UserName, Text: r.Body, Control: r.Kind == kindControl, Steer: r.Steers}
}

// clearForClaim settles an earlier turn that lost its run. repeated is true if the turn is open already.
func (s *Store) clearForClaim(ctx context.Context, t *pg.Tx, slot *slotClaim, key chat.SessionKey, turn chat.TurnID) (repeated bool, err error) {
	running, err := enterLane(ctx, t, slot, key)
	switch {
	case err != nil:
		return false, err
	case running == "":
		return false, nil
	case running == turn:
		return true, nil
	}
	_, err = s.settleTurn(ctx, t, running)
	return false, err
}

// claimedBefore returns the claim of an earlier attempt.
func claimedBefore(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, n int) (chat.Claim, bool, error) {
	rows, err := dbsqlc.Q.InboxClaimed(ctx, t, dbsqlc.InboxClaimedParams{TurnID: &turn, Claim: int32(n)})
	if err != nil {
		return chat.Claim{}, false, fmt.Errorf("look for an earlier claim: %w", err)
	}
	if len(rows) == 0 {
		return chat.Claim{}, false, nil
	}
	r := rows[0]
	got := chat.Claim{Inbox: r.ID, Channel: r.Channel, User: r.UserName, Text: r.Body, Control: r.Kind == kindControl}
	got.Steer, err = dbsqlc.Q.InboxSteerWaits(ctx, t, dbsqlc.InboxSteerWaitsParams{Session: key, TurnID: turn})
	if err != nil {
		return chat.Claim{}, false, fmt.Errorf("look for messages to the turn: %w", err)
	}
	return got, true, nil
}

// openTurn writes the turn and the messages that it answers at once, so that they can be read before any answer.
func openTurn(ctx context.Context, t *pg.Tx, key chat.SessionKey, batch []claimed, turn chat.TurnID, run string, zones []string) error {
	options, err := optionsOf(batch)
	if err != nil {
		return err
	}
	opened, err := dbsqlc.Q.TurnInsert(ctx, t, dbsqlc.TurnInsertParams{
		ID: turn, SessionKey: key, RunID: run, UserID: &batch[0].UserID, Options: options, Acts: batch[0].Kind != kindControl, Plan: conversation.ParseOptions(options).Plan,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return errTurnClosed
	}
	if err != nil {
		return fmt.Errorf("open turn: %w", err)
	}
	for _, row := range batch {
		if err := appendInbound(ctx, t, key, turn, row, zones); err != nil {
			return err
		}
		if row.Kind == calls.KindBackground && row.Account == chat.OriginSubagent {
			if err := dbsqlc.Q.SubagentClaim(ctx, t, dbsqlc.SubagentClaimParams{CallID: chat.CallID(row.PlatformID), TurnID: &turn}); err != nil {
				return fmt.Errorf("note who carries out a task: %w", err)
			}
		}
	}
	if first := batch[0]; first.Title == "" && first.Kind == kindMessage {
		title := chat.FirstWords(first.Body, chat.MaxTitle)
		if err := dbsqlc.Q.SessionSetTitleIfEmpty(ctx, t, dbsqlc.SessionSetTitleIfEmptyParams{Key: key, Title: title}); err != nil {
			return fmt.Errorf("set title: %w", err)
		}
	}
	if opened, err = follow(ctx, t, opened, batch[0]); err != nil {
		return err
	}
	t.Emit(key, chat.EventTurn, conversation.TurnOf(opened))
	return nil
}

// follow copies the plan state of an earlier turn to one that continues it, or answers the same message again: to propose a plan first,
// or the approved plan.
func follow(ctx context.Context, t *pg.Tx, opened dbsqlc.Turn, by claimed) (dbsqlc.Turn, error) {
	said := conversation.ParseOptions(by.Options)
	var rows []dbsqlc.Turn
	var err error
	switch {
	case by.Kind == calls.KindBackground || said.Continue:
		rows, err = dbsqlc.Q.TurnFollow(ctx, t, dbsqlc.TurnFollowParams{ID: opened.ID, Again: said.Continue})
	case said.Replaces != 0:
		rows, err = dbsqlc.Q.TurnAgain(ctx, t, dbsqlc.TurnAgainParams{ID: opened.ID, Message: said.Replaces})
	}
	if err != nil {
		return opened, fmt.Errorf("look for the plan that turn %s goes on with: %w", opened.ID, err)
	}
	if len(rows) > 0 {
		opened = rows[0]
	}
	return opened, nil
}

// optionsOf merges the options of the messages of a turn; a later one prevails.
func optionsOf(batch []claimed) (json.RawMessage, error) {
	var all chat.Options
	for _, row := range batch {
		if err := json.Unmarshal(row.Options, &all); err != nil {
			return nil, fmt.Errorf("decode the options of message %d: %w", row.ID, err)
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	return out, nil
}
