package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

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

// wait is something that a turn waits for, for the eyes of operators.
type wait struct {
	what string // value of AttrWaits
	say  string // line of the details
}

// showWait shows operators what the turn waits for, until the returned function is called. Of several waits the newest is found by
// AttrWaits; the details show all.
func (t *turnRun) showWait(ctx workflow.Context, w wait) (done func()) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	waits := &w
	t.turnDetails.waits = append(t.turnDetails.waits, waits)
	t.turnDetails.show(ctx, "")
	found := t.searchable(ctx, w.what)
	if found {
		t.waiting++
		t.upsertWait(ctx, w.what, true)
	}
	return func() {
		t.turnDetails.waits = slices.DeleteFunc(t.turnDetails.waits, func(other *wait) bool { return other == waits })
		t.turnDetails.show(ctx, "")
		if found {
			t.waiting--
			t.upsertWait(ctx, t.turnDetails.waitsFor(), false)
		}
	}
}

// searchable reports whether a wait is shown by AttrWaits. Runs that began before there were others show approvals and questions only.
func (t *turnRun) searchable(ctx workflow.Context, what string) bool {
	const change = "all that a turn waits for is found"
	if !t.in.Waits {
		return false
	}
	if what == WaitsApproval || what == WaitsQuestion {
		return true
	}
	t.exact = workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) > workflow.DefaultVersion
	return t.exact
}

// upsertWait sets AttrWaits, or takes it away when nothing is waited for. A run that is not exact sets it with each wait that begins, and
// lets it stand until the last has ended.
func (t *turnRun) upsertWait(ctx workflow.Context, what string, begins bool) {
	switch {
	case t.waiting == 0:
		t.upsert(ctx, AttrWaits.ValueUnset())
		t.found = ""
	case t.exact && what != t.found, !t.exact && begins:
		t.upsert(ctx, AttrWaits.ValueSet(what))
		t.found = what
	}
}

// showSlotWait shows that the run found no free turn: its session stands in line, and who takes it from there starts another run.
func (t *turnRun) showSlotWait(ctx workflow.Context) {
	if !t.claimed.InLine {
		return
	}
	workflow.SetCurrentDetails(ctx, "**No turn was free**: the conversation stands in line, and goes on in another run · [conversation]("+ConversationPath(t.in.Session)+")")
	if t.in.Waits {
		t.upsert(ctx, AttrWaits.ValueSet(WaitsSlot))
	}
}

// followRunners shows which runners calls of the turn wait for, as their activities say.
func (t *turnRun) followRunners(ctx workflow.Context) {
	signals := workflow.GetSignalChannel(ctx, turn.SignalRunner)
	for ended := false; !ended; {
		workflow.NewSelector(ctx).
			AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { ended = true }).
			AddReceive(signals, func(c workflow.ReceiveChannel, _ bool) {
				var s turn.RunnerSignal
				c.Receive(ctx, &s)
				t.showRunnerWait(ctx, s)
			}).
			Select(ctx)
	}
}

// showRunnerWait begins or ends the wait of a call. What comes of a call that has ended, or twice, changes nothing.
func (t *turnRun) showRunnerWait(ctx workflow.Context, s turn.RunnerSignal) {
	back, waits := t.away[s.Call]
	switch {
	case s.Away != "" && !waits && slices.Contains(t.running, s.Call):
		t.away[s.Call] = t.showWait(ctx, wait{WaitsRunner, "the runner " + s.Away + ", which is not connected"})
	case s.Away == "" && waits:
		delete(t.away, s.Call)
		back()
	}
}

// trackCall notes that the activity of a call runs, until the returned function is called.
func (t *turnRun) trackCall(ctx workflow.Context, id chat.CallID) (done func()) {
	t.running = append(t.running, id)
	return func() {
		t.running = slices.DeleteFunc(t.running, func(other chat.CallID) bool { return other == id })
		t.showRunnerWait(ctx, turn.RunnerSignal{Call: id})
	}
}
