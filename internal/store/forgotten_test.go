package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// forget loses what the beginning of a step wrote without waiting for the disk, as a crash of Postgres does.
func (b *bundle) forget() {
	b.t.Helper()
	for _, statement := range []string{
		"DELETE FROM steps WHERE state = 'open'", "DELETE FROM llm_leases", "UPDATE turns SET system_hash = NULL", "DELETE FROM session_parts", "DELETE FROM prompts",
	} {
		_, err := b.pool.Exec(b.t.Context(), statement)
		require.NoError(b.t, err, statement)
	}
}

func TestForgottenStep_IsCommittedAllTheSame(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	part := chat.Part{Key: "20_memory", Source: "s", Body: "what was known"}
	_, err := b.Turns.FreezeSystem(t.Context(), step, "system", []chat.Part{part})
	require.NoError(t, err)
	b.forget()

	call := chat.ToolCall{ID: chat.NewCallID("t1", 0, 0), Name: "Shell", Class: chat.ClassExec, Arguments: "{}", State: chat.CallOpen}
	d, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "hi", Finish: "tool_calls", Model: "m", Prompt: "static", Calls: []chat.ToolCall{call}})
	require.NoError(t, err)
	require.Len(t, d.Calls, 1)
	_, stored, done, err := b.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, "tool_calls", stored.Finish)
	require.Len(t, stored.Calls, 1)
	scene, err := b.Turns.Scene(t.Context(), step.Session, step.Turn)
	require.NoError(t, err)
	require.True(t, scene.Frozen, "the turn has its prompt again")
	require.Equal(t, "system", scene.System)
	require.Equal(t, part.Body, scene.Held[part.Key].Body)
	require.Zero(t, b.count("SELECT count(*) FROM llm_leases"))
}

func TestForgottenStep_OfAClosedTurnIsNotMadeAgain(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	b.finish("t1", chat.TurnStopped)
	_, err := b.pool.Exec(t.Context(), "DELETE FROM steps")
	require.NoError(t, err)
	d, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "late", Finish: "stop"})
	require.NoError(t, err)
	require.Equal(t, chat.FinishClosed, d.Finish)
	require.Zero(t, b.count("SELECT count(*) FROM steps"))
	require.Zero(t, b.count("SELECT count(*) FROM messages WHERE content = 'late'"))
}

func TestForgottenStep_CountsItsFailuresAndEnds(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	b.forget()
	n, err := b.Turns.CountFailure(t.Context(), step, func(int, i18n.Lang) (chat.Retry, bool) { return chat.Retry{}, false })
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, 0, b.count("SELECT count(*) FROM llm_leases"))
	b.forget()
	d, err := b.Turns.FailStep(t.Context(), step, chat.ModelCall{}, fault.Unavailable, func(i18n.Lang) string { return "it does not answer" })
	require.NoError(t, err)
	require.Equal(t, chat.FinishError, d.Finish)
	require.Equal(t, 1, b.count("SELECT count(*) FROM steps WHERE state = 'done' AND finish = 'error'"))
}

func TestForgottenLease_IsTakenAgainWhileItsCallGoesOn(t *testing.T) {
	b := setup(t)
	b.send("m1", "hello")
	b.claim("t1")
	step := b.begin("t1", 0)
	b.forget()
	require.NoError(t, b.Leases.KeepLease(t.Context(), step))
	require.Equal(t, 1, b.count("SELECT count(*) FROM llm_leases WHERE held_until > clock_timestamp() + interval '10 seconds'"))
	_, err := b.Turns.CommitStep(t.Context(), step, chat.Answer{Text: "hi", Finish: "stop"})
	require.NoError(t, err)
	require.NoError(t, b.Leases.KeepLease(t.Context(), step))
	require.Zero(t, b.count("SELECT count(*) FROM llm_leases"), "one that was given back stays so")
}
