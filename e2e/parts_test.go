package e2e

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/host/localstack"
	"xbot/internal/host/temporalclient"
	"xbot/internal/i18n"
	"xbot/internal/llm/llmtest"
	"xbot/internal/testing/dirtest"
	"xbot/workflows"
)

// settings are the variables that give servers to xbot.
func settings(e localstack.Endpoints) []string {
	return []string{
		"XBOT_DATABASE_URL=" + e.DatabaseURL, "TEMPORAL_ADDRESS=" + e.Temporal.Address, "TEMPORAL_NAMESPACE=" + e.Temporal.Namespace,
		"TEMPORAL_TLS=true", "TEMPORAL_TLS_SERVER_CA_CERT_PATH=" + e.Temporal.CAFile, "TEMPORAL_TLS_SERVER_NAME=" + e.Temporal.ServerName,
		"TEMPORAL_TLS_CLIENT_CERT_PATH=" + e.Temporal.CertFile, "TEMPORAL_TLS_CLIENT_KEY_PATH=" + e.Temporal.KeyFile,
		"XBOT_TEMPORAL_UI_URL=http://" + e.Temporal.UIAddress, "XBOT_TEMPORAL_UI_TOKEN=" + e.Temporal.UIToken,
	}
}

// parts is the product as separate processes on the shared Postgres and Temporal.
type parts struct {
	*talk
	servers                 localstack.Endpoints
	ingress, worker, runner *process
}

func newParts(t *testing.T, env ...string) *parts {
	t.Helper()
	e := newEndpoints(t)
	home := dirtest.New(t)
	s := &server{t: t, home: home, given: e, traces: t.TempDir(), url: "http://" + freeAddress(t), model: llmtest.New(t)}
	s.temporal = sync.OnceValue(s.dialTemporal)
	env = append(append(settings(*e),
		"XBOT_HOME="+home, "XBOT_HTTP_ADDR="+strings.TrimPrefix(s.url, "http://"),
		"LLM_BASE_URL="+s.model.BaseURL(), "LLM_MODEL=scripted", "LLM_API_KEY=sk-test-secret", "AGENT_TITLES=off",
	), env...)
	p := &parts{servers: *e, ingress: newProcess(t, "xbot", env, "ingress"), worker: newProcess(t, "xbot", env, "worker")}
	s.process = p.ingress
	s.client = apiclient.New(s)
	t.Cleanup(s.client.Close)
	s.boot()
	p.worker.start()

	create := newProcess(t, "xbot", env, "runner", "create", "local")
	create.start()
	<-create.done
	said := strings.Fields(create.out.String())
	require.NotEmpty(t, said)
	token := said[len(said)-1] // what stands before it is for people
	p.runner = newProcess(t, "xbot-runner", []string{"XBOT_RUNNER_TOKEN=" + token},
		"--server", "ws"+strings.TrimPrefix(s.url, "http")+"/api/runners/connect", "--name", "local", "--state", filepath.Join(home, "runner"), "--workspace", t.TempDir())
	p.runner.start()
	p.talk = s.newTalk()
	return p
}

func TestCrash08_WorkerAndIngressAsSeparateProcessesEachKilled(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	first := p.send(p.shell("echo a >> %s; sleep 5", p.talk.file("parts")), "say first")
	p.untilTool(time.Minute, chat.CallRunning)
	p.worker.kill()
	restarted := time.Now()
	p.worker.start()
	require.Equal(t, chat.TurnDone, p.recovered("worker killed during a command of 5 s", restarted, first).State)

	second := p.send(p.shell("echo b >> %s; sleep 5", p.talk.file("parts")), "say second")
	require.Eventually(t, func() bool { return len(p.trace("parts")) == 2 }, time.Minute, 10*time.Millisecond)
	p.ingress.kill()
	restarted = time.Now()
	p.boot()
	require.Equal(t, chat.TurnDone, p.recovered("ingress killed during a command of 5 s", restarted, second).State)

	third := p.send("stream 60 50ms")
	p.until(time.Minute, "a delta that crossed processes", func(e chat.Event) bool { return e.Kind == chat.EventDelta })
	p.worker.kill()
	p.ingress.kill()
	restarted = time.Now()
	p.boot()
	p.worker.start()
	require.Equal(t, chat.TurnDone, p.recovered("both killed during a stream of 3 s", restarted, third).State)

	require.Equal(t, []string{"a", "b"}, p.trace("parts"))
	require.Equal(t, []string{"first", "second"}, p.answers()[:2])
	require.Len(t, p.answers(), 3)
	p.wellFormed()
}

func TestParts_StopReachesACommandThroughTheInternalEndpoint(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	id := p.send(p.shell("echo a >> %s; sleep 60", p.talk.file("parts")), "say never")
	require.Eventually(t, func() bool { return len(p.trace("parts")) == 1 }, time.Minute, 10*time.Millisecond)
	asked := time.Now()
	_, err := p.client.StopTurn(t.Context(), p.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, p.untilEnded(time.Minute, id).State)
	t.Logf("stopped after %s", time.Since(asked).Round(time.Millisecond))
	require.Eventually(t, func() bool { return len(find(t, "sleep 60", p.talk.file("parts"))) == 0 }, time.Minute, 10*time.Millisecond)
	require.Empty(t, find(t, "sleep 60", p.talk.file("parts")))
}

// temporal is a client of the parts' Temporal.
func (p *parts) temporal() client.Client {
	p.t.Helper()
	c, err := temporalclient.New(temporalclient.Config{
		Address: p.servers.Temporal.Address, Namespace: p.servers.Temporal.Namespace, ServerName: p.servers.Temporal.ServerName,
		CAFile: p.servers.Temporal.CAFile, CertFile: p.servers.Temporal.CertFile, KeyFile: p.servers.Temporal.KeyFile,
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(p.t, err)
	return c
}

// brokenTurn is a Turn whose code has a fault: it panics, again and again, until a mended binary takes over.
func brokenTurn(workflow.Context, workflows.TurnInput) error { panic("a fault in workflow code") }

func TestHeld_APanicInWorkflowCodeHoldsTheRunVisiblyUntilAMendedWorkerComes(t *testing.T) {
	t.Parallel()
	p := newParts(t, "XBOT_HELD_AFTER=2s")
	p.worker.kill()
	c := p.temporal()
	defer c.Close()
	broken := worker.New(c, workflows.TaskQueue, worker.Options{})
	broken.RegisterWorkflowWithOptions(brokenTurn, workflow.RegisterOptions{Name: workflows.NameTurn})
	require.NoError(t, broken.Start())

	id := p.send("say after the repair")
	p.until(time.Minute, "the notice that the answer is held up", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && decode[chat.Message](t, e).Content == i18n.Say(i18n.English, i18n.Held)
	})
	broken.Stop()
	p.worker.start()
	require.Equal(t, chat.TurnDone, p.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"after the repair"}, p.answers())
}

// TestCrash23_AFrozenWorkerIsReplaced freezes a worker in the middle of a call, and another one goes on while it stays frozen.
func TestCrash23_AFrozenWorkerIsReplaced(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	for n, c := range []struct{ what, begins string }{
		{"a model call", "delay 3s"},
		{"a command of 3 s", p.shell("echo a >> %s; sleep 3", p.talk.file("frozen"))},
	} {
		asked := p.model.Count()
		id := p.send(c.begins, fmt.Sprint("say answered ", n))
		if n == 0 {
			p.modelAsked(asked + 1)
		} else {
			p.untilTool(time.Minute, chat.CallRunning)
		}
		frozen, other := p.worker, newProcess(t, "xbot", p.worker.env, "worker")
		other.start()
		require.Eventually(t, func() bool { return strings.Contains(other.out.String(), "worker started") }, startLimit, 10*time.Millisecond)
		signal(t, frozen.cmd.Process.Pid, syscall.SIGSTOP)
		t.Cleanup(func() { signal(t, frozen.cmd.Process.Pid, syscall.SIGCONT) })
		since := time.Now()
		require.Equal(t, chat.TurnDone, p.recovered("worker frozen during "+c.what, since, id).State)
		p.worker = other
	}
	require.Equal(t, []string{"a"}, p.trace("frozen"))
	require.Equal(t, []string{"answered 0", "answered 1"}, p.answers())
}
