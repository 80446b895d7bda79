package activities

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/phrase"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Calls keeps tool calls and their results.
type Calls interface {
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	BeginCall(ctx context.Context, c chat.Call) (bool, error)
	FinishCall(ctx context.Context, id chat.CallID, r chat.ToolResult) error
}

// Toolbox runs a tool by name.
type Toolbox interface {
	Run(ctx context.Context, name string, call tool.Call) (chat.ToolResult, error)
}

// Boxes finds the sandbox of a runner. It waits for a runner that is away: without bound when sent says that a call
// may have reached it, else for the router's own time, after which it answers fault.Unavailable.
type Boxes interface {
	Box(ctx context.Context, user chat.UserID, runner string, sent bool) (sandbox.Sandbox, error)
}

// Publisher shows people what a command prints.
type Publisher interface {
	PublishOutput(key chat.SessionKey, o chat.Output)
}

// Tools runs the tool calls of turns.
type Tools struct {
	Calls   Calls
	Toolbox Toolbox
	Boxes   Boxes
	Live    Publisher
}

// ToolInput names a call.
type ToolInput struct {
	Call chat.CallID `json:"call"`
}

// ToolOutput says how a call ended; its result is in Postgres.
type ToolOutput struct {
	Error bool `json:"error,omitempty"` // the tool reports an error to the model
}

// Tool runs one call and records its result. The first result that is recorded stands.
func (t *Tools) Tool(ctx context.Context, in ToolInput) (ToolOutput, error) {
	defer heartbeat(ctx)()
	call, err := t.Calls.Call(ctx, in.Call)
	if err != nil {
		return ToolOutput{}, failure(ctx, err)
	}
	if call.State == chat.CallDone {
		return ToolOutput{Error: call.IsError}, nil
	}
	result, err := t.run(ctx, call)
	if err != nil {
		return ToolOutput{}, failure(ctx, err)
	}
	return ToolOutput{Error: result.IsError}, nil
}

func (t *Tools) run(ctx context.Context, call chat.Call) (chat.ToolResult, error) {
	sent := call.StartedOn != ""
	box, err := t.Boxes.Box(ctx, call.User, call.Runner, sent)
	if err != nil {
		return t.unreachable(ctx, call, err)
	}
	began, err := t.Calls.BeginCall(ctx, call)
	if err != nil || !began {
		return chat.ToolResult{}, err
	}
	result, err := t.attempt(ctx, call, box)
	if err != nil {
		return chat.ToolResult{}, err
	}
	recording, cancel := settling(ctx)
	defer cancel()
	if err := t.Calls.FinishCall(recording, call.ID, result); err != nil {
		return chat.ToolResult{}, err
	}
	if call.Class == chat.ClassExec {
		_ = box.Release(recording, call.ID) // the runner prunes what nobody releases
	}
	return result, nil
}

// unreachable makes "the runner is offline" a result for a call that was never sent.
func (t *Tools) unreachable(ctx context.Context, call chat.Call, cause error) (chat.ToolResult, error) {
	if ctx.Err() != nil || call.StartedOn != "" || !fault.Is(cause, fault.Unavailable) && !fault.Is(cause, fault.Denied) {
		return chat.ToolResult{}, cause
	}
	result := chat.ToolResult{Content: "Error: " + cause.Error(), IsError: true}
	return result, t.Calls.FinishCall(ctx, call.ID, result)
}

// AbandonInput names a call whose activity ended without a result.
type AbandonInput struct {
	Call   chat.CallID `json:"call"`
	Broken bool        `json:"broken,omitempty"` // the tool broke; otherwise its end was not seen
}

// Abandon records that nobody knows how a call ended. A result that was recorded before stands.
func (t *Tools) Abandon(ctx context.Context, in AbandonInput) error {
	say := phrase.CallUnknown
	if in.Broken {
		say = phrase.CallBroken
	}
	return failure(ctx, t.Calls.FinishCall(ctx, in.Call, chat.ToolResult{Content: phrase.Say(phrase.English, say), IsError: true}))
}

// grace is how long a stopped call may take to end by itself after its command was killed. It covers the runner's
// own grace between SIGTERM and SIGKILL.
const grace = 4 * time.Second

// attempt runs the tool. The tool does not see the end of the activity's context directly: a stop first kills the
// command, so that its partial output becomes the result; any other end leaves the command alone.
func (t *Tools) attempt(ctx context.Context, call chat.Call, box sandbox.Sandbox) (chat.ToolResult, error) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-ended:
		case <-ctx.Done():
			if stopped(ctx) {
				t.kill(ctx, call, box, ended)
			}
			cancel(context.Cause(ctx))
		}
	}()
	result, err := t.Toolbox.Run(running, call.Name, tool.Call{
		ID: call.ID, Session: call.Session, User: call.User, Arguments: call.Arguments, Box: box, Cwd: call.Cwd,
		Output: (&output{call: call, live: t.Live}).write,
	})
	close(ended)
	<-watched
	if err != nil && stopped(ctx) {
		return chat.ToolResult{Content: phrase.Say(phrase.English, phrase.CallInterrupt), IsError: true}, nil
	}
	return result, err
}

// kill ends the command of a stopped call and waits a moment for the tool to say what it left behind.
func (t *Tools) kill(ctx context.Context, call chat.Call, box sandbox.Sandbox, ended <-chan struct{}) {
	if call.Class != chat.ClassExec {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if box.Kill(ctx, call.ID) != nil {
		return // an unreachable runner gets the kill from whoever holds its queue; the result says interrupted
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
