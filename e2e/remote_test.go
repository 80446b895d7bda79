package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

// remote is a runner that a person made and started on a machine of their own.
type remote struct {
	*process
	*talk
	name  string
	state string
}

// newRemote makes a runner, starts it and has the session's commands go to it. Address is where it connects.
func (k *talk) newRemote(name, address string, flags ...string) *remote {
	k.t.Helper()
	made, err := k.client.CreateRunner(k.t.Context(), name)
	require.NoError(k.t, err)
	dir := k.t.TempDir()
	token := filepath.Join(dir, "token")
	require.NoError(k.t, os.WriteFile(token, []byte(made.Token+"\n"), 0o600))
	r := &remote{talk: k, name: name, state: filepath.Join(dir, "state")}
	args := append([]string{
		"--server", "ws://" + address + "/api/runners/connect", "--token-file", token, "--name", name,
		"--state", r.state, "--workspace", k.t.TempDir(),
	}, flags...)
	r.process = newProcess(k.t, "xbot-runner", nil, args...)
	k.t.Cleanup(r.endShims)
	k.t.Cleanup(func() {
		if k.t.Failed() && r.process.out != nil {
			k.t.Logf("runner %s printed:\n%s", name, r.process.out)
		}
	})
	_, err = k.client.UseRunner(k.t.Context(), name)
	require.NoError(k.t, err)
	return r
}

// up starts the runner and waits until the server says that it is connected.
func (r *remote) up() {
	r.t().Helper()
	r.process.start()
	require.Eventually(r.t(), r.online, time.Minute, 50*time.Millisecond, "the runner does not connect")
}

func (r *remote) t() *testing.T { return r.talk.server.t }

func (r *remote) online() bool {
	all, err := r.client.ListRunners(r.t().Context())
	if err != nil {
		return false
	}
	for _, runner := range all.Runners {
		if runner.Name == r.name {
			return runner.Online
		}
	}
	return false
}

// endShims ends what a test left running.
func (r *remote) endShims() {
	for _, pid := range find(r.t(), "xbot-runner", "shim", r.state) {
		_ = syscall.Kill(pid, syscall.SIGTERM) // it may have just ended
	}
}

func (s *server) address() string { return strings.TrimPrefix(s.url, "http://") }

// count is a command that prints numbers, one each 100 ms, and leaves a trace that tells whether it ran once.
func (k *talk) count(n int) string {
	return k.shell("echo began >> %s; for i in $(seq 1 %d); do echo number $i | tee -a %s; sleep 0.1; done", k.file("once"), n, k.file("count"))
}

// numbers is what the model must have seen of count.
func numbers(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "number %d\n", i+1)
	}
	return all.String()
}

// counted checks that the whole output came to the model and that the command ran once.
func (k *talk) counted(n int) {
	k.t.Helper()
	require.Contains(k.t, lastCalls(k)[0].Result, strings.TrimSpace(numbers(n)), "the model sees all of the output, once")
	require.Equal(k.t, []string{"began"}, k.trace("once"), "the command ran once")
	k.wellFormed()
}

func (k *talk) untilCounting(n int) {
	k.t.Helper()
	require.Eventually(k.t, func() bool { return len(k.trace("count")) >= 2*n }, time.Minute, 10*time.Millisecond)
}

func TestRemote01_RunnerKilledDuringACommand(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	r := k.newRemote("laptop", k.address())
	r.up()
	id := k.send(k.count(50), "say done")
	k.untilCounting(10)
	r.process.kill()
	killed := time.Now()
	r.process.start()
	require.Equal(t, chat.TurnDone, k.recovered("remote runner killed in a command of 5 s", killed, id).State)
	k.counted(50)
}

func TestRemote02_CommandEndsWhileItsRunnerIsAway(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	r := k.newRemote("laptop", k.address())
	r.up()
	id := k.send(k.count(20), "say done")
	k.untilCounting(3)
	r.process.kill()
	k.untilCounting(20)
	restarted := time.Now()
	r.process.start()
	require.Equal(t, chat.TurnDone, k.recovered("the command ended without its runner", restarted, id).State)
	k.counted(20)
}

func TestRemote03_RebootedHostLosesItsCommandsOnceAndRunsThemNeverAgain(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	r := k.newRemote("laptop", k.address())
	r.up()
	id := k.send(k.shell("echo began >> %s; sleep 300", k.file("once")), "say done")
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, 10*time.Millisecond)
	r.process.kill()
	for _, pid := range find(t, "xbot-runner", "shim", r.state) {
		signal(t, pid, syscall.SIGKILL)
	}
	r.pretendReboot()
	r.process.start()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	call := lastCalls(k)[0]
	require.True(t, call.IsError)
	require.Contains(t, call.Result, "unknown", "the model is told that nobody knows the outcome")
	require.Equal(t, []string{"began"}, k.trace("once"), "it is not run again")
	require.Equal(t, []string{"done"}, k.answers(), "and told once")
	k.wellFormed()
}

// pretendReboot makes the traces of commands look as if the machine had another boot id when they were started.
func (r *remote) pretendReboot() {
	r.t().Helper()
	files, err := filepath.Glob(filepath.Join(r.state, "jobs", "*", "started"))
	require.NoError(r.t(), err)
	require.NotEmpty(r.t(), files)
	for _, file := range files {
		var started map[string]any
		data, err := os.ReadFile(file)
		require.NoError(r.t(), err)
		require.NoError(r.t(), json.Unmarshal(data, &started))
		require.NotEmpty(r.t(), started["boot"])
		started["boot"] = "00000000-0000-0000-0000-000000000000"
		data, err = json.Marshal(started)
		require.NoError(r.t(), err)
		require.NoError(r.t(), os.WriteFile(file, data, 0o600))
	}
}

func TestRemote04_OfflineRunnerIsSaidAndNothingElseRunsTheCommand(t *testing.T) {
	t.Parallel()
	k := newServer(t, "XBOT_RUNNER_WAIT=2s").newTalk()
	k.newRemote("laptop", k.address())
	id := k.send(k.shell("echo ran >> %s", k.file("never")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "runner laptop is offline (waited 2s)")
	require.Empty(t, k.trace("never"), "the server's own host is no stand-in")
	k.wellFormed()
}

func TestRemote05_StopReachesARunnerThatWasAway(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	r := k.newRemote("laptop", k.address())
	r.up()
	mark := "300." + strconv.Itoa(os.Getpid())
	id := k.send(k.shell("echo began >> %s; sleep %s", k.file("once"), mark), "say never")
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, 10*time.Millisecond)
	r.process.kill()
	_, err := k.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, k.untilEnded(crashLimit, id).State)
	require.NotEmpty(t, find(t, "sleep "+mark), "the command still runs: nobody could tell its runner")
	r.process.start()
	require.Eventually(t, func() bool { return len(find(t, "sleep "+mark)) == 0 }, time.Minute, 50*time.Millisecond, "the kill was kept")
	k.wellFormed()
}

func TestRemote06_IngressThatHoldsTheSocketKilled(t *testing.T) {
	t.Parallel()
	p := newParts(t, "XBOT_ENCRYPTION_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	second := &server{t: t, home: t.TempDir(), url: "http://" + freeAddress(t), model: p.model}
	env := append([]string{}, p.ingress.env...)
	second.process = newProcess(t, "xbot", append(env, "XBOT_HOME="+second.home, "XBOT_HTTP_ADDR="+second.address()), "ingress")
	second.client = apiclient.New(second)
	t.Cleanup(second.client.Close)
	second.boot()

	// The runner's way to the server, as through a balancer: the second replica while it lives, then the first.
	way := newBalancer(t, "127.0.0.1:0", second.address(), p.address())
	r := p.newRemote("laptop", way.address())
	r.up()
	id := p.send(p.count(60), "say done")
	p.untilCounting(10)
	second.kill()
	killed := time.Now()
	require.Equal(t, chat.TurnDone, p.recovered("the ingress that held the socket killed in a command of 6 s", killed, id).State)
	p.counted(60)
	require.Equal(t, 2, way.reached(), "the runner reached both replicas")
}

func TestRemote08_RunnerKilledInTheMiddleOfItsModelsAnswer(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	own := llmtest.New(t)
	r := k.newRemote("laptop", k.address(), "--llm-provider", "openai", "--llm-base-url", own.BaseURL(), "--llm-model", "my-own")
	r.process.env = append(r.process.env, "XBOT_RUNNER_LLM_KEY=a-key-that-stays-on-the-laptop")
	r.up()
	id := k.send("stream 60 50ms")
	k.untilDelta(time.Minute)
	r.process.kill()
	killed := time.Now()
	k.until(crashLimit, "a retry that is said", func(e chat.Event) bool { return e.Kind == chat.EventRetry })
	r.process.start()
	require.Equal(t, chat.TurnDone, k.recovered("remote runner killed while its model streamed for 3 s", killed, id).State)
	require.Len(t, k.answers(), 1)
	require.Len(t, strings.Fields(k.answers()[0]), 60, "the whole answer, once")
	require.Zero(t, k.model.Count(), "the server's own model was not asked")
	require.GreaterOrEqual(t, own.Count(), 2)
	require.Equal(t, "Bearer a-key-that-stays-on-the-laptop", own.Requests()[0].Header.Get("Authorization"))
	k.wellFormed()
	k.keepsSecret("a-key-that-stays-on-the-laptop")
}

// keepsSecret looks for a text where nothing may hold it: the logs of the server.
func (k *talk) keepsSecret(text string) {
	k.t.Helper()
	for _, name := range []string{"xbot.log", "runner-local.log"} {
		data, err := os.ReadFile(filepath.Join(k.home, "logs", name))
		require.NoError(k.t, err)
		require.NotContains(k.t, string(data), text, name)
	}
}

// TestRemote_ARunnerBesideAServerHidesItsFiles starts runners as the server's user without any word of the server's data folder: while the server
// runs, and before it does.
func TestRemote_ARunnerBesideAServerHidesItsFiles(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"started after it": false, "started before it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := diskServer(t)
			secret, err := os.ReadFile(filepath.Join(s.home, "secret.key"))
			require.NoError(t, err)
			k := s.newTalk()
			r := k.newRemote("beside", k.address())
			if before {
				s.crash()
				r.start()
				require.Eventually(t, func() bool { return strings.Contains(r.out.String(), "not connected") }, time.Minute, 10*time.Millisecond)
				s.boot()
				require.Eventually(t, r.online, time.Minute, 50*time.Millisecond)
			} else {
				r.up()
			}
			id := k.send(k.shell("cat %[1]s/secret.key; cat %[1]s/run/*; ls -A %[1]s; grep -r . %[1]s/secrets; echo ran", s.home),
				`call Read {"path":"`+filepath.Join(s.home, "secret.key")+`"}`, `call Shell {"command":"cat `+r.args[3]+`; echo ran"}`, "say done")
			require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
			calls := lastCalls(k)
			require.Len(t, calls, 3)
			require.Contains(t, calls[0].Result, "ran")
			require.Contains(t, calls[2].Result, "ran")
			require.True(t, calls[1].IsError)
			for _, c := range calls {
				for _, hidden := range []string{strings.TrimSpace(string(secret)), "serve.json", "token", "postgres"} {
					require.NotContains(t, strings.ReplaceAll(c.Result, r.args[3], ""), hidden)
				}
			}
		})
	}
}
