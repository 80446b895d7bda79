package agents

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/conversation"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/inbox"
	"xbot/internal/store/pg"
)

// StopBelow stops all subagents that work for a conversation and for each other, those in the background too, and returns how
// many there were. Those that are waited for end with the turn that waits. Members of group chats are left: a chat is ended by
// itself. Call it under the lock of the tree; rows of inbox are locked before those of tasks, as by a claim.
func StopBelow(ctx context.Context, t *pg.Tx, key chat.SessionKey, why string) (int, error) {
	below, err := t.Q.SubagentsBelow(ctx, t, key)
	if err != nil {
		return 0, fmt.Errorf("list the subagents of %s: %w", key, err)
	}
	if len(below) == 0 {
		return 0, nil
	}
	if err := t.Q.SubagentTakeBackBelow(ctx, t, pg.Texts(below)); err != nil {
		return 0, fmt.Errorf("take back what is handed out below %s: %w", key, err)
	}
	busy, err := t.Q.SubagentBusy(ctx, t, pg.Texts(below))
	if err != nil {
		return 0, fmt.Errorf("list who works below %s: %w", key, err)
	}
	for _, a := range busy {
		if a.Running == "" || a.Awaited {
			continue
		}
		if err := stopTurnOf(ctx, t, a.SessionKey, chat.TurnID(a.Running), why); err != nil {
			return 0, err
		}
	}
	open, err := t.Q.SubagentOpenBackground(ctx, t, pg.Texts(below))
	if err != nil {
		return 0, fmt.Errorf("list the tasks below %s: %w", key, err)
	}
	for _, row := range open {
		if err := endTask(ctx, t, row.SubagentTask, row.Subagent); err != nil {
			return 0, err
		}
	}
	return len(busy), nil
}

// endTask ends a task in the background that a person has stopped. Who asked for it is told with the next message: being told
// must not begin the turn that the person wanted ended.
func endTask(ctx context.Context, t *pg.Tx, task dbsqlc.SubagentTask, agent dbsqlc.Subagent) error {
	_, err := t.Q.SubagentReport(ctx, t, dbsqlc.SubagentReportParams{CallID: task.CallID, Outcome: chat.TurnStopped})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it answered meanwhile
	}
	if err != nil {
		return fmt.Errorf("end the task of call %s: %w", task.CallID, err)
	}
	t.NotifyParent(agent.Root)
	id, err := inbox.PostRow(ctx, t, chat.Told{
		Session: agent.Parent, Key: "stopped " + string(task.CallID), Origin: chat.OriginSubagent,
		Text: "[subagent " + conversation.RefOf(agent).Name() + " " + howEnded(chat.TurnStopped) + "]\nA person stopped it.",
	}, "")
	if fault.Is(err, fault.NotFound) || err == nil && id == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.Q.InboxLeaveForNext(ctx, t, id); err != nil {
		return fmt.Errorf("leave the end of call %s for the next message: %w", task.CallID, err)
	}
	return nil
}
