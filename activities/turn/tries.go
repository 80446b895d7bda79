package turn

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// keepTry is how long an attempt that was begun within a workflow task waits for the activity that takes it over. The activity begins with the end of
// that workflow task; if the task was lost, none comes.
const keepTry = 10 * time.Second

// errNotTakenOver ends an attempt that no activity took over.
var errNotTakenOver = errors.New("no activity took the attempt over")

// try is an attempt to call a model that was begun within a workflow task. What is not done in its time continues, and an activity
// takes it over: nothing is asked twice, and what has failed fails as that activity, with its pause and its count.
type try struct {
	n      int // which attempt of the step it is
	cancel context.CancelCauseFunc
	done   chan struct{}

	decision chat.Decision // with the following, read after done is closed
	model    string
	err      error
}

// beginTry runs an attempt that ends with its own cancel and with nothing else.
func (m *Model) beginTry(ctx context.Context, a *attempt) *try {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t := &try{n: a.n, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer func() {
			if p := recover(); p != nil {
				activity.GetLogger(ctx).Error("a call of a model panicked", "panic", p, "stack", string(debug.Stack()))
				t.err = fault.Errorf(fault.Internal, "panic: %v", p)
			}
		}()
		t.decision, t.err = m.attemptStep(ctx, a)
		t.model = a.model
	}()
	return t
}

// wait waits for the end of an attempt. When the activity ends before, so does the attempt, and for the same reason: a stop makes it
// commit what was written.
func (t *try) wait(ctx context.Context) {
	select {
	case <-t.done:
	case <-ctx.Done():
		t.cancel(context.Cause(ctx))
		<-t.done
	}
	t.cancel(nil)
}

// tries are the attempts that wait for an activity to take them over.
type tries struct {
	mu    sync.Mutex
	steps map[chat.Step]*try
}

// keep keeps an attempt until it is taken over, at most for keepTry. Another one of the step, which a repeated workflow task has left, ends.
func (k *tries) keep(step chat.Step, t *try) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.steps == nil {
		k.steps = map[chat.Step]*try{}
	}
	if before := k.steps[step]; before != nil {
		before.cancel(errNotTakenOver)
	}
	k.steps[step] = t
	time.AfterFunc(keepTry, func() { k.giveUp(step, t) })
}

// giveUp ends an attempt that no activity has taken over.
func (k *tries) giveUp(step chat.Step, t *try) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.steps[step] == t {
		delete(k.steps, step)
		t.cancel(errNotTakenOver)
	}
}

// take removes the attempt of a step from the list and returns it, or nil if there is none.
func (k *tries) take(step chat.Step) *try {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.steps[step]
	delete(k.steps, step)
	return t
}

// try makes an attempt within the time that a workflow task has for it. Unfinished means that an activity has to take it over.
func (m *Model) try(ctx context.Context, a *attempt, within time.Duration) (d chat.Decision, unfinished bool) {
	t := m.tries.take(a.step)
	if t == nil {
		t = m.beginTry(ctx, a)
	}
	used := time.NewTimer(within)
	defer used.Stop()
	select {
	case <-t.done:
	case <-used.C:
	case <-ctx.Done():
	}
	select {
	case <-t.done:
		if t.err == nil {
			t.cancel(nil)
			a.n, a.model = t.n, t.model
			return t.decision, false
		}
	default:
	}
	m.tries.keep(a.step, t)
	return chat.Decision{}, true
}

// end ends an attempt that a stop has overtaken, as a stop ends an activity. One that fails then has decided nothing.
func (m *Model) end(a *attempt) chat.Decision {
	if t := m.tries.take(a.step); t != nil {
		t.cancel(temporal.NewCanceledError())
		<-t.done
		if t.err == nil {
			a.n, a.model = t.n, t.model
			return t.decision
		}
	}
	return chat.Decision{Finish: chat.FinishStopped}
}

// takeOver continues with the attempt that was begun for the step within a workflow task, or makes one.
func (m *Model) takeOver(ctx context.Context, a *attempt) (chat.Decision, error) {
	t := m.tries.take(a.step)
	if t == nil {
		return m.attemptStep(ctx, a)
	}
	t.wait(ctx)
	a.n, a.model = t.n, t.model
	return t.decision, t.err
}
