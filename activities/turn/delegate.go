package turn

import (
	"context"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// DelegateOutput is the work that a call has handed over and its subagent. Without a subagent the call has its result.
type DelegateOutput struct {
	Subagent *chat.SubagentRef `json:"subagent,omitempty"` // to be started, unless it runs
	Wait     bool              `json:"wait,omitempty"`     // the call's result is the subagent's answer
	Words    string            `json:"words,omitempty"`    // first words of the task, if they may appear in histories
	Error    bool              `json:"error,omitempty"`
	Group    chat.GroupID      `json:"group,omitempty"` // a chat was made, which is to be started
}

// Delegate carries out a call that asks something of a subagent: it is written down, once for each call, and the workflow
// starts and awaits it. It runs as a local activity.
func (t *Tools) Delegate(ctx context.Context, in ToolInput) (DelegateOutput, error) {
	call, err := t.Calls.Call(ctx, in.Call)
	if err != nil {
		return DelegateOutput{}, activities.Failure(ctx, err)
	}
	if call.State == chat.CallDone {
		return DelegateOutput{Error: call.IsError}, nil
	}
	result, err := t.delegate(ctx, call)
	if err != nil {
		return DelegateOutput{}, activities.Failure(ctx, err)
	}
	out := DelegateOutput{Error: result.IsError, Group: result.Group}
	if h := result.Handed; h != nil {
		out.Subagent, out.Wait = &h.Subagent, !h.Background
	}
	if t.Words && (out.Subagent != nil || out.Group != "") {
		out.Words = `"` + chat.FirstWords(call.Summary, chat.SummaryWords) + `"`
	}
	return out, nil
}

func (t *Tools) delegate(ctx context.Context, call chat.Call) (chat.ToolResult, error) {
	if refused, ok := refusal(call); ok {
		return t.record(ctx, call, refused)
	}
	found, refused, ok, err := t.tool(ctx, call)
	if err != nil {
		return chat.ToolResult{}, err
	}
	if !ok {
		return t.record(ctx, call, refused)
	}
	if began, err := t.Calls.BeginCall(ctx, call); err != nil || !began {
		return chat.ToolResult{}, err
	}
	result, err := found.Run(ctx, tool.Call{
		ID: call.ID, Session: call.Session, User: call.User, Arguments: call.Arguments, Cwd: call.Cwd, Approval: call.Approval,
		Box: sandbox.None{Why: fault.Errorf(fault.Denied, "work is handed on without a machine")},
	})
	if err != nil || result.Handed != nil && !result.Handed.Background {
		return result, err
	}
	return t.record(ctx, call, result)
}
