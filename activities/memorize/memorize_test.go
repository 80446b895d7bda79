package memorize_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/memorize"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/memory/flat"
)

// forgetting is a conversation that began anew, and its job.
type forgetting struct {
	*activitiestest.Conversation
	job chat.MemorizeID
}

// forget talks n times and begins anew.
func forget(t *testing.T, n int) *forgetting {
	t.Helper()
	f := &forgetting{Conversation: activitiestest.Past(t, n, activitiestest.PlainMessage)}
	f.CloseTurn("now")
	require.NoError(t, f.Conversations.Renew(t.Context(), activitiestest.Key, "x", chat.ResetNew))
	require.NoError(t, f.Pool.QueryRow(t.Context(), "SELECT id FROM memorize_jobs").Scan(&f.job))
	f.Memorizer = &memorize.Memorizer{
		Conversations: f.Store.Conversations, Usage: f.Store.Usage, Models: f.Model.Models, Memory: activitiestest.OfMain{Provider: flat.Provider{Store: f.Store.Memory}}, Budget: activitiestest.WindowOf(60_000, 8_000),
		Retry: modelcall.Retry{Attempts: 3, Delay: time.Millisecond, MaxDelay: time.Millisecond},
	}
	f.Server.Handle(remembers)
	return f
}

// remembers saves that it was asked, and how much it was told.
func remembers(r llmtest.Request) llmtest.Reply {
	text := fmt.Sprintf("%d questions", strings.Count(r.Messages[0].Content, "[USER] "))
	return llmtest.Reply{Calls: []llmtest.Call{{Name: "save_memory", Arguments: fmt.Sprintf(`{"history_entry":%q,"memory_update":"They asked: %s"}`, text, text)}}}
}

// memorize runs one attempt.
func (f *forgetting) memorize() (memorize.Output, error) {
	f.T.Helper()
	var out memorize.Output
	err := f.Run(f.T.Context(), activities.NameMemorize, memorize.Input{Job: f.job}, &out)
	return out, err
}

func (f *forgetting) log() (out []string) {
	f.T.Helper()
	all, err := f.Memory.MemoryHistory(f.T.Context(), chat.MemoryOwner{User: f.User, Agent: "main"}, 0, 100)
	require.NoError(f.T, err)
	for _, e := range all {
		out = append(out, e.Entry)
	}
	return out
}

func (f *forgetting) note() string {
	f.T.Helper()
	notes, err := f.Memory.Memories(f.T.Context(), f.User, "main")
	require.NoError(f.T, err)
	if len(notes) == 0 {
		return ""
	}
	require.Len(f.T, notes, 1)
	return notes[0].Content
}

func TestMemorize_TwiceIsOnce(t *testing.T) {
	f := forget(t, 5)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, memorize.Output{State: chat.MemorizeDone, Parts: 1, Changed: 1}, out)
	require.Equal(t, []string{"7 questions"}, f.log())
	require.Equal(t, "They asked: 7 questions", f.note())
	asked := f.Server.Count()
	out, err = f.memorize()
	require.NoError(t, err)
	require.Empty(t, out)
	require.Equal(t, asked, f.Server.Count(), "the model is not asked again")
	require.Equal(t, []string{"7 questions"}, f.log())
	spent, err := f.Usage.UsageOf(t.Context(), f.User, activitiestest.Key)
	require.NoError(t, err)
	require.Len(t, spent, 1, "it is booked")
}

// coder stands for a coding agent.
type coder struct{ llm.Client }

func (coder) CodingAgent() codingagent.Settings { return codingagent.Settings{Agent: "codex"} }

func TestMemorize_AConversationOfACodingAgentIsReadByNobody(t *testing.T) {
	f := forget(t, 5)
	f.Memorizer.Models = activitiestest.OneModel{Client: coder{}}
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, memorize.Output{State: chat.MemorizeDone}, out)
	require.Empty(t, f.log())
	require.Zero(t, f.Server.Count(), "no model was asked")
}

// breaking fails once, where it is told.
type breaking struct {
	memorize.Conversations

	memorized, end bool
}

var errBreaks = fault.Errorf(fault.Unavailable, "Postgres is away")

func (b *breaking) Memorized(ctx context.Context, j chat.MemorizeJob, upto chat.MessageID) error {
	if b.memorized {
		b.memorized = false
		return errBreaks
	}
	return b.Conversations.Memorized(ctx, j, upto)
}

func (b *breaking) EndMemorize(ctx context.Context, j chat.MemorizeJob, state, why string, changed bool) error {
	if b.end {
		b.end = false
		return errBreaks
	}
	return b.Conversations.EndMemorize(ctx, j, state, why, changed)
}

func TestMemorize_AnAttemptThatDiedBehindTheWriteIsNotRepeated(t *testing.T) {
	for name, jobs := range map[string]*breaking{"before it was noted": {memorized: true}, "before the end": {end: true}} {
		t.Run(name, func(t *testing.T) {
			f := forget(t, 5)
			jobs.Conversations = f.Store.Conversations
			f.Memorizer.Conversations = jobs
			_, err := f.memorize()
			kind, again := activitiestest.FaultKind(t, err)
			require.Equal(t, fault.Unavailable, kind)
			require.True(t, again)
			out, err := f.memorize()
			require.NoError(t, err)
			require.Equal(t, chat.MemorizeDone, out.State)
			require.Equal(t, []string{"7 questions"}, f.log(), "once")
			require.Equal(t, 1, f.Server.Count(), "and asked once")
		})
	}
}

func TestMemorize_ALongConversationGoesPartByPart(t *testing.T) {
	f := forget(t, 120)
	f.Memorizer.Budget = activitiestest.WindowOf(6_000, 2_000)
	failed := false
	f.Server.Handle(func(r llmtest.Request) llmtest.Reply {
		if f.Server.Count() == 3 && !failed {
			failed = true
			return llmtest.Reply{Status: 503, Error: "away"}
		}
		return remembers(r)
	})
	_, err := f.memorize()
	kind, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.RateLimited, kind)
	require.True(t, again)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, chat.MemorizeDone, out.State)
	require.Greater(t, out.Parts, 2)
	all, questions := f.log(), 0
	for _, entry := range all {
		var n int
		_, err := fmt.Sscan(entry, &n)
		require.NoError(t, err)
		questions += n
	}
	require.Equal(t, 122, questions, "each line is in one part")
	require.Equal(t, len(all)+1, f.Server.Count(), "what was done is not done again")
}

func TestMemorize_FailuresAreCountedAndToldInTheEnd(t *testing.T) {
	f := forget(t, 5)
	f.Server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Status: 503, Error: "away"} })
	for range 9 {
		_, err := f.memorize()
		kind, again := activitiestest.FaultKind(t, err)
		require.Equal(t, fault.RateLimited, kind)
		require.True(t, again)
	}
	require.Empty(t, notices(f.Conversation))
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, chat.MemorizeFailed, out.State)
	require.Len(t, notices(f.Conversation), 1)
	require.Contains(t, notices(f.Conversation)[0], "could not be memorized")
	require.Empty(t, f.note())
	require.Empty(t, f.log())
	out, err = f.memorize()
	require.NoError(t, err)
	require.Empty(t, out)
}

// TestMemorize_AnOutageOfPostgresIsNoFailureOfTheProvider has calls of the model fail because of Postgres, more often than a job may fail.
func TestMemorize_AnOutageOfPostgresIsNoFailureOfTheProvider(t *testing.T) {
	f := forget(t, 5)
	models := f.Memorizer.Models
	f.Memorizer.Models = activitiestest.OneModel{Client: postgresAway{}}
	for range 12 {
		_, err := f.memorize()
		kind, again := activitiestest.FaultKind(t, err)
		require.Equal(t, fault.Unavailable, kind)
		require.True(t, again)
	}
	require.Empty(t, notices(f.Conversation))
	f.Memorizer.Models = models
	out, err := f.memorize()
	require.NoError(t, err)
	require.NotEqual(t, chat.MemorizeFailed, out.State)
}

// postgresAway is a model whose call needs Postgres, which is away.
type postgresAway struct{}

func (postgresAway) Model() string { return "other/one" }

func (postgresAway) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) {
	return llm.Answer{}, fault.Away("Postgres", "read the connection: connection refused")
}

// notices returns what people are told that does not say where the conversation began anew.
func notices(b *activitiestest.Conversation) (out []string) {
	b.T.Helper()
	for _, m := range b.Notices() {
		if m.Origin != chat.OriginReset {
			out = append(out, m.Content)
		}
	}
	return out
}

func TestMemorize_AModelThatWritesNothingUsableIsAFailure(t *testing.T) {
	f := forget(t, 5)
	f.Server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "I would rather not."} })
	_, err := f.memorize()
	kind, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.RateLimited, kind)
	require.True(t, again)
	f.Server.Handle(remembers)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, chat.MemorizeDone, out.State)
}

func TestMemorize_WhatIsTooLongForTheModelIsMadeShorter(t *testing.T) {
	f := forget(t, 40)
	f.Server.Handle(func(r llmtest.Request) llmtest.Reply {
		if len(r.Messages[0].Content) > 20_000 {
			return llmtest.Reply{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 5000 tokens.","code":"context_length_exceeded"}}`, Header: map[string][]string{"Content-Type": {"application/json"}}}
		}
		return remembers(r)
	})
	var out memorize.Output
	for range 10 {
		var err error
		if out, err = f.memorize(); err == nil {
			break
		}
	}
	require.Equal(t, chat.MemorizeDone, out.State)
	require.Greater(t, len(f.log()), 1)
}

func TestMemorize_StoppedItLeavesTheJobToTheWorkflowWhichGivesItUp(t *testing.T) {
	f := forget(t, 5)
	ctx, cancel := context.WithCancelCause(t.Context())
	f.Server.Handle(func(r llmtest.Request) llmtest.Reply {
		cancel(activitiestest.ErrStop)
		return llmtest.Reply{Delay: time.Minute}
	})
	err := f.Run(ctx, activities.NameMemorize, memorize.Input{Job: f.job}, nil)
	require.Error(t, err)
	require.Empty(t, notices(f.Conversation))
	for range 2 {
		require.NoError(t, f.Run(t.Context(), activities.NameGiveUpMemorize, memorize.Input{Job: f.job}, nil))
	}
	require.Len(t, notices(f.Conversation), 1)
}

func TestMemorize_OfADeletedConversationIsNothing(t *testing.T) {
	f := forget(t, 5)
	_, err := f.Pool.Exec(t.Context(), "DELETE FROM sessions WHERE key = $1", activitiestest.Key)
	require.NoError(t, err)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Empty(t, out)
	require.NoError(t, f.Run(t.Context(), activities.NameGiveUpMemorize, memorize.Input{Job: f.job}, nil))
	require.Zero(t, f.Server.Count())
}
