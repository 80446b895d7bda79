package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	callsrows "xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
)

// wantsPlan accepts a message that wants a plan, and opens its turn.
func (b *bundle) wantsPlan(turn chat.TurnID) {
	b.t.Helper()
	in := b.inbound("m-"+string(turn), "do it")
	in.Options.Plan = true
	_, err := b.Turns.Accept(b.t.Context(), in)
	require.NoError(b.t, err)
	_, ok := b.claim(turn)
	require.True(b.t, ok)
}

// proposed commits a step that proposes a plan, and opens its question.
func (b *bundle) proposed(turn chat.TurnID, n int, steps ...string) chat.CallID {
	b.t.Helper()
	call := chat.ToolCall{
		ID: chat.NewCallID(turn, n, 0), Name: chat.PlanTool, Class: chat.ClassIdempotent, Arguments: "{}", State: chat.CallOpen, Asks: chat.Asks{Plan: &chat.Plan{Steps: steps}},
	}.Ruled()
	require.Equal(b.t, chat.RuleAsk, call.Rule)
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, n), chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.t, err)
	asked := b.ask(call.ID, "")
	require.Equal(b.t, chat.ApprovalOpen, asked.State)
	require.Equal(b.t, steps, asked.Plan.Steps)
	require.Empty(b.t, asked.Always)
	return call.ID
}

// planState is the state of the running turn of a session, and whether its calls wait for a plan.
func (b *bundle) planState(session chat.SessionKey) (chat.PlanState, bool) {
	b.t.Helper()
	wanted, err := b.Settings.ModelWanted(b.t.Context(), session)
	require.NoError(b.t, err)
	permits, err := b.Permissions.UserPermissions(b.t.Context(), session)
	require.NoError(b.t, err)
	return wanted.Plan, permits.Planning
}

func (b *bundle) requirePlan(session chat.SessionKey, state chat.PlanState) {
	b.t.Helper()
	got, walled := b.planState(session)
	require.Equal(b.t, state, got)
	require.Equal(b.t, state == chat.PlanWanted, walled)
}

func TestPlan_OnlyAnAnswerToItLiftsTheWallOfATurn(t *testing.T) {
	b := setup(t)
	b.wantsPlan("t1")
	b.requirePlan(key, chat.PlanWanted)
	first := b.proposed("t1", 0, "a")
	_, err := b.Calls.AllowTurn(t.Context(), callsrows.TurnPermit{Session: key, Turn: "t1", User: b.user.ID, UserName: "admin", Allow: true})
	require.NoError(t, err)
	_, err = b.Calls.AnswerAll(t.Context(), b.answer("", true))
	require.ErrorIs(t, err, callsrows.ErrNothingAsked)
	require.Equal(t, chat.ApprovalOpen, b.approval(first).State, "nothing that is said to all calls approves a plan")
	always := b.answer(first, true)
	always.Always = true
	_, err = b.Calls.Answer(t.Context(), always)
	require.Equal(t, fault.Invalid, fault.KindOf(err))

	_, err = b.Calls.Answer(t.Context(), b.answer(first, false))
	require.NoError(t, err)
	b.requirePlan(key, chat.PlanWanted)
	second := b.proposed("t1", 1, "b", "c")
	edited := b.answer(second, true)
	edited.Changed = &chat.Change{Arguments: `{"steps":["c"]}`, Summary: "1 step", Plan: &chat.Plan{Steps: []string{"c"}}}
	_, err = b.Calls.Answer(t.Context(), edited)
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, b.approval(second).Plan.Steps)
	require.Equal(t, "{}", b.approval(second).Asked)
	b.requirePlan(key, chat.PlanApproved)
	third := b.proposed("t1", 2, "d")
	_, err = b.Calls.Answer(t.Context(), b.answer(third, false))
	require.NoError(t, err)
	b.requirePlan(key, chat.PlanWanted)
	b.finish("t1", chat.TurnDone)
	b.send("next", "do more")
	b.claim("t2")
	b.requirePlan(key, "")
}

func TestPlan_ThatNobodyAnswersIsNotApproved(t *testing.T) {
	b := setup(t)
	b.wantsPlan("t1")
	call := b.proposed("t1", 0, "a")
	require.NoError(t, b.Calls.Expire(t.Context(), call))
	require.Equal(t, chat.ApprovalDenied, b.approval(call).State)
	b.requirePlan(key, chat.PlanWanted)
}

func TestPlan_ACallThatWaitsForAPlanNeverRuns(t *testing.T) {
	b := setup(t)
	b.wantsPlan("t1")
	answer := twoCalls("t1")
	answer.Calls[0].Rule = chat.RulePlan
	_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 0), answer)
	require.NoError(t, err)
	require.Nil(t, b.ask(answer.Calls[0].ID, ""), "nobody is asked about it")
	call, err := b.Calls.Call(t.Context(), answer.Calls[0].ID)
	require.NoError(t, err)
	began, err := b.Calls.BeginCall(t.Context(), call)
	require.NoError(t, err)
	require.False(t, began)
}

func TestPlan_OfAConversationHoldsAtOnceAndForItsTurns(t *testing.T) {
	b := setup(t)
	b.send("m1", "do it")
	b.claim("t1")
	b.requirePlan(key, "")
	require.NoError(t, b.Conversations.Override(t.Context(), key, conversation.Overrides{Plan: new(true)}))
	b.requirePlan(key, chat.PlanWanted)
	require.NoError(t, b.Conversations.Override(t.Context(), key, conversation.Overrides{Plan: new(false)}))
	b.requirePlan(key, chat.PlanLifted)
	require.NoError(t, b.Conversations.Override(t.Context(), key, conversation.Overrides{Plan: new(true)}))
	b.finish("t1", chat.TurnStopped)
	b.order("c1", "/compact")
	b.requirePlan(key, "")
	b.finish("c1", chat.TurnDone)
	b.send("m2", "do more")
	b.claim("t2")
	b.requirePlan(key, chat.PlanWanted)
}

func TestPlan_WhatATurnBeganIsBoundByItsWall(t *testing.T) {
	b := setup(t)
	b.wantsPlan("t1")
	calls := b.calling(key, "t1", 3)
	waiting, err := b.Agents.AssignTask(t.Context(), task(calls[2], ""))
	require.NoError(t, err)
	early, err := b.Agents.AssignTask(t.Context(), task(calls[0], ""))
	require.NoError(t, err)
	agent := early.Subagent.Session
	_, ok, err := b.Turns.Claim(t.Context(), agent, "s1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	b.requirePlan(agent, chat.PlanWanted)
	plan := b.proposed("t1", 1, "a")
	_, err = b.Calls.Answer(t.Context(), b.answer(plan, true))
	require.NoError(t, err)
	b.requirePlan(agent, chat.PlanWanted) // to the end of its turn
	_, ok, err = b.Turns.Claim(t.Context(), waiting.Subagent.Session, "s0", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	b.requirePlan(waiting.Subagent.Session, chat.PlanWanted) // it was asked before the approval, and begins after it
	late, err := b.Agents.AssignTask(t.Context(), task(calls[1], ""))
	require.NoError(t, err)
	_, ok, err = b.Turns.Claim(t.Context(), late.Subagent.Session, "s2", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	b.requirePlan(late.Subagent.Session, "")
	require.NoError(t, b.Conversations.Override(t.Context(), key, conversation.Overrides{Plan: new(false)}))
	b.requirePlan(agent, chat.PlanLifted)
	b.requirePlan(key, chat.PlanLifted)
	_, err = b.Calls.Answer(t.Context(), b.answer(b.proposed("t1", 2, "b"), false))
	require.NoError(t, err)
	b.requirePlan(key, chat.PlanLifted) // the mode is off, also for a plan that is sent back
	require.NoError(t, b.Conversations.Override(t.Context(), key, conversation.Overrides{Plan: new(true)}))
	b.requirePlan(late.Subagent.Session, chat.PlanWanted) // what is at work is bound, too
}

func TestPlan_GoesOnWithATurnThatIsContinuedOrAnsweredAnew(t *testing.T) {
	b := setup(t)
	b.wantsPlan("t1")
	asked := b.transcript().Messages[0].ID
	b.finish("t1", chat.TurnStopped)
	again := b.inbound("go on", "Continue where you stopped.")
	again.Options.Continue = true
	_, err := b.Turns.Accept(t.Context(), again)
	require.NoError(t, err)
	b.claim("t2")
	b.requirePlan(key, chat.PlanWanted)
	b.finish("t2", chat.TurnDone)
	anew := b.inbound("anew", "do it better")
	anew.Options.Replaces = asked
	_, err = b.Turns.Accept(t.Context(), anew)
	require.NoError(t, err)
	b.claim("t3")
	b.requirePlan(key, chat.PlanWanted)
	better := b.transcript().Messages[len(b.transcript().Messages)-1].ID
	b.finish("t3", chat.TurnDone)
	best := b.inbound("anew again", "do it best")
	best.Options.Replaces = better
	_, err = b.Turns.Accept(t.Context(), best)
	require.NoError(t, err)
	b.claim("t4")
	b.requirePlan(key, chat.PlanWanted) // as often as it is answered anew
	_, err = b.Calls.Answer(t.Context(), b.answer(b.proposed("t4", 0, "a"), true))
	require.NoError(t, err)
	b.finish("t4", chat.TurnStopped)
	planned := b.inbound("go on planned", "Continue where you stopped.")
	planned.Options.Continue, planned.Options.Plan = true, true
	_, err = b.Turns.Accept(t.Context(), planned)
	require.NoError(t, err)
	b.claim("t5")
	b.requirePlan(key, chat.PlanWanted) // its own wish counts more than an approval before it
}
