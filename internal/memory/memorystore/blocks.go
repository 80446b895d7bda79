package memorystore

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
)

// Blocks returns the blocks that a conversation sees; those that were never written are absent.
func (s *Store) Blocks(ctx context.Context, w chat.MemoryOwner, session chat.SessionKey) (map[chat.Block]string, error) {
	rows, err := dbsqlc.Q.BlockList(ctx, s.db.Pool, dbsqlc.BlockListParams{UserID: w.User, Agent: w.Agent, Session: string(session)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the blocks of memory: %w", err))
	}
	out := make(map[chat.Block]string, len(rows))
	for _, r := range rows {
		out[r.Block] = r.Content
	}
	return out, nil
}

// EditBlock writes the block that edit returns, and stores the text that edit returns with the key. The block may be empty,
// and edit may refuse the change. The same key writes once, and returns the text of that time; an empty key always writes.
// It returns Invalid if there is no such block, and TooLarge if it would be longer than its limit.
func (s *Store) EditBlock(
	ctx context.Context, w chat.MemoryOwner, session chat.SessionKey, key string, block chat.Block, edit func(was string) (content, said string, err error),
) (said string, err error) {
	said, _, err = s.changeMemory(ctx, w, key, func(tx *pg.Tx) (string, error) {
		was, err := readBlock(ctx, tx, w, session, block)
		if err != nil {
			return "", err
		}
		content, said, err := edit(was)
		if err != nil {
			return "", err
		}
		return said, changeBlock(ctx, tx, w, session, chat.BlockChange{Block: block, Was: was, Content: content})
	})
	return said, err
}

func readBlock(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, session chat.SessionKey, block chat.Block) (string, error) {
	content, err := dbsqlc.Q.BlockGet(ctx, t, dbsqlc.BlockGetParams{UserID: w.User, Agent: w.Agent, Block: block, SessionKey: belongs(block, session)})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("read the block %s: %w", block, err)
	}
	return content, nil
}

func changeBlock(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, session chat.SessionKey, c chat.BlockChange) error {
	if c.Block.Max() == 0 {
		return fault.Errorf(fault.Invalid, "there is no block %q; the blocks are persona, human and working_context", c.Block)
	}
	content := chat.Clean(c.Content)
	if n := utf8.RuneCountInString(content); n > c.Block.Max() {
		return fault.Errorf(fault.TooLarge, "%s would have %d characters, and holds %d: shorten it by %d", c.Block, n, c.Block.Max(), n-c.Block.Max())
	}
	was, err := readBlock(ctx, t, w, session, c.Block)
	if err != nil {
		return err
	}
	if was != c.Was {
		return fault.Errorf(fault.Conflict, "the block %s was changed meanwhile", c.Block)
	}
	err = dbsqlc.Q.BlockPut(ctx, t, dbsqlc.BlockPutParams{
		UserID: w.User, Agent: w.Agent, Block: c.Block, SessionKey: belongs(c.Block, session), Content: content,
	})
	if err != nil {
		return fmt.Errorf("write the block %s: %w", c.Block, err)
	}
	return nil
}

// belongs returns the conversation that a block belongs to; empty if it belongs to the user.
func belongs(block chat.Block, session chat.SessionKey) chat.SessionKey {
	if block == chat.BlockWorking {
		return session
	}
	return ""
}
