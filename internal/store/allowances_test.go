package store_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/calls"
)

func (b *bundle) permit(turn chat.TurnID, allow bool) calls.TurnPermit {
	return calls.TurnPermit{Session: key, Turn: turn, User: b.user.ID, UserName: b.user.Name, Allow: allow}
}

func TestAllowTurn_NoCallIsLeftWaitingHoweverItsQuestionAndThePermitMeet(t *testing.T) {
	b := setup(t)
	for n := range 10 {
		id := chat.TurnID("t" + strconv.Itoa(n))
		first, second := b.asks(id, chat.RuleAsk)
		var meet sync.WaitGroup
		failed := make([]error, 3)
		meet.Go(func() { _, failed[0] = b.Calls.Ask(t.Context(), first, chat.Request{}) })
		meet.Go(func() { _, failed[1] = b.Calls.Ask(t.Context(), second, chat.Request{}) })
		meet.Go(func() { _, failed[2] = b.Calls.AllowTurn(t.Context(), b.permit(id, true)) })
		meet.Wait()
		require.NoError(t, errors.Join(failed...))
		for _, call := range []chat.CallID{first, second} {
			require.Equal(t, chat.ApprovalAllowed, b.approval(call).State)
		}
		turn, err := b.Calls.AllowTurn(t.Context(), b.permit(id, true))
		require.NoError(t, err)
		require.Equal(t, 2, turn.Allows.Calls, "each is counted once")
		_, err = b.Turns.FinishTurn(t.Context(), key, id, chat.TurnDone, "")
		require.NoError(t, err)
	}
}

func TestAllowTurn_LeavesOpenWhatAHookWantsAskedAndWhatItHasDeferred(t *testing.T) {
	for name, decision := range map[string]hook.Decision{"asked": hook.Ask, "deferred": hook.Defer} {
		for _, before := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				b := setup(t)
				b.send("m1", "do it")
				b.claim("t1")
				answer := twoCalls("t1")
				for n := range answer.Calls {
					answer.Calls[n].Rule, answer.Calls[n].Hook = chat.RuleAsk, chat.HookDue
				}
				_, err := b.Turns.CommitStep(t.Context(), b.begin("t1", 0), answer)
				require.NoError(t, err)
				hooked, passed := answer.Calls[0].ID, answer.Calls[1].ID
				for id, said := range map[chat.CallID]hook.Decision{hooked: decision, passed: hook.Allow} {
					_, err := b.Hooks.RecordHook(t.Context(), hook.Record{ID: string(id) + "/" + string(hook.PreToolUse), Event: hook.PreToolUse, Session: key, Turn: "t1", Call: id, Outcome: hook.Outcome{Decision: said}})
					require.NoError(t, err)
				}
				allow := func() {
					_, err := b.Calls.AllowTurn(t.Context(), b.permit("t1", true))
					require.NoError(t, err)
				}
				if before {
					allow()
				}
				b.ask(hooked, "")
				b.ask(passed, "")
				if !before {
					allow()
				}
				require.Equal(t, chat.ApprovalOpen, b.approval(hooked).State)
				require.Equal(t, chat.ApprovalAllowed, b.approval(passed).State)
			})
		}
	}
}

func TestAllowTurn_TheSameMessageMeansNoLaterTurn(t *testing.T) {
	b := setup(t)
	b.asks("t1", chat.RuleAsk)
	permit := b.permit("", true)
	permit.Key = "web//m7"
	got, err := b.Calls.AllowTurn(t.Context(), permit)
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), got.ID)
	_, err = b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	first, _ := b.asks("t2", chat.RuleAsk)
	got, err = b.Calls.AllowTurn(t.Context(), permit)
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), got.ID)
	require.Nil(t, got.Allows, "it has ended")
	require.Equal(t, chat.ApprovalOpen, b.ask(first, "").State)
}

func TestAllowTurn_IsForWhoMayAnswerAndForTheTurnsOfTheConversation(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	stranger := b.permit("t1", true)
	stranger.User++
	_, err := b.Calls.AllowTurn(t.Context(), stranger)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	elsewhere := b.permit("t1", true)
	elsewhere.Session = "agent:main:web:thread:elsewhere"
	_, err = b.Calls.AllowTurn(t.Context(), elsewhere)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Equal(t, chat.ApprovalOpen, b.approval(first).State)
}
