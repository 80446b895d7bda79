package replystream

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"xbot/ingress/follow"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// follower is one reader of one answer: the events that it has read, and the state that follows from them.
type follower struct {
	*Source
	q   Question
	out interface{ takes(e Event) bool }

	events  *follow.Events
	turn    chat.TurnID // that has the message; empty: none yet
	foreign chat.TurnID // writes in the session, and has not the message
	task    chat.TurnID // the last one that a scheduled task or job has begun
	joins   bool        // the turn was found just now
	whole   bool        // the conversation is followed, and each of its answers
	progress
}

// progress is how far a turn has come with the answer.
type progress struct {
	step     int // the last one that was sent whole, or is older than the message; -1: none
	draft    draft
	streamed bool // pieces of the draft were sent
	void     bool // the reader may have pieces of the step that is written now
	calls    map[chat.CallID]callState
	finish   string // of the last step
	notice   string // the last notice of the product
	waits    bool   // for the provider
}

// callState records which events of a call the reader has got.
type callState struct{ asked, begun, done bool }

// leave forgets the turn: the message waits for one.
func (f *follower) leave() {
	f.turn, f.progress = "", progress{step: -1, draft: draft{step: -1}, void: f.void, calls: map[chat.CallID]callState{}}
}

// Durable yields the events that a durable event means for the answer.
func (f *follower) Durable(ctx context.Context, e chat.Event) error {
	switch e.Kind {
	case chat.EventQueued:
		return noted(e, func(q chat.Queued) error { return f.queued(e.Seq, q) })
	case chat.EventDropped:
		return noted(e, func(d chat.Dropped) error { return f.dropped(e.Seq, d) })
	case chat.EventMessage:
		return noted(e, func(m chat.Message) error { return f.message(ctx, e.Seq, m) })
	case chat.EventTool:
		return noted(e, func(t chat.ToolEvent) error { return f.tool(e.Seq, t) })
	case chat.EventTurn:
		return noted(e, func(t chat.Turn) error { return f.turned(e.Seq, t) })
	case chat.EventRetry:
		return noted(e, func(r chat.Retry) error { return f.retry(e.Seq, r) })
	case chat.EventHandover:
		return noted(e, func(h chat.Handover) error { return f.handover(e.Seq, h) })
	case chat.EventRewind:
		return f.changed(e.Seq)
	}
	return nil
}

func noted[T any](e chat.Event, tell func(T) error) error {
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return fmt.Errorf("decode the event %d: %w", e.Seq, err)
	}
	return tell(v)
}

func (f *follower) queued(seq int64, q chat.Queued) error {
	if q.Inbox != f.q.Message && !f.whole || !q.Throttled {
		return nil
	}
	return f.emit(seq, Waiting{WaitsForSlot, i18n.Say(f.lang(), i18n.Throttled)})
}

func (f *follower) lang() i18n.Lang { return cmp.Or(f.q.Lang, i18n.English) }

func (f *follower) dropped(seq int64, d chat.Dropped) error {
	if f.whole {
		return f.changed(seq)
	}
	if d.Inbox != f.q.Message {
		return nil
	}
	return f.end(seq, Failure{Kind: Dropped, Outcome: d.Outcome, Text: d.Text})
}

func (f *follower) handover(seq int64, h chat.Handover) error {
	if !f.q.Beside {
		return nil
	}
	return f.emit(seq, Handover{h.Person})
}

// changed notifies a reader of the whole conversation that messages were taken out of it.
func (f *follower) changed(seq int64) error {
	if !f.whole {
		return nil
	}
	return f.emit(seq, Changed{})
}

// end yields the last event of an answer. A reader that has it gets it again, with no cursor: a stream without events looks cut off. A reader
// of the whole conversation waits for the next one.
func (f *follower) end(seq int64, what Content) error {
	if !f.whole && seq <= f.q.After {
		seq = 0
	}
	if err := f.emit(seq, what); err != nil {
		return err
	}
	if f.whole {
		if seq > f.q.After {
			f.void = false // the reader's pieces are of an answer that has ended
		}
		f.leave()
		return nil
	}
	return errOver
}

func (f *follower) message(ctx context.Context, seq int64, m chat.Message) error {
	if is, err := f.between(seq, m); is || err != nil {
		return err
	}
	switch {
	case m.Role == chat.RoleUser && m.Inbox == f.q.Message:
		return f.taken(ctx, seq, m)
	case f.turn == "" || m.Turn != f.turn:
		return nil
	case m.Role == chat.RoleAssistant:
		return f.modelMessage(seq, m)
	case m.Role == chat.RoleNotice && m.Origin == "":
		f.notice = m.Content
		if f.waits {
			return f.emit(seq, Waiting{WaitsForProvider, m.Content})
		}
	}
	return nil
}

// taken records which turn has the message. The turn may have run for some steps.
func (f *follower) taken(ctx context.Context, seq int64, m chat.Message) error {
	if m.Origin == chat.OriginSuperseded { // it was dropped, and is read with the message that took its place
		return f.end(seq, Failure{Kind: Dropped, Outcome: m.Origin})
	}
	if m.Turn == "" { // an administrator answers it
		return f.end(seq, Failure{Kind: Dropped, Outcome: OutcomeTaken, Text: i18n.Say(f.lang(), i18n.ServiceTaken)})
	}
	place, err := f.Answers.Place(ctx, f.q.Session, f.q.Message)
	if fault.Is(err, fault.NotFound) { // the turn has vanished since, and gave the message back
		return nil
	}
	if err != nil {
		return err
	}
	if place.Turn != m.Turn {
		return nil // the same, and another one has taken it
	}
	f.leave()
	f.turn, f.foreign, f.step = m.Turn, "", place.Step
	f.joins = true
	return f.emit(seq, TurnStarted{Turn: m.Turn, Task: m.Origin == chat.OriginCron})
}

// modelMessage yields the message of the model in a step.
func (f *follower) modelMessage(seq int64, m chat.Message) error {
	if m.Step <= f.step {
		return nil
	}
	f.step, f.finish = m.Step, m.FinishReason
	f.draft, f.streamed = draft{step: m.Step + 1}, false
	what := Message{Step: m.Step, Text: m.Content, Reasoning: m.Reasoning, Calls: len(m.ToolCalls), Finish: m.FinishReason}
	for _, c := range m.ToolCalls {
		if c.Class == chat.ClassClient {
			what.Client = append(what.Client, Call{ID: c.ID, Tool: c.Name, Arguments: c.Arguments})
		}
	}
	if m.Usage != nil {
		what.Usage = *m.Usage
	}
	if seq == 0 || seq > f.q.After {
		f.void = false // it takes the place of the pieces
	}
	return f.emit(seq, what)
}

func (f *follower) tool(seq int64, t chat.ToolEvent) error {
	if f.turn == "" || t.Turn != f.turn {
		return nil
	}
	state := f.calls[t.ID]
	switch {
	case t.State == chat.CallDone && !state.done:
		f.calls[t.ID] = callState{begun: true, done: true}
		return f.emit(seq, Result{ID: t.ID, Tool: t.Name, Text: t.Result, OK: !t.IsError})
	case t.State == chat.CallRunning && !state.begun:
		state.begun = true
		f.calls[t.ID] = state
		return f.emit(seq, Call{ID: t.ID, Tool: t.Name, Arguments: t.Arguments})
	case t.State == chat.CallOpen && !state.asked && t.Approval != nil && t.Approval.State == chat.ApprovalOpen:
		state.asked = true
		f.calls[t.ID] = state
		return f.emit(seq, Waiting{WaitsForPerson, i18n.Say(f.lang(), i18n.AnswerAsks, t.Name)})
	}
	return nil
}

func (f *follower) turned(seq int64, t chat.Turn) error {
	if f.whole && t.State == chat.TurnRunning && t.ID != f.turn {
		return f.runs(seq, t.ID)
	}
	if f.turn == "" || t.ID != f.turn {
		return nil
	}
	switch t.State {
	case chat.TurnRunning:
		f.waits = t.Waits != nil
		return nil
	case chat.TurnReleased:
		f.leave()
		return nil
	case chat.TurnDone:
		return f.end(seq, Done{Finish: cmp.Or(f.finish, "stop"), Usage: t.Usage, Turn: t.ID})
	case chat.TurnStopped:
		return f.end(seq, Done{Finish: chat.FinishStopped, Usage: t.Usage, Turn: t.ID})
	case chat.TurnLost:
		return f.end(seq, Failure{Kind: Lost, Text: f.notice, Usage: t.Usage, Turn: t.ID})
	}
	return f.end(seq, Failure{Kind: Failed, Text: f.notice, Usage: t.Usage, Turn: t.ID})
}

// retry reports that the model is asked again. Its earlier output is void.
func (f *follower) retry(seq int64, r chat.Retry) error {
	if f.turn == "" || r.Turn != f.turn || r.Step <= f.step {
		return nil
	}
	if r.Failed > 0 && (r.Step > f.draft.step || r.Step == f.draft.step && r.Failed >= f.draft.attempt) {
		if err := f.restart(r.Step); err != nil {
			return err
		}
		f.draft = draft{step: r.Step, attempt: r.Failed + 1}
	}
	return f.emit(seq, Waiting{WaitsForRetry, r.Text})
}
