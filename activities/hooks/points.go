package hooks

import (
	"context"
	"slices"
	"strings"

	"xbot/activities/compress"
	"xbot/activities/modelcall"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/tool"
)

// opening runs the hooks for the claimed messages, and for the start of a conversation if it starts or restarts with them.
func (h *Hooks) opening(ctx context.Context, in RunInput) (RunOutput, error) {
	base, scene, err := h.base(ctx, in)
	if err != nil {
		return RunOutput{}, err
	}
	if scene.First && in.N == 0 {
		if err := h.sessionStart(ctx, base, scene); err != nil {
			return RunOutput{}, err
		}
	}
	claimed, err := h.Hooks.HookClaimed(ctx, in.Turn)
	if err != nil {
		return RunOutput{}, err
	}
	for _, e := range hookEvents(base, scene, in.N, claimed) {
		if _, err := h.dispatch(ctx, e.payload, hook.Record{Messages: e.messages}); err != nil {
			return RunOutput{}, err
		}
	}
	left, err := h.Hooks.HookUnanswered(ctx, in.Turn)
	return RunOutput{Refused: !left}, err
}

// sessionStart runs the hooks for the start of a conversation; before, on a restart, those for the end of the old one.
func (h *Hooks) sessionStart(ctx context.Context, p hook.Payload, scene hook.Scene) error {
	who, err := modelcall.ProfileOf(ctx, h.Profiles, chat.SessionKey(p.Session))
	if err != nil {
		return err
	}
	p.Source, p.Model, p.Memory = "startup", scene.Model, who.Provider
	if scene.Reset != "" {
		p.Source = scene.Reset
		ended := p
		ended.Model, ended.Memory = "", ""
		if err := h.notify(ctx, ended, hook.SessionEnd, p.Turn); err != nil {
			return err
		}
	}
	return h.notify(ctx, p, hook.SessionStart, p.Turn)
}

// notify asks about an event whose outcome decides nothing.
func (h *Hooks) notify(ctx context.Context, p hook.Payload, e hook.Event, about string) error {
	p.Event, p.ID = e, eventID(about, e)
	_, err := h.dispatch(ctx, p, hook.Record{Call: chat.CallID(p.ToolUseID)})
	return err
}

// call asks about a call.
func (h *Hooks) call(ctx context.Context, in RunInput) (RunOutput, error) {
	p, _, err := h.base(ctx, in)
	if err != nil {
		return RunOutput{}, err
	}
	call, err := h.Calls.Call(ctx, in.Call)
	if err != nil {
		return RunOutput{}, err
	}
	p.ToolName, p.ToolInput, p.ToolUseID = call.Name, hook.Input(call.Arguments), string(in.Call)
	if p.ToolNames, err = h.names(ctx, in.Session, call.Name); err != nil {
		return RunOutput{}, err
	}
	switch in.Point {
	case PointCall:
		return h.preToolUse(ctx, p, call)
	case PointQuestion:
		if why, err := h.Runners.NoRunner(ctx, call); err != nil || why != nil {
			return RunOutput{}, err // the call fails without a question
		}
		p.Reason = tool.Reason(call.Arguments)
		p.Event, p.ID = hook.PermissionRequest, eventID(string(in.Call), hook.PermissionRequest)
		said, err := h.dispatch(ctx, p, hook.Record{Call: in.Call})
		return RunOutput{Refused: said.Decision == hook.Deny}, err
	case PointRefused:
		if call.Approval == nil || call.Approval.State != chat.ApprovalDenied {
			return RunOutput{}, nil
		}
		p.Reason = call.Approval.Note
		return RunOutput{}, h.notify(ctx, p, hook.PermissionDenied, string(in.Call))
	}
	return RunOutput{}, h.postToolUse(ctx, p, call)
}

// names returns the names under which hooks match the tool of a call.
func (h *Hooks) names(ctx context.Context, key chat.SessionKey, name string) ([]string, error) {
	if !strings.HasPrefix(name, "mcp_") {
		return nil, nil // only its own name
	}
	tools, err := h.Tools.Of(ctx, key)
	if err != nil {
		return nil, err
	}
	if t, ok := tools.Get(name); ok {
		return t.Spec().Names(), nil
	}
	return nil, nil
}

// preToolUse asks whether a call may run. The call's row has the decision afterwards.
func (h *Hooks) preToolUse(ctx context.Context, p hook.Payload, call chat.Call) (RunOutput, error) {
	if call.Hook == chat.HookDue && call.State == chat.CallOpen {
		p.Event, p.ID = hook.PreToolUse, eventID(string(call.ID), hook.PreToolUse)
		if _, err := h.dispatch(ctx, p, hook.Record{Call: call.ID}); err != nil {
			return RunOutput{}, err
		}
	}
	call, err := h.Calls.Call(ctx, call.ID)
	return RunOutput{Refused: call.State == chat.CallDone, Ask: call.Rule == chat.RuleAsk}, err
}

// maxTold bounds the output of a call that hooks receive, in bytes.
const maxTold = 64 << 10

// postToolUse runs the hooks for the end of a call.
func (h *Hooks) postToolUse(ctx context.Context, p hook.Payload, call chat.Call) error {
	if call.State != chat.CallDone {
		return nil // the turn was stopped
	}
	p.Elapsed = elapsed(call.ToolCall)
	if call.IsError {
		p.Failure = tool.Cut(call.Result, maxTold)
		return h.notify(ctx, p, hook.PostToolUseFailure, string(call.ID))
	}
	p.Output = tool.Cut(call.Result, maxTold)
	return h.notify(ctx, p, hook.PostToolUse, string(call.ID))
}

// elapsed returns how long a call ran, in milliseconds.
func elapsed(call chat.ToolCall) int64 {
	if call.StartedAt == nil || call.FinishedAt == nil {
		return 0
	}
	return call.FinishedAt.Sub(*call.StartedAt).Milliseconds()
}

// postToolBatch runs the hooks for the end of a step's calls. Their answers are added to the last call.
func (h *Hooks) postToolBatch(ctx context.Context, in RunInput) error {
	p, _, err := h.base(ctx, in)
	if err != nil {
		return err
	}
	calls, err := h.Hooks.HookBatch(ctx, in.Turn, in.Step)
	if err != nil || len(calls) == 0 {
		return err
	}
	p.Count = len(calls)
	for _, c := range calls {
		r := hook.Result{Tool: c.Name, Success: !c.IsError, Elapsed: elapsed(c)}
		if c.IsError {
			r.Error = tool.Cut(c.Result, 500)
		}
		p.Results = append(p.Results, r)
	}
	last := calls[len(calls)-1].ID
	p.Event, p.ID = hook.PostToolBatch, eventID(string(last), hook.PostToolBatch)
	_, err = h.dispatch(ctx, p, hook.Record{Call: last})
	return err
}

// compression runs the hooks before and after a compression of the context, but not after one that found nothing to compress.
func (h *Hooks) compression(ctx context.Context, in RunInput) error {
	if in.Point == PointCompacted && in.After == 0 {
		return nil
	}
	p, _, err := h.base(ctx, in)
	if err != nil {
		return err
	}
	e := hook.PostCompact
	p.Trigger, p.Before, p.After = in.Trigger, in.Before, in.After
	if in.Point == PointCompact {
		e = hook.PreCompact
		p.Messages, p.Before, err = h.Sizes.Weigh(ctx, compress.Input{Session: in.Session, Turn: in.Turn, Step: in.Step, N: in.N, Trigger: in.Trigger})
		if err != nil {
			return err
		}
	}
	return h.notify(ctx, p, e, countedID(in.Turn, in.Step, in.N))
}

// closing runs the hooks for the end of a turn. For a turn of a subagent it also runs those for its end, even if it failed.
func (h *Hooks) closing(ctx context.Context, in RunInput) error {
	p, scene, err := h.base(ctx, in)
	if err != nil {
		return err
	}
	answer, notice, err := h.Hooks.HookEnd(ctx, in.Turn)
	if err != nil {
		return err
	}
	failed := slices.Contains([]chat.TurnState{chat.TurnFailed, chat.TurnLost}, scene.State)
	if failed {
		wrong := p
		wrong.ErrorType, wrong.Error = string(scene.State), notice
		if err := h.notify(ctx, wrong, hook.AgentError, string(in.Turn)); err != nil {
			return err
		}
	}
	p.Content = tool.Cut(answer, maxTold)
	switch {
	case scene.ChatType == chat.ChatSubagent:
		p.Agent, p.Instance = scene.Role, scene.Instance
		return h.notify(ctx, p, hook.SubAgentStop, string(in.Turn))
	case failed:
		return nil
	}
	return h.notify(ctx, p, hook.AgentStop, string(in.Turn))
}

// Refusal returns the result of a call that must not run: the hooks forbid it, or had to be asked about it and were not. It does
// not matter why the workflow tries to run it. ok is false when the call may run.
func Refusal(call chat.Call) (result chat.ToolResult, ok bool) {
	if call.Hook != chat.HookDue && call.Hook != chat.HookDenied {
		return chat.ToolResult{}, false
	}
	return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.HookUnasked), IsError: true}, true
}
