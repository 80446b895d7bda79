package coding

import (
	"context"
	"errors"
	"sync"
	"time"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/process"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/sandbox"
)

const (
	// steerEvery is the pause between two looks for messages to the turn.
	steerEvery = time.Second
	// steerClaim is the number of claims while an agent works. The workflow counts its own from 1.
	steerClaim = 1 << 20
	// interruptKey is the key of the write that interrupts the agent.
	interruptKey = "stop"
)

// follower follows one process for one step.
type follower struct {
	store   Store
	turn    *turn
	run     codingagent.Run
	process *process.Process
	said    []message                        // messages of the turn after the request of the process
	with    map[string]bool                  // keys of the messages that the process was given
	shown   map[string][]codingagent.Picture // pictures of these messages
	room    int                              // bytes of pictures that the process may still be given
	over    bool                             // the process has ended
	gone    bool                             // the agent does not have the thread any more

	mu      sync.Mutex // guards events
	events  eventRecorder
	changed chan struct{} // receives when there is something to do; a full buffer is fine
}

func newFollower(store Store, t *turn, run codingagent.Run, known map[string]chat.ToolCall) *follower {
	f := &follower{store: store, turn: t, run: run, with: map[string]bool{}, shown: map[string][]codingagent.Picture{}, changed: make(chan struct{}, 1)}
	f.events = newEventRecorder(t.ask, run, known)
	f.said, f.room = t.since(run.Upto), codingagent.MaxPictures-size(run.Request.Pictures)
	return f
}

// Starting stores the job store that the process is sent to.
func (f *follower) Starting(ctx context.Context, store string) error {
	return f.store.CodingAgents.SendCodingRun(ctx, f.run, store)
}

// Take records an event of the agent.
func (f *follower) Take(e codingagent.Event) {
	f.mu.Lock()
	f.events.take(e)
	wake := f.events.wakes()
	f.mu.Unlock()
	if wake {
		select {
		case f.changed <- struct{}{}:
		default: // a wake-up is pending
		}
	}
}

// processState is the state in which a process was left.
type processState struct {
	process.Result

	asked   bool // the process waits for a user
	stopped bool
}

// follow follows the process until the step has an outcome. again is true if it did not take a message, which another process has to answer.
func (f *follower) follow(ctx context.Context) (out Outcome, again bool, err error) {
	end, err := f.attend(ctx)
	switch {
	case err != nil && isAway(err):
		return failed(fault.Unavailable, i18n.AgentNowhere, f.run.Request.Agent, err.Error()), false, nil
	case err != nil:
		return Outcome{}, false, err
	}
	f.gone = end.End != nil && end.End.Gone
	settling, cancel := activities.Settling(ctx)
	defer cancel()
	if end.asked {
		err = f.keepThread(settling)
	} else {
		err = f.store.CodingAgents.EndCodingRun(settling, f.turn.ask.Step.Session, f.run, f.bound(), f.events.usage)
	}
	if err != nil {
		return Outcome{}, false, err
	}
	lang, err := f.store.CodingAgents.TurnLanguage(settling, f.turn.ask.Step.Turn)
	if err != nil {
		return Outcome{}, false, err
	}
	f.over = end.Exec.State != ""
	out = f.outcome(end, lang)
	out.Answer.Usage = f.used(end)
	return out, out.Say == "" && !out.Stopped && !end.asked && len(f.unreadMessages()) > 0, nil
}

// isAway reports whether nothing was started because the runner cannot be reached or misbehaves.
func isAway(err error) bool {
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	_, odd := errors.AsType[*sandbox.MisbehavedError](err)
	return offline || odd
}

// attend starts the process or attaches to it, and passes answers, messages and a stop to it. When it returns, nothing reads from the process
// any more.
func (f *follower) attend(ctx context.Context) (processState, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var end processState
	var ran error
	done := make(chan struct{})
	go func() {
		defer close(done)
		end.Result, ran = f.process.Run(running)
	}()
	leave := func(err error) (processState, error) {
		cancel()
		<-done
		return processState{}, err
	}
	looks := time.NewTicker(steerEvery)
	defer looks.Stop()
	for {
		select {
		case <-done:
			return end, ran
		case <-f.changed:
			if err := f.act(ctx); err != nil && ctx.Err() == nil {
				return leave(err)
			}
			if f.asks() {
				_, _ = leave(nil)
				return processState{asked: true}, nil
			}
		case <-looks.C:
			if err := f.steer(ctx); err != nil && ctx.Err() == nil { // the end of ctx is handled below
				return leave(err)
			}
		case <-ctx.Done():
			if !activities.Stopped(ctx) {
				return leave(context.Cause(ctx))
			}
			f.stop(ctx, done)
			cancel()
			<-done
			end.stopped = true
			return end, nil
		}
	}
}

// act gives the agent answers, and stores the thread once it is known.
func (f *follower) act(ctx context.Context) error {
	f.mu.Lock()
	replies := f.events.replies
	f.events.replies = nil
	fresh := f.events.fresh()
	f.events.kept = f.events.kept || fresh
	f.mu.Unlock()
	for _, r := range replies {
		f.process.Answer(r.request, r.answer)
	}
	if !fresh {
		return nil
	}
	return f.keepThread(ctx)
}

func (f *follower) asks() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events.asks != nil
}

// steer gives the agent new messages of the turn.
func (f *follower) steer(ctx context.Context) error {
	step := f.turn.ask.Step
	waits := false
	if f.turn.ask.Steers {
		var err error
		if waits, err = f.store.Turns.SteerWaits(ctx, step.Session, step.Turn); err != nil {
			return err
		}
	}
	if waits {
		if _, err := f.store.Turns.Steer(ctx, step.Session, step.Turn, steerClaim); err != nil {
			return err
		}
		var err error
		if f.turn.window, err = f.store.Conversations.Window(ctx, step.Session); err != nil {
			return err
		}
		f.said = f.turn.since(f.run.Upto)
	}
	for _, m := range f.said {
		if f.with[m.key()] {
			continue
		}
		given, err := f.message(ctx, m)
		if err != nil {
			return err
		}
		f.with[m.key()] = f.process.Steer(m.key(), given)
	}
	return nil
}

// unreadMessages returns the messages that the agent did not take. It is complete once the turn of the process has ended.
func (f *follower) unreadMessages() []message {
	var out []message
	for _, m := range f.said {
		if _, taken := f.process.Driver.Steer(m.key(), codingagent.Message{Text: m.text}); !taken {
			out = append(out, m)
		}
	}
	return out
}

// stop interrupts the agent, and kills its process if it does not end in time.
func (f *follower) stop(ctx context.Context, done <-chan struct{}) {
	f.process.Interrupt(interruptKey)
	grace := time.NewTimer(activities.KillGrace)
	defer grace.Stop()
	select {
	case <-done:
		return
	case <-grace.C:
	}
	_ = f.process.Kill(ctx) // stored before it is sent, and repeated until the runner has it
	killed := time.NewTimer(activities.KillGrace)
	defer killed.Stop()
	select {
	case <-done:
	case <-killed.C:
	}
}

// bound returns the binding of the conversation after this process. Messages that the agent was not seen to take are given to it again.
func (f *follower) bound() codingagent.Binding {
	r := f.run.Request
	b := codingagent.Binding{Agent: r.Agent, Thread: r.Thread, Runner: f.run.Runner, Dir: r.Dir}
	if f.turn.bound != nil {
		b.Upto = f.turn.bound.Upto
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.gone:
		b.Thread = ""
		return b
	case !f.events.taken:
		return b
	}
	b.Upto = max(b.Upto, f.run.Upto)
	if f.events.thread != "" {
		b.Thread = f.events.thread
	}
	for _, m := range f.said {
		if f.with[m.key()] {
			b.Upto = max(b.Upto, m.id)
		}
	}
	return b
}

func (f *follower) keepThread(ctx context.Context) error {
	b := f.bound()
	if b.Thread == "" {
		return nil
	}
	return f.store.CodingAgents.KeepCodingThread(ctx, f.turn.ask.Step.Session, b)
}

// outcome returns the outcome of the step.
func (f *follower) outcome(end processState, lang i18n.Lang) Outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	agent := f.run.Request.Agent
	switch {
	case end.asked:
		return Outcome{Answer: f.events.question(lang)}
	case end.stopped:
		return Outcome{Stopped: true, Answer: f.events.soFar()}
	case end.End == nil:
		return f.lost(end.Result, agent)
	case f.gone:
		return failed(fault.NotFound, i18n.AgentThreadGone, agent, f.run.Request.Thread)
	case end.End.Outcome == codingagent.Failed && end.End.LogIn:
		return failed(fault.Denied, i18n.AgentLogIn, agent, f.run.Runner, logIn(agent))
	case end.End.Outcome != codingagent.Completed:
		why := end.End.Error
		if why == "" {
			why = string(end.End.Outcome)
		}
		return failed(fault.Unavailable, i18n.AgentFailed, agent, why)
	}
	answer := f.events.answer(end.End.Reply)
	if answer.Text == "" {
		answer.Text = i18n.Say(lang, i18n.AgentSilent, agent)
	}
	answer.Finish = llm.FinishStop
	return Outcome{Answer: answer}
}

// used returns the usage of the process. A step that asks a user counts nothing; the last step of the process counts all of it.
func (f *follower) used(end processState) chat.Usage {
	if end.asked {
		return chat.Usage{}
	}
	return spent(f.events.usage)
}
