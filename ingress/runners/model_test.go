package runners_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/provider"
	"xbot/internal/sandbox"
)

const modelKey = "a-key-that-stays-on-the-runner"

// modelThrough is a client of a scripted model that only a runner knows the address and the key of.
func modelThrough(t *testing.T, name string, remote bool) (*llmtest.Server, llm.Client, *runnerstest.Server, *runnerstest.Runner) {
	script := llmtest.New(t)
	base := script.BaseURL()
	if name == provider.Anthropic {
		base = script.URL()
	}
	s := runnerstest.NewServer(t, nil)
	box := s.Direct("local", sandbox.RunnerConfig{OfflineWait: 2 * time.Second})
	if remote {
		box = s.Remote("local", sandbox.RunnerConfig{})
	}
	r := s.StartRunner("local", runnerstest.DaemonConfig{
		Args: []string{"--llm-provider", name, "--llm-base-url", base, "--llm-model", "m"},
		Env:  []string{"XBOT_RUNNER_LLM_KEY=" + modelKey},
	})
	info, err := box.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, name, info.LLM.Provider)
	require.Equal(t, "m", info.LLM.Model)
	client, err := provider.FromConfig(provider.Config{
		Provider: name, BaseURL: sandbox.ModelURL, APIKey: "of-the-server", Model: info.LLM.Model, Transport: sandbox.Transport(box),
	})
	require.NoError(t, err)
	return script, client, s, r
}

func say(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: string(chat.RoleUser), Content: text}}}
}

func TestTransport_TheOrdinaryClientsWorkThroughARunner(t *testing.T) {
	t.Parallel()
	for _, name := range []string{provider.OpenAI, provider.Anthropic} {
		for _, remote := range []bool{false, true} {
			script, client, _, _ := modelThrough(t, name, remote)
			var sink pieces
			answer, err := client.Generate(t.Context(), say("stream 40 5ms"), &sink)
			require.NoError(t, err)
			require.Equal(t, llm.FinishStop, answer.Finish)
			require.Equal(t, answer.Text, sink.text())
			require.Greater(t, sink.count(), 5, "it is streamed, not collected")
			header := script.Requests()[0].Header
			require.Contains(t, header.Get("Authorization")+header.Get("X-Api-Key"), modelKey)
			require.NotContains(t, header.Get("Authorization")+header.Get("X-Api-Key"), "of-the-server")

			_, err = client.Generate(t.Context(), say("fail 429 1"), nil)
			require.Equal(t, fault.RateLimited, fault.KindOf(err), "refusals keep their meaning: %v", err)
		}
	}
}

func TestTransport_ACancelEndsTheRequest(t *testing.T) {
	t.Parallel()
	script, client, _, _ := modelThrough(t, provider.OpenAI, false)
	ctx, cancel := context.WithCancel(t.Context())
	sink := pieces{first: cancel}
	_, err := client.Generate(ctx, say("stream 2000 50ms"), &sink)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, script.Requests(), 1)
}

func TestTransport_ARunnerThatDiesInTheMiddleIsANetworkThatFailed(t *testing.T) {
	t.Parallel()
	_, client, _, r := modelThrough(t, provider.OpenAI, false)
	sink := pieces{first: r.Kill}
	answer, err := client.Generate(t.Context(), say("stream 400 20ms"), &sink)
	require.ErrorIs(t, err, llm.ErrNetwork)
	require.ErrorContains(t, err, "runner local")
	require.NotEmpty(t, answer.Text, "what came is kept")

	_, err = client.Generate(t.Context(), say("say hello"), nil)
	require.ErrorIs(t, err, llm.ErrNetwork)
	require.ErrorContains(t, err, "runner local is offline")

	r.Start()
	r.WaitConnected()
	answer, err = client.Generate(t.Context(), say("say hello"), nil)
	require.NoError(t, err)
	require.Equal(t, "hello", answer.Text)
}

func TestTransport_ARunnerWithoutAModelSaysSo(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{})
	box := s.Direct("local", sandbox.RunnerConfig{})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, sandbox.ModelURL+"/x", strings.NewReader("{}"))
	require.NoError(t, err)
	response, err := sandbox.Transport(box).RoundTrip(request)
	require.ErrorContains(t, err, "offers no model")
	require.Nil(t, response)
}

// pieces notes what was streamed.
type pieces struct {
	first func() // called with the first piece

	mu  sync.Mutex
	got []string
}

func (p *pieces) Text(text string) {
	p.mu.Lock()
	p.got = append(p.got, text)
	first := len(p.got) == 1 && p.first != nil
	p.mu.Unlock()
	if first {
		p.first()
	}
}

func (p *pieces) Reasoning(string)      {}
func (p *pieces) ToolCall(int, string)  {}
func (p *pieces) Arguments(int, string) {}
func (p *pieces) Progress()             {}

func (p *pieces) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.got, "")
}

func (p *pieces) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.got)
}
