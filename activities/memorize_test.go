package activities_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/llmtest"
	"xbot/internal/memory"
	"xbot/internal/memory/flat"
)

// forgetting is a conversation that began anew, and its job.
type forgetting struct {
	*talked
	job chat.MemorizeID
}

// ofMain gives everything to the memory of the default agent.
type ofMain struct{ memory.Provider }

func (m ofMain) Memorize(ctx context.Context, in memory.MemorizeInput) (memory.MemorizeResult, error) {
	in.Agent = "main"
	return m.Provider.Memorize(ctx, in)
}

func (m ofMain) Recall(ctx context.Context, q memory.Query) (string, error) {
	q.Agent = "main"
	return m.Provider.Recall(ctx, q)
}

// Whose implements Owner of the tools of letta.
func (ofMain) Whose(_ context.Context, user chat.UserID, _ chat.SessionKey) (chat.Whose, error) {
	return chat.Whose{User: user, Agent: "main"}, nil
}

// forget talks n times and begins anew.
func forget(t *testing.T, n int) *forgetting {
	t.Helper()
	f := &forgetting{talked: past(t, n, message)}
	f.close("now")
	require.NoError(t, f.Renew(t.Context(), key, "x", chat.ResetNew))
	require.NoError(t, f.pool.QueryRow(t.Context(), "SELECT id FROM memorize_jobs").Scan(&f.job))
	f.memorizer = &activities.Memorizer{
		Jobs: f.Store, Models: f.model.Models, Memory: ofMain{flat.Provider{Store: f.Store}}, Budget: windowOf(60_000, 8_000),
		Retry: activities.Retry{Attempts: 3, Delay: time.Millisecond, MaxDelay: time.Millisecond},
	}
	f.server.Handle(remembers)
	return f
}

// remembers saves that it was asked, and how much it was told.
func remembers(r llmtest.Request) llmtest.Reply {
	text := fmt.Sprintf("%d questions", strings.Count(r.Messages[0].Content, "[USER] "))
	return llmtest.Reply{Calls: []llmtest.Call{{Name: "save_memory", Arguments: fmt.Sprintf(`{"history_entry":%q,"memory_update":"They asked: %s"}`, text, text)}}}
}

// memorize runs one attempt.
func (f *forgetting) memorize() (activities.MemorizeOutput, error) {
	f.t.Helper()
	var out activities.MemorizeOutput
	err := f.run(f.t.Context(), activities.NameMemorize, activities.MemorizeInput{Job: f.job}, &out)
	return out, err
}

func (f *forgetting) log() (out []string) {
	f.t.Helper()
	all, err := f.MemoryHistory(f.t.Context(), chat.Whose{User: f.user, Agent: "main"}, 0, 100)
	require.NoError(f.t, err)
	for _, e := range all {
		out = append(out, e.Entry)
	}
	return out
}

func (f *forgetting) note() string {
	f.t.Helper()
	notes, err := f.Memories(f.t.Context(), f.user, "main")
	require.NoError(f.t, err)
	if len(notes) == 0 {
		return ""
	}
	require.Len(f.t, notes, 1)
	return notes[0].Content
}

func TestMemorize_TwiceIsOnce(t *testing.T) {
	f := forget(t, 5)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, activities.MemorizeOutput{State: chat.MemorizeDone, Parts: 1, Changed: 1}, out)
	require.Equal(t, []string{"7 questions"}, f.log())
	require.Equal(t, "They asked: 7 questions", f.note())
	asked := f.server.Count()
	out, err = f.memorize()
	require.NoError(t, err)
	require.Empty(t, out)
	require.Equal(t, asked, f.server.Count(), "the model is not asked again")
	require.Equal(t, []string{"7 questions"}, f.log())
	spent, err := f.UsageOf(t.Context(), f.user, key)
	require.NoError(t, err)
	require.Len(t, spent, 1, "it is booked")
}

// breaking fails once, where it is told.
type breaking struct {
	activities.Jobs
	memorized, end bool
}

var errBreaks = fault.Errorf(fault.Unavailable, "Postgres is away")

func (b *breaking) Memorized(ctx context.Context, j chat.MemorizeJob, upto chat.MessageID) error {
	if b.memorized {
		b.memorized = false
		return errBreaks
	}
	return b.Jobs.Memorized(ctx, j, upto)
}

func (b *breaking) EndMemorize(ctx context.Context, j chat.MemorizeJob, state, why string, changed bool) error {
	if b.end {
		b.end = false
		return errBreaks
	}
	return b.Jobs.EndMemorize(ctx, j, state, why, changed)
}

func TestMemorize_AnAttemptThatDiedBehindTheWriteIsNotRepeated(t *testing.T) {
	for name, jobs := range map[string]*breaking{"before it was noted": {memorized: true}, "before the end": {end: true}} {
		t.Run(name, func(t *testing.T) {
			f := forget(t, 5)
			jobs.Jobs = f.Store
			f.memorizer.Jobs = jobs
			_, err := f.memorize()
			kind, again := kind(t, err)
			require.Equal(t, fault.Unavailable, kind)
			require.True(t, again)
			out, err := f.memorize()
			require.NoError(t, err)
			require.Equal(t, chat.MemorizeDone, out.State)
			require.Equal(t, []string{"7 questions"}, f.log(), "once")
			require.Equal(t, 1, f.server.Count(), "and asked once")
		})
	}
}

func TestMemorize_ALongConversationGoesPartByPart(t *testing.T) {
	f := forget(t, 120)
	f.memorizer.Budget = windowOf(6_000, 2_000)
	failed := false
	f.server.Handle(func(r llmtest.Request) llmtest.Reply {
		if f.server.Count() == 3 && !failed {
			failed = true
			return llmtest.Reply{Status: 503, Error: "away"}
		}
		return remembers(r)
	})
	_, err := f.memorize()
	kind, again := kind(t, err)
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
	require.Equal(t, len(all)+1, f.server.Count(), "what was done is not done again")
}

func TestMemorize_FailuresAreCountedAndToldInTheEnd(t *testing.T) {
	f := forget(t, 5)
	f.server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Status: 503, Error: "away"} })
	for range 9 {
		_, err := f.memorize()
		kind, again := kind(t, err)
		require.Equal(t, fault.RateLimited, kind)
		require.True(t, again)
	}
	require.Empty(t, notices(f.talked))
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, chat.MemorizeFailed, out.State)
	require.Len(t, notices(f.talked), 1)
	require.Contains(t, notices(f.talked)[0], "could not be put into memory")
	require.Empty(t, f.note())
	require.Empty(t, f.log())
	out, err = f.memorize()
	require.NoError(t, err)
	require.Empty(t, out)
}

// notices returns what people are told that does not say where the conversation began anew.
func notices(b *talked) (out []string) {
	b.t.Helper()
	for _, m := range b.notices() {
		if m.Origin != chat.OriginReset {
			out = append(out, m.Content)
		}
	}
	return out
}

func TestMemorize_AModelThatWritesNothingUsableIsAFailure(t *testing.T) {
	f := forget(t, 5)
	f.server.Handle(func(llmtest.Request) llmtest.Reply { return llmtest.Reply{Text: "I would rather not."} })
	_, err := f.memorize()
	kind, again := kind(t, err)
	require.Equal(t, fault.RateLimited, kind)
	require.True(t, again)
	f.server.Handle(remembers)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Equal(t, chat.MemorizeDone, out.State)
}

func TestMemorize_WhatIsTooLongForTheModelIsMadeShorter(t *testing.T) {
	f := forget(t, 40)
	f.server.Handle(func(r llmtest.Request) llmtest.Reply {
		if len(r.Messages[0].Content) > 20_000 {
			return llmtest.Reply{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 5000 tokens.","code":"context_length_exceeded"}}`, Header: map[string][]string{"Content-Type": {"application/json"}}}
		}
		return remembers(r)
	})
	var out activities.MemorizeOutput
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
	f.server.Handle(func(r llmtest.Request) llmtest.Reply {
		cancel(errStop)
		return llmtest.Reply{Delay: time.Minute}
	})
	err := f.run(ctx, activities.NameMemorize, activities.MemorizeInput{Job: f.job}, nil)
	require.Error(t, err)
	require.Empty(t, notices(f.talked))
	for range 2 {
		require.NoError(t, f.run(t.Context(), activities.NameGiveUpMemorize, activities.MemorizeInput{Job: f.job}, nil))
	}
	require.Len(t, notices(f.talked), 1)
}

func TestMemorize_OfADeletedConversationIsNothing(t *testing.T) {
	f := forget(t, 5)
	_, err := f.pool.Exec(t.Context(), "DELETE FROM sessions WHERE key = $1", key)
	require.NoError(t, err)
	out, err := f.memorize()
	require.NoError(t, err)
	require.Empty(t, out)
	require.NoError(t, f.run(t.Context(), activities.NameGiveUpMemorize, activities.MemorizeInput{Job: f.job}, nil))
	require.Zero(t, f.server.Count())
}
