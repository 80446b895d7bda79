package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

func TestHooks_TheFirstOutcomeOfAnEventCounts(t *testing.T) {
	b := setup(t)
	in, err := b.Turns.Accept(t.Context(), engine.NewRow{Session: key, User: b.user.ID, Channel: "web", PlatformID: "m1", Text: "a card number"})
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), key, "t1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	claimed, err := b.Hooks.HookClaimed(t.Context(), "t1")
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	require.NotZero(t, in.ID)
	record := func(d hook.Decision, reason string) bool {
		fresh, err := b.Hooks.RecordHook(t.Context(), hook.Record{
			ID: "t1/0/UserPromptSubmit", Event: hook.UserPromptSubmit, Session: key, Turn: "t1", Messages: []chat.MessageID{claimed[0].ID},
			Outcome: hook.Outcome{Decision: d, Reason: reason, Context: "c"},
		})
		require.NoError(t, err)
		return fresh
	}
	require.True(t, record(hook.Deny, "card numbers stay out"))
	require.False(t, record(hook.Allow, ""))
	require.False(t, record(hook.Deny, "again"))
	said, ok, err := b.Hooks.HookOutcome(t.Context(), "t1/0/UserPromptSubmit")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "card numbers stay out", said.Reason)
	left, err := b.Hooks.HookUnanswered(t.Context(), "t1")
	require.NoError(t, err)
	require.False(t, left, "the model sees nothing of it")
	page, err := b.Conversations.Messages(t.Context(), key, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Messages, 2, "the message, and one notice: %v", page.Messages)
	claimed, err = b.Hooks.HookClaimed(t.Context(), "t1")
	require.NoError(t, err)
	require.Empty(t, claimed, "nor are hooks told of it again")
}

func TestHooks_WhatIsSaidOfACallAfterItsTurnChangesNothing(t *testing.T) {
	b := setup(t)
	call := b.handing("t1", 1)[0]
	_, err := b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, "")
	require.NoError(t, err)
	before, err := b.Calls.Call(t.Context(), call)
	require.NoError(t, err)
	for _, e := range []hook.Event{hook.PreToolUse, hook.PostToolUse} {
		_, err := b.Hooks.RecordHook(t.Context(), hook.Record{
			ID: string(call) + "/" + string(e), Event: e, Session: key, Turn: "t1", Call: call,
			Outcome: hook.Outcome{Decision: hook.Deny, Reason: "late", Context: "late"}, Changed: &hook.Change{Arguments: `{"late":1}`, Summary: "late"},
		})
		require.NoError(t, err)
	}
	after, err := b.Calls.Call(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

func TestRecordHook_ForgetsOldOutcomesOfTurnsThatHaveEnded(t *testing.T) {
	b := setup(t)
	record := func(turn chat.TurnID, id string) {
		_, err := b.Hooks.RecordHook(t.Context(), hook.Record{ID: id, Event: hook.AgentStop, Session: key, Turn: turn, Outcome: hook.Outcome{Decision: hook.Allow}})
		require.NoError(t, err)
	}
	kept := func() (ids []string) {
		for _, id := range []string{"old", "young", "running", "new"} {
			_, ok, err := b.Hooks.HookOutcome(t.Context(), id)
			require.NoError(t, err)
			if ok {
				ids = append(ids, id)
			}
		}
		return ids
	}
	b.send("m1", "hello")
	b.claim("t1")
	record("t1", "old")
	record("t1", "young")
	_, err := b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.send("m2", "hello")
	b.claim("t2")
	record("t2", "running")
	_, err = b.pool.Exec(t.Context(), "UPDATE hook_outcomes SET created_at = now() - CASE id WHEN 'young' THEN interval '1 hour' ELSE interval '1 day' END")
	require.NoError(t, err)
	record("t2", "new")
	require.Equal(t, []string{"old", "young", "running", "new"}, kept(), "nothing is forgotten where nothing says how long it is kept")
	b.Store = store.New(b.pool, store.Options{HooksKeep: 12 * time.Hour})
	record("t2", "new")
	require.Equal(t, []string{"young", "running", "new"}, kept(), "a turn that runs may ask again")
}
