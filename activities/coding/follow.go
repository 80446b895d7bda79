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
	// steerEvery is how often it is looked whether a person has written to the turn.
	steerEvery = time.Second
	// steerClaim numbers the claims that are made while an agent works, apart from those of the workflow, which counts from 1.
	steerClaim = 1 << 20
	// interruptKey names the write by which a person's stop reaches the agent.
	interruptKey = "stop"
)

// follower follows one process for one step.
type follower struct {
	store   Store
	turn    *turn
	run     codingagent.Run
	process *process.Process
	said    []message                        // to the turn since the process was asked
	with    map[string]bool                  // those that it was given
	shown   map[string][]codingagent.Picture // with them
	room    int                              // bytes of pictures that the process may still be given
	over    bool                             // the process has ended
	gone    bool                             // the thread that was to go on is not there

	mu      sync.Mutex // guards what follows
	told    told
	changed chan struct{} // receives when there is something to do; a full buffer is fine
}

func newFollower(store Store, t *turn, run codingagent.Run, known map[string]chat.ToolCall) *follower {
	f := &follower{store: store, turn: t, run: run, with: map[string]bool{}, shown: map[string][]codingagent.Picture{}, changed: make(chan struct{}, 1)}
	f.told = newTold(t.ask, run, known)
	f.said, f.room = t.since(run.Upto), codingagent.MaxPictures-size(run.Request.Pictures)
	return f
}

// Starting notes where the process is sent.
func (f *follower) Starting(ctx context.Context, store string) error {
	return f.store.SendCodingRun(ctx, f.run, store)
}

// Take takes what the agent says.
func (f *follower) Take(e codingagent.Event) {
	f.mu.Lock()
	f.told.take(e)
	wake := f.told.wakes()
	f.mu.Unlock()
	if wake {
		select {
		case f.changed <- struct{}{}:
		default: // one look sees all
		}
	}
}

// ending is how a process was left.
type ending struct {
	process.Result

	asked   bool // it waits for a person
	stopped bool
}

// follow follows the process until the step has an outcome. again says that something was said which it did not take.
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
		err = f.store.EndCodingRun(settling, f.turn.ask.Step.Session, f.run, f.bound(), f.told.usage)
	}
	if err != nil {
		return Outcome{}, false, err
	}
	lang, err := f.store.TurnLanguage(settling, f.turn.ask.Step.Turn)
	if err != nil {
		return Outcome{}, false, err
	}
	f.over = end.Exec.State != ""
	out = f.outcome(end, lang)
	out.Answer.Usage = f.used(end)
	return out, out.Say == "" && !out.Stopped && !end.asked && len(f.untaken()) > 0, nil
}

// isAway reports whether nothing was started because the runner cannot be reached or does not do as it should.
func isAway(err error) bool {
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	_, odd := errors.AsType[*sandbox.MisbehavedError](err)
	return offline || odd
}

// attend runs the process, or attaches to it, and carries answers, messages and a stop to it. Whatever ends it, nothing is read from the
// process any more when it returns.
func (f *follower) attend(ctx context.Context) (ending, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var end ending
	var ran error
	done := make(chan struct{})
	go func() {
		defer close(done)
		end.Result, ran = f.process.Run(running)
	}()
	leave := func(err error) (ending, error) {
		cancel()
		<-done
		return ending{}, err
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
				return ending{asked: true}, nil
			}
		case <-looks.C:
			if err := f.steer(ctx); err != nil && ctx.Err() == nil { // what ctx ended is followed by its end
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

// act gives the agent the answers that it waits for, and keeps the thread once it has one.
func (f *follower) act(ctx context.Context) error {
	f.mu.Lock()
	replies := f.told.replies
	f.told.replies = nil
	fresh := f.told.fresh()
	f.told.kept = f.told.kept || fresh
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
	return f.told.asks != nil
}

// steer gives the agent what people have written to the turn.
func (f *follower) steer(ctx context.Context) error {
	step := f.turn.ask.Step
	waits := false
	if f.turn.ask.Steers {
		var err error
		if waits, err = f.store.SteerWaits(ctx, step.Session, step.Turn); err != nil {
			return err
		}
	}
	if waits {
		if _, err := f.store.Steer(ctx, step.Session, step.Turn, steerClaim); err != nil {
			return err
		}
		var err error
		if f.turn.window, err = f.store.Window(ctx, step.Session); err != nil {
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

// untaken is what was said and did not reach the agent. It is known once the turn of the process is over.
func (f *follower) untaken() []message {
	var out []message
	for _, m := range f.said {
		if _, taken := f.process.Driver.Steer(m.key(), codingagent.Message{Text: m.text}); !taken {
			out = append(out, m)
		}
	}
	return out
}

// stop asks the agent to end its turn, and ends its process if it does not.
func (f *follower) stop(ctx context.Context, done <-chan struct{}) {
	f.process.Interrupt(interruptKey)
	grace := time.NewTimer(activities.KillGrace)
	defer grace.Stop()
	select {
	case <-done:
		return
	case <-grace.C:
	}
	_ = f.process.Kill(ctx) // one that does not get through is noted, and follows
	killed := time.NewTimer(activities.KillGrace)
	defer killed.Stop()
	select {
	case <-done:
	case <-killed.C:
	}
}

// bound is with what the conversation goes on after this process. What the agent was not seen to take it is given again.
func (f *follower) bound() codingagent.Bound {
	r := f.run.Request
	b := codingagent.Bound{Agent: r.Agent, Thread: r.Thread, Runner: f.run.Runner, Dir: r.Dir}
	if f.turn.bound != nil {
		b.Upto = f.turn.bound.Upto
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.gone:
		b.Thread = ""
		return b
	case !f.told.taken:
		return b
	}
	b.Upto = max(b.Upto, f.run.Upto)
	if f.told.thread != "" {
		b.Thread = f.told.thread
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
	return f.store.KeepCodingThread(ctx, f.turn.ask.Step.Session, b)
}

// outcome is what becomes of the step.
func (f *follower) outcome(end ending, lang i18n.Lang) Outcome {
	f.mu.Lock()
	defer f.mu.Unlock()
	agent := f.run.Request.Agent
	switch {
	case end.asked:
		return Outcome{Answer: f.told.question(lang)}
	case end.stopped:
		return Outcome{Stopped: true, Answer: f.told.soFar()}
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
	answer := f.told.answer(end.End.Reply)
	if answer.Text == "" {
		answer.Text = i18n.Say(lang, i18n.AgentSilent, agent)
	}
	answer.Finish = llm.FinishStop
	return Outcome{Answer: answer}
}

// used is what the process took, once its turn is over. A step that asks a person counts nothing: the one that goes on counts it all.
func (f *follower) used(end ending) chat.Usage {
	if end.asked {
		return chat.Usage{}
	}
	return spent(f.told.usage)
}
