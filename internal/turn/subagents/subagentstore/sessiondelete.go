package subagentstore

import (
	"context"
	"errors"
	"fmt"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"

	"github.com/jackc/pgx/v5"
)

// DeleteSession deletes a conversation and everything in it, with its subagents, on its owner's request. It kills what still runs in the
// conversation, since that is impossible once the rows are gone. It takes locks in the same order as closing a turn does.
func (s *Store) DeleteSession(ctx context.Context, key chat.SessionKey) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		all, err := lockBelow(ctx, tx, key)
		if err != nil {
			return err
		}
		if err := reportDeleted(ctx, tx, key); err != nil {
			return err
		}
		for _, k := range all {
			if err := deleteSession(ctx, tx, k); err != nil {
				return err
			}
		}
		return nil
	})
}

// lockBelow lists a session behind its subagents, the deepest first. From then on they get no new tasks, and none of their turns and
// group chats continues. The order of locks is that of claiming and closing: turns, waiting rows, tasks; and waiting rows before the
// session, as when a message is accepted.
func lockBelow(ctx context.Context, t *pg.Tx, key chat.SessionKey) ([]chat.SessionKey, error) {
	if _, err := LockTree(ctx, t, key); err != nil {
		return nil, err
	}
	all, err := dbsqlc.Q.SubagentsBelow(ctx, t, key)
	if err != nil {
		return nil, fmt.Errorf("list the subagents of %s: %w", key, err)
	}
	all = append(all, key)
	for _, k := range all {
		turns, err := dbsqlc.Q.TurnLockOf(ctx, t, k)
		if err != nil {
			return nil, fmt.Errorf("lock the turn of %s: %w", k, err)
		}
		if len(turns) > 0 {
			if err := wakeDeleted(ctx, t, k); err != nil {
				return nil, err
			}
		}
	}
	for _, k := range all {
		if err := dbsqlc.Q.QueueLockRows(ctx, t, string(k)); err != nil {
			return nil, fmt.Errorf("lock the queue of %s: %w", k, err)
		}
	}
	if err := dbsqlc.Q.SubagentLockInbox(ctx, t, pg.Texts(all)); err != nil {
		return nil, fmt.Errorf("lock what waits in %s: %w", key, err)
	}
	groups, err := dbsqlc.Q.SubagentLockGroups(ctx, t, pg.Texts(all))
	if err != nil {
		return nil, fmt.Errorf("lock the group chats of %s: %w", key, err)
	}
	for _, id := range groups {
		t.WakeGroup(id)
	}
	return all, nil
}

// wakeDeleted wakes the turn of a session that is being deleted after the commit: a turn that waits for an answer ends then.
func wakeDeleted(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	w, err := wakeOf(ctx, t, key, "deleted")
	if err != nil {
		return err
	}
	agent, err := dbsqlc.Q.SubagentGet(ctx, t, key)
	switch {
	case err == nil:
		w.Agent = new(conversation.RefOf(agent))
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("read subagent %s: %w", key, err)
	}
	t.Wake(w)
	return nil
}

func deleteSession(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	turns, err := dbsqlc.Q.TurnLockOf(ctx, t, key)
	if err != nil {
		return fmt.Errorf("lock the turn of %s: %w", key, err)
	}
	for _, turn := range turns {
		if err := dbsqlc.Q.KillNoteOfTurn(ctx, t, turn); err != nil {
			return fmt.Errorf("note the kill of open commands and coding agents: %w", err)
		}
	}
	if err := dbsqlc.Q.KillNoteTasksOf(ctx, t, key); err != nil {
		return fmt.Errorf("note the kill of background tasks: %w", err)
	}
	if err := dbsqlc.Q.KillNoteCommandsOf(ctx, t, key); err != nil {
		return fmt.Errorf("note the kill of commands: %w", err)
	}
	bodies, err := dbsqlc.Q.OffloadBlobsOf(ctx, t, key)
	if err != nil {
		return fmt.Errorf("list the offloads of %s: %w", key, err)
	}
	if _, err := dbsqlc.Q.SessionDelete(ctx, t, key); err != nil {
		return fmt.Errorf("delete session %s: %w", key, err)
	}
	return conversation.DropBodies(ctx, t, bodies)
}
