// Package coding has coding agents answer turns: programs that think, run commands and change files by themselves, as a process on
// the runner of a conversation. A step of a turn attaches to the process or starts it, shows how it goes on, and ends with its
// answer, or with a question to a person; the step behind the question finds the same process.
package coding

import (
	"cmp"
	"context"
	"math"
	"slices"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/process"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// Runs keeps threads and processes.
type Runs interface {
	CodingThread(ctx context.Context, key chat.SessionKey) (*codingagent.Bound, error)
	KeepCodingThread(ctx context.Context, key chat.SessionKey, b codingagent.Bound) error
	CodingRuns(ctx context.Context, turn chat.TurnID) ([]codingagent.Run, error)
	BeginCodingRun(ctx context.Context, key chat.SessionKey, r codingagent.Run) (codingagent.Run, error)
	SendCodingRun(ctx context.Context, r codingagent.Run, store string) error
	EndCodingRun(ctx context.Context, key chat.SessionKey, r codingagent.Run, b codingagent.Bound, used codingagent.Usage) error
}

// Store keeps threads and processes, and what people write.
type Store interface {
	Runs
	TurnLanguage(ctx context.Context, turn chat.TurnID) (i18n.Lang, error)
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	Window(ctx context.Context, key chat.SessionKey) (chat.Window, error)
	Pictures(ctx context.Context, key chat.SessionKey, hashes []string) (map[string]chat.Picture, error)
	SteerWaits(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error)
	Steer(ctx context.Context, key chat.SessionKey, turn chat.TurnID, n int) (chat.Steered, error)
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	CommandEnv(ctx context.Context, key chat.SessionKey, turn chat.TurnID, inbox chat.InboxID) ([]string, error)
}

// Agents answers turns by coding agents. It is safe for concurrent use.
type Agents struct {
	Store Store
	Boxes activities.Rooms
}

// Ask is a step to answer.
type Ask struct {
	Step     chat.Step
	Settings codingagent.Settings
	Steers   bool // whether what people write meanwhile reaches the agent; else it waits for the next turn
	Inquires bool // whether people may be asked; else the agent is refused what it asks for
	Sink     llm.Sink
}

// Outcome is how a step ended.
type Outcome struct {
	Answer  llm.Answer // with a call: a person is asked, and the process waits
	Stopped bool       // a person stopped the turn; Answer has what was written until then
	// Say is what the person is told in place of an answer, with what stands in it; empty: there is one. Kind is what went wrong then.
	Say  i18n.ID
	Args []any
	Kind fault.Kind

	ended []*process.Process // whose output is not needed any more, once the step is kept
}

// Forget has the runner forget what the processes of a step wrote, once the step is kept.
func (o Outcome) Forget(ctx context.Context) {
	for _, p := range o.ended {
		p.Forget(ctx)
	}
}

func failed(kind fault.Kind, id i18n.ID, args ...any) Outcome {
	return Outcome{Kind: kind, Say: id, Args: args}
}

// Answer answers a step. Done again, it finds the process where it is, and what it said until then.
func (a *Agents) Answer(ctx context.Context, ask Ask) (Outcome, error) {
	t, err := a.open(ctx, ask)
	if err != nil {
		return Outcome{}, err
	}
	var ended []*process.Process
	var before llm.Answer // of the processes that ended in this step
	for {
		f, out, err := a.round(ctx, t)
		if err != nil || f == nil {
			out.Answer, out.ended = joined(before, out.Answer), ended
			return out, err
		}
		out, again, err := f.follow(ctx)
		if err != nil {
			return Outcome{}, err
		}
		if f.over {
			ended = append(ended, f.process)
		}
		out.Answer = joined(before, out.Answer)
		if out.ended = ended; !again || len(out.Answer.ToolCalls) > 0 {
			return out, nil
		}
		before = out.Answer
		t.next(f)
	}
}

// joined is what one process answered, and then another one.
func joined(before, answer llm.Answer) llm.Answer {
	answer.Text, answer.Reasoning = paragraphs(before.Text, answer.Text), paragraphs(before.Reasoning, answer.Reasoning)
	answer.Usage = before.Usage.Add(answer.Usage)
	one, _ := chat.Line{Opaque: before.Opaque}.Deeds() // none are none
	other, _ := chat.Line{Opaque: answer.Opaque}.Deeds()
	answer.Opaque = deeds(cmp.Or(other.Agent, one.Agent), append(one.Did, other.Did...)...)
	return answer
}

// paragraphs joins texts that may be empty.
func paragraphs(one, other string) string {
	if one == "" || other == "" {
		return one + other
	}
	return one + "\n\n" + other
}

// round finds the newest process of the turn, or writes down another one. Without a follower the step has its outcome.
func (a *Agents) round(ctx context.Context, t *turn) (*follower, Outcome, error) {
	name := t.ask.Settings.Agent
	run, begun := t.current()
	asked := t.session.Runner
	if begun {
		name, asked = run.Request.Agent, run.Runner
	}
	find := a.Boxes.Of
	if begun {
		find = a.Boxes.Begun
	}
	room, err := find(ctx, t.ask.Step.Session, t.owner, asked)
	if err == nil && run.Store == "" { // it is yet to start, and its commands would have no walls but its own
		err = sandbox.Talks(room)
	}
	switch {
	case fault.Is(err, fault.Denied):
		return nil, failed(fault.Denied, i18n.AgentNowhere, name, err.Error()), nil
	case err != nil:
		return nil, Outcome{}, err
	}
	place, ok := sandbox.Wide(room).(runner)
	if !ok {
		return nil, failed(fault.Denied, i18n.AgentNowhere, name, "its runner cannot keep a process"), nil
	}
	if !begun {
		run, err = t.begin(ctx, a.Store, place)
		switch {
		case err != nil && isAway(err):
			return nil, failed(fault.Unavailable, i18n.AgentNowhere, name, err.Error()), nil
		case err != nil:
			return nil, Outcome{}, err
		}
	}
	if err := t.fill(ctx, a.Store, run.Request.Pictures); err != nil {
		return nil, Outcome{}, err
	}
	driver, err := agents.New(run.Request.Agent, run.Request.Turn)
	if err != nil {
		return nil, failed(fault.Invalid, i18n.AgentNowhere, name, err.Error()), nil
	}
	known, err := t.calls(ctx, a.Store, run.Round)
	if err != nil {
		return nil, Outcome{}, err
	}
	env, err := a.environment(ctx, t, place.Name())
	if err != nil {
		return nil, Outcome{}, err
	}
	f := newFollower(a.Store, t, run, known)
	f.process = &process.Process{
		Box: place, ID: run.ID(), Driver: started{driver, run.Request.Program}, Dir: run.Request.Dir, StartedOn: run.Store, Listener: f,
		Environment: env, Walls: agents.Walls(run.Request.Agent, run.Request.Turn, env.Variables),
	}
	return f, Outcome{}, nil
}

// environment is what the process is told of its conversation, and what the agent's commands have.
func (a *Agents) environment(ctx context.Context, t *turn, runner string) (sandbox.Environment, error) {
	env, err := a.Boxes.Environment(ctx, t.ask.Step.Session, t.owner, runner)
	if err != nil {
		return env, err
	}
	told, err := a.Store.CommandEnv(ctx, t.ask.Step.Session, t.ask.Step.Turn, 0)
	env.Variables = slices.Concat(env.Variables, told)
	return env, err
}

// runner is what processes of agents need of a sandbox.
type runner interface {
	process.Box
	Name() string
	Info(ctx context.Context) (wire.Info, error)
}

// started is a driver whose command the settings may name.
type started struct {
	codingagent.Driver
	program string
}

// Command is the command line that is started.
func (s started) Command() []string {
	words := s.Driver.Command()
	switch {
	case s.program == "":
		return words
	case words[0] == codingagent.RunnerProgram: // a bridge, which starts the program
		return append(words, "--program", s.program)
	}
	return append([]string{s.program}, words[1:]...)
}

// End ends what goes on of a turn that is over: nobody follows it any more. A kill that cannot be sent is noted and follows.
func (a *Agents) End(ctx context.Context, key chat.SessionKey, turn chat.TurnID) error {
	runs, err := a.Store.CodingRuns(ctx, turn)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.Ended {
			continue
		}
		if err := a.end(ctx, key, run); err != nil {
			return err
		}
	}
	return nil
}

// end ends one process. Where its runner is not there or not theirs any more nobody can: it ends by its own time limit.
func (a *Agents) end(ctx context.Context, key chat.SessionKey, run codingagent.Run) error {
	if run.Store != "" {
		_, owner, err := a.Store.Session(ctx, key)
		if err != nil {
			return err
		}
		if box, err := a.Boxes.Box(ctx, owner, run.Runner); err == nil {
			_ = box.Kill(ctx, run.ID()) // noted before it is sent, and sent again until the runner has it
		}
	}
	return a.Store.EndCodingRun(ctx, key, run, codingagent.Bound{}, codingagent.Usage{})
}

// spent are the tokens of a turn as a model's are counted.
func spent(u codingagent.Usage) chat.Usage {
	within := func(n int64) int { return int(min(max(n, 0), math.MaxInt32)) }
	return chat.Usage{PromptTokens: within(u.Input), CachedTokens: within(u.CachedInput), CompletionTokens: within(u.Output)}
}
