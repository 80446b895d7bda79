package subagentstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/groupchat"
	"xbot/internal/turn/inbox"
)

// StopBelow stops all subagents that work for a conversation and for each other, those in the background and the members of group
// chats too, ends these chats, and returns how many subagents and chats there were. Subagents that a turn waits for end with that
// turn. The caller holds the lock of the tree. Chats are locked first, so that none asks another member in the meantime; inbox rows are
// locked before tasks, as by a claim. The task of a member that speaks is closed by the end of its turn, which holds the task while
// it waits for the chat.
func StopBelow(ctx context.Context, t *pg.Tx, key chat.SessionKey, why string) (subagents, chats int, err error) {
	below, err := dbsqlc.Q.SubagentsBelow(ctx, t, key)
	if err != nil {
		return 0, 0, fmt.Errorf("list the subagents of %s: %w", key, err)
	}
	if len(below) == 0 {
		return 0, 0, nil
	}
	open, err := dbsqlc.Q.GroupsOpenOf(ctx, t, pg.Texts(append(below, key)))
	if err != nil {
		return 0, 0, fmt.Errorf("lock the group chats below %s: %w", key, err)
	}
	if subagents, err = stopWorking(ctx, t, key, pg.Texts(below), why); err != nil {
		return 0, 0, err
	}
	for _, g := range open {
		if err := stopGroup(ctx, t, g); err != nil {
			return 0, 0, err
		}
	}
	return subagents, len(open), nil
}

// stopWorking stops the given subagents that work or are about to, and returns how many there were.
func stopWorking(ctx context.Context, t *pg.Tx, key chat.SessionKey, below []string, why string) (int, error) {
	if err := dbsqlc.Q.SubagentTakeBackBelow(ctx, t, below); err != nil {
		return 0, fmt.Errorf("take back what is handed out below %s: %w", key, err)
	}
	busy, err := dbsqlc.Q.SubagentBusy(ctx, t, below)
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
	open, err := dbsqlc.Q.SubagentOpenBackground(ctx, t, below)
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

// stopGroup ends a chat that a user has stopped. The conversation that made it gets the report with its next message.
func stopGroup(ctx context.Context, t *pg.Tx, g dbsqlc.GroupChat) error {
	id, err := closeGroup(ctx, t, g, groupchat.Closed)
	if err != nil || id == 0 {
		return err
	}
	t.WakeGroup(g.ID)
	if err := dbsqlc.Q.InboxLeaveForNext(ctx, t, id); err != nil {
		return fmt.Errorf("leave the end of group chat %s for the next message: %w", g.ID, err)
	}
	return nil
}

// endTask ends a background task that a user has stopped. The conversation that asked for it gets the report with its next message:
// an immediate report would begin the turn that the user wanted to end. A task of a group chat is part of the report of the chat's
// end.
func endTask(ctx context.Context, t *pg.Tx, task dbsqlc.SubagentTask, agent dbsqlc.Subagent) error {
	_, err := dbsqlc.Q.SubagentReport(ctx, t, dbsqlc.SubagentReportParams{CallID: task.CallID, Outcome: chat.TurnStopped})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it answered in the meantime
	}
	if err != nil {
		return fmt.Errorf("end the task of call %s: %w", task.CallID, err)
	}
	t.NotifyParent(agent.Root)
	if task.GroupID != nil {
		return nil
	}
	id, err := inbox.PostRow(ctx, t, chat.InternalMessage{
		Session: agent.Parent, Key: "stopped " + string(task.CallID), Origin: chat.OriginSubagent,
		Text: "[subagent " + conversation.RefOf(agent).Name() + " " + howEnded(chat.TurnStopped) + "]\nA person stopped it.",
	}, "")
	if fault.Is(err, fault.NotFound) || err == nil && id == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := dbsqlc.Q.InboxLeaveForNext(ctx, t, id); err != nil {
		return fmt.Errorf("leave the end of call %s for the next message: %w", task.CallID, err)
	}
	return nil
}
