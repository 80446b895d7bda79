package choice_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/llmtest"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

const key = chat.SessionKey("agent:main:web:thread:t")

func TestMain(m *testing.M) { runnerstest.Main(m) }

// home is a user whose commands go to one runner.
type home struct {
	server bool // the server's model was asked for
	gone   bool // the runner was revoked
	offers *wire.LLM
	box    *sandbox.Runner
	calls  int
	wish   chat.ModelCriteria
}

func (h *home) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	w := h.wish
	w.User, w.Own = 7, !h.server
	return w, nil
}

func (h *home) ModelOffered(context.Context, chat.UserID, string) (*wire.LLM, error) {
	return h.offers, nil
}

func (h *home) Name(context.Context, chat.UserID, string) (string, error) {
	if h.gone {
		return "", fault.Errorf(fault.Denied, "there is no runner laptop any more")
	}
	return "laptop", nil
}

func (h *home) Runner(context.Context, chat.UserID, string) (*sandbox.Runner, error) {
	h.calls++
	return h.box, nil
}

// setup starts a runner that offers a scripted model.
func setup(t *testing.T, provider string) (*home, *llmtest.Server, *runnerstest.Runner, *choice.Choice) {
	script := llmtest.New(t)
	base := script.BaseURL()
	if provider == "anthropic" {
		base = script.URL()
	}
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("laptop", runnerstest.DaemonConfig{
		Args: []string{"--llm-provider", provider, "--llm-base-url", base, "--llm-model", "mine"},
		Env:  []string{"XBOT_RUNNER_LLM_KEY=key-of-the-runner"},
	})
	h := &home{box: s.Direct("laptop", sandbox.RunnerConfig{OfflineWait: 200 * time.Millisecond})}
	info, err := h.box.Info(t.Context())
	require.NoError(t, err)
	h.offers = info.LLM
	return h, script, r, &choice.Choice{Server: demo.Client{}, Store: h, Runners: h}
}

func ask(t *testing.T, c *choice.Choice, text string) (llm.Answer, string, error) {
	t.Helper()
	client, err := c.For(t.Context(), key)
	require.NoError(t, err)
	answer, err := client.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: "user", Content: text}}}, nil)
	return answer, client.Model(), err
}

func TestFor_TheRunnersModelAnswersUnderItsOwnName(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"openai", "anthropic"} {
		_, script, _, c := setup(t, provider)
		answer, model, err := ask(t, c, "say from home")
		require.NoError(t, err)
		require.Equal(t, "from home", answer.Text)
		require.Equal(t, provider+"/mine", model)
		header := script.Requests()[0].Header
		require.Contains(t, header.Get("Authorization")+header.Get("X-Api-Key"), "key-of-the-runner")
	}
}

func TestFor_TheServersModelAnswersWhoWantsItOrHasNoOther(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*home{
		"it was asked for":          {server: true, offers: &wire.LLM{Provider: "openai", Model: "m"}},
		"the runner offers none":    {},
		"there is no runner to use": {gone: true, offers: &wire.LLM{Provider: "openai", Model: "m"}},
	} {
		c := &choice.Choice{Server: demo.Client{}, Store: h, Runners: h}
		client, err := c.For(t.Context(), key)
		require.NoError(t, err, name)
		require.Equal(t, "demo/demo", client.Model(), name)
		require.Zero(t, h.calls, "the runner is left alone: %s", name)
	}
}

func TestFor_ARunnerThatIsAwayFailsTheCallAndIsNamed(t *testing.T) {
	t.Parallel()
	_, _, r, c := setup(t, "openai")
	r.Kill()
	reason := ""
	for began := time.Now(); reason != "runner laptop is offline" && time.Since(began) < time.Minute; {
		_, model, err := ask(t, c, "say hello")
		require.Equal(t, "openai/mine", model, "never another model instead")
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "so the step tries again, as with a provider that is away")
		reason = llm.Reason(err) // the network, until the loss of the connection is noticed
	}
	require.Equal(t, "runner laptop is offline", reason)

	r.Start()
	r.WaitConnected()
	answer, _, err := ask(t, c, "say hello")
	require.NoError(t, err)
	require.Equal(t, "hello", answer.Text)
	_, _, err = ask(t, c, "fail 500 9")
	require.Equal(t, "runner laptop: server error, HTTP 500", llm.Reason(err))
	_, _, err = ask(t, c, "fail 429 9")
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.Equal(t, "runner laptop: rate limit", llm.Reason(err))
	_, _, err = ask(t, c, "fail 400 9")
	require.Empty(t, llm.Reason(err), "a refusal is not worth repeating")
}

func TestFor_AnOfferThatCannotBeCalledIsARefusalAndNotAnotherModel(t *testing.T) {
	t.Parallel()
	h, _, _, _ := setup(t, "openai")
	for _, offer := range []wire.LLM{{Provider: "demo", Model: "m"}, {Provider: "openai"}} {
		h.offers = &offer
		_, model, err := ask(t, &choice.Choice{Server: demo.Client{}, Store: h, Runners: h}, "say hello")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.ErrorContains(t, err, "runner laptop offers a model")
		require.Equal(t, offer.Provider+"/"+offer.Model, model)
	}
}

func TestFor_TheClientIsKept(t *testing.T) {
	t.Parallel()
	h, _, _, c := setup(t, "openai")
	first, err := c.For(t.Context(), key)
	require.NoError(t, err)
	second, err := c.For(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, first, second)
	h.offers = &wire.LLM{Provider: "openai", Model: "other"}
	third, err := c.For(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "openai/other", third.Model(), "what the runner says last counts")
}
