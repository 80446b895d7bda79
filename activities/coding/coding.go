// Package coding answers turns with coding agents, programs that call a model and run commands themselves, as a process on the runner of the
// conversation. A step of a turn starts the process or attaches to it, streams its events, and ends with its answer or with a question to a user. The
// step after the question attaches to the same process.
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

// Attachments reads the pictures of messages.
type Attachments interface {
	Pictures(ctx context.Context, key chat.SessionKey, hashes []string) (map[string]chat.Picture, error)
}

// Calls reads tool calls and the environment variables of commands.
type Calls interface {
	Call(ctx context.Context, id chat.CallID) (chat.Call, error)
	CommandEnv(ctx context.Context, key chat.SessionKey, turn chat.TurnID, inbox chat.InboxID) ([]string, error)
}

// Threads is the store of the threads and processes of coding agents.
type Threads interface {
	BeginCodingRun(ctx context.Context, key chat.SessionKey, r codingagent.Run) (codingagent.Run, error)
	CodingRuns(ctx context.Context, turn chat.TurnID) ([]codingagent.Run, error)
	CodingThread(ctx context.Context, key chat.SessionKey) (*codingagent.Binding, error)
	EndCodingRun(ctx context.Context, key chat.SessionKey, r codingagent.Run, b codingagent.Binding, used codingagent.Usage) error
	KeepCodingThread(ctx context.Context, key chat.SessionKey, b codingagent.Binding) error
	SendCodingRun(ctx context.Context, r codingagent.Run, store string) error
	TurnLanguage(ctx context.Context, turn chat.TurnID) (i18n.Lang, error)
}

// Conversations reads sessions and their context windows.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	Window(ctx context.Context, key chat.SessionKey) (chat.Window, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	Steer(ctx context.Context, key chat.SessionKey, turn chat.TurnID, n int) (chat.Steered, error)
	SteerWaits(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (bool, error)
}

// Store has what coding agents read and write, by module.
type Store struct {
	Attachments   Attachments
	Calls         Calls
	CodingAgents  Threads
	Conversations Conversations
	Turns         Turns
}

// Agents answers turns with coding agents. It is safe for concurrent use.
type Agents struct {
	Store     Store
	Sandboxes activities.Sandboxes
}

// Ask is a step to answer.
type Ask struct {
	Step     chat.Step
	Settings codingagent.Settings
	Steers   bool // pass messages to the running agent; else they wait for the next turn
	Inquires bool // ask users; else requests of the agent are declined
	Sink     llm.Sink
}

// Outcome is the end of a step.
type Outcome struct {
	Answer  llm.Answer // with a call of Inquiring: the process waits for a user
	Stopped bool       // a user stopped the turn; Answer is partial
	// Say and its Args are the sentence in place of an answer, and Kind is the kind of the failure. Empty: there is an answer.
	Say  i18n.ID
	Args []any
	Kind fault.Kind

	ended []*process.Process // to be forgotten by the runner once the step is stored
}

// Forget deletes the output of the ended processes on the runner. The step must be stored before.
func (o Outcome) Forget(ctx context.Context) {
	for _, p := range o.ended {
		p.Forget(ctx)
	}
}

func failed(kind fault.Kind, id i18n.ID, args ...any) Outcome {
	return Outcome{Kind: kind, Say: id, Args: args}
}

// Answer answers a step. Repeated, it attaches to the same process and reads its output from the beginning.
func (a *Agents) Answer(ctx context.Context, ask Ask) (Outcome, error) {
	t, err := a.open(ctx, ask)
	if err != nil {
		return Outcome{}, err
	}
	var ended []*process.Process
	var before llm.Answer // of earlier processes of this step
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

// joined concatenates the answers of two processes.
func joined(before, answer llm.Answer) llm.Answer {
	answer.Text, answer.Reasoning = paragraphs(before.Text, answer.Text), paragraphs(before.Reasoning, answer.Reasoning)
	answer.Usage = before.Usage.Add(answer.Usage)
	one, _ := chat.Line{Opaque: before.Opaque}.Deeds() // empty if there are none
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

// round returns a follower of the current process of the turn, which it records first if there is none, or the outcome of the step.
func (a *Agents) round(ctx context.Context, t *turn) (*follower, Outcome, error) {
	name := t.ask.Settings.Agent
	run, begun := t.current()
	asked := t.session.Runner
	if begun {
		name, asked = run.Request.Agent, run.Runner
	}
	find := a.Sandboxes.ForNewWork
	if begun {
		find = a.Sandboxes.ForStartedWork
	}
	room, err := find(ctx, t.ask.Step.Session, t.owner, asked)
	if err == nil && run.Store == "" { // not started yet, and the policy of the conversation would not confine its commands
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
	env.Variables = slices.Concat(agents.Variables(run.Request.Agent), env.Variables) // the user's own have precedence
	f := newFollower(a.Store, t, run, known)
	f.process = &process.Process{
		Box: place, ID: run.ID(), Driver: customProgram{driver, run.Request.Program}, Dir: run.Request.Dir, StartedOn: run.Store, Listener: f,
		Environment: env, Confinement: agents.Confinement(run.Request.Agent, run.Request.Turn, env.Variables),
	}
	return f, Outcome{}, nil
}

// environment returns the variables of the process and of the commands that it runs.
func (a *Agents) environment(ctx context.Context, t *turn, runner string) (sandbox.Environment, error) {
	env, err := a.Sandboxes.Environment(ctx, t.ask.Step.Session, t.owner, runner)
	if err != nil {
		return env, err
	}
	variables, err := a.Store.Calls.CommandEnv(ctx, t.ask.Step.Session, t.ask.Step.Turn, 0)
	env.Variables = slices.Concat(env.Variables, variables)
	return env, err
}

// runner is the part of a sandbox that processes of agents use.
type runner interface {
	process.Box
	Name() string
	Info(ctx context.Context) (wire.Info, error)
}

// customProgram is a driver that starts another program if the settings name one.
type customProgram struct {
	codingagent.Driver
	program string
}

// Command returns the command line.
func (s customProgram) Command() []string {
	words := s.Driver.Command()
	switch {
	case s.program == "":
		return words
	case words[0] == codingagent.RunnerProgram: // the bridge starts the program
		return append(words, "--program", s.program)
	}
	return append([]string{s.program}, words[1:]...)
}

// End kills the processes of a turn that has ended. A kill that cannot be sent now is stored and sent later.
func (a *Agents) End(ctx context.Context, key chat.SessionKey, turn chat.TurnID) error {
	runs, err := a.Store.CodingAgents.CodingRuns(ctx, turn)
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

// end kills one process. If its runner is gone or revoked, the process ends by its own time limit.
func (a *Agents) end(ctx context.Context, key chat.SessionKey, run codingagent.Run) error {
	if run.Store != "" {
		_, owner, err := a.Store.Conversations.Session(ctx, key)
		if err != nil {
			return err
		}
		if box, err := a.Sandboxes.Box(ctx, owner, run.Runner); err == nil {
			_ = box.Kill(ctx, run.ID()) // stored before it is sent, and repeated until the runner has it
		}
	}
	return a.Store.CodingAgents.EndCodingRun(ctx, key, run, codingagent.Binding{}, codingagent.Usage{})
}

// spent converts the usage of an agent to that of a model.
func spent(u codingagent.Usage) chat.Usage {
	within := func(n int64) int { return int(min(max(n, 0), math.MaxInt32)) }
	return chat.Usage{PromptTokens: within(u.Input), CachedTokens: within(u.CachedInput), CompletionTokens: within(u.Output)}
}
