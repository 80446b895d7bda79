package subagentstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

// channelAgent is the channel of conversations between agents, which are never delivered to a platform.
const channelAgent = "agent"

// AssignTask gives a task to a subagent, which it makes if task.New is set, in one transaction: the session with its position
// in the tree, and the row that waits for its turn. A repeated call finds the earlier assignment. Errors have a sentence for the
// model: Denied beyond a limit, Conflict if an instance exists already, NotFound if it does not exist.
func (s *Store) AssignTask(ctx context.Context, task chat.SubagentTask) (out chat.Assignment, err error) {
	most, err := s.quota.Caps(ctx)
	if err != nil {
		return out, err
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		above, err := LockTree(ctx, tx, task.Session)
		if err != nil {
			return err
		}
		before, err := dbsqlc.Q.SubagentByCall(ctx, tx, task.Call)
		if err == nil {
			out = chat.Assignment{Subagent: conversation.RefOf(before.Subagent), Background: before.Background}
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look for an earlier task of call %s: %w", task.Call, err)
		}
		tree, err := allowSubagent(ctx, tx, task, above, most.Subagents)
		if err != nil {
			return err
		}
		agent, err := subagentFor(ctx, tx, task, above)
		if err != nil {
			return err
		}
		out = chat.Assignment{Subagent: conversation.RefOf(agent), Background: task.Background}
		return handTask(ctx, tx, task, agent, tree)
	})
	return out, err
}

// AssignmentOf returns the assignment that a call has made; ok is false if it has made none.
func (s *Store) AssignmentOf(ctx context.Context, call chat.CallID) (out chat.Assignment, ok bool, err error) {
	row, err := dbsqlc.Q.SubagentByCall(ctx, s.db.Pool, call)
	if errors.Is(err, pgx.ErrNoRows) {
		return out, false, nil
	}
	if err != nil {
		return out, false, pg.Classify(fmt.Errorf("look for the task of call %s: %w", call, err))
	}
	return chat.Assignment{Subagent: conversation.RefOf(row.Subagent), Background: row.Background}, true, nil
}

// Position is the position of a session in its tree.
type Position struct {
	root  chat.SessionKey
	depth int
}

// LockTree finds the position of a session in its tree, and locks the tree, so that no other transaction hands out tasks in
// it.
func LockTree(ctx context.Context, t *pg.Tx, key chat.SessionKey) (Position, error) {
	above, err := positionOf(ctx, t, key)
	if err != nil {
		return above, err
	}
	if err := dbsqlc.Q.SubagentLock(ctx, t, string(above.root)); err != nil {
		return Position{}, fmt.Errorf("lock the subagents of %s: %w", above.root, err)
	}
	return above, nil
}

func positionOf(ctx context.Context, t *pg.Tx, key chat.SessionKey) (Position, error) {
	row, err := dbsqlc.Q.SubagentGet(ctx, t, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return Position{root: key}, nil
	}
	if err != nil {
		return Position{}, fmt.Errorf("find the place of %s: %w", key, err)
	}
	return Position{root: row.Root, depth: int(row.Depth)}, nil
}

// allowSubagent returns the tree that a task belongs to, or Denied beyond a limit.
func allowSubagent(ctx context.Context, t *pg.Tx, task chat.SubagentTask, above Position, most policy.Subagents) (chat.TurnID, error) {
	tree, err := dbsqlc.Q.SubagentTree(ctx, t, string(task.Turn))
	if err != nil {
		return "", fmt.Errorf("find the tree of turn %s: %w", task.Turn, err)
	}
	load, err := dbsqlc.Q.SubagentLoadOf(ctx, t, dbsqlc.SubagentLoadOfParams{TurnID: task.Turn, Root: above.root, Tree: chat.TurnID(tree)})
	if err != nil {
		return "", fmt.Errorf("count the subagents of %s: %w", above.root, err)
	}
	stopping, err := dbsqlc.Q.SubagentStopping(ctx, t, string(task.Turn))
	if err != nil {
		return "", fmt.Errorf("look for a stop of turn %s: %w", task.Turn, err)
	}
	switch {
	case stopping:
		return "", fault.Errorf(fault.Denied, "the user is stopping this turn: nothing more is handed out")
	case above.depth >= most.Depth:
		return "", fault.Errorf(fault.Denied, "work may be handed on %d times and no more: do it yourself", most.Depth)
	case int(load.Handed) >= most.PerTurn:
		return "", fault.Errorf(fault.Denied, "this turn has handed out %d tasks, and no turn may hand out more: go on with what you have", load.Handed)
	case int(load.Busy) >= most.Running:
		return "", fault.Errorf(fault.Denied, "%d subagents of this conversation work, and no more may at once: wait for one to end", load.Busy)
	case load.Tokens >= int64(most.Tokens):
		return "", fault.Errorf(fault.Denied, "the subagents have taken %d tokens, all that one request may: go on with what you have", load.Tokens)
	}
	return chat.TurnID(tree), nil
}

// subagentFor finds the subagent that a task is for, or makes it.
func subagentFor(ctx context.Context, t *pg.Tx, task chat.SubagentTask, above Position) (dbsqlc.Subagent, error) {
	there, err := dbsqlc.Q.SubagentByName(ctx, t, dbsqlc.SubagentByNameParams{Parent: task.Session, Role: task.Role, Instance: task.Instance})
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return there, fmt.Errorf("look for subagent %s: %w", task.Role, err)
	case err == nil && task.New != nil:
		return there, fault.Errorf(fault.Conflict, "%s is there already: send it the task with action send, or spawn another instance", conversation.RefOf(there).Name())
	case err == nil:
		return there, pg.Classify(dbsqlc.Q.SubagentLoad(ctx, t, there.SessionKey))
	case task.New == nil:
		return there, noSubagent(task.Role, task.Instance)
	}
	return makeSubagent(ctx, t, task, above)
}

func noSubagent(role, instance string) error {
	if instance == "" {
		return fault.Errorf(fault.NotFound, "there is no subagent %s in this conversation: see action list", role)
	}
	return fault.Errorf(fault.NotFound, "there is no subagent %s:%s in this conversation: spawn it, or see action list", role, instance)
}

func makeSubagent(ctx context.Context, t *pg.Tx, task chat.SubagentTask, above Position) (dbsqlc.Subagent, error) {
	parent, err := dbsqlc.Q.SessionGet(ctx, t, task.Session)
	if err != nil {
		return dbsqlc.Subagent{}, fmt.Errorf("read session %s: %w", task.Session, err)
	}
	profile, err := json.Marshal(task.New.Profile)
	if err != nil {
		return dbsqlc.Subagent{}, fmt.Errorf("encode a role: %w", err)
	}
	ref := chat.SubagentRef{
		Session: session.Key{Agent: parent.Agent, Kind: session.KindSubagent, ID: string(task.Call)}.String(),
		Parent:  task.Session, Role: task.Role, Instance: task.Instance, Call: task.Call,
	}
	if _, err := dbsqlc.Q.SubagentSession(ctx, t, dbsqlc.SubagentSessionParams{
		Key: ref.Session, Channel: channelAgent, Title: ref.Name(), Model: task.New.Model, Think: task.New.Think, Parent: task.Session,
	}); err != nil {
		return dbsqlc.Subagent{}, fmt.Errorf("make the session of subagent %s: %w", ref.Name(), err)
	}
	row, err := dbsqlc.Q.SubagentInsert(ctx, t, dbsqlc.SubagentInsertParams{
		SessionKey: ref.Session, Parent: ref.Parent, Root: above.root, Role: ref.Role, Instance: ref.Instance, Depth: int32(above.depth + 1),
		CallID: ref.Call, Profile: profile,
	})
	if err != nil {
		return row, fmt.Errorf("make subagent %s: %w", ref.Name(), err)
	}
	return row, nil
}

// handTask writes the task and the row that waits for a turn of the subagent.
func handTask(ctx context.Context, t *pg.Tx, task chat.SubagentTask, agent dbsqlc.Subagent, tree chat.TurnID) error {
	if err := dbsqlc.Q.SubagentTaskInsert(ctx, t, dbsqlc.SubagentTaskInsertParams{
		CallID: task.Call, SessionKey: agent.SessionKey, AskedIn: task.Turn, Tree: tree, Background: task.Background,
		Words: chat.Clean(chat.FirstWords(task.Text, TaskWords)),
	}); err != nil {
		return fmt.Errorf("write the task of call %s: %w", task.Call, err)
	}
	t.NotifyParent(agent.Root)
	_, err := inbox.Post(ctx, t, chat.InternalMessage{
		Session: agent.SessionKey, Key: string(task.Call), Origin: chat.OriginSubagent, Text: chat.TaskMark + task.Text,
	})
	return err
}

// TaskWords limits the text of a task in lists, in characters.
const TaskWords = 120

// Subagent returns the reference that the workflow of a subagent is named after; NotFound if the session is no subagent's.
func (s *Store) Subagent(ctx context.Context, key chat.SessionKey) (chat.SubagentRef, error) {
	row, err := dbsqlc.Q.SubagentGet(ctx, s.db.Pool, key)
	if err != nil {
		return chat.SubagentRef{}, pg.Classify(fmt.Errorf("read subagent %s: %w", key, err))
	}
	return conversation.RefOf(row), nil
}

// SubagentProfile returns the role of a subagent as it was when the subagent was made; nil if the session is no subagent's.
func (s *Store) SubagentProfile(ctx context.Context, key chat.SessionKey) (*chat.Profile, error) {
	row, err := dbsqlc.Q.SubagentGet(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read subagent %s: %w", key, err))
	}
	var p chat.Profile
	if err := json.Unmarshal(row.Profile, &p); err != nil {
		return nil, fmt.Errorf("decode the role of %s: %w", key, err)
	}
	p.Depth = int(row.Depth)
	return &p, nil
}
