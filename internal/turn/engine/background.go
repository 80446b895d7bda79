package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/subagents/subagentstore"
)

// Background is the background work of conversations: commands, subagents, group chats of agents, and runs of jobs. Models list,
// read and stop all of it with the same tools.
type Background struct{ Store *Store }

// maxWorks limits how many subagents, chats and jobs of a conversation are listed, of each kind.
const maxWorks = 50

// Tasks lists the work that runs or has ended recently, newest first, without its output.
func (b Background) Tasks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	commands, err := b.Store.stores.Calls.Tasks(ctx, key)
	if err != nil {
		return nil, err
	}
	works, err := b.Store.Works(ctx, key)
	if err != nil {
		return nil, err
	}
	out := slices.Concat(commands, works)
	slices.SortStableFunc(out, func(a, b chat.Task) int { return b.StartedAt.Compare(a.StartedAt) })
	return out, nil
}

// FindTask returns a task with its output. The NotFound error names the id.
func (b Background) FindTask(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	if _, command := chat.TaskNumber(id); command {
		return b.Store.stores.Calls.FindTask(ctx, key, id)
	}
	t, err := b.find(ctx, key, id)
	if err != nil {
		return chat.Task{}, err
	}
	t.Output, err = b.Store.workOutput(ctx, key, t)
	return t, err
}

// AskKill asks a task to stop: it stops the turn of a subagent or of a job's run, and ends a chat at once. It returns the task
// as it was before.
func (b Background) AskKill(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	if _, command := chat.TaskNumber(id); command {
		return b.Store.stores.Calls.AskKill(ctx, key, id)
	}
	t, err := b.find(ctx, key, id)
	if err != nil || t.State != chat.TaskRunning {
		return t, err
	}
	switch {
	case t.Kind == chat.TaskGroup:
		_, err = b.Store.stores.Agents.EndGroup(ctx, chat.GroupID(t.ID), key)
		return t, err
	case t.Turn == "":
		return t, fault.Errorf(fault.Conflict, "%s has not begun: there is nothing to stop yet", t.ID)
	}
	_, err = b.Store.stores.Agents.StopSubagent(ctx, t.Session, "kill "+string(t.Turn))
	return t, err
}

// find returns a task by its id. The name of a role means the newest of its subagents.
func (b Background) find(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	id = strings.TrimPrefix(strings.TrimSpace(id), "group:")
	works, err := b.Store.Works(ctx, key)
	if err != nil {
		return chat.Task{}, err
	}
	for _, same := range []func(chat.Task) bool{
		func(t chat.Task) bool { return strings.EqualFold(t.ID, id) },
		func(t chat.Task) bool {
			role, _, once := strings.Cut(t.ID, "#")
			return once && strings.EqualFold(role, id)
		},
	} {
		if i := slices.IndexFunc(works, same); i >= 0 {
			return works[i], nil
		}
	}
	return chat.Task{}, calls.NoTask(id)
}

// Works lists the subagents in the background, chats and runs of jobs of a conversation, newest first.
func (s *Store) Works(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	var out []chat.Task
	for _, list := range []func(context.Context, chat.SessionKey) ([]chat.Task, error){s.subagentWorks, s.groupWorks, s.jobWorks} {
		some, err := list(ctx, key)
		if err != nil {
			return nil, pg.Classify(err)
		}
		out = append(out, some...)
	}
	slices.SortStableFunc(out, func(a, b chat.Task) int { return b.StartedAt.Compare(a.StartedAt) })
	return out, nil
}

func (s *Store) subagentWorks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	rows, err := dbsqlc.Q.WorkSubagents(ctx, s.db.Pool, dbsqlc.WorkSubagentsParams{Parent: key, N: maxWorks})
	if err != nil {
		return nil, fmt.Errorf("list subagents in the background: %w", err)
	}
	out := make([]chat.Task, len(rows))
	for i, r := range rows {
		out[i] = chat.Task{
			ID: workID(r.Role, r.Instance, chat.CallID(r.Made)), Kind: chat.TaskSubagent, Session: r.SessionKey, Turn: chat.TurnID(r.TurnID), Call: chat.CallID(r.TurnID),
			Command: r.Words, StartedAt: r.CreatedAt, EndedAt: r.EndedAt,
		}
		outcome := string(r.Outcome)
		if outcome == "" && r.TurnID != "" {
			outcome = "running"
		}
		out[i].State, out[i].How = worked(cmp.Or(outcome, "waiting"))
	}
	return out, nil
}

// workID returns the id of a subagent in lists: its role and instance or, without an instance, a hash of the call that made it.
func workID(role, instance string, made chat.CallID) string {
	if instance != "" {
		return role + ":" + instance
	}
	sum := sha256.Sum256([]byte(made))
	return role + "#" + hex.EncodeToString(sum[:3])
}

func (s *Store) groupWorks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	rows, err := dbsqlc.Q.GroupsOf(ctx, s.db.Pool, dbsqlc.GroupsOfParams{SessionKey: string(key), N: maxWorks})
	if err != nil {
		return nil, fmt.Errorf("list group chats: %w", err)
	}
	var out []chat.Task
	for _, g := range rows {
		if g.SessionKey != key {
			continue // a subagent made it and gets its report
		}
		t := chat.Task{
			ID: string(g.ID), Kind: chat.TaskGroup, Command: chat.FirstWords(g.Topic, subagentstore.TaskWords), State: chat.TaskRunning,
			Call: chat.CallID("group/" + string(g.ID)), StartedAt: g.CreatedAt, EndedAt: g.EndedAt,
		}
		if g.Ended != "" {
			t.State, t.How = chat.TaskExited, "over ("+g.Ended+")"
		}
		out = append(out, t)
	}
	return out, nil
}

func (s *Store) jobWorks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	jobs, err := dbsqlc.Q.WorkJobs(ctx, s.db.Pool, dbsqlc.WorkJobsParams{Home: string(key), N: maxWorks})
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	ids, names := make([]chat.JobID, len(jobs)), map[chat.JobID]string{}
	for i, j := range jobs {
		ids[i], names[j.ID] = j.ID, cmp.Or(j.Name, chat.FirstWords(j.Message, subagentstore.TaskWords))
	}
	runs, err := s.stores.Cron.RunsOf(ctx, ids, 1)
	if err != nil {
		return nil, err
	}
	var out []chat.Task
	for _, id := range ids {
		for _, run := range runs[id] {
			task := chat.Task{ID: string(id), Kind: chat.TaskJob, Session: run.Session, Turn: run.Turn, Command: names[id], StartedAt: run.Began, EndedAt: run.Ended}
			task.State, task.How = worked(run.Outcome)
			if task.State != chat.TaskRunning && run.Ended == nil {
				task.EndedAt = &run.Began
			}
			out = append(out, task)
		}
	}
	return out, nil
}

// worked maps an outcome to the state of a task and its description.
func worked(outcome string) (chat.TaskState, string) {
	switch outcome {
	case "running":
		return chat.TaskRunning, ""
	case "waiting":
		return chat.TaskRunning, "waiting to begin"
	case "stopped":
		return chat.TaskKilled, "stopped"
	case "lost":
		return chat.TaskLost, "lost"
	case "done":
		return chat.TaskExited, "answered"
	}
	return chat.TaskExited, outcome
}

// workOutput returns the output of work: the report to the conversation for a subagent or a chat that has ended, the answer for a run of a
// job, and the last message for work that still runs.
func (s *Store) workOutput(ctx context.Context, key chat.SessionKey, t chat.Task) (string, error) {
	if t.State != chat.TaskRunning && t.Call != "" {
		body, err := dbsqlc.Q.WorkTold(ctx, s.db.Pool, dbsqlc.WorkToldParams{Key: key, Told: string(t.Call)})
		if !errors.Is(err, pgx.ErrNoRows) {
			return body, pg.Classify(err)
		}
	}
	if t.Kind == chat.TaskGroup {
		return s.saidInGroup(ctx, chat.GroupID(t.ID))
	}
	said, err := dbsqlc.Q.SubagentSaid(ctx, s.db.Pool, &t.Turn)
	if err != nil {
		return "", pg.Classify(fmt.Errorf("read what %s said: %w", t.ID, err))
	}
	if t.State == chat.TaskRunning {
		return said.Answer, nil
	}
	return strings.TrimSpace(said.Answer + "\n" + said.Notice), nil
}

func (s *Store) saidInGroup(ctx context.Context, id chat.GroupID) (text string, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.GroupGet(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("read group chat %s: %w", id, err)
		}
		r, err := subagentstore.GroupTranscript(ctx, tx, row.GroupChat)
		text = r.Chat.Transcript(r.Lines, subagentstore.MaxTranscript)
		return err
	})
	return text, err
}
