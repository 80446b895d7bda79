package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/engine"
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

// restarted is the fixture after a restart of its worker: nothing is in memory.
func (b *fixture) restarted() {
	b.Assembler = &modelcall.Assembler{Attachments: b.Store.Attachments, Conversations: b.Store.Conversations, ModelRefusals: b.Store.ModelRefusals, Ratios: modelcall.Ratios{Store: b.Store.Usage}, Budget: b.Assembler.Budget}
	b.Model.Context = b.Assembler
}

func (b *fixture) learnt() int {
	b.T.Helper()
	w, err := b.Conversations.Window(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	return w.Refusals.Request("openai/scripted").Window
}

func TestGenerate_OtherWorkersKnowTheWindowThatARefusalNamed(t *testing.T) {
	const window = 18_000
	b := overfull(t, window)
	_, err := b.Generate(t.Context(), 1)
	require.NoError(t, err)
	learnt := b.learnt()
	require.Positive(t, learnt)
	require.LessOrEqual(t, learnt, window)
	b.restarted()
	b.next(activitiestest.Turn, "t2")
	b.generate("t2")
	require.Equal(t, 1, b.refusedRequests(window), "no worker has to be refused again")
}

func TestGenerate_NoWorkerSendsARefusedRequestAgain(t *testing.T) {
	const window = 100
	b := overfull(t, window)
	in := turn.GenerateInput{Session: activitiestest.Key, Turn: activitiestest.Turn, Step: 1, Compressed: 3, MayWait: true}
	ctx, kill := context.WithCancelCause(t.Context())
	b.Model.Turns = lost{b.Store.Turns, kill}
	require.Error(t, b.Run(ctx, activities.NameGenerate, in, nil))
	b.Model.Turns = b.Store.Turns
	b.restarted()
	var out turn.GenerateOutput
	require.NoError(t, b.Run(t.Context(), activities.NameGenerate, in, &out))
	require.Equal(t, "too_large", out.Fault)
	require.Positive(t, b.refusedRequests(window))
}

// lost ends the worker before it can say that a step failed.
type lost struct {
	*engine.Store
	kill context.CancelCauseFunc
}

func (l lost) FailStep(ctx context.Context, step chat.Step, call chat.ModelCall, kind fault.Kind, say func(i18n.Lang) string) (chat.Decision, error) {
	l.kill(activitiestest.ErrDetach)
	return l.Store.FailStep(ctx, step, call, kind, say)
}

func TestGenerate_RefusalsOfOneRequestLeaveTheWindow(t *testing.T) {
	for name, refusal := range map[string]llmtest.Reply{
		"a limit by the minute": {Status: 429, Error: "Request too large for scripted on tokens per min (TPM): Limit 12000, Requested 26000. The input or output tokens must be reduced in order to run successfully."},
		"a large body":          {Status: 413, Error: "Request exceeds the maximum size"},
	} {
		t.Run(name, func(t *testing.T) {
			b := overfull(t, 0)
			n := 0
			b.Server.Handle(func(llmtest.Request) llmtest.Reply {
				if n++; n == 1 {
					return refusal
				}
				return llmtest.Reply{Text: "done"}
			})
			out, err := b.Generate(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, "stop", out.Finish)
			require.Equal(t, "done", b.LastMessage().Content)
			requests := b.Server.Requests()
			require.Less(t, requests[len(requests)-1].Tokens, requests[len(requests)-2].Tokens, "this request is shorter")
			require.Zero(t, b.learnt(), "the next one may be as long as before")
		})
	}
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
