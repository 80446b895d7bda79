package turn

import (
	"context"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Interrupt ends the command of a call whose turn was stopped while nobody could act on it: the worker that followed the command is
// gone. It kills the command and records what it left behind. As long as its runner cannot be told, it is to be tried again; the kill
// is noted before. A result that was recorded before stands.
func (t *Tools) Interrupt(ctx context.Context, in ToolInput) error {
	defer activities.Heartbeat(ctx)()
	call, err := t.Calls.Call(ctx, in.Call)
	if err != nil || call.State == chat.CallDone {
		return activities.Failure(ctx, err)
	}
	interrupted := chat.ToolResult{Content: i18n.Say(i18n.English, i18n.CallInterrupt), IsError: true}
	if call.StartedOn == "" { // it was never sent, and is not from here on
		return activities.Failure(ctx, t.Calls.AbandonCall(ctx, call.ID, interrupted))
	}
	box, err := t.Boxes.Box(ctx, call.User, call.Runner)
	if err == nil {
		err = box.Kill(ctx, call.ID)
	}
	switch {
	case fault.Is(err, fault.Denied): // the runner is not theirs any more
		return activities.Failure(ctx, t.Calls.AbandonCall(ctx, call.ID, interrupted))
	case err != nil:
		return activities.Failure(ctx, err)
	}
	result, err := t.leftBehind(ctx, call, box)
	if err != nil || result.Background != nil {
		result = interrupted
	}
	if _, err := t.record(ctx, call, result); err != nil {
		return activities.Failure(ctx, err)
	}
	activities.Release(ctx, box, call.ID)
	return nil
}

// leftBehind attaches to a command that was killed, for its end and what it wrote.
func (t *Tools) leftBehind(ctx context.Context, call chat.Call, box sandbox.Sandbox) (chat.ToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, activities.KillGrace)
	defer cancel()
	found, ok, err := t.Sets.Find(ctx, call.Session, call.Name)
	if err == nil && !ok {
		err = fault.Errorf(fault.NotFound, "the conversation has no %s any more", call.Name)
	}
	if err != nil {
		return chat.ToolResult{}, err
	}
	out := t.Outputs.OpenOutput(call)
	defer out.Close()
	call.Cwd = chat.FolderOn(call.Cwd, call.CwdRunner, box.Name())
	return found.Run(ctx, tool.Call{
		ID: call.ID, Session: call.Session, User: call.User, Arguments: call.Arguments, Box: box, Cwd: call.Cwd,
		StartedOn: call.StartedOn, Approval: call.Approval, Judged: call.Judged,
		Starting: func(ctx context.Context, store string) error { return t.Calls.SetStartedOn(ctx, call.ID, store) },
		Output:   (&activities.Printer{Out: out}).Write,
	})
}
