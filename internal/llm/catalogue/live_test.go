package catalogue_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/provider"
	"xbot/internal/turn/policy"
)

// document is a policy that a test changes.
type document struct{ policy.Policy }

// Get returns another document whenever it is asked, as after a change.
func (d *document) Get(context.Context) (*policy.Policy, error)               { p := d.Policy; return &p, nil }
func (d *document) With(ctx context.Context, _ int64) (*policy.Policy, error) { return d.Get(ctx) }

func setup(models ...policy.Model) (*catalogue.Live, *document) {
	d := &document{policy.Policy{Models: models}}
	return &catalogue.Live{
		Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: d,
		Env: map[string]string{"FAST_KEY": "key-of-fast", "XBOT_ENCRYPTION_KEY": "secret"},
	}, d
}

// ask calls the model that a word means.
func ask(t *testing.T, l *catalogue.Live, word string) (llm.Client, llm.Answer, error) {
	t.Helper()
	c, err := l.Get(t.Context(), 0)
	require.NoError(t, err)
	e, ok := c.Find(word)
	require.True(t, ok, word)
	client := l.Client(e)
	answer, err := client.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "say hello"}}}, nil)
	return client, answer, err
}

func TestClient_CallsTheModelOfThePolicyUnderItsOwnID(t *testing.T) {
	t.Parallel()
	for dialect, base := range map[string]func(*llmtest.Server) string{"": (*llmtest.Server).BaseURL, "openai": (*llmtest.Server).BaseURL, "anthropic": (*llmtest.Server).URL} {
		script := llmtest.New(t)
		l, _ := setup(policy.Model{ID: "router/openai/gpt-5-mini", Alias: []string{"fast"}, Dialect: dialect, BaseURL: base(script), APIKeyEnv: "FAST_KEY"})
		client, answer, err := ask(t, l, "fast")
		require.NoError(t, err)
		require.Equal(t, "hello", answer.Text)
		require.Equal(t, "router/openai/gpt-5-mini", client.Model())
		require.Equal(t, "openai/gpt-5-mini", script.Requests()[0].Model)
		again, _, err := ask(t, l, "fast")
		require.NoError(t, err)
		require.Equal(t, client, again, "the client, which has learnt, is kept")
	}
}

func TestClient_SharesTheServiceOfTheServersSettings(t *testing.T) {
	t.Parallel()
	script := llmtest.New(t)
	l, _ := setup(policy.Model{ID: "openai/small", Alias: []string{"fast"}})
	l.Config = provider.Config{BaseURL: script.BaseURL(), APIKey: "k", Model: "openai:large"}
	_, answer, err := ask(t, l, "fast")
	require.NoError(t, err)
	require.Equal(t, "hello", answer.Text)
	require.Equal(t, "small", script.Requests()[0].Model)
}

func TestClient_NeverCallsWithoutAKey(t *testing.T) {
	t.Parallel()
	script := llmtest.New(t)
	for _, c := range []struct {
		model policy.Model
		says  string
	}{
		{policy.Model{ID: "x/fast", BaseURL: script.BaseURL(), APIKeyEnv: "MISSING_KEY"}, "MISSING_KEY"},
		{policy.Model{ID: "x/fast", BaseURL: script.BaseURL(), APIKeyEnv: "XBOT_ENCRYPTION_KEY"}, "one of the server's own"},
		{policy.Model{ID: "anthropic/fast"}, "apiKeyEnv"},
		{policy.Model{ID: "acme/fast"}, "baseUrl"},
		{policy.Model{ID: "acme/fast", APIKeyEnv: "FAST_KEY"}, "baseUrl"},
		{policy.Model{ID: "fast"}, "provider/model"},
	} {
		l, _ := setup(c.model)
		client, _, err := ask(t, l, "fast")
		require.ErrorContains(t, err, c.says)
		require.True(t, fault.Is(err, fault.Invalid))
		require.NotContains(t, err.Error(), "secret")
		require.Equal(t, c.model.ID, client.Model())
	}
	require.Zero(t, script.Count())
}

func TestClient_FollowsThePolicy(t *testing.T) {
	t.Parallel()
	old, now := llmtest.New(t), llmtest.New(t)
	l, d := setup(policy.Model{ID: "x/fast", BaseURL: old.BaseURL()})
	_, _, err := ask(t, l, "fast")
	require.NoError(t, err)
	d.Models = []policy.Model{{ID: "x/fast", BaseURL: now.BaseURL(), MaxContext: 9000}}
	_, _, err = ask(t, l, "fast")
	require.NoError(t, err)
	require.Equal(t, 1, old.Count())
	require.Equal(t, 1, now.Count())
	room, _ := limits.Table{Others: l}.Of("x/fast")
	require.Equal(t, 9000, room)
}

func TestAvailable_SaysWhatThisProcessCanKnow(t *testing.T) {
	t.Parallel()
	l, _ := setup(policy.Model{ID: "x/good", BaseURL: "http://127.0.0.1:1", APIKeyEnv: "FAST_KEY"}, policy.Model{ID: "x/bad", BaseURL: "http://127.0.0.1:1", APIKeyEnv: "MISSING_KEY"})
	c, err := l.Get(t.Context(), 0)
	require.NoError(t, err)
	for i, want := range []bool{true, true, false} {
		yes, known := l.Available(c.Entries[i])
		require.True(t, known)
		require.Equal(t, want, yes, c.Entries[i].ID)
	}
	l.Env = nil
	_, known := l.Available(c.Entries[1])
	require.False(t, known, "the keys are in the worker")
}

func TestClient_OfACodingAgentSaysHowItIsAskedAndTakesNoCalls(t *testing.T) {
	t.Parallel()
	l, d := setup(policy.Model{ID: "codex/default", Dialect: "codex", Alias: []string{"coder"}})
	client, _, err := ask(t, l, "coder")
	require.ErrorContains(t, err, "is a coding agent")
	set, ok := llm.AgentOf(client)
	require.True(t, ok)
	require.Equal(t, codingagent.Settings{Agent: "codex", Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest}, set)

	d.Models = []policy.Model{{ID: "codex/gpt-x", Alias: []string{"coder"}, Dialect: "codex", Agent: &policy.CodingAgent{Sandbox: "read-only", Effort: "high", Command: "/opt/codex"}}}
	client, _, _ = ask(t, l, "coder")
	set, _ = llm.AgentOf(client)
	require.Equal(t, codingagent.Settings{Agent: "codex", Model: "gpt-x", Effort: "high", Program: "/opt/codex", Sandbox: codingagent.ReadOnly, Approvals: codingagent.ApproveOnRequest}, set)

	_, ok = llm.AgentOf(demo.Client{})
	require.False(t, ok, "a model is none")
}
