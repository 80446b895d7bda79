package memorystore

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/user/users"
)

// maxMemories is how many notes are kept of one user, for each agent.
const maxMemories = 200

// Memories returns the notes that an agent has about a user, by path.
func (s *Store) Memories(ctx context.Context, user chat.UserID, agent string) ([]chat.Note, error) {
	rows, err := dbsqlc.Q.MemoryList(ctx, s.db.Pool, dbsqlc.MemoryListParams{UserID: user, Agent: agent})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read memory: %w", err))
	}
	out := make([]chat.Note, len(rows))
	for i, r := range rows {
		out[i] = chat.Note{Path: r.Path, Content: r.Content, UpdatedAt: r.UpdatedAt}
	}
	return out, nil
}

// SetMemory writes a note of an agent about a user, or deletes it if the content is empty. It returns TooLarge if there are too many. Written again
// it changes nothing, not even its time.
func (s *Store) SetMemory(ctx context.Context, user chat.UserID, agent, path, content string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := users.Lock(ctx, tx, user); err != nil {
			return fmt.Errorf("lock memory: %w", err)
		}
		return setMemory(ctx, tx, chat.MemoryOwner{User: user, Agent: agent}, path, content)
	})
}

func setMemory(ctx context.Context, t *pg.Tx, w chat.MemoryOwner, path, content string) error {
	path, content = chat.Clean(path), chat.Clean(content)
	others, err := dbsqlc.Q.MemoryCountOthers(ctx, t, dbsqlc.MemoryCountOthersParams{UserID: w.User, Agent: w.Agent, Path: path})
	switch {
	case err != nil:
		return fmt.Errorf("count memory: %w", err)
	case content == "":
		err = dbsqlc.Q.MemoryDelete(ctx, t, dbsqlc.MemoryDeleteParams{UserID: w.User, Agent: w.Agent, Path: path})
	case others >= maxMemories:
		return fault.Errorf(fault.TooLarge, "there are %d notes, and no more are kept: merge or delete some first", maxMemories)
	default:
		err = dbsqlc.Q.MemoryPut(ctx, t, dbsqlc.MemoryPutParams{UserID: w.User, Agent: w.Agent, Path: path, Content: content})
	}
	if err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	return nil
}
