package turn_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/llmtest"
	"xbot/internal/store"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/user/notices"
)

func TestGenerate_CommitsTheAnswerAndAsksTheModelOnce(t *testing.T) {
	b := setup(t, "think hm", "say hello there", "usage 100 20 60")
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, turn.GenerateOutput{Finish: "stop", Tokens: 120}, out)
	m := b.LastMessage()
	require.Equal(t, chat.RoleAssistant, m.Role)
	require.Equal(t, "hello there", m.Content)
	require.Equal(t, "hm", m.Reasoning)
	require.Equal(t, "openai/scripted", m.Model)
	require.Equal(t, &chat.Usage{PromptTokens: 100, CachedTokens: 60, CompletionTokens: 20}, m.Usage)

	again, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", again.Finish, "a repeated attempt gets what is stored")
	require.Equal(t, 1, b.Server.Count(), "and does not ask the model again")
	require.Len(t, b.Transcript(), 2)
}

func TestGenerate_GivesCallsOurIDsAndReturnsNoTranscript(t *testing.T) {
	b := setup(t, `call Shell {"command":"make test"}`, `call Read {"path":"a.go"}`, `call NoSuchTool {}`, "ids same")
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "tool_calls", out.Finish)
	require.Equal(t, []turn.CallOutput{
		{Name: "Shell", Class: chat.ClassExec, Summary: "make test", Quick: true},
		{Name: "Read", Class: chat.ClassRead, Summary: "a.go", Quick: true},
		{Name: "NoSuchTool", Class: chat.ClassRead},
	}, out.Calls)
	calls := b.LastMessage().ToolCalls
	require.Len(t, calls, 3)
	for n, c := range calls {
		require.Equal(t, chat.NewCallID(activitiestest.Turn, 0, n), c.ID)
		require.Equal(t, chat.CallOpen, c.State)
	}
	again, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, out.Calls, again.Calls, "the stored decision is the same decision")
}

func TestGenerate_SendsTheWholeConversationWithItsResults(t *testing.T) {
	b := setup(t, `call Read {"path":"a.txt"}`, "say done")
	b.Sandbox.Put(t, "a.txt", "forty-two\n")
	b.AskForCalls()
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	_, err = b.Generate(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "done", b.LastMessage().Content)
	requests := b.Server.Requests()
	require.Contains(t, requests[1].LastTool(), "forty-two")
	require.Equal(t, requests[0].System, requests[1].System)
	require.Contains(t, requests[0].Messages[0].Content, "UTC", "the line with the time stands before the message")
}

func TestGenerate_CountsFailuresOfTheProviderAndTellsOfEach(t *testing.T) {
	b := setup(t, "fail 503 2", "say after all")
	for want := 1; want <= 2; want++ {
		_, err := b.Generate(t.Context(), 0)
		_, again := activitiestest.FaultKind(t, err)
		require.True(t, again)
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.Positive(t, app.NextRetryDelay(), "Temporal waits as long as the person is told")
		retries := b.EventsOf(chat.EventRetry)
		require.Len(t, retries, want)
		var r chat.Retry
		require.NoError(t, json.Unmarshal(retries[want-1].Data, &r))
		require.Equal(t, want+1, r.Attempt)
		require.Equal(t, 3, r.Max)
		require.Equal(t, "server error, HTTP 503", r.Reason)
		require.Equal(t, app.NextRetryDelay().Milliseconds(), r.DelayMS)
		require.Equal(t, i18n.Say(i18n.English, i18n.Retrying, "server error, HTTP 503", want+1, 3), r.Text)
	}
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	require.Equal(t, "after all", b.LastMessage().Content)
}

func TestGenerate_EndsAfterTheLastAttemptWithASentence(t *testing.T) {
	b := setup(t, "fail 503", "say 永远不会")
	for range 2 {
		_, err := b.Generate(t.Context(), 0)
		require.Error(t, err)
	}
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err, "an outage of the provider is an end of the step, not of the activity")
	require.Equal(t, turn.GenerateOutput{Finish: chat.FinishError, Fault: "unavailable"}, out)
	m := b.LastMessage()
	require.Equal(t, chat.RoleNotice, m.Role)
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.ModelFailed, 3, "server error, HTTP 503"), m.Content, "in the language of the question")
	require.Len(t, b.EventsOf(chat.EventRetry), 2)
	again, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, out, again)
	require.Equal(t, 3, b.Server.Count())
}

func TestGenerate_SaysThatNoModelWasAskedWhereNoneWas(t *testing.T) {
	b := setup(t, "say unheard")
	why := fault.Errorf(fault.Invalid, "the variable SECOND_KEY, which holds the key of the model other/one, is not set")
	b.Model.Models = activitiestest.OneModel{Client: catalogue.Refuse("other/one", why)}
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, turn.GenerateOutput{Finish: chat.FinishError, Fault: "invalid"}, out)
	require.Equal(t, i18n.Say(i18n.English, i18n.ModelNotCalledPlain), b.LastMessage().Content, "not what the server's settings are called")
	require.Contains(t, told(b), why.Error(), "that is for an administrator")
	require.Zero(t, b.Server.Count())
}

// told are the notices of the server.
func told(b *fixture) string {
	b.T.Helper()
	var all string
	err := b.Pool.QueryRow(b.T.Context(), `SELECT coalesce(string_agg(content, E'\n'), '') FROM messages WHERE session_key = $1`, string(notices.Conversation)).Scan(&all)
	require.NoError(b.T, err)
	return all
}

func TestGenerate_TheCauseIsForAnAdministratorAndForWhoseAccountItIs(t *testing.T) {
	const secret = "Incorrect API key provided: sk-x****9f at https://llm.internal"
	for name, c := range map[string]struct {
		who   agentprofile.Profile
		own   bool
		reads bool
	}{
		"a member":                     {who: agentprofile.Profile{Direct: true}},
		"a group":                      {who: agentprofile.Profile{}},
		"an administrator":             {who: agentprofile.Profile{Direct: true, Trusted: true}, reads: true},
		"a member with a subscription": {who: agentprofile.Profile{Direct: true}, own: true, reads: true},
		"a group that has a person's subscription": {own: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say nothing")
			var why error = llm.NotCalled{Why: fault.Errorf(fault.Denied, secret)}
			if c.own {
				why = llm.OfOwnAccount{Why: why}
			}
			b.Model.Models = activitiestest.OneModel{Client: failing{why}}
			b.Model.Profiles = profiles{c.who}
			_, err := b.Generate(t.Context(), 0)
			require.NoError(t, err)
			said := b.LastMessage().Content
			if c.reads {
				require.Contains(t, said, secret)
				require.Empty(t, told(b))
				return
			}
			require.Equal(t, i18n.Say(i18n.English, i18n.ModelNotCalledPlain), said)
			require.Equal(t, !c.own, strings.Contains(told(b), secret), "of a person's own account nobody else is told")
		})
	}
}

// failing is a model that cannot be called.
type failing struct{ why error }

func (failing) Model() string { return "other/one" }

func (f failing) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) {
	return llm.Answer{}, f.why
}

// TestGenerate_DoesNotBlameTheProviderForAnOutageOfPostgres has the call of a model fail because of Postgres, as where what it cost cannot be booked.
func TestGenerate_DoesNotBlameTheProviderForAnOutageOfPostgres(t *testing.T) {
	b := setup(t, "say answered")
	models := b.Model.Models
	b.Model.Models = activitiestest.OneModel{Client: failing{fault.Away("Postgres", "book what was used: connection refused")}}
	for range 10 { // more often than a provider is asked
		_, err := b.Generate(t.Context(), 0)
		var failure *temporal.ApplicationError
		require.ErrorAs(t, err, &failure)
		require.Equal(t, string(fault.Unavailable), failure.Type())
		require.False(t, failure.NonRetryable())
	}
	require.Empty(t, b.EventsOf(chat.EventRetry), "people read nothing of a provider")
	b.Model.Models = models
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
}

// profiles knows one.
type profiles struct{ who agentprofile.Profile }

func (p profiles) Of(context.Context, chat.SessionKey) (agentprofile.Profile, error) {
	return p.who, nil
}

func TestGenerate_TellsFailuresApart(t *testing.T) {
	for name, c := range map[string]struct {
		program, reason string
		again           bool
		say             string
		fault           fault.Kind
	}{
		"a stream without a finish reason": {program: "truncate", reason: "truncated stream", again: true, fault: fault.Unavailable},
		"an empty answer":                  {program: "empty", reason: "empty answer", again: true, fault: fault.Unavailable},
		"a provider that fails":            {program: "fail 500", reason: "server error, HTTP 500", again: true, fault: fault.Unavailable},
		"a connection that breaks":         {program: "reset", reason: "network", again: true, fault: fault.Unavailable},
		"a provider that is busy":          {program: "fail 429", reason: "rate limit", again: true, fault: fault.RateLimited},
		"a wrong key":                      {program: "fail 401", say: i18n.Say(i18n.English, i18n.ModelRefusedPlain), fault: fault.Denied},
		"a wrong request":                  {program: "fail 400", say: i18n.Say(i18n.English, i18n.ModelRefusedPlain), fault: fault.Invalid},
		"a conversation that is too long":  {program: "fail 400 This model's maximum context length is 100 tokens", say: i18n.Say(i18n.English, i18n.ModelTooLong), fault: fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, c.program, "say a b c d e f g h i j k l m n o p q r s t u v w x y z")
			out, err := b.Generate(t.Context(), 0)
			if !c.again {
				require.NoError(t, err)
				require.Equal(t, chat.FinishError, out.Finish)
				require.Equal(t, string(c.fault), out.Fault)
				require.True(t, strings.HasPrefix(b.LastMessage().Content, c.say), b.LastMessage().Content)
				return
			}
			k, again := activitiestest.FaultKind(t, err)
			require.True(t, again)
			require.Equal(t, c.fault, k, "Temporal shows what it was")
			require.ErrorContains(t, err, "attempt 1 of 3")
			var r chat.Retry
			retries := b.EventsOf(chat.EventRetry)
			require.Len(t, retries, 1)
			require.NoError(t, json.Unmarshal(retries[0].Data, &r))
			require.Equal(t, c.reason, r.Reason)
			require.Len(t, b.Transcript(), 1, "a part of an answer is not an answer")
		})
	}
}

func TestGenerate_WaitsAtLeastAsLongAsTheProviderAsks(t *testing.T) {
	b := setup(t, "say x")
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Status: 429, Error: "slow down", Header: map[string][]string{"Retry-After": {"77"}}}
	})
	_, err := b.Generate(t.Context(), 0)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.GreaterOrEqual(t, app.NextRetryDelay(), 77*time.Second)
}

func TestGenerate_AStopKeepsWhatWasWritten(t *testing.T) {
	b := setup(t, "stream 1000 20ms")
	text := ""
	ctx := b.WhenLive(activitiestest.ErrStop, func(e chat.Event) bool {
		var d chat.Delta
		if json.Unmarshal(e.Data, &d) == nil {
			text += d.Text
		}
		return strings.Contains(text, "w3")
	})
	out, err := b.Generate(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, chat.FinishStopped, out.Finish)
	m := b.LastMessage()
	require.Equal(t, chat.RoleAssistant, m.Role)
	require.Equal(t, chat.FinishStopped, m.FinishReason)
	require.Equal(t, []string{"w1", "w2", "w3"}, strings.Fields(m.Content)[:3])
	require.NotContains(t, m.Content, "w1000", "the stream was read to its end")
	require.Empty(t, m.ToolCalls)
	requireBooked(t, b)
}

// requireBooked looks whether one call is booked, with a request and perhaps an answer that the provider did not count.
func requireBooked(t *testing.T, b *fixture) {
	t.Helper()
	_, owner, err := b.Conversations.Session(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	spent, err := b.Usage.UsageOf(t.Context(), owner, activitiestest.Key)
	require.NoError(t, err)
	require.Len(t, spent, 1)
	require.EqualValues(t, 1, spent[0].Calls)
	require.Positive(t, spent[0].PromptTokens)
}

func TestGenerate_AStopBeforeTheFirstWordWritesNothing(t *testing.T) {
	b := setup(t, "delay 20s", "say late")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		if b.Server.Wait(t.Context(), 1) == nil {
			cancel(activitiestest.ErrStop)
		}
	}()
	out, err := b.Generate(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, chat.FinishStopped, out.Finish)
	require.Len(t, b.Transcript(), 1)
	requireBooked(t, b)
}

// late is a store whose commit comes just after something else happened.
type late struct {
	*engine.Store
	first func()
}

func (l late) CommitStep(ctx context.Context, step chat.Step, a chat.Answer) (chat.Decision, error) {
	l.first()
	return l.Store.CommitStep(ctx, step, a)
}

func TestGenerate_AnAnswerIsKeptThoughTheStopComesWithItsLastWord(t *testing.T) {
	for name, reason := range map[string]error{"a stop": activitiestest.ErrStop, "a worker that stops": activitiestest.ErrDetach} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say the whole answer")
			ctx, cancel := context.WithCancelCause(t.Context())
			b.Model.Turns = late{b.Store.Turns, func() { cancel(reason) }}
			out, err := b.Generate(ctx, 0)
			require.NoError(t, err)
			require.Equal(t, "stop", out.Finish)
			require.Equal(t, "the whole answer", b.LastMessage().Content)
		})
	}
}

func TestGenerate_ALateAttemptWritesNothingIntoAClosedTurn(t *testing.T) {
	b := setup(t, "say too late")
	b.Model.Turns = late{b.Store.Turns, func() {
		_, err := b.Turns.FinishTurn(context.Background(), activitiestest.Key, activitiestest.Turn, chat.TurnLost, i18n.Gone)
		require.NoError(t, err)
	}}
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, out.Calls)
	for _, m := range b.Transcript() {
		require.NotEqual(t, "too late", m.Content)
	}
	again, err := b.Generate(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, chat.FinishClosed, again.Finish)
	require.Equal(t, 1, b.Server.Count(), "the model is not asked for a turn that is over")
}

func TestGenerate_DetachesOnAnyOtherEndOfItsContext(t *testing.T) {
	b := setup(t, "stream 1000 20ms")
	ctx := b.WhenLive(activitiestest.ErrDetach, func(chat.Event) bool { return true })
	_, err := b.Generate(ctx, 0)
	require.Error(t, err)
	require.False(t, temporal.IsCanceledError(err), "nobody asked to stop")
	_, again := activitiestest.FaultKind(t, err)
	require.True(t, again, "the next attempt begins anew")
	require.Len(t, b.Transcript(), 1, "nothing is kept of the attempt")
	require.Empty(t, b.EventsOf(chat.EventRetry), "our own restart does not count as a failure of the provider")
}

// poison is a model that panics.
type poison struct{ llm.Client }

func (poison) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) { panic("poison") }

func TestGenerate_APanicIsReportedUnderTheTypeThatIsNotRetried(t *testing.T) {
	b := setup(t, "say x")
	b.Model.Models = activitiestest.OneModel{Client: poison{}}
	_, err := b.Generate(t.Context(), 0)
	var app *temporal.ApplicationError
	var panicked *temporal.PanicError
	require.True(t, activitiestest.ErrorsAs(err, &panicked) || activitiestest.ErrorsAs(err, &app) && app.Type() == activities.PanicType, "%v", err)
}

func TestGenerate_StoresWhatPostgresCannotHold(t *testing.T) {
	b := setup(t, "say x")
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: "a\x00b", Reasoning: "\x00", Calls: []llmtest.Call{{ID: "\x00", Name: "Sh\x00ell", Arguments: `{"command":"echo \u0000"}`}}}
	})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "Shell", out.Calls[0].Name)
	require.Equal(t, "ab", b.LastMessage().Content)
}

func TestGenerate_KeepsItsDecisionSmall(t *testing.T) {
	b := setup(t, "say x")
	b.Server.Handle(func(llmtest.Request) llmtest.Reply {
		reply := llmtest.Reply{Text: strings.Repeat("long ", 10_000)}
		for range 100 {
			reply.Calls = append(reply.Calls, llmtest.Call{Name: strings.Repeat("名", 500), Arguments: `{"command":"` + strings.Repeat("x", 5000) + `"}`})
		}
		return reply
	})
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, out.Calls, 64, "further calls are dropped")
	require.Len(t, b.LastMessage().ToolCalls, 64)
	data, err := json.Marshal(out)
	require.NoError(t, err)
	require.Less(t, len(data), 32<<10)
}

func TestGenerate_AFilteredAnswerIsAnAnswer(t *testing.T) {
	b := setup(t, "empty", "finish content_filter")
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "content_filter", out.Finish)
}

// oneCall is a policy that lets a tenant make one call at once.
type oneCall struct{}

func (oneCall) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{LLM: policy.LLM{Global: 1}}}, nil
}

// busy lets a tenant make one call at once, which another conversation makes, and returns what ends that one.
func busy(t *testing.T, b *fixture) (end func()) {
	t.Helper()
	b.Store = store.New(b.Pool, store.Options{Feed: b.Bus, Policies: oneCall{}})
	b.Model.Turns = b.Store.Turns
	other := chat.SessionKey("agent:main:web:thread:other")
	me, err := b.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: other, Owner: me.ID, Channel: "web"})
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: other, User: me.ID, Channel: "web", PlatformID: "m2", Text: "hello"})
	require.NoError(t, err)
	const held = chat.TurnID("busy")
	_, _, err = b.Turns.Claim(t.Context(), other, held, "run", 0)
	require.NoError(t, err)
	_, _, _, err = b.Turns.BeginStep(t.Context(), chat.Step{Session: other, Turn: held})
	require.NoError(t, err)
	return func() {
		_, err := b.Store.Turns.FinishTurn(t.Context(), other, held, chat.TurnDone, "")
		require.NoError(t, err)
	}
}

func TestGenerate_WaitsForAFreeCallWithoutAFailure(t *testing.T) {
	b := setup(t, "say hello")
	end := busy(t, b)

	_, err := b.Generate(t.Context(), 0)
	k, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.RateLimited, k)
	require.True(t, again)
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.GreaterOrEqual(t, app.NextRetryDelay(), 200*time.Millisecond)
	require.Zero(t, b.Server.Count(), "the model is not asked")
	require.Empty(t, b.EventsOf(chat.EventRetry), "and nobody is told of a retry")

	end()
	out, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
}

func TestGenerate_APlaceThatIsFreeAgainSoonCostsNoAttempt(t *testing.T) {
	b := setup(t, "say hello")
	end := busy(t, b)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Generate(t.Context(), 0)
		ended <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		return b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM llm_leases WHERE held_until IS NULL`).Scan(&waiting) == nil && waiting == 1
	}, time.Minute, time.Millisecond)
	end()
	require.NoError(t, <-ended)
	require.Equal(t, 1, b.Server.Count())
}
