package tracestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/tracing/dbsqlc"
	"xbot/internal/tracing/spans"
)

// textRead is how many characters of a text are read: more than an attribute holds, so that a secret at its end is masked as a whole.
const textRead = spans.MaxText + 4096

// Turn reads a turn that has ended, with the texts only if content is true. It returns NotFound if it was deleted.
func (s *Store) Turn(ctx context.Context, id chat.TurnID, content bool) (spans.Turn, error) {
	row, err := dbsqlc.Q.TurnOf(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return spans.Turn{}, fault.Errorf(fault.NotFound, "turn %s was deleted", id)
	}
	if err != nil {
		return spans.Turn{}, pg.Classify(fmt.Errorf("read turn %s: %w", id, err))
	}
	t := turnOf(row)
	for _, read := range []func(context.Context, *spans.Turn, bool) error{s.readSteps, s.readCalls, s.readCompactions, s.readRetries, s.readInput} {
		if err := read(ctx, &t, content); err != nil {
			return spans.Turn{}, pg.Classify(fmt.Errorf("read turn %s: %w", id, err))
		}
	}
	return t, nil
}

func turnOf(r dbsqlc.TurnOfRow) spans.Turn {
	t := spans.Turn{
		ID: r.ID, Session: r.SessionKey, State: r.State, Model: r.Model, Started: r.StartedAt, Ended: timeOf(r.EndedAt), Channel: r.Channel,
		ChatType: r.ChatType, Agent: r.Agent, User: spans.User{ID: r.UserID, Name: r.UserName, Kind: r.UserKind}, Role: r.Role,
		Command: slices.Contains(strings.Split(r.Kinds, ","), "control"), Tree: chat.TurnID(r.Tree), AskedBy: chat.CallID(r.AskedBy),
	}
	t.Service, _, _ = service.Of(r.SessionKey)
	return t
}

func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

func (s *Store) readSteps(ctx context.Context, t *spans.Turn, content bool) error {
	rows, err := dbsqlc.Q.TurnSteps(ctx, s.db.Pool, dbsqlc.TurnStepsParams{TurnID: t.ID, Content: content, Most: textRead})
	for _, r := range rows {
		step := spans.Step{
			N: int(r.Step), Model: r.Model, ResponseModel: r.ResponseModel, Finish: r.Finish, Fault: r.Fault, Failures: int(r.Failures), Attempts: int(r.Attempts),
			Started: r.StartedAt, Finished: timeOf(r.FinishedAt), Asked: timeOf(r.AskedAt), Compacted: r.Compacted, Answer: r.Answer,
			Usage: chat.Usage{PromptTokens: int(r.PromptTokens), CachedTokens: int(r.CachedTokens), CompletionTokens: int(r.CompletionTokens)},
		}
		if r.FirstTokenMs != nil {
			step.FirstToken = time.Duration(*r.FirstTokenMs) * time.Millisecond
		}
		t.Steps = append(t.Steps, step)
	}
	return err
}

func (s *Store) readCalls(ctx context.Context, t *spans.Turn, content bool) error {
	rows, err := dbsqlc.Q.TurnCalls(ctx, s.db.Pool, dbsqlc.TurnCallsParams{TurnID: t.ID, Content: content, Most: textRead})
	for _, r := range rows {
		t.Calls = append(t.Calls, spans.Call{
			ID: r.ID, Step: int(r.Step), Name: r.Name, Class: r.Class, Attempts: int(r.Attempts), Started: timeOf(r.StartedAt), Finished: timeOf(r.FinishedAt),
			IsError: r.IsError, Rule: r.Rule, Runner: r.Runner, Task: r.Task, Approval: r.Approval, Inquires: r.Inquires, Asked: timeOf(r.AskedAt),
			Answered: timeOf(r.AnsweredAt), Arguments: r.Arguments, Result: r.Result,
		})
	}
	return err
}

func (s *Store) readCompactions(ctx context.Context, t *spans.Turn, content bool) error {
	rows, err := dbsqlc.Q.TurnCompactions(ctx, s.db.Pool, dbsqlc.TurnCompactionsParams{SessionKey: t.Session, TurnID: t.ID})
	for _, r := range rows {
		var c chat.Control
		if err := json.Unmarshal(r.Body, &c); err != nil {
			return fmt.Errorf("decode compaction %d: %w", r.ID, err)
		}
		if c.Compaction == nil {
			continue
		}
		out := spans.Compaction{
			ID: r.ID, Model: c.Compaction.Model, Trigger: c.Compaction.Trigger, Method: c.Compaction.Method, Started: timeOf(c.Compaction.StartedAt),
			Finished: r.CreatedAt, Usage: c.Compaction.Usage, Before: c.Compaction.TokensBefore, After: c.Compaction.TokensAfter,
		}
		if content {
			out.Summary = c.Compaction.Summary
		}
		t.Compactions = append(t.Compactions, out)
	}
	return err
}

// readRetries reads failures of the provider, if there may be any: they are found in all events of the conversation.
func (s *Store) readRetries(ctx context.Context, t *spans.Turn, _ bool) error {
	if len(t.Compactions) == 0 && !slices.ContainsFunc(t.Steps, func(s spans.Step) bool { return s.Failures > 0 }) {
		return nil
	}
	rows, err := dbsqlc.Q.TurnRetries(ctx, s.db.Pool, dbsqlc.TurnRetriesParams{SessionKey: t.Session, TurnID: string(t.ID)})
	for _, r := range rows {
		var e chat.Retry
		if err := json.Unmarshal(r.Data, &e); err != nil {
			return fmt.Errorf("decode a retry: %w", err)
		}
		t.Retries = append(t.Retries, spans.Retry{
			Step: e.Step, Attempt: e.Attempt, At: r.CreatedAt, Delay: time.Duration(e.DelayMS) * time.Millisecond, Reason: e.Reason,
		})
	}
	return err
}

func (s *Store) readInput(ctx context.Context, t *spans.Turn, content bool) error {
	if !content {
		return nil
	}
	rows, err := dbsqlc.Q.TurnInput(ctx, s.db.Pool, dbsqlc.TurnInputParams{TurnID: string(t.ID), Most: textRead})
	for _, r := range rows {
		t.Input = append(t.Input, spans.Text{At: r.CreatedAt, Content: r.Content})
	}
	return err
}

// Rating is a rating of a reply.
type Rating struct {
	Session chat.SessionKey
	Turn    chat.TurnID
	Tree    chat.TurnID // as in spans.Turn
	Step    int
	Helpful bool
	Comment string
}

// Rating reads a rating. ok is false if it was removed.
func (s *Store) Rating(ctx context.Context, message chat.MessageID, user chat.UserID) (r Rating, ok bool, err error) {
	row, err := dbsqlc.Q.RatingOf(ctx, s.db.Pool, dbsqlc.RatingOfParams{MessageID: message, UserID: user})
	if errors.Is(err, pgx.ErrNoRows) {
		return Rating{}, false, nil
	}
	if err != nil {
		return Rating{}, false, pg.Classify(fmt.Errorf("read the rating of reply %d: %w", message, err))
	}
	return Rating{
		Session: row.SessionKey, Turn: chat.TurnID(row.TurnID), Tree: chat.TurnID(row.Tree), Step: int(row.Step), Helpful: row.Helpful, Comment: row.Comment,
	}, true, nil
}
