package conversation

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/usage/usagestore"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Compact replaces the beginning of a conversation by a summary: the record, the archive of the replaced part, the new beginning
// of the conversation for the model, and a notice to the user, in one transaction. It does nothing if
// the turn is closed or the record exists.
func (s *Store) Compact(ctx context.Context, step chat.Step, c chat.Control, archive chat.Offload, say string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if open, err := turnOpen(ctx, tx, step.Turn); err != nil || !open {
			return err
		}
		c.Compaction.Summary = chat.Clean(c.Compaction.Summary)
		stored, added, err := addControl(ctx, tx, step.Session, c)
		if err != nil || !added {
			return err
		}
		if err := storeArchive(ctx, tx, step.Session, archive); err != nil {
			return err
		}
		if err := dbsqlc.Q.SessionSetCompaction(ctx, tx, dbsqlc.SessionSetCompactionParams{Key: step.Session, CompactionID: &stored.ID}); err != nil {
			return fmt.Errorf("set compaction: %w", err)
		}
		return sayOfContext(ctx, tx, step, say)
	})
}

// turnOpen locks a turn and reports whether it runs.
func turnOpen(ctx context.Context, t *pg.Tx, turn chat.TurnID) (bool, error) {
	row, err := dbsqlc.Q.TurnLock(ctx, t, turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil // the session was deleted, and the turn with it
	}
	if err != nil {
		return false, fmt.Errorf("lock turn: %w", err)
	}
	return row.State == chat.TurnRunning, nil
}

// storeArchive stores a text that no call produced, to be recalled by its id.
func storeArchive(ctx context.Context, t *pg.Tx, key chat.SessionKey, o chat.Offload) error {
	body := chat.Clean(o.Body)
	hash := sha256.Sum256([]byte(body))
	_, err := dbsqlc.Q.OffloadSave(ctx, t, dbsqlc.OffloadSaveParams{
		SessionKey: key, ID: o.ID, Hash: hash[:], Body: body, Bytes: int32(len(body)), Tool: o.Tool,
	})
	if err != nil {
		return fmt.Errorf("keep archive %s: %w", o.ID, err)
	}
	return nil
}

// sayOfContext appends a notice about a change of the context. In a turn that carries out a command it is the command's
// answer.
func sayOfContext(ctx context.Context, t *pg.Tx, step chat.Step, say string) error {
	m := chat.Message{Session: step.Session, Turn: step.Turn, Role: chat.RoleNotice, Origin: chat.OriginContext, Content: chat.Clean(say)}
	order, err := orderOf(ctx, t, step.Turn)
	switch {
	case err == nil:
		m.Inbox = order.Inbox
	case !fault.Is(err, fault.NotFound):
		return err
	}
	return AppendMessage(ctx, t, &m, "")
}

// NotifyRetry notifies the user that a call to the model is repeated. It is for calls that are no steps.
func (s *Store) NotifyRetry(ctx context.Context, key chat.SessionKey, r chat.Retry) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		tx.Emit(key, chat.EventRetry, r)
		return nil
	})
}

// Spend adds the tokens that a provider counted for a call of a turn outside of its steps to the usage.
func (s *Store) Spend(ctx context.Context, step chat.Step, model string, u chat.Usage) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := dbsqlc.Q.TurnSpend(ctx, tx, dbsqlc.TurnSpendParams{
			TurnID: step.Turn, PromptTokens: int32(u.PromptTokens), CachedTokens: int32(u.CachedTokens), CompletionTokens: int32(u.CompletionTokens),
		})
		if err != nil {
			return fmt.Errorf("add to the turn: %w", err)
		}
		return usagestore.BookUsage(ctx, tx, step.Session, model, 1, u)
	})
}
