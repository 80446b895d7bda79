package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
)

// overfull is a first message whose five results are more than the model takes, though less than its configured window.
func overfull(t *testing.T, window int) *fixture {
	t.Helper()
	var program []string
	for n := range 5 {
		program = append(program, fmt.Sprintf(`call Read {"path":"f%d.txt","max_lines":900}`, n))
	}
	b := setup(t, append(program, "say done")...)
	for n := range 5 {
		b.Sandbox.Put(t, fmt.Sprintf("f%d.txt", n), strings.Repeat(fmt.Sprintf("the quick brown fox %d\n", n), 800))
	}
	b.AskForCalls()
	for n := range 5 {
		_, err := b.RunTool(t.Context(), n)
		require.NoError(t, err)
	}
	require.NoError(t, b.Server.SetWindow(llmtest.Window{Tokens: window}))
	return b
}

// refusedRequests returns how many requests were too long, and fails if one of them was sent twice.
func (b *fixture) refusedRequests(window int) (n int) {
	b.T.Helper()
	seen := map[string]bool{}
	for _, r := range b.Server.Requests() {
		if r.Tokens <= window {
			continue
		}
		n++
		key := fmt.Sprint(r.Messages)
		require.False(b.T, seen[key], "a refused request is never sent again")
		seen[key] = true
	}
	return n
}

func TestGenerate_MasksResultsOfTheRunningTurnAfterARefusal(t *testing.T) {
	const window = 18_000
	b := overfull(t, window)
	out, err := b.Generate(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, "done", b.LastMessage().Content)
	require.Equal(t, 1, b.refusedRequests(window), "the refusal names the window")
}

func TestGenerate_NeverSendsARefusedRequestAgain(t *testing.T) {
	const window = 100
	b := overfull(t, window)
	in := turn.GenerateInput{Session: activitiestest.Key, Turn: activitiestest.Turn, Step: 1, Compressed: 3, MayWait: true}
	var out turn.GenerateOutput
	for range 2 {
		require.NoError(t, b.Run(t.Context(), activities.NameGenerate, in, &out))
		require.Equal(t, chat.FinishError, out.Finish)
		require.Equal(t, "too_large", out.Fault)
	}
	require.Positive(t, b.refusedRequests(window))
}
