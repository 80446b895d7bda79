package memorystore

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
)

// BlocksOfAll returns the blocks that a memory has in any conversation, without empty ones.
func (s *Store) BlocksOfAll(ctx context.Context, w chat.MemoryOwner) ([]chat.BlockOf, error) {
	rows, err := dbsqlc.Q.BlockListAll(ctx, s.db.Pool, dbsqlc.BlockListAllParams{UserID: w.User, Agent: w.Agent})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the blocks of memory: %w", err))
	}
	out := make([]chat.BlockOf, len(rows))
	for i, r := range rows {
		out[i] = chat.BlockOf{Block: r.Block, Session: r.SessionKey, Content: r.Content, UpdatedAt: r.UpdatedAt}
	}
	return out, nil
}

// ForgetLog takes entries out of a log, as its user wants. It returns NotFound if one is not there, and all stay.
func (s *Store) ForgetLog(ctx context.Context, w chat.MemoryOwner, ids []int64) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.HistoryDelete(ctx, tx, dbsqlc.HistoryDeleteParams{UserID: w.User, Agent: w.Agent, Ids: ids})
		if err != nil {
			return fmt.Errorf("forget entries of the log: %w", err)
		}
		if int(n) != len(ids) {
			return fault.Errorf(fault.NotFound, "the log has no such entry any more")
		}
		return nil
	})
}

// MemoryNames returns the names of the memories that hold anything of a user.
func (s *Store) MemoryNames(ctx context.Context, user chat.UserID) ([]string, error) {
	names, err := dbsqlc.Q.MemoryNames(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the memories of user %d: %w", user, err))
	}
	return names, nil
}
