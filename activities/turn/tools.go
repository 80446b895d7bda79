package turn

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"xbot/activities"
	"xbot/activities/coding"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/document/decode"
	"xbot/internal/fault"
	"xbot/internal/host/readonce"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/session"
)

// ToolSets knows the tools of conversations.
type ToolSets interface {
	modelcall.Tools
	// Find returns the tool of a name that a conversation can call.
	Find(ctx context.Context, key chat.SessionKey, name string) (tool.Tool, bool, error)
	// Use notes that a conversation uses tools, so that they stay in sight.
	Use(ctx context.Context, key chat.SessionKey, specs ...tool.Spec) error
	// Quick reports whether calls of a tool that every user has usually end within a second.
	Quick(name string) bool
}

// Tools runs the tool calls of turns.
type Tools struct {
	Attachments Attachments
	Calls       Calls
	Sets        ToolSets
	// Authorizers judge calls whose working folder has changed since they were judged.
	Authorizers permission.Authorizers
	Boxes       activities.Sandboxes
	Outputs     activities.Outputs
	Sampling    *Sampling // answers what MCP servers ask the model; nil: such requests are refused
	Words       bool      // whether the first words of a task may appear in histories
	// InterruptWait limits how long a stop waits for a runner that is away; 0: the constant of the same name.
	InterruptWait time.Duration
}

// ToolInput names a call.
type ToolInput struct {
	Call chat.CallID `json:"call"`
	// Within bounds the attempt: what has not ended by then is left alone, for another one to attach to. 0 is without a bound.
	Within time.Duration `json:"within,omitempty"`
}

// AttemptID identifies the call across its attempts.
func (in ToolInput) AttemptID() string { return string(in.Call) }

// ToolOutput is the end of a call; its result is in Postgres.
type ToolOutput struct {
	Error      bool `json:"error,omitempty"`      // the tool reports an error to the model
	Unfinished bool `json:"unfinished,omitempty"` // it had not ended within its time, and goes on
	Asks       bool `json:"asks,omitempty"`       // a user is asked first; then the call is made again
}

// errTimeUsed ends an attempt whose time is used up.
var errTimeUsed = errors.New("the attempt has used up its time")

// Tool runs one call and records its result. It keeps the first result recorded.
func (t *Tools) Tool(ctx context.Context, in ToolInput) (ToolOutput, error) {
	shown := &progress{}
	defer activities.HeartbeatWith(ctx, activities.HeartbeatInterval, shown.details)()
	ctx = context.WithValue(ctx, progressKey{}, shown)
	if in.Within <= 0 {
		return t.runCall(ctx, in)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, in.Within, errTimeUsed)
	defer cancel()
	out, err := t.runCall(ctx, in)
	if err != nil && errors.Is(context.Cause(ctx), errTimeUsed) {
		return ToolOutput{Unfinished: true}, nil
	}
	return out, err
}

func (t *Tools) runCall(ctx context.Context, in ToolInput) (ToolOutput, error) {
	call, err := t.Calls.Call(ctx, in.Call)
	if err != nil {
		return ToolOutput{}, activities.Failure(ctx, err)
	}
	if call.State == chat.CallDone {
		return ToolOutput{Error: call.IsError}, nil
	}
	result, err := t.run(ctx, call)
	if err != nil {
		return ToolOutput{}, activities.Failure(ctx, err)
	}
	if len(result.Asks) > 0 {
		return ToolOutput{Asks: true}, nil
	}
	return ToolOutput{Error: result.IsError}, nil
}

func (t *Tools) run(ctx context.Context, call chat.Call) (chat.ToolResult, error) {
	if refused, ok := refusal(call); ok {
		return t.record(ctx, call, refused)
	}
	prepared := readonce.Context(ctx) // the result hides the secrets that the call began with
	found, refused, ok, err := t.tool(prepared, call)
	if err != nil {
		return chat.ToolResult{}, err
	}
	if found == nil || !ok && call.StartedOn == "" {
		return t.record(prepared, call, refused)
	}
	if full, err := t.full(ctx, call); err != nil {
		return chat.ToolResult{}, err
	} else if full {
		return t.record(prepared, call, chat.ToolResult{Content: i18n.Say(i18n.English, i18n.TasksFull, chat.MaxTasks), IsError: true})
	}
	find := t.Boxes.Of
	if call.State == chat.CallRunning {
		find = t.Boxes.Begun
	}
	box, err := find(prepared, call.Session, call.User, call.Runner)
	switch {
	case fault.Is(err, fault.Denied) && call.StartedOn != "": // an earlier attempt sent it, to a runner that is not theirs any more
		said := i18n.Say(i18n.English, i18n.CallUnknown) + " (" + err.Error() + ")"
		return t.record(prepared, call, chat.ToolResult{Content: said, IsError: true})
	case fault.Is(err, fault.Denied):
		box = sandbox.None{Why: err} // enough for tools that need no machine
	case err != nil:
		return chat.ToolResult{}, err
	}
	call.Runner = box.Name() // noted, so that another attempt goes where this one began
	call.Cwd = chat.FolderOn(call.Cwd, call.CwdRunner, call.Runner)
	attended, err := t.attended(ctx, call, found.Spec())
	if err != nil {
		return chat.ToolResult{}, err
	}
	began, err := t.Calls.BeginCall(ctx, call)
	if err != nil || !began {
		return chat.ToolResult{}, err
	}
	result, err := t.attempt(signalRunnerWaits(ctx, call.ID), found, call, box, attended)
	if offline, ok := errors.AsType[*sandbox.OfflineError](err); ok {
		result, err = chat.ToolResult{Content: "Error: " + offline.Error(), IsError: true}, nil
	}
	if odd, ok := errors.AsType[*sandbox.MisbehavedError](err); ok { // asking it again would say the same
		result, err = chat.ToolResult{Content: i18n.Say(i18n.English, i18n.CallRunner, odd.Error()), IsError: true}, nil
	}
	if err == nil && len(result.Asks) > 0 {
		return t.askAgain(ctx, call, result)
	}
	if err != nil {
		return chat.ToolResult{}, err
	}
	result, err = t.record(prepared, call, result)
	if err == nil && call.Class == chat.ClassExec && result.Background == nil {
		activities.Release(ctx, box, call.ID)
	}
	return result, err
}

// askAgain opens a call again with the questions that it has. One that has ended meanwhile stays as it is.
func (t *Tools) askAgain(ctx context.Context, call chat.Call, result chat.ToolResult) (chat.ToolResult, error) {
	settling, cancel := activities.Settling(ctx)
	defer cancel()
	asks, err := t.Calls.ReopenCall(settling, call.ID, result.Asks)
	if err != nil || !asks {
		return chat.ToolResult{}, err
	}
	return result, nil
}

// attended reports whether a call of a tool that asks users can do so: the conversation is a user's, and the model can ask there, too.
func (t *Tools) attended(ctx context.Context, call chat.Call, spec tool.Spec) (bool, error) {
	if spec.Remote == nil || service.Serves(call.Session) {
		return false, nil
	}
	if k, err := session.Parse(call.Session); err != nil || k.Kind == session.KindCron || k.Kind == session.KindHook {
		return false, nil //nolint:nilerr // a key that cannot be read is nobody's conversation
	}
	_, may, err := t.Sets.Find(ctx, call.Session, coding.Inquiring)
	return may, err
}

// tool returns the tool of a call, which is now in use. Not ok: it may not run; refused is the reason. A tool that is run in another way than when it
// was called might run twice.
func (t *Tools) tool(ctx context.Context, call chat.Call) (found tool.Tool, refused chat.ToolResult, ok bool, err error) {
	found, ok, err = t.Sets.Find(ctx, call.Session, call.Name)
	switch {
	case err != nil:
		return nil, refused, false, err
	case !ok:
		return nil, unknown(call.Name), false, nil
	case found.Spec().Class != call.Class:
		return found, tool.Fail("%s has changed since it was called; call it again", call.Name), false, nil
	}
	same, err := t.asJudged(ctx, call, found.Spec())
	switch {
	case err != nil:
		return nil, refused, false, err
	case !same && call.State == chat.CallRunning:
		return found, chat.ToolResult{Content: i18n.Say(i18n.English, i18n.CallUnknown), IsError: true}, false, nil
	case !same:
		return found, tool.Fail("the tool, the arguments or the working folder of this call of %s have changed since the permission check; call it again", call.Name), false, nil
	}
	return found, refused, true, t.Sets.Use(ctx, call.Session, found.Spec())
}

// asJudged reports whether a call is the one that the permissions were asked about, or one that they allow now. A call that has begun goes on,
// except one of an MCP server, which would be sent again.
func (t *Tools) asJudged(ctx context.Context, call chat.Call, spec tool.Spec) (bool, error) {
	switch {
	case call.Digest == "", call.State != chat.CallOpen && spec.Remote == nil:
		return true, nil
	case spec.Pattern != chat.PatternPath:
		return call.Digest == permission.Digest(spec, call.Arguments, ""), nil
	}
	tools, err := t.Sets.Of(ctx, call.Session)
	if err != nil {
		return false, err
	}
	authorizer, err := t.Authorizers.Of(ctx, call.Session, tools)
	if err != nil {
		return false, err
	}
	now := authorizer.Call(call.Name, call.Arguments)
	return now.Digest == call.Digest || now.Rule == chat.RuleAllow, nil
}

// WithoutRunner implements Runners.
func (t *Tools) WithoutRunner(ctx context.Context, call chat.Call) (bool, error) {
	why, err := t.NoRunner(ctx, call)
	if err != nil || why == nil {
		return false, err
	}
	_, err = t.record(ctx, call, tool.Fail("%s", why))
	return true, err
}

// NoRunner returns why a call that acts on a runner has none, as an error of the kind Denied; nil if it has one, or needs none.
func (t *Tools) NoRunner(ctx context.Context, call chat.Call) (why, err error) {
	found, ok, err := t.Sets.Find(ctx, call.Session, call.Name)
	if err != nil || !ok || !found.Spec().OnRunner {
		return nil, err
	}
	_, err = t.Boxes.Of(ctx, call.Session, call.User, call.Runner)
	if fault.Is(err, fault.Denied) {
		return err, nil
	}
	return nil, err
}

// full reports whether a command may not start because too many of its user's go on in the background. One that may have
// started is attached to all the same.
func (t *Tools) full(ctx context.Context, call chat.Call) (bool, error) {
	if call.Class != chat.ClassExec || call.StartedOn != "" {
		return false, nil
	}
	running, err := t.Calls.TasksRunningOf(ctx, call.User)
	return running >= chat.MaxTasks, err
}

// record writes the result, also when the activity was stopped meanwhile.
func (t *Tools) record(ctx context.Context, call chat.Call, r chat.ToolResult) (chat.ToolResult, error) {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	masker, err := t.Boxes.Masker(ctx, call.Session)
	if err != nil {
		return r, err
	}
	r.Content, r.Diff = masker.Text(r.Content), masker.Text(r.Diff)
	r, err = t.fitting(ctx, call, offloaded(call, r))
	if err != nil {
		return r, err
	}
	return r, t.Calls.FinishCall(ctx, call.ID, r)
}

// fitting leaves out pictures that exceed the limit of their user.
func (t *Tools) fitting(ctx context.Context, call chat.Call, r chat.ToolResult) (chat.ToolResult, error) {
	bytes := 0
	for _, p := range r.Pictures {
		bytes += len(p.Data)
	}
	if bytes == 0 {
		return r, nil
	}
	err := t.Attachments.Room(ctx, call.User, int64(bytes))
	if fault.Is(err, fault.TooLarge) {
		r.Pictures = nil
		r.Content += "\n[not shown: " + err.Error() + "]"
		return r, nil
	}
	return r, err
}

// AbandonInput names a call whose activity ended without a result.
type AbandonInput struct {
	Call   chat.CallID `json:"call"`
	Broken bool        `json:"broken,omitempty"` // the tool broke; otherwise its end was not seen
	// Crashed marks a call that was given up because worker processes crashed in it.
	Crashed bool `json:"crashed,omitempty"`
	// Hook marks a call that did not begin because its hooks could not be run.
	Hook bool `json:"hook,omitempty"`
}

// Abandon records that the outcome of a call is unknown, and has its command killed, which no worker follows any more. It keeps a result recorded
// before.
func (t *Tools) Abandon(ctx context.Context, in AbandonInput) error {
	say := i18n.CallUnknown
	switch {
	case in.Hook && in.Crashed:
		say = i18n.HookCrashed
	case in.Hook:
		say = i18n.HookUnasked
	case in.Crashed:
		say = i18n.CallCrashed
	case in.Broken:
		say = i18n.CallBroken
	}
	return activities.Failure(ctx, t.Calls.AbandonCall(ctx, in.Call, chat.ToolResult{Content: i18n.Say(i18n.English, say), IsError: true}))
}

// attempt runs the tool. The tool does not see the end of the activity's context directly: a stop first kills the
// command, so that its partial output becomes the result; any other end leaves the command alone. A stop that comes when
// the tool has just ended changes nothing: a command that goes on by then is a task, which a stop leaves alone.
func (t *Tools) attempt(ctx context.Context, found tool.Tool, call chat.Call, box sandbox.Sandbox, attended bool) (chat.ToolResult, error) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	ended := make(chan struct{})
	watched := make(chan struct{})
	interrupted := false // read after watched is closed
	go func() {
		defer close(watched)
		select {
		case <-ended:
		case <-ctx.Done():
			if interrupted = activities.Stopped(ctx); interrupted {
				t.kill(ctx, call, box, ended)
			}
			cancel(context.Cause(ctx))
		}
	}()
	out := t.Outputs.OpenOutput(call)
	defer out.Close()
	running = decode.WithUser(running, call.User)
	result, err := found.Run(running, tool.Call{
		ID: call.ID, Session: call.Session, User: call.User, Arguments: call.Arguments, Box: box, Cwd: call.Cwd, Env: call.Env,
		StartedOn: call.StartedOn, Approval: call.Approval, Judged: call.Judged, Attended: attended, Sampler: t.Sampling.of(running, call),
		Starting: func(ctx context.Context, store string) error { return t.Calls.SetStartedOn(ctx, call.ID, store) },
		Output:   (&activities.Printer{Out: out}).Write,
		Progress: progressOf(ctx).show, Stopped: func() bool { return activities.Stopped(ctx) },
	})
	close(ended)
	<-watched
	if interrupted && (err != nil || result.Background != nil) { // a stop ends what was in the foreground when it came
		return chat.ToolResult{Content: i18n.Say(i18n.English, i18n.CallInterrupt), IsError: true}, nil
	}
	return result, err
}

// progress is how far a call is, as an operator reads it in the details of the heartbeats of its activity.
type progress struct{ text atomic.Pointer[string] }

type progressKey struct{}

// progressOf returns the progress of the activity of a context.
func progressOf(ctx context.Context) *progress {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		return p
	}
	return &progress{} // a call outside of an activity has no operator
}

func (p *progress) show(text string) { p.text.Store(&text) }

// details returns the text; nil: there is none.
func (p *progress) details() any {
	if text := p.text.Load(); text != nil {
		return *text
	}
	return nil
}

// kill ends the command of a stopped call and waits a moment for the tool to say what it left behind.
func (t *Tools) kill(ctx context.Context, call chat.Call, box sandbox.Sandbox, ended <-chan struct{}) {
	if call.Class == chat.ClassExec {
		activities.KillAndWait(ctx, box, call.ID, ended)
	}
}
