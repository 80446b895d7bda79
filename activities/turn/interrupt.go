package turn

import (
	"cmp"
	"context"
	"errors"
	"time"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// InterruptWait bounds how long a stop waits for a runner that is away.
const InterruptWait = 30 * time.Second

// Pauses between two tries to reach a runner.
const (
	firstKillPause = 200 * time.Millisecond
	longKillPause  = 2 * time.Second
)

// Interrupt ends the command of a call whose turn was stopped after the worker that followed the command was lost. It kills the command and records
// its output. A runner that is away for InterruptWait gets the kill, which is recorded, when it is back; the outcome is unknown then. While another
// part is away, such as Postgres, the activity is to be retried. A result recorded before is kept.
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
	box, err := t.Sandboxes.Box(ctx, call.User, call.Runner)
	if err == nil {
		err = t.killSoon(ctx, call.ID, box)
	}
	switch {
	case runnerAway(err):
		unknown := chat.ToolResult{Content: i18n.Say(i18n.English, i18n.CallUnknown), IsError: true}
		return activities.Failure(ctx, t.Calls.AbandonCall(ctx, call.ID, unknown))
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

// killSoon kills a command. It waits for a runner that is away as long as a user waits for a stop.
func (t *Tools) killSoon(ctx context.Context, id chat.CallID, box sandbox.Sandbox) error {
	limit := time.NewTimer(cmp.Or(t.InterruptWait, InterruptWait))
	defer limit.Stop()
	for pause := firstKillPause; ; pause = min(2*pause, longKillPause) {
		err := box.Kill(ctx, id)
		if !runnerAway(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return err
		case <-time.After(pause):
		}
	}
}

// runnerAway reports whether an error means that the runner is out of reach, and not that another part is.
func runnerAway(err error) bool {
	_, pending := errors.AsType[*sandbox.KillPendingError](err)
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	return pending || offline
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
