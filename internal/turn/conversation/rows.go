package conversation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// ToolEvent returns the event of a call.
func ToolEvent(r dbsqlc.ToolCall) chat.ToolEvent {
	return chat.ToolEvent{Turn: r.TurnID, Step: int(r.Step), ToolCall: CallOf(r)}
}

// CallOf returns the call of a row.
func CallOf(r dbsqlc.ToolCall) chat.ToolCall {
	return chat.ToolCall{
		ID: r.ID, ProviderID: r.ProviderID, Name: r.Name, Class: r.Class, Arguments: r.Arguments, State: r.State, Summary: r.Summary,
		Result: r.Result, IsError: r.IsError, Offload: r.Offload, Task: r.Task, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Rule: r.Rule, Approval: approvalOf(r),
		Asks: chat.Asks{Questions: r.Questions, Plan: r.Plan}, Ruling: chat.Ruling{Judged: r.Judged, Always: alwaysOf(r), Digest: r.JudgedDigest}, Hooked: chat.Hooked{Hook: r.Hook, HookAfter: r.HookAfter}, ResultView: chat.ResultView{Pictures: r.Pictures, Diff: r.Diff, Sources: r.Sources},
	}
}

// CallsOfStep returns the calls of a step, in order.
func CallsOfStep(ctx context.Context, db pg.DBTX, turn chat.TurnID, step int) ([]chat.ToolCall, error) {
	rows, err := dbsqlc.Q.CallListOfStep(ctx, db, dbsqlc.CallListOfStepParams{TurnID: turn, Step: int32(step)})
	if err != nil {
		return nil, fmt.Errorf("read calls of the step: %w", err)
	}
	var calls []chat.ToolCall
	for _, r := range rows {
		calls = append(calls, CallOf(r))
	}
	return calls, nil
}

func approvalOf(r dbsqlc.ToolCall) *chat.Approval {
	if r.Approval == "" || r.AskedAt == nil {
		return nil
	}
	return &chat.Approval{
		State: r.Approval, Reason: r.Reason, Preview: r.Preview, Note: r.Note, AskedAt: *r.AskedAt, AnsweredAt: r.AnsweredAt, AnsweredBy: r.AnsweredBy,
		Plan: r.Plan, Questions: r.Questions, Answers: r.Answers, Always: alwaysOf(r), Deferred: r.Hook == chat.HookDeferred, Asked: askedOf(r),
	}
}

// askedOf returns the arguments before a user's change; empty: they changed none.
func askedOf(r dbsqlc.ToolCall) string {
	if r.AskedArguments == nil {
		return ""
	}
	return *r.AskedArguments
}

// alwaysOf returns the rules that an answer with always sets. A call without stored rules has the one for its tool.
func alwaysOf(r dbsqlc.ToolCall) []chat.ToolRule {
	if r.Always == nil && len(r.Questions) == 0 && r.Plan == nil {
		return []chat.ToolRule{{Tool: r.Name, Rule: chat.RuleAllow}}
	}
	return r.Always
}

// TurnOf returns the turn of a row.
func TurnOf(r dbsqlc.Turn) chat.Turn {
	return chat.Turn{
		Waits: WaitOf(r.WaitsSince, r.WaitsUntil, r.AsksAt, r.WaitsReason), Allows: allowanceOf(r),
		ID: r.ID, Session: r.SessionKey, State: r.State, Plan: r.Plan, Steps: int(r.Steps), Model: r.Model,
		Usage:     chat.Usage{PromptTokens: int(r.PromptTokens), CachedTokens: int(r.CachedTokens), CompletionTokens: int(r.CompletionTokens)},
		StartedAt: r.StartedAt, EndedAt: r.EndedAt, RunID: r.RunID,
	}
}

// allowanceOf returns the permission for all calls of a running turn, or nil if there is none.
func allowanceOf(r dbsqlc.Turn) *chat.Allowance {
	if r.AllowsBy == "" || r.AllowsSince == nil || r.State != chat.TurnRunning {
		return nil
	}
	return &chat.Allowance{By: r.AllowsBy, Since: *r.AllowsSince, Calls: int(r.AllowsCalls)}
}

// WaitOf returns the wait of a turn for its provider, or nil if it does not wait.
func WaitOf(since, until, next *time.Time, reason string) *chat.Wait {
	if since == nil || until == nil {
		return nil
	}
	return &chat.Wait{Since: *since, Until: *until, Next: next, Reason: reason}
}

// RefOf returns the reference of the subagent of a row.
func RefOf(r dbsqlc.Subagent) chat.SubagentRef {
	return chat.SubagentRef{Session: r.SessionKey, Parent: r.Parent, Role: r.Role, Instance: r.Instance, Call: r.CallID}
}

// WordsOf returns the user's text, also if the row holds the command that replaced it.
func WordsOf(body string, options json.RawMessage) string {
	if said := ParseOptions(options); said.Said != "" {
		return chat.Clean(said.Said)
	}
	return body
}

// ParseOptions reads the options of a row. Only xbot writes them; options that do not decode count as empty.
func ParseOptions(options json.RawMessage) (said chat.Options) {
	if json.Unmarshal(options, &said) != nil {
		return chat.Options{}
	}
	return said
}
