package activities

import (
	"context"
	"slices"
	"time"

	"xbot/internal/chat"
	"xbot/internal/hook"
	"xbot/internal/phrase"
	"xbot/internal/tool"
)

// HookFiles knows the hooks of a conversation.
type HookFiles interface {
	For(ctx context.Context, key chat.SessionKey) hook.Set
}

// HookDesk asks handlers. An error is the end of the context.
type HookDesk interface {
	Ask(ctx context.Context, s hook.Set, p hook.Payload) (hook.Outcome, error)
}

// HookBook keeps what hooks said, and knows what they are told.
type HookBook interface {
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	HookScene(ctx context.Context, turn chat.TurnID) (hook.Scene, error)
	HookClaimed(ctx context.Context, turn chat.TurnID) ([]hook.Claimed, error)
	HookUnanswered(ctx context.Context, turn chat.TurnID) (bool, error)
	HookBatch(ctx context.Context, turn chat.TurnID, step int) ([]chat.ToolCall, error)
	HookEnd(ctx context.Context, turn chat.TurnID) (answer, notice string, err error)
	HookSaid(ctx context.Context, id string) (out hook.Outcome, ok bool, err error)
	RecordHook(ctx context.Context, r hook.Record) (fresh bool, err error)
}

// The moments of a turn at which hooks are asked. They stand in histories: never change one.
const (
	MomentOpening   = "opening"   // something was claimed
	MomentCall      = "call"      // a call is about to run
	MomentQuestion  = "question"  // a person is about to be asked for permission
	MomentRefused   = "refused"   // a person has answered; only a denial is told
	MomentResult    = "result"    // a call has its result
	MomentBatch     = "batch"     // all calls of a step have theirs
	MomentCompact   = "compact"   // the context is about to be compressed
	MomentCompacted = "compacted" // it was
	MomentClosing   = "closing"   // the turn has ended
)

// moments are the events of each moment that is known when a turn begins. Those of calls are known with the call.
var moments = []struct {
	moment string
	events []hook.Event
}{
	{MomentOpening, []hook.Event{hook.SessionStart, hook.SessionEnd, hook.UserPromptSubmit, hook.SubAgentStart, hook.CronFired, hook.WebhookReceived}},
	{MomentQuestion, []hook.Event{hook.PermissionRequest}},
	{MomentRefused, []hook.Event{hook.PermissionDenied}},
	{MomentBatch, []hook.Event{hook.PostToolBatch}},
	{MomentCompact, []hook.Event{hook.PreCompact}},
	{MomentCompacted, []hook.Event{hook.PostCompact}},
	{MomentClosing, []hook.Event{hook.AgentStop, hook.AgentError, hook.SubAgentStop}},
}

// momentsOf lists the moments at which the hooks of a conversation are to be asked; none where there are no hooks.
func momentsOf(ctx context.Context, files HookFiles, key chat.SessionKey) []string {
	if files == nil {
		return nil
	}
	set := files.For(ctx, key)
	var out []string
	for _, m := range moments {
		if set.Wants(m.events...) {
			out = append(out, m.moment)
		}
	}
	return out
}

// hooked notes in a call whether hooks are to be asked before it and told of its result.
func hooked(set hook.Set, call chat.ToolCall) chat.ToolCall {
	p := hook.Payload{Event: hook.PreToolUse, ToolName: call.Name, ToolInput: hook.Input(call.Arguments)}
	if set.Heeds(p) {
		call.Hook = chat.HookDue
	}
	for _, p.Event = range []hook.Event{hook.PostToolUse, hook.PostToolUseFailure} {
		call.HookAfter = call.HookAfter || set.Heeds(p)
	}
	return call
}

// Hooks asks the hooks of conversations.
type Hooks struct {
	Files HookFiles
	Desk  HookDesk
	Book  HookBook
	Tools Catalog
}

// ConsultInput names a moment of a turn.
type ConsultInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Moment  string          `json:"moment"`
	N       int             `json:"n,omitempty"`    // tells moments of the same kind apart: the claim, the compression
	Step    int             `json:"step,omitempty"` // of a batch and of a compression
	Call    chat.CallID     `json:"call,omitempty"`
	Trigger string          `json:"trigger,omitempty"` // of a compression
	Before  int             `json:"before,omitempty"`  // tokens before it
	After   int             `json:"after,omitempty"`   // tokens after it
}

// ConsultOutput says what came of it; what hooks said is in Postgres.
type ConsultOutput struct {
	Refused bool `json:"refused,omitempty"` // nothing is left to answer, or the call has its result
	Ask     bool `json:"ask,omitempty"`     // somebody has to permit the call
}

// Consult asks the hooks about a moment and records what they say. It may ask again after a crash, under the same id; the
// outcome that is recorded first counts.
func (h *Hooks) Consult(ctx context.Context, in ConsultInput) (ConsultOutput, error) {
	defer heartbeat(ctx)()
	out, err := h.consult(ctx, in)
	return out, failure(ctx, err)
}

func (h *Hooks) consult(ctx context.Context, in ConsultInput) (ConsultOutput, error) {
	switch in.Moment {
	case MomentOpening:
		return h.opening(ctx, in)
	case MomentCall, MomentQuestion, MomentRefused, MomentResult:
		return h.call(ctx, in)
	case MomentBatch:
		return ConsultOutput{}, h.batch(ctx, in)
	case MomentCompact, MomentCompacted:
		return ConsultOutput{}, h.compression(ctx, in)
	case MomentClosing:
		return ConsultOutput{}, h.closing(ctx, in)
	}
	return ConsultOutput{}, nil
}

// base is what all payloads of a moment have.
func (h *Hooks) base(ctx context.Context, in ConsultInput) (hook.Payload, hook.Scene, error) {
	s, err := h.Book.HookScene(ctx, in.Turn)
	return hook.Payload{
		Session: string(in.Session), Turn: string(in.Turn), Channel: s.Channel, Sender: s.Sender, Chat: s.Chat, Cwd: s.Cwd, Timestamp: time.Now().UTC(),
	}, s, err
}

// say asks the hooks about an event and records what they say, unless that was done before.
func (h *Hooks) say(ctx context.Context, p hook.Payload, r hook.Record) (hook.Outcome, error) {
	r.ID, r.Event, r.Session, r.Turn = p.ID, p.Event, chat.SessionKey(p.Session), chat.TurnID(p.Turn)
	said, ok, err := h.Book.HookSaid(ctx, r.ID)
	if err != nil || ok {
		return said, err
	}
	set := h.Files.For(ctx, r.Session)
	if !set.Heeds(p) && p.Event != hook.PreToolUse {
		return hook.Outcome{Decision: hook.Allow}, nil // those who were to be asked are gone
	}
	if r.Outcome, err = h.Desk.Ask(ctx, set, p); err != nil {
		return hook.Outcome{}, err
	}
	h.change(p, &r)
	fresh, err := h.Book.RecordHook(ctx, r)
	if err != nil || fresh {
		return r.Outcome, err
	}
	said, _, err = h.Book.HookSaid(ctx, r.ID)
	return said, err
}

// change takes over what hooks make of the arguments of a call. A call that asks people questions stays as it is, since they
// stand beside it; nor can it wait for somebody else.
func (h *Hooks) change(p hook.Payload, r *hook.Record) {
	if p.Event != hook.PreToolUse {
		return
	}
	inquires := len(h.Tools.Questions(p.ToolName, string(p.ToolInput))) > 0
	if inquires && r.Outcome.Decision == hook.Defer {
		r.Outcome.Decision = hook.Deny
	}
	if inquires || r.Outcome.Updated == nil {
		return
	}
	arguments := string(r.Outcome.Updated)
	r.Changed = &hook.Change{Arguments: arguments, Summary: h.Tools.Summary(p.ToolName, arguments)}
}

// opening asks about what a turn has claimed, and whether its conversation begins or begins anew with it.
func (h *Hooks) opening(ctx context.Context, in ConsultInput) (ConsultOutput, error) {
	base, scene, err := h.base(ctx, in)
	if err != nil {
		return ConsultOutput{}, err
	}
	if scene.First && in.N == 0 {
		if err := h.begins(ctx, base, scene); err != nil {
			return ConsultOutput{}, err
		}
	}
	claimed, err := h.Book.HookClaimed(ctx, in.Turn)
	if err != nil {
		return ConsultOutput{}, err
	}
	for _, e := range hookEvents(base, scene, in.N, claimed) {
		if _, err := h.say(ctx, e.payload, hook.Record{Messages: e.messages}); err != nil {
			return ConsultOutput{}, err
		}
	}
	left, err := h.Book.HookUnanswered(ctx, in.Turn)
	return ConsultOutput{Refused: !left}, err
}

// begins tells that a conversation begins; before, that it had ended where it begins anew.
func (h *Hooks) begins(ctx context.Context, p hook.Payload, scene hook.Scene) error {
	p.Source, p.Model = "startup", scene.Model
	if scene.Reset != "" {
		p.Source = scene.Reset
		if err := h.tell(ctx, p, hook.SessionEnd, p.Turn); err != nil {
			return err
		}
	}
	return h.tell(ctx, p, hook.SessionStart, p.Turn)
}

// tell asks about an event whose outcome decides nothing.
func (h *Hooks) tell(ctx context.Context, p hook.Payload, e hook.Event, about string) error {
	p.Event, p.ID = e, eventID(about, e)
	_, err := h.say(ctx, p, hook.Record{Call: chat.CallID(p.ToolUseID)})
	return err
}

// call asks about a call.
func (h *Hooks) call(ctx context.Context, in ConsultInput) (ConsultOutput, error) {
	p, _, err := h.base(ctx, in)
	if err != nil {
		return ConsultOutput{}, err
	}
	call, err := h.Book.Call(ctx, in.Call)
	if err != nil {
		return ConsultOutput{}, err
	}
	p.ToolName, p.ToolInput, p.ToolUseID = call.Name, hook.Input(call.Arguments), string(in.Call)
	switch in.Moment {
	case MomentCall:
		return h.before(ctx, p, call)
	case MomentQuestion:
		p.Reason = tool.Reason(call.Arguments)
		p.Event, p.ID = hook.PermissionRequest, eventID(string(in.Call), hook.PermissionRequest)
		said, err := h.say(ctx, p, hook.Record{Call: in.Call})
		return ConsultOutput{Refused: said.Decision == hook.Deny}, err
	case MomentRefused:
		if call.Approval == nil || call.Approval.State != chat.ApprovalDenied {
			return ConsultOutput{}, nil
		}
		p.Reason = call.Approval.Note
		return ConsultOutput{}, h.tell(ctx, p, hook.PermissionDenied, string(in.Call))
	}
	return ConsultOutput{}, h.result(ctx, p, call)
}

// before asks whether a call may run. What stands in its row then is what counts.
func (h *Hooks) before(ctx context.Context, p hook.Payload, call chat.Call) (ConsultOutput, error) {
	if call.Hook == chat.HookDue && call.State == chat.CallOpen {
		p.Event, p.ID = hook.PreToolUse, eventID(string(call.ID), hook.PreToolUse)
		if _, err := h.say(ctx, p, hook.Record{Call: call.ID}); err != nil {
			return ConsultOutput{}, err
		}
	}
	call, err := h.Book.Call(ctx, call.ID)
	return ConsultOutput{Refused: call.State == chat.CallDone, Ask: call.Rule == chat.RuleAsk}, err
}

// maxTold bounds the output of a call that hooks are told, in bytes.
const maxTold = 64 << 10

// result tells how a call has ended.
func (h *Hooks) result(ctx context.Context, p hook.Payload, call chat.Call) error {
	if call.State != chat.CallDone {
		return nil // the turn was stopped
	}
	p.Elapsed = elapsed(call.ToolCall)
	if call.IsError {
		p.Failure = tool.Cut(call.Result, maxTold)
		return h.tell(ctx, p, hook.PostToolUseFailure, string(call.ID))
	}
	p.Output = tool.Cut(call.Result, maxTold)
	return h.tell(ctx, p, hook.PostToolUse, string(call.ID))
}

// elapsed is how long a call ran, in milliseconds.
func elapsed(call chat.ToolCall) int64 {
	if call.StartedAt == nil || call.FinishedAt == nil {
		return 0
	}
	return call.FinishedAt.Sub(*call.StartedAt).Milliseconds()
}

// batch tells how the calls of a step have ended. What hooks say to it stands with the last of them.
func (h *Hooks) batch(ctx context.Context, in ConsultInput) error {
	p, _, err := h.base(ctx, in)
	if err != nil {
		return err
	}
	calls, err := h.Book.HookBatch(ctx, in.Turn, in.Step)
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
	_, err = h.say(ctx, p, hook.Record{Call: last})
	return err
}

// compression tells that the context is about to be compressed, or was.
func (h *Hooks) compression(ctx context.Context, in ConsultInput) error {
	p, _, err := h.base(ctx, in)
	if err != nil {
		return err
	}
	p.Trigger, p.Before, p.After = in.Trigger, in.Before, in.After
	e := hook.PreCompact
	if in.Moment == MomentCompacted {
		e = hook.PostCompact
	}
	return h.tell(ctx, p, e, countedID(in.Turn, in.Step, in.N))
}

// closing tells how a turn has ended.
func (h *Hooks) closing(ctx context.Context, in ConsultInput) error {
	p, scene, err := h.base(ctx, in)
	if err != nil {
		return err
	}
	answer, notice, err := h.Book.HookEnd(ctx, in.Turn)
	if err != nil {
		return err
	}
	switch {
	case slices.Contains([]chat.TurnState{chat.TurnFailed, chat.TurnLost}, scene.State):
		p.ErrorType, p.Error = string(scene.State), notice
		return h.tell(ctx, p, hook.AgentError, string(in.Turn))
	case scene.ChatType == chat.ChatSubagent:
		p.Agent, p.Content = scene.Agent, tool.Cut(answer, maxTold)
		return h.tell(ctx, p, hook.SubAgentStop, string(in.Turn))
	}
	p.Content = tool.Cut(answer, maxTold)
	return h.tell(ctx, p, hook.AgentStop, string(in.Turn))
}

// hookRefusal is the result of a call that the hooks were to be asked about and were not, or that they forbid, whatever made
// the workflow try; ok is false when it may run.
func hookRefusal(call chat.Call) (result chat.ToolResult, ok bool) {
	if call.Hook != chat.HookDue && call.Hook != chat.HookDenied {
		return chat.ToolResult{}, false
	}
	return chat.ToolResult{Content: phrase.Say(phrase.English, phrase.HookUnasked), IsError: true}, true
}
