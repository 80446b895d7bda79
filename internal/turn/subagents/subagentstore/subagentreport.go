package subagentstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// maxAnswer limits an answer reported to a parent that does not wait, in bytes; inspect shows all of it.
const maxAnswer = 16_000

// ReportSubagent reports the answer of a turn that carried out tasks to the parent, in the transaction that closes the turn:
// as the result of the call if that waits, else as a message to the parent's conversation.
func ReportSubagent(ctx context.Context, t *pg.Tx, turn dbsqlc.Turn) error {
	open, err := dbsqlc.Q.SubagentOpenOf(ctx, t, &turn.ID)
	if err != nil {
		return fmt.Errorf("list the tasks of turn %s: %w", turn.ID, err)
	}
	if len(open) == 0 {
		return nil
	}
	said, err := dbsqlc.Q.SubagentSaid(ctx, t, &turn.ID)
	if err != nil {
		return fmt.Errorf("read the answer of turn %s: %w", turn.ID, err)
	}
	for _, row := range open {
		if err := reportTask(ctx, t, row.SubagentTask, row.Subagent, turn, answerOf(turn, said)); err != nil {
			return err
		}
	}
	return nil
}

// reportDeleted reports to those that wait for a subagent that its conversation is being deleted.
func reportDeleted(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	open, err := dbsqlc.Q.SubagentOpenIn(ctx, t, key)
	if err != nil {
		return fmt.Errorf("list the tasks of %s: %w", key, err)
	}
	for _, row := range open {
		gone := dbsqlc.Turn{ID: chat.TurnID("deleted " + string(row.SubagentTask.CallID)), State: chat.TurnStopped}
		if err := reportTask(ctx, t, row.SubagentTask, row.Subagent, gone, "A person has deleted its conversation."); err != nil {
			return err
		}
	}
	return nil
}

func reportTask(ctx context.Context, t *pg.Tx, task dbsqlc.SubagentTask, agent dbsqlc.Subagent, turn dbsqlc.Turn, answer string) error {
	call, err := dbsqlc.Q.CallGet(ctx, t, task.CallID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read call %s: %w", task.CallID, err)
	}
	waits := err == nil && call.State != chat.CallDone && !task.Background
	if _, err := dbsqlc.Q.SubagentReport(ctx, t, dbsqlc.SubagentReportParams{CallID: task.CallID, Outcome: turn.State, Awake: waits}); err != nil {
		return fmt.Errorf("end the task of call %s: %w", task.CallID, err)
	}
	if task.GroupID != nil {
		task.Outcome = turn.State
		return sayInGroup(ctx, t, *task.GroupID, task, answer)
	}
	if conversation.RefOf(agent).Once() {
		if err := conversation.MemorizeSubagent(ctx, t, agent); err != nil {
			return err
		}
	}
	name, how := conversation.RefOf(agent).Name(), howEnded(turn.State)
	if waits {
		result := chat.ToolResult{Content: chat.Clean("[" + name + " " + how + "]\n" + answer), IsError: turn.State != chat.TurnDone}
		if err := calls.FinishCall(ctx, t, task.CallID, window.Result(conversation.CallOf(call), result, tokens.Count)); err != nil {
			return err
		}
	} else if _, err := inbox.Post(ctx, t, chat.InternalMessage{
		Session: agent.Parent, Key: string(turn.ID), Origin: chat.OriginSubagent, Text: "[subagent " + name + " " + how + "]\n" + truncateAnswer(answer),
	}); fault.Is(err, fault.NotFound) {
		return nil // the conversation that asked is gone, and the turn has to end all the same
	} else if err != nil {
		return err
	}
	return postWake(ctx, t, agent.Parent, "subagent "+name+" "+how)
}

// postWake wakes the turn of a session after the commit.
func postWake(ctx context.Context, t *pg.Tx, key chat.SessionKey, why string) error {
	w, err := wakeOf(ctx, t, key, why)
	if err == nil {
		t.Wake(w)
	}
	return err
}

// wakeOf returns the wake of the turn of a session.
func wakeOf(ctx context.Context, t *pg.Tx, key chat.SessionKey, why string) (chat.Wake, error) {
	row, err := dbsqlc.Q.SessionGet(ctx, t, key)
	if err != nil {
		return chat.Wake{}, fmt.Errorf("read session %s: %w", key, err)
	}
	return chat.Wake{Kind: chat.WakeTurn, ID: string(key), Channel: row.Channel, User: row.UserID, Text: why}, nil
}

// answerOf returns the answer of a turn for the parent. For a turn that ended early it is the reason and the text so far.
func answerOf(turn dbsqlc.Turn, said dbsqlc.SubagentSaidRow) string {
	if turn.State == chat.TurnDone {
		return strings.TrimSpace(said.Answer)
	}
	var parts []string
	for _, text := range []string{said.Notice, said.Answer} {
		if text = strings.TrimSpace(text); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\nWhat it had written last:\n")
}

func howEnded(state chat.TurnState) string {
	switch state {
	case chat.TurnStopped:
		return "was stopped before it answered"
	case chat.TurnFailed:
		return "failed"
	case chat.TurnLost:
		return "was lost: its run ended from outside, and what it did last may have happened or not"
	}
	return "answered"
}

// truncateAnswer cuts an answer to maxAnswer and adds its full length.
func truncateAnswer(answer string) string {
	if len(answer) <= maxAnswer {
		return answer
	}
	return strings.ToValidUTF8(answer[:maxAnswer], "") + fmt.Sprintf("\n[%d bytes in all: SubAgent inspect shows the rest]", len(answer))
}

// AbandonSubagents stops the subagents that an ending turn waits for: tasks that have not begun are dropped, and turns that
// carry out others are asked to stop. Background tasks continue.
func AbandonSubagents(ctx context.Context, t *pg.Tx, turn dbsqlc.Turn) error {
	if err := dbsqlc.Q.SubagentTakeBack(ctx, t, turn.ID); err != nil {
		return fmt.Errorf("take back what turn %s waits for: %w", turn.ID, err)
	}
	tasks, err := dbsqlc.Q.SubagentAbandoned(ctx, t, turn.ID)
	if err != nil {
		return fmt.Errorf("list what turn %s waits for: %w", turn.ID, err)
	}
	for _, task := range tasks {
		_, err := dbsqlc.Q.SubagentReport(ctx, t, dbsqlc.SubagentReportParams{CallID: task.CallID, Outcome: chat.TurnStopped})
		if errors.Is(err, pgx.ErrNoRows) {
			continue // it answered in the meantime
		}
		if err != nil {
			return fmt.Errorf("end the task of call %s: %w", task.CallID, err)
		}
		if task.Running == "" {
			continue
		}
		if err := stopTurnOf(ctx, t, task.SessionKey, chat.TurnID(task.Running), "stop "+string(task.CallID)); err != nil {
			return err
		}
	}
	return nil
}

// stopTurnOf asks the turn of a subagent to stop, once for each key.
func stopTurnOf(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, why string) error {
	err := dbsqlc.Q.SubagentStop(ctx, t, dbsqlc.SubagentStopParams{Key: why, TurnID: &turn, SessionKey: key})
	if err != nil {
		return fmt.Errorf("stop the turn of %s: %w", key, err)
	}
	return postWake(ctx, t, key, "stop")
}

// SubagentsReported lists the calls of a turn whose subagents have answered. From now on they count as seen by the turn.
func (s *Store) SubagentsReported(ctx context.Context, turn chat.TurnID) ([]chat.CallID, error) {
	calls, err := dbsqlc.Q.SubagentReported(ctx, s.db.Pool, turn)
	return calls, pg.Classify(err)
}
