// Package hooks asks the hooks of a conversation about events of its turns and records what they say.
package hooks

import (
	"context"
	"time"

	"xbot/activities"
	"xbot/activities/compress"
	"xbot/activities/modelcall"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
)

// Files returns the hooks in force for a conversation.
type Files interface {
	For(ctx context.Context, key chat.SessionKey) hook.Set
}

// Dispatcher asks handlers. An error is the end of the context.
type Dispatcher interface {
	Ask(ctx context.Context, s hook.Set, p hook.Payload) (hook.Outcome, error)
}

// Calls reads the tool calls that hooks run for.
type Calls interface {
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
}

// Outcomes reads the inputs of hooks, and records their outcomes.
type Outcomes interface {
	HookBatch(ctx context.Context, turn chat.TurnID, step int) ([]chat.ToolCall, error)
	HookClaimed(ctx context.Context, turn chat.TurnID) ([]hook.Claimed, error)
	HookEnd(ctx context.Context, turn chat.TurnID) (answer, notice string, err error)
	HookOutcome(ctx context.Context, id string) (out hook.Outcome, ok bool, err error)
	HookScene(ctx context.Context, turn chat.TurnID) (hook.Scene, error)
	HookUnanswered(ctx context.Context, turn chat.TurnID) (bool, error)
	RecordHook(ctx context.Context, r hook.Record) (fresh bool, err error)
}

// The hook points of a turn: where hooks run. Histories contain them: never change one.
const (
	PointOpening   = "opening"   // something was claimed
	PointCall      = "call"      // a call is about to run
	PointQuestion  = "question"  // a user is about to be asked for permission
	PointRefused   = "refused"   // a user has answered; hooks run for a denial only
	PointResult    = "result"    // a call has its result
	PointBatch     = "batch"     // all calls of a step have theirs
	PointCompact   = "compact"   // the context is about to be compressed
	PointCompacted = "compacted" // it was
	PointClosing   = "closing"   // the turn has ended
)

// points are the events of each hook point that is known when a turn begins. Those of calls are known with the call.
var points = []struct {
	point  string
	events []hook.Event
}{
	{PointOpening, []hook.Event{hook.SessionStart, hook.SessionEnd, hook.UserPromptSubmit, hook.SubAgentStart, hook.CronFired, hook.WebhookReceived}},
	{PointQuestion, []hook.Event{hook.PermissionRequest}},
	{PointRefused, []hook.Event{hook.PermissionDenied}},
	{PointBatch, []hook.Event{hook.PostToolBatch}},
	{PointCompact, []hook.Event{hook.PreCompact}},
	{PointCompacted, []hook.Event{hook.PostCompact}},
	{PointClosing, []hook.Event{hook.AgentStop, hook.AgentError, hook.SubAgentStop}},
}

// PointsOf lists the hook points at which a conversation has hooks.
func PointsOf(ctx context.Context, files Files, key chat.SessionKey) []string {
	if files == nil {
		return nil
	}
	set := files.For(ctx, key)
	var out []string
	for _, m := range points {
		if set.Wants(m.events...) {
			out = append(out, m.point)
		}
	}
	return out
}

// MarkCall notes in a call whether hooks run before it and after its result. The names are those of its tool.
func MarkCall(set hook.Set, call chat.ToolCall, names []string) chat.ToolCall {
	p := hook.Payload{Event: hook.PreToolUse, ToolName: call.Name, ToolNames: names, ToolInput: hook.Input(call.Arguments)}
	if set.Matches(p) {
		call.Hook = chat.HookDue
	}
	for _, p.Event = range []hook.Event{hook.PostToolUse, hook.PostToolUseFailure} {
		call.HookAfter = call.HookAfter || set.Matches(p)
	}
	return call
}

// Sizes returns the number of messages and tokens that a compression would replace.
type Sizes interface {
	Weigh(ctx context.Context, in compress.Input) (messages, tokens int, err error)
}

// Runners finds calls that cannot run because their user has no runner.
type Runners interface {
	// NoRunner returns why a call that acts on a runner has none; nil if it has one, or needs none.
	NoRunner(ctx context.Context, call chat.Call) (why, err error)
}

// Hooks asks the hooks of conversations.
type Hooks struct {
	Files      Files
	Dispatcher Dispatcher
	Calls      Calls
	Hooks      Outcomes
	Tools      modelcall.Tools
	Sizes      Sizes
	Runners    Runners
	// Authorizers check the permissions of calls that hooks have changed.
	Authorizers permission.Authorizers
	// Profiles returns the agent of a conversation; nil: unknown.
	Profiles modelcall.Profiles
}

// RunInput names a hook point of a turn.
type RunInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Point   string          `json:"moment"`
	N       int             `json:"n,omitempty"`    // numbers the visits of the same point: the claim, the compression
	Step    int             `json:"step,omitempty"` // of a batch and of a compression
	Call    chat.CallID     `json:"call,omitempty"`
	Trigger string          `json:"trigger,omitempty"` // of a compression
	Before  int             `json:"before,omitempty"`  // tokens before it
	After   int             `json:"after,omitempty"`   // tokens after it
}

// RunOutput is how the turn continues; the answers of hooks are in Postgres.
type RunOutput struct {
	Refused bool `json:"refused,omitempty"` // nothing is left to answer, or the call has its result
	Ask     bool `json:"ask,omitempty"`     // a user has to permit the call
}

// Run asks the hooks of a point and records what they say. It may ask again after a crash, under the same id; the
// outcome that is recorded first counts.
func (h *Hooks) Run(ctx context.Context, in RunInput) (RunOutput, error) {
	defer activities.Heartbeat(ctx)()
	out, err := h.run(ctx, in)
	return out, activities.Failure(ctx, err)
}

func (h *Hooks) run(ctx context.Context, in RunInput) (RunOutput, error) {
	switch in.Point {
	case PointOpening:
		return h.opening(ctx, in)
	case PointCall, PointQuestion, PointRefused, PointResult:
		return h.call(ctx, in)
	case PointBatch:
		return RunOutput{}, h.postToolBatch(ctx, in)
	case PointCompact, PointCompacted:
		return RunOutput{}, h.compression(ctx, in)
	case PointClosing:
		return RunOutput{}, h.closing(ctx, in)
	}
	return RunOutput{}, nil
}

// base returns what all payloads of a hook point have.
func (h *Hooks) base(ctx context.Context, in RunInput) (hook.Payload, hook.Scene, error) {
	s, err := h.Hooks.HookScene(ctx, in.Turn)
	return hook.Payload{
		Session: string(in.Session), Turn: string(in.Turn), Channel: s.Channel, Sender: s.Sender, Chat: s.Chat, Cwd: s.Cwd, Timestamp: time.Now().UTC(),
	}, s, err
}

// dispatch asks the hooks about an event and records what they say, unless that was done before.
func (h *Hooks) dispatch(ctx context.Context, p hook.Payload, r hook.Record) (hook.Outcome, error) {
	r.ID, r.Event, r.Session, r.Turn = p.ID, p.Event, chat.SessionKey(p.Session), chat.TurnID(p.Turn)
	said, ok, err := h.Hooks.HookOutcome(ctx, r.ID)
	if err != nil || ok {
		return said, err
	}
	set := h.Files.For(ctx, r.Session)
	if !set.Matches(p) && p.Event != hook.PreToolUse {
		return hook.Outcome{Decision: hook.Allow}, nil // those who were to be asked are gone
	}
	if r.Outcome, err = h.Dispatcher.Ask(ctx, set, p); err != nil {
		return hook.Outcome{}, err
	}
	if err := h.change(ctx, p, &r); err != nil {
		return hook.Outcome{}, err
	}
	fresh, err := h.Hooks.RecordHook(ctx, r)
	if err != nil || fresh {
		return r.Outcome, err
	}
	said, _, err = h.Hooks.HookOutcome(ctx, r.ID)
	return said, err
}

// change applies the arguments that hooks returned for a call, and checks the permissions of the changed call; no later step changes it. A denied
// call is denied, and a call that needs approval names the hook. Questions and plans keep their arguments, which are stored separately, and cannot be
// deferred: they are denied instead.
func (h *Hooks) change(ctx context.Context, p hook.Payload, r *hook.Record) error {
	if p.Event != hook.PreToolUse {
		return nil
	}
	tools, err := h.Tools.Of(ctx, r.Session)
	if err != nil {
		return err
	}
	inquires := func(arguments string) bool {
		plan, _ := tools.Plan(p.ToolName, arguments) // a call without a plan needs no plan approval
		return plan != nil || len(tools.Questions(ctx, r.Session, p.ToolName, arguments)) > 0
	}
	out := &r.Outcome
	asks := inquires(string(p.ToolInput))
	if asks && out.Decision == hook.Defer {
		out.Decision = hook.Deny
	}
	if asks || out.Updated == nil || out.Decision == hook.Deny {
		return nil
	}
	arguments := activities.Clean(string(out.Updated)) // as stored, so that the checked arguments are the ones that run
	authorizer, err := h.Authorizers.Of(ctx, r.Session, tools)
	if err != nil {
		return err
	}
	decision := authorizer.Call(p.ToolName, arguments)
	switch {
	case inquires(arguments):
		out.Decision, out.Reason = hook.Deny, i18n.Say(i18n.English, i18n.HookChangedInquiry, out.UpdatedBy)
		return nil
	case decision.Rule == chat.RuleDeny:
		out.Decision, out.Reason = hook.Deny, i18n.Say(i18n.English, i18n.HookChangedDenied, out.UpdatedBy, tool.Cut(arguments, maxShown))
		return nil
	case decision.Rule == chat.RuleAsk && out.Decision == hook.Allow:
		out.Decision = hook.Ask // so that "allow all in this turn" does not apply
	}
	r.Changed = &hook.Change{
		Arguments: arguments, Summary: tools.Summary(p.ToolName, arguments), By: out.UpdatedBy, Rule: decision.Rule, Ruling: decision.Ruling(),
	}
	return nil
}

// maxShown bounds the arguments in the reason of a denial, in bytes.
const maxShown = 2000
