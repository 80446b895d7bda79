package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// Values of AttrWaits.
const (
	WaitsApproval  = "approval"
	WaitsQuestion  = "question"
	WaitsRunner    = "runner"
	WaitsSlot      = "slot"
	WaitsModel     = "model"
	WaitsSubagents = "subagents"
)

// wait is something that a turn waits for, as operators see it.
type wait struct {
	what string // value of AttrWaits
	say  string // line of the details
}

// turnWaits shows operators what a turn waits for.
type turnWaits struct {
	details *turnDetails // which show all of them
	shown   bool         // the namespace knows AttrWaits
	open    int          // waits that operators find by it
	found   string       // its value
	exact   bool         // it is what the newest wait is for
}

// show shows a wait until the returned function is called. Of several waits the newest is found by AttrWaits; the details show all.
func (s *turnWaits) show(ctx workflow.Context, w wait) (done func()) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	waits := &w
	s.details.waits = append(s.details.waits, waits)
	s.details.show(ctx, "")
	found := s.searchable(ctx, w.what)
	if found {
		s.open++
		s.upsert(ctx, w.what, true)
	}
	return func() {
		s.details.waits = slices.DeleteFunc(s.details.waits, func(other *wait) bool { return other == waits })
		s.details.show(ctx, "")
		if found {
			s.open--
			s.upsert(ctx, s.details.waitsFor(), false)
		}
	}
}

// searchable reports whether a wait is shown by AttrWaits. Runs that began before there were others show approvals and questions only.
func (s *turnWaits) searchable(ctx workflow.Context, what string) bool {
	const change = "all that a turn waits for is found"
	if !s.shown {
		return false
	}
	if what == WaitsApproval || what == WaitsQuestion {
		return true
	}
	s.exact = workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) > workflow.DefaultVersion
	return s.exact
}

// upsert sets AttrWaits, or removes it when the turn waits for nothing. A run that is not exact sets it when a wait begins, and keeps
// it until the last wait has ended.
func (s *turnWaits) upsert(ctx workflow.Context, what string, begins bool) {
	switch {
	case s.open == 0:
		upsert(ctx, AttrWaits.ValueUnset())
		s.found = ""
	case s.exact && what != s.found, !s.exact && begins:
		upsert(ctx, AttrWaits.ValueSet(what))
		s.found = what
	}
}

// showSlotWait shows that the run found no free slot: its session is queued for one, and another run starts when it gets one.
func (t *turnRun) showSlotWait(ctx workflow.Context) {
	if !t.claimed.InLine {
		return
	}
	workflow.SetCurrentDetails(ctx, "**No turn was free**: the conversation stands in line, and goes on in another run · [conversation]("+ConversationPath(t.in.Session)+")")
	if t.in.Waits {
		upsert(ctx, AttrWaits.ValueSet(WaitsSlot))
	}
}

// runningCalls are the calls of a turn whose activities run.
type runningCalls struct {
	ids   []chat.CallID
	away  map[chat.CallID]func() // of those whose runner is away, what ends the wait
	waits *turnWaits
}

// followRunners shows which runners calls of the turn wait for, as their activities say.
func (r *runningCalls) followRunners(ctx workflow.Context) {
	signals := workflow.GetSignalChannel(ctx, turn.SignalRunner)
	for ended := false; !ended; {
		workflow.NewSelector(ctx).
			AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { ended = true }).
			AddReceive(signals, func(c workflow.ReceiveChannel, _ bool) {
				var s turn.RunnerSignal
				c.Receive(ctx, &s)
				r.showRunnerWait(ctx, s)
			}).
			Select(ctx)
	}
}

// showRunnerWait begins or ends the wait of a call. A signal of a call that has ended, or a repeated one, changes nothing.
func (r *runningCalls) showRunnerWait(ctx workflow.Context, s turn.RunnerSignal) {
	back, waits := r.away[s.Call]
	switch {
	case s.Away != "" && !waits && slices.Contains(r.ids, s.Call):
		r.away[s.Call] = r.waits.show(ctx, wait{WaitsRunner, "the runner " + s.Away + ", which is not connected"})
	case s.Away == "" && waits:
		delete(r.away, s.Call)
		back()
	}
}

// track records that the activity of a call runs, until the returned function is called.
func (r *runningCalls) track(ctx workflow.Context, id chat.CallID) (done func()) {
	r.ids = append(r.ids, id)
	return func() {
		r.ids = slices.DeleteFunc(r.ids, func(other chat.CallID) bool { return other == id })
		r.showRunnerWait(ctx, turn.RunnerSignal{Call: id})
	}
}

// providerWait is an activity that waits for the provider by the pauses between its attempts. A message of a user cuts a pause off: the
// activity is cancelled, and another one asks sooner.
type providerWait struct {
	cancel   workflow.CancelFunc
	known    chat.InboxID // the message that has brought its attempt forward, 0 for none
	hastened turn.HastenOutput
}

// generateOrHasten runs one Generate. If it waits for the provider and a message has cut it off, hastened names the message, and there is neither a
// decision nor an error: an activity that was cut off makes no call.
func (t *turnRun) generateOrHasten(ctx workflow.Context, in turn.GenerateInput) (out turn.GenerateOutput, hastened turn.HastenOutput, err error) {
	if !in.Waiting {
		out, err = t.generate(ctx, in)
		return out, hastened, err
	}
	attempts, cancel := workflow.WithCancel(ctx)
	defer cancel()
	wait := &providerWait{cancel: cancel, known: in.Hastened}
	t.provider = wait
	out, err = t.generate(attempts, in)
	t.provider = nil
	if err != nil && ctx.Err() == nil && wait.hastened.By > 0 {
		return turn.GenerateOutput{}, wait.hastened, nil
	}
	return out, hastened, err
}

// hasten brings the next attempt forward if the turn waits for its provider and a user has written in the meantime.
func (t *turnRun) hasten(ctx workflow.Context) {
	const change = "a message hastens the provider"
	wait := t.provider
	if wait == nil || workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	var out turn.HastenOutput
	err := workflow.ExecuteLocalActivity(localOptions(ctx, "hasten"), activities.NameHasten, turn.HastenInput{Turn: t.id}).Get(ctx, &out)
	if err == nil && out.By > wait.known && wait == t.provider {
		wait.hastened = out
		wait.cancel()
	}
}
