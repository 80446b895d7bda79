package subagentstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/session"
)

// maxSubagents limits the listed subagents of a conversation.
const maxSubagents = 200

// SubagentsOf lists the subagents of a conversation and of its subagents, newest first; for the session of a subagent those
// of the whole tree above it.
func (s *Store) SubagentsOf(ctx context.Context, key chat.SessionKey) ([]chat.Subagent, error) {
	top, err := s.SubagentTop(ctx, key)
	if err != nil {
		return nil, err
	}
	return s.subagents(ctx, cmp.Or(top, key), "")
}

// DirectSubagents lists the direct subagents of a session, newest first.
func (s *Store) DirectSubagents(ctx context.Context, key chat.SessionKey) ([]chat.Subagent, error) {
	top, err := s.SubagentTop(ctx, key)
	if err != nil {
		return nil, err
	}
	return s.subagents(ctx, cmp.Or(top, key), key)
}

// SubagentTop returns the conversation at the top of a subagent's tree; empty if the session is no subagent's.
func (s *Store) SubagentTop(ctx context.Context, key chat.SessionKey) (chat.SessionKey, error) {
	row, err := dbsqlc.Q.SubagentGet(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", pg.Classify(fmt.Errorf("find the place of %s: %w", key, err))
	}
	return row.Root, nil
}

// LastMessages returns the newest messages of a conversation, the oldest of them first.
func (s *Store) LastMessages(ctx context.Context, key chat.SessionKey, n int) ([]chat.Message, error) {
	rows, err := s.conversations.MessageRows(ctx, key, conversation.Page{Limit: n})
	if err != nil {
		return nil, err
	}
	return s.conversations.WithCalls(ctx, rows[max(0, len(rows)-n):])
}

func (s *Store) subagents(ctx context.Context, root, parent chat.SessionKey) ([]chat.Subagent, error) {
	rows, err := dbsqlc.Q.SubagentList(ctx, s.db.Pool, dbsqlc.SubagentListParams{Root: root, Parent: string(parent), N: maxSubagents})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the subagents of %s: %w", root, err))
	}
	out := make([]chat.Subagent, len(rows))
	for i, r := range rows {
		a := r.Subagent
		out[i] = chat.Subagent{
			Session: a.SessionKey, Parent: a.Parent, Role: a.Role, Instance: a.Instance, Depth: int(a.Depth), State: stateOf(r),
			Background: r.Background, Task: r.Words, Turn: chat.TurnID(r.Running), Tool: r.Tool, Waiting: r.Waiting, Model: r.Model,
			Steps: int(r.Steps), Tokens: r.Tokens, CreatedAt: a.CreatedAt, EndedAt: r.EndedAt,
		}
	}
	return out, nil
}

func stateOf(r dbsqlc.SubagentListRow) chat.SubagentState {
	switch {
	case r.Running != "":
		return chat.SubagentRunning
	case r.Queued:
		return chat.SubagentQueued
	case r.Subagent.Instance != "" && r.Subagent.UnloadedAt != nil:
		return chat.SubagentUnloaded
	case r.Subagent.Instance != "":
		return chat.SubagentIdle
	case r.Outcome == "":
		return chat.SubagentQueued
	}
	return chat.SubagentState(r.Outcome)
}

// StopSubagent asks the running turn of a subagent, or of the conversation of a job, to stop, once for each key, and reports whether it
// ran. The conversation that asked for the work gets a report when it has stopped.
func (s *Store) StopSubagent(ctx context.Context, key chat.SessionKey, why string) (ran bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		ran = false
		turn, err := dbsqlc.Q.TurnRunning(ctx, tx, key)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find the running turn: %w", err)
		}
		ran = true
		return stopTurnOf(ctx, tx, key, turn, why)
	})
	return ran, err
}

// UnloadSubagent unloads a subagent that has nothing to do, and reports whether it had nothing to do. Its conversation
// stays; the next task loads it again. With wake its workflow is woken.
func (s *Store) UnloadSubagent(ctx context.Context, key chat.SessionKey, wake bool) (bool, error) {
	unloaded := false
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		unloaded = false
		if err := dbsqlc.Q.SubagentHold(ctx, tx, key); err != nil {
			return fmt.Errorf("hold subagent %s: %w", key, err)
		}
		agent, err := dbsqlc.Q.SubagentUnload(ctx, tx, key)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unload subagent %s: %w", key, err)
		}
		unloaded = true
		tx.NotifyParent(agent.Root)
		if err := conversation.MemorizeSubagent(ctx, tx, agent); err != nil {
			return err
		}
		if !wake {
			return nil
		}
		return postWake(ctx, tx, key, "unload")
	})
	return unloaded, err
}

// SubagentUnloaded reports whether a subagent was unloaded, or deleted.
func (s *Store) SubagentUnloaded(ctx context.Context, key chat.SessionKey) (bool, error) {
	row, err := dbsqlc.Q.SubagentGet(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, nil
	}
	return row.UnloadedAt != nil, pg.Classify(err)
}

// SubagentOver reports whether the tree that a turn of a subagent belongs to has used up its limit of tokens.
func (s *Store) SubagentOver(ctx context.Context, step chat.Step) (bool, error) {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return false, err
	}
	tree, err := dbsqlc.Q.SubagentTree(ctx, s.db.Pool, string(step.Turn))
	if err != nil {
		return false, pg.Classify(fmt.Errorf("find the tree of turn %s: %w", step.Turn, err))
	}
	load, err := dbsqlc.Q.SubagentLoadOf(ctx, s.db.Pool, dbsqlc.SubagentLoadOfParams{TurnID: step.Turn, Root: step.Session, Tree: chat.TurnID(tree)})
	if err != nil {
		return false, pg.Classify(fmt.Errorf("count the tokens of turn %s: %w", step.Turn, err))
	}
	return load.Tokens >= int64(most.Subagents.Tokens), nil
}

// MayWrite returns Conflict for messages to a subagent that answers once and has answered: nothing would receive a second
// answer.
func MayWrite(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	if parsed, err := session.Parse(key); err != nil || parsed.Kind != session.KindSubagent {
		return nil // an unreadable key is no subagent's
	}
	over, err := dbsqlc.Q.SubagentAnswered(ctx, t, key)
	if err != nil {
		return fmt.Errorf("look whether subagent %s has answered: %w", key, err)
	}
	if over {
		return i18n.Fault(fault.Conflict, i18n.SubagentOver)
	}
	return nil
}
