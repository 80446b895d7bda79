package turn

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/activities/coding"
	"xbot/activities/hooks"
	"xbot/activities/modelcall"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/host/readonce"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/realtime"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/permission"
)

// Stream receives the output of a running attempt.
type Stream interface {
	llm.Sink
	Written() (text, reasoning string)
	Close()
}

// Streams opens the streams in which users see an attempt of a step.
type Streams interface {
	OpenStream(step chat.Step, attempt int) Stream
}

// Model makes the LLM calls of turns.
type Model struct {
	Models        activities.Models
	Leases        Leases
	ModelRefusals ModelRefusals
	Notices       Notices
	Turns         Turns
	Usage         Usage
	Tools         ToolSets
	// Context makes the requests.
	Context *modelcall.Assembler
	// Profiles knows what users see of the model's answers; nil: all.
	Profiles modelcall.Profiles
	// Prompts makes system prompts; nil is BasePrompt.
	Prompts     modelcall.Prompts
	Streams     Streams
	Retry       modelcall.Retry
	Words       bool        // allows one line of each call in Temporal histories
	Hooks       hooks.Files // nil: there are none
	Authorizers permission.Authorizers
	// Trees reports whether the subagents of a request have used up their limit; nil: not checked.
	Trees interface {
		SubagentOver(ctx context.Context, step chat.Step) (bool, error)
	}
	Speeds *Speeds        // records how long models take; nil: not recorded
	Agents *coding.Agents // answers where a coding agent was chosen; nil: there are none
	Spoken SpokenAnswers  // stores the answers of realtime sessions; nil: there are none

	tries tries
}

// maxCompressions is how often a step may ask for a compression before it is given up.
const maxCompressions = 3

// maxCalls bounds the tool calls of one answer; further ones are dropped and the model sees only those that ran.
const maxCalls = 64

// GenerateInput names a step.
type GenerateInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Step    int             `json:"step"`
	// Compressed counts the compressions that were made for this step before.
	Compressed int `json:"compressed,omitempty"`
	// MayWait is true if the workflow can wait while the provider cannot be reached, and Waiting if it does.
	MayWait bool `json:"may_wait,omitempty"`
	Waiting bool `json:"waiting,omitempty"`
	// Attempts counts the attempts of activities before this one for the step, so that users' clients see them grow.
	Attempts int `json:"attempts,omitempty"`
	// Steered is true if the messages were taken in just now.
	Steered bool `json:"steered,omitempty"`
	// Hastened is the message that has brought the next attempt forward while the provider is waited for.
	Hastened chat.InboxID `json:"hastened,omitempty"`
	// Within bounds the attempt: what has not ended well by then waits for an activity to take it over. 0 is without a bound.
	Within time.Duration `json:"within,omitempty"`
	// Stop ends an attempt that has not ended within its time. What was written is committed.
	Stop bool `json:"stop,omitempty"`
}

// AttemptID identifies the step across its attempts.
func (in GenerateInput) AttemptID() string {
	return fmt.Sprintf("%s step %d, compressed %d times", in.Turn, in.Step, in.Compressed)
}

// GenerateOutput is the decision of a step, small enough for a history: texts stay in Postgres.
type GenerateOutput struct {
	Finish string       `json:"finish"`
	Fault  string       `json:"fault,omitempty"`
	Calls  []CallOutput `json:"calls,omitempty"`
	Tokens int          `json:"tokens,omitempty"` // prompt and completion of this call
	// Compress is the trigger of a compression that has to come first: nothing was decided, and the step is open.
	Compress string `json:"compress,omitempty"`
	// Wait is why the provider cannot be reached: nothing was decided, and an activity that waits asks again.
	Wait string `json:"wait,omitempty"`
	// Steer is true if messages came while the provider was waited for, which the step has to see.
	Steer    bool `json:"steer,omitempty"`
	Attempts int  `json:"attempts,omitempty"` // with Wait and Steer: those of the step so far
	// Quick: the model usually answers quickly, so that the next step may be tried within the workflow task.
	Quick bool `json:"quick,omitempty"`
	// Unfinished: it had not ended well within its time, and continues.
	Unfinished bool `json:"unfinished,omitempty"`
}

// CallOutput is a call to make. Its id follows from turn, step and place.
type CallOutput struct {
	Name    string         `json:"name"`
	Class   chat.ToolClass `json:"class"`
	Summary string         `json:"summary,omitempty"`
	Ask     bool           `json:"ask,omitempty"`   // a user has to permit it first
	Hook    bool           `json:"hook,omitempty"`  // hooks have to be asked first
	After   bool           `json:"after,omitempty"` // hooks run after the result
	// Inquires: it asks a user questions, and answers are what permits it.
	Inquires bool `json:"inquires,omitempty"`
	// Quick: it usually ends within a second.
	Quick bool `json:"quick,omitempty"`
}

// Generate makes one LLM call of a turn and commits its result. It keeps the result of an earlier attempt that committed.
func (m *Model) Generate(ctx context.Context, in GenerateInput) (GenerateOutput, error) {
	defer activities.Heartbeat(ctx)()
	a := &attempt{
		step: chat.Step{Session: in.Session, Turn: in.Turn, N: in.Step}, compressed: in.Compressed,
		n: in.Attempts + int(activity.GetInfo(ctx).Attempt), mayWait: in.MayWait, waiting: in.Waiting,
		steered: in.Steered && activity.GetInfo(ctx).Attempt == 1, hastened: in.Hastened,
	}
	d, unfinished, err := m.run(ctx, a, in)
	if err != nil {
		return GenerateOutput{}, activities.Failure(ctx, err)
	}
	if unfinished {
		return GenerateOutput{Unfinished: true}, nil
	}
	out := m.summarize(d)
	out.Quick = m.Speeds.Quick(a.model)
	if d.Wait != "" || d.Steer {
		out.Attempts = a.n
	}
	return out, nil
}

// run makes an attempt as the workflow wants it: within the time of a workflow task, as an activity, or not at all any more.
func (m *Model) run(ctx context.Context, a *attempt, in GenerateInput) (d chat.Decision, unfinished bool, err error) {
	switch {
	case in.Stop:
		return m.end(a), false, nil
	case in.Within > 0:
		d, unfinished = m.try(ctx, a, in.Within)
		return d, unfinished, nil
	}
	d, err = m.takeOver(ctx, a)
	return d, false, err
}

// attempt is one call of a model on its way.
type attempt struct {
	step       chat.Step
	compressed int // how often the step was compressed before
	n          int // which attempt of the step it is, from 1
	mayWait    bool
	waiting    bool // the provider could not be reached
	steered    bool // and what came in the meantime was taken in just now
	hastened   chat.InboxID

	model  string
	who    agentprofile.Profile
	tools  *toolset.Set
	client clientTools
	coding *codingagent.Settings // the coding agent that answers; nil: a model does
	spoken *realtime.Answer      // the answer of a realtime session; nil: a model answers
	spent  bool                  // the subagents of the request have taken all the tokens that they may
	hooks  hook.Set              // of an answer with calls
	modelcall.Assembled

	asked    time.Time    // when the request was sent; zero: none was
	stream   *shownStream // of the request
	answered string       // the model that answered, as the provider reported it
}

// record returns how the call went.
func (a *attempt) record() chat.ModelCall {
	out := chat.ModelCall{Model: a.model, ResponseModel: a.answered, AskedAt: a.asked, Attempts: a.n}
	if a.stream != nil && a.stream.first.After(a.asked) {
		out.FirstToken = max(a.stream.first.Sub(a.asked), time.Millisecond)
	}
	return out
}

// patience is how long a call waits for a place among those of its tenant before the attempt fails, which shows an operator
// that it waits. A place that is free again within it costs no attempt.
const patience = 2 * time.Second

// begin opens the step. While as many calls of the tenant run as may, it asks again for as long as its patience lasts.
func (m *Model) begin(ctx context.Context, a *attempt) (stored chat.Decision, done bool, err error) {
	for until := time.Now().Add(patience); ; {
		_, stored, done, err = m.Turns.BeginStep(ctx, a.step)
		pause := fault.After(err)
		if !fault.Is(err, fault.RateLimited) || time.Now().Add(pause).After(until) {
			return stored, done, err
		}
		select {
		case <-ctx.Done():
			return chat.Decision{}, false, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (m *Model) decide(ctx context.Context, a *attempt) (chat.Decision, error) {
	stored, done, err := m.begin(ctx, a)
	if err != nil || done {
		return stored, err
	}
	defer modelcall.KeepLease(ctx, m.Leases, a.step)()
	client, err := m.prepare(ctx, a)
	switch {
	case err != nil:
		return chat.Decision{}, err
	case a.spent:
		return m.Turns.FailStep(ctx, a.step, a.record(), fault.Denied, func(l i18n.Lang) string { return i18n.Say(l, i18n.SubagentsSpent) })
	case a.spoken != nil:
		return m.commitSpoken(ctx, a)
	case a.coding != nil:
		return m.ask(ctx, a)
	case a.Compress != "":
		return chat.Decision{Compress: a.Compress}, nil
	case a.Loop.Name != "":
		return m.Turns.EndStep(ctx, a.step, chat.FinishLoop, func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelLoops, a.Loop.Name, modelcall.LoopEnds) })
	}
	stream := m.shownStream(ctx, a)
	a.asked, a.stream = time.Now(), stream
	answer, err := m.call(ctx, a, askingFor(client), stream)
	m.Speeds.Note(a.model, time.Since(a.asked), err != nil)
	stream.Close()
	exceeded := err == nil && a.exceeded(answer) && a.mayCompress()
	if err == nil && !exceeded {
		err = a.usable(answer)
	}
	switch {
	case exceeded:
		return chat.Decision{Compress: chat.TriggerExceeded}, m.Usage.BookUsage(ctx, a.step.Session, a.model, 1, answer.Usage)
	case err == nil && a.silent(answer):
		return m.endSilent(ctx, a, answer)
	case err == nil:
		a.answered = answer.Model
		if m.Hooks != nil && len(answer.ToolCalls) > 0 {
			a.hooks = m.Hooks.For(ctx, a.step.Session)
		}
		said, err := m.commit(ctx, a, answer)
		if err != nil {
			return chat.Decision{}, err
		}
		return m.keep(ctx, a, said)
	case activities.Stopped(ctx):
		return m.keepPartial(ctx, a, stream)
	case ctx.Err() != nil:
		return chat.Decision{}, err
	case fault.Is(err, fault.TooLarge) && a.mayCompress():
		return chat.Decision{Compress: chat.TriggerTooLong}, nil // not a failure: the step continues with a shorter request
	}
	return m.failed(ctx, a, err)
}

// prepare finds the model and makes the request.
func (m *Model) prepare(ctx context.Context, a *attempt) (llm.Client, error) {
	ctx = readonce.Context(ctx)
	client, err := m.Models.For(ctx, a.step.Session)
	if err != nil {
		return nil, err
	}
	a.model = client.Model()
	if exchange := llm.SpokenExchangeOf(client); exchange != "" && m.Spoken != nil {
		if err := m.awaitSpoken(ctx, a, exchange); err != nil || a.spoken != nil {
			return client, err
		}
	}
	if set, ok := llm.AgentOf(client); ok && m.Agents != nil {
		a.coding = &set
		return client, m.prepareAgent(ctx, a)
	}
	var system string
	if system, a.tools, err = m.system(ctx, a.step); err != nil {
		return nil, err
	}
	if a.who, err = modelcall.ProfileOf(ctx, m.Profiles, a.step.Session); err != nil {
		return nil, err
	}
	if a.who.Role != nil && m.Trees != nil {
		if a.spent, err = m.Trees.SubagentOver(ctx, a.step); err != nil || a.spent {
			return client, err
		}
	}
	return client, m.assemble(ctx, a, client, system, 0)
}

// assemble makes the request, of at most so many tokens; 0: as many as the model takes.
func (m *Model) assemble(ctx context.Context, a *attempt, client llm.Client, system string, most int) (err error) {
	a.Assembled, err = m.Context.Assemble(ctx, modelcall.Ask{
		Step: a.step, Model: a.model, Takes: m.Context.Budget.Models.For(client), System: system, Tools: a.offered(client), Compressed: a.compressed,
		Plan: a.who.Plan, Most: most,
	})
	return err
}

// mayCompress reports whether a compression could make the request shorter. A user who switched compression off is
// asked no more than others: the conversation could not continue.
func (a *attempt) mayCompress() bool { return a.compressed < maxCompressions && a.Compressible }

// windowEnd is the part of the context window from which on an answer that was cut off has run into its end.
const windowEnd = 0.97

// exceeded reports whether an answer ran into the end of the context window, rather than into its own limit.
func (a *attempt) exceeded(answer llm.Answer) bool {
	if answer.Finish == llm.FinishWindow {
		return true
	}
	taken := answer.Usage.PromptTokens + answer.Usage.CompletionTokens
	return answer.Finish == llm.FinishLength && float64(taken) >= windowEnd*float64(a.Limits.Context)
}

func (m *Model) system(ctx context.Context, step chat.Step) (string, *toolset.Set, error) {
	if m.Prompts == nil {
		return modelcall.BasePrompt{Tools: m.Tools}.System(ctx, step)
	}
	return m.Prompts.System(ctx, step)
}

// summarize returns the part of a decision that histories contain.
func (m *Model) summarize(d chat.Decision) GenerateOutput {
	out := GenerateOutput{Finish: d.Finish, Fault: d.Fault, Compress: d.Compress, Wait: d.Wait, Steer: d.Steer, Tokens: d.Usage.PromptTokens + d.Usage.CompletionTokens}
	for _, c := range d.Calls {
		if !m.Words {
			c.Summary = ""
		}
		out.Calls = append(out.Calls, CallOutput{Name: activities.Shorten(c.Name, 40), Class: c.Class, Summary: activities.Shorten(c.Summary, 60), Ask: c.Rule == chat.RuleAsk, Inquires: c.Inquires(), Hook: c.Hook != "", After: c.HookAfter, Quick: m.quick(c)})
	}
	return out
}

// quick reports whether a call may run within a workflow task. One that a user may be asked about may not: the turn reads the answer in
// the same task, and after a kill it would read that the answer was acted on, and wait for another.
func (m *Model) quick(c chat.ToolCall) bool {
	asked := c.Class == chat.ClassClient || c.Rule == chat.RuleAsk || c.Inquires() || c.Hook != ""
	return !asked && c.Class != chat.ClassOnce && m.Tools.Quick(c.Name)
}
