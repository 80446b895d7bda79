package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store"
	"xbot/internal/turn/policy"
)

// fixed is a policy that does not change.
type fixed struct{ policy.Policy }

func (f *fixed) Get(context.Context) (*policy.Policy, error) { return &f.Policy, nil }

// handing opens a turn of the person with n calls that hand work on.
func (b *bundle) handing(turn chat.TurnID, n int) []chat.CallID {
	b.t.Helper()
	b.send("m-"+string(turn), "go")
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	return b.calling(key, turn, n)
}

// calling commits a step with n calls that hand work on.
func (b *bundle) calling(session chat.SessionKey, turn chat.TurnID, n int) []chat.CallID {
	b.t.Helper()
	step := chat.Step{Session: session, Turn: turn}
	_, _, _, err := b.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	var calls []chat.ToolCall
	var ids []chat.CallID
	for i := range n {
		ids = append(ids, chat.NewCallID(turn, 0, i))
		calls = append(calls, chat.ToolCall{ID: ids[i], Name: "SubAgent", Class: chat.ClassAgent, Arguments: "{}", State: chat.CallOpen})
	}
	_, err = b.Turns.CommitStep(b.t.Context(), step, chat.Answer{Calls: calls, Finish: "tool_calls", Model: "m", Usage: chat.Usage{PromptTokens: 100}})
	require.NoError(b.t, err)
	return ids
}

func task(call chat.CallID, instance string) chat.SubagentTask {
	turn, _, _ := strings.Cut(string(call), ".")
	return chat.SubagentTask{Call: call, Session: key, Turn: chat.TurnID(turn), Role: "coder", Instance: instance, Text: "do it", New: &chat.NewSubagent{}}
}

// answered claims the task of a subagent and ends its turn with an answer.
func (b *bundle) answered(agent chat.SessionKey, turn chat.TurnID, text string, state chat.TurnState) {
	b.t.Helper()
	_, ok, err := b.Turns.Claim(b.t.Context(), agent, turn, "run", 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	if text != "" {
		step := chat.Step{Session: agent, Turn: turn}
		_, _, _, err = b.Turns.BeginStep(b.t.Context(), step)
		require.NoError(b.t, err)
		_, err = b.Turns.CommitStep(b.t.Context(), step, chat.Answer{Text: text, Finish: "stop", Model: "m", Usage: chat.Usage{PromptTokens: 600}})
		require.NoError(b.t, err)
	}
	_, err = b.Turns.FinishTurn(b.t.Context(), agent, turn, state, "")
	require.NoError(b.t, err)
}

func TestHandTask_RepeatedFindsWhatItDidAndRunsNothingTwice(t *testing.T) {
	b := setup(t)
	call := b.handing("t1", 1)[0]
	first, err := b.Agents.AssignTask(t.Context(), task(call, ""))
	require.NoError(t, err)
	again, err := b.Agents.AssignTask(t.Context(), task(call, ""))
	require.NoError(t, err)
	require.Equal(t, first, again)
	handed, ok, err := b.Agents.AssignmentOf(t.Context(), call)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, first, handed)

	b.answered(first.Subagent.Session, "s1", "found it", chat.TurnDone)
	_, ok, err = b.Turns.Claim(t.Context(), first.Subagent.Session, "s2", "run", 0)
	require.NoError(t, err)
	require.False(t, ok, "the task was there twice")
	got, err := b.Calls.Call(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "[coder answered]\nfound it", got.Result)
	reported, err := b.Agents.SubagentsReported(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, []chat.CallID{call}, reported)
}

func TestHandTask_ALargeAnswerIsOffloaded(t *testing.T) {
	b := setup(t)
	call := b.handing("t1", 1)[0]
	handed, err := b.Agents.AssignTask(t.Context(), task(call, ""))
	require.NoError(t, err)
	b.answered(handed.Subagent.Session, "s1", strings.Repeat("a line of it\n", 5000), chat.TurnDone)
	got, err := b.Calls.Call(t.Context(), call)
	require.NoError(t, err)
	require.Less(t, len(got.Result), 20_000)
	body, err := b.Conversations.OffloadBody(t.Context(), key, got.Offload)
	require.NoError(t, err)
	require.Contains(t, body, strings.Repeat("a line of it\n", 4999))
}

func TestHandTask_LimitsAreDenied(t *testing.T) {
	b := setup(t)
	limit := func(s policy.Subagents) {
		b.Store = store.New(b.pool, store.Options{Policies: &fixed{policy.Policy{Limits: policy.Limits{Subagents: s}}}})
	}
	calls := b.handing("t1", 4)
	hand := func(call chat.CallID) error {
		_, err := b.Agents.AssignTask(t.Context(), task(call, ""))
		return err
	}
	limit(policy.Subagents{Running: 1})
	require.NoError(t, hand(calls[0]))
	err := hand(calls[1])
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	require.ErrorContains(t, err, "no more may at once")
	limit(policy.Subagents{PerTurn: 1})
	require.ErrorContains(t, hand(calls[1]), "no turn may hand out more")
	require.NoError(t, hand(calls[0]), "what was handed out before stands")

	first, _, err := b.Agents.AssignmentOf(t.Context(), calls[0])
	require.NoError(t, err)
	b.answered(first.Subagent.Session, "s1", "x", chat.TurnDone)
	limit(policy.Subagents{Tokens: 1000})
	require.NoError(t, hand(calls[1]), "600 of 1000 tokens are taken")
	second, _, err := b.Agents.AssignmentOf(t.Context(), calls[1])
	require.NoError(t, err)
	b.answered(second.Subagent.Session, "s2", "x", chat.TurnDone)
	require.ErrorContains(t, hand(calls[2]), "have taken 1200 tokens")
}

func TestHandTask_AnInstanceIsOneAndGetsMoreTasks(t *testing.T) {
	b := setup(t)
	calls := b.handing("t1", 3)
	first, err := b.Agents.AssignTask(t.Context(), task(calls[0], "a"))
	require.NoError(t, err)
	_, err = b.Agents.AssignTask(t.Context(), task(calls[1], "A"))
	require.True(t, fault.Is(err, fault.Conflict), "%v", err)
	more := task(calls[2], "a")
	more.New = nil
	second, err := b.Agents.AssignTask(t.Context(), more)
	require.NoError(t, err)
	require.Equal(t, first.Subagent, second.Subagent)
	more.Call, more.Instance = "t1.0.9", "b"
	_, err = b.Agents.AssignTask(t.Context(), more)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestHandTask_WhatATurnWaitsForEndsWithIt(t *testing.T) {
	b := setup(t)
	calls := b.handing("t1", 3)
	var agents []chat.SessionKey
	for i, call := range calls {
		asked := task(call, "")
		asked.Background = i == 2
		handed, err := b.Agents.AssignTask(t.Context(), asked)
		require.NoError(t, err)
		agents = append(agents, handed.Subagent.Session)
	}
	_, ok, err := b.Turns.Claim(t.Context(), agents[0], "s0", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	b.finish("t1", chat.TurnStopped)

	stop, err := b.Turns.StopRequested(t.Context(), agents[0], "s0")
	require.NoError(t, err)
	require.True(t, stop, "one that works is asked to stop")
	_, ok, err = b.Turns.Claim(t.Context(), agents[1], "s1", "run", 0)
	require.NoError(t, err)
	require.False(t, ok, "one that has not begun does not begin")
	b.answered(agents[2], "s2", "later", chat.TurnDone)
	claim, ok := b.claim("t2")
	require.True(t, ok)
	require.Equal(t, "[subagent coder answered]\nlater", claim.Text)
}

func TestDeleteSession_TakesItsSubagentsWithIt(t *testing.T) {
	b := setup(t)
	handed, err := b.Agents.AssignTask(t.Context(), task(b.handing("t1", 1)[0], ""))
	require.NoError(t, err)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	_, _, err = b.Conversations.Session(t.Context(), handed.Subagent.Session)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestClaim_OfASubagentNeedsNoSlot(t *testing.T) {
	b := setup(t)
	b.Store = store.New(b.pool, store.Options{Policies: &fixed{policy.Policy{Limits: policy.Limits{Turns: 1}}}})
	handed, err := b.Agents.AssignTask(t.Context(), task(b.handing("t1", 1)[0], ""))
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), handed.Subagent.Session, "s1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok, "whoever waits for it holds the only slot")
}

func TestDeleteSession_OfASubagentAnswersWhoeverWaitsForIt(t *testing.T) {
	b := setup(t)
	calls := b.handing("t1", 2)
	var agents []chat.SessionKey
	for i, call := range calls {
		asked := task(call, "")
		asked.Background = i == 1
		handed, err := b.Agents.AssignTask(t.Context(), asked)
		require.NoError(t, err)
		agents = append(agents, handed.Subagent.Session)
	}
	_, ok, err := b.Turns.Claim(t.Context(), agents[0], "s0", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), agents[0]))
	require.NoError(t, b.Agents.DeleteSession(t.Context(), agents[1]))
	call, err := b.Calls.Call(t.Context(), calls[0])
	require.NoError(t, err)
	require.Equal(t, chat.CallDone, call.State)
	require.Equal(t, "[coder was stopped before it answered]\nA person has deleted its conversation.", call.Result)
	b.finish("t1", chat.TurnDone)
	claim, ok := b.claim("t2")
	require.True(t, ok)
	require.Contains(t, claim.Text, "[subagent coder was stopped before it answered]")
}

func TestFeed_TellsTheConversationAboveWhatSubagentsDo(t *testing.T) {
	b := setup(t)
	feed := &heard{}
	b.Store = store.New(b.pool, store.Options{Feed: feed})
	call := b.handing("t1", 1)[0]
	require.Empty(t, feed.below, "what a conversation does itself is its own event")
	told := func(what string) {
		t.Helper()
		require.NotEmpty(t, feed.below, what)
		for _, k := range feed.below {
			require.Equal(t, key, k, what)
		}
		feed.below = nil
	}
	handed, err := b.Agents.AssignTask(t.Context(), task(call, "a"))
	require.NoError(t, err)
	told("a task")
	b.answered(handed.Subagent.Session, "w1", "done", chat.TurnDone)
	told("an answer")
	unloaded, err := b.Agents.UnloadSubagent(t.Context(), handed.Subagent.Session, false)
	require.NoError(t, err)
	require.True(t, unloaded)
	told("unloading")
	id := b.chatOf("t1", 3, "coder", "reviewer")
	told("a chat")
	b.step(id)
	told("whose turn it is to speak")
	require.NoError(t, b.Agents.SpeakInGroup(t.Context(), id, key, "t2.0.0", "go on"))
	told("a line")
	_, err = b.Agents.EndGroup(t.Context(), id, key)
	require.NoError(t, err)
	told("its end")
}
