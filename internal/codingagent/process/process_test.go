package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/codingagent/process"
	"xbot/internal/sandbox"
)

func TestMain(m *testing.M) { runnerstest.Main(m) }

const patience = 30 * time.Second

// bench is a runner on which the scripted agents are installed.
type bench struct {
	*testing.T
	box    *sandbox.Runner
	runner *runnerstest.Runner
}

func setup(t *testing.T) *bench {
	programs := agenttest.Install(t)
	server := runnerstest.NewServer(t, nil)
	runner := server.StartRunner("local", runnerstest.DaemonConfig{Env: []string{"PATH=" + programs + ":" + os.Getenv("PATH")}})
	return &bench{T: t, box: server.Direct("local", sandbox.RunnerConfig{}), runner: runner}
}

// follower is one server that follows a process.
type follower struct {
	*bench
	process *process.Process
	store   *string
	cancel  context.CancelFunc
	done    chan struct{}
	result  process.Result
	err     error

	mu     sync.Mutex
	events []codingagent.Event
}

var lastID atomic.Int64

func newID() chat.CallID {
	return chat.NewCallID("0192f0c1-1111-7222-8333-444455556666", int(lastID.Add(1)), 0)
}

// follow attaches to a process or starts it.
func (b *bench) follow(agent string, id chat.CallID, store *string, thread, text string) *follower {
	b.Helper()
	driver, err := agents.New(agent, codingagent.Turn{
		Key: string(id), Thread: thread, Text: text, Dir: b.runner.Workspace,
		Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest,
	})
	require.NoError(b, err)
	f := &follower{bench: b, store: store, done: make(chan struct{})}
	f.process = &process.Process{
		Box: b.box, ID: id, Driver: driver, Dir: b.runner.Workspace, StartedOn: *store,
		Listener: f,
	}
	ctx, cancel := context.WithCancel(b.Context())
	f.cancel = cancel
	b.Cleanup(cancel)
	go func() {
		defer close(f.done)
		f.result, f.err = f.process.Run(ctx)
	}()
	return f
}

func (f *follower) Starting(_ context.Context, store string) error {
	*f.store = store
	return nil
}

func (f *follower) Take(e codingagent.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
}

func (f *follower) end() process.Result {
	f.Helper()
	select {
	case <-f.done:
	case <-time.After(patience):
		require.Fail(f, "the turn does not end", "%s", f.said())
	}
	require.NoError(f, f.err)
	return f.result
}

// leave is the death of the server: it lets go without a word to the process.
func (f *follower) leave() {
	f.cancel()
	<-f.done
}

// said is what the agent said so far, message after message without anything between: not every agent tells where one ends.
func (f *follower) said() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var order []string
	messages := map[string]string{}
	for _, e := range f.events {
		text, ok := e.(codingagent.Text)
		if !ok {
			continue
		}
		if _, known := messages[text.Message]; !known {
			order = append(order, text.Message)
		}
		messages[text.Message] += text.Delta
		if text.Done {
			messages[text.Message] = text.Whole
		}
	}
	var all strings.Builder
	for _, id := range order {
		all.WriteString(messages[id])
	}
	return all.String()
}

func waitFor[E codingagent.Event](f *follower, what string, is func(E) bool) (found E) {
	f.Helper()
	require.Eventually(f, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, e := range f.events {
			if event, ok := e.(E); ok && is(event) {
				found = event
				return true
			}
		}
		return false
	}, patience, 5*time.Millisecond, what)
	return found
}

func (f *follower) waitText(text string) {
	f.Helper()
	require.Eventually(f, func() bool { return strings.Contains(f.said(), text) }, patience, 5*time.Millisecond, text)
}

// talked are the agents that are started as they are. That of opencode is reached through a program of the runner.
var talked = []string{"codex", "claude", "kimi"}

func each(t *testing.T, test func(b *bench, agent string)) {
	b := setup(t)
	for _, agent := range talked {
		t.Run(agent, func(t *testing.T) {
			c := *b
			c.T = t
			test(&c, agent)
		})
	}
}

func TestProcess_AnswersAndGoesOnWithItsThread(t *testing.T) {
	each(t, func(b *bench, agent string) {
		var store string
		first := b.follow(agent, newID(), &store, "", "say hello there")
		end := first.end().End
		require.NotNil(b, end)
		require.Equal(b, codingagent.Completed, end.Outcome)
		require.Equal(b, "hello there", end.Reply)
		thread := waitFor(first, "a thread", func(codingagent.Thread) bool { return true })

		store = ""
		second := b.follow(agent, newID(), &store, thread.ID, "recall")
		require.Contains(b, second.end().End.Reply, "turns: 1; last: say hello there")
	})
}

func TestProcess_TakesWhatIsSaidWhileItWorks(t *testing.T) {
	each(t, func(b *bench, agent string) {
		var store string
		f := b.follow(agent, newID(), &store, "", "say ready\nwait")
		f.waitText("ready")
		require.True(b, f.process.Steer("steer-1", codingagent.Message{Text: "also this"}))
		require.True(b, f.process.Steer("steer-1", codingagent.Message{Text: "also this"}), "said again, it is not written again")
		require.Contains(b, f.end().End.Reply, "steered: also this")
		require.Equal(b, 1, strings.Count(f.said(), "steered:"))
	})
}

func TestProcess_AnInterruptionEndsTheTurn(t *testing.T) {
	each(t, func(b *bench, agent string) {
		var store string
		f := b.follow(agent, newID(), &store, "", "say ready\nwait")
		f.waitText("ready")
		f.process.Interrupt("stop-1")
		require.Equal(b, codingagent.Interrupted, f.end().End.Outcome)
	})
}

func TestProcess_AServerThatComesLaterGoesOnReadingAndNothingRunsTwice(t *testing.T) {
	each(t, func(b *bench, agent string) {
		log := "ran-" + agent
		script := "say one\nrun echo ran >> " + log + "\nwait\nsay four"
		var store string
		id := newID()
		first := b.follow(agent, id, &store, "", script)
		first.waitText("one")
		waitFor(first, "the command", func(w codingagent.Work) bool { return w.Done })
		first.leave()

		second := b.follow(agent, id, &store, "", script)
		second.waitText("one")
		require.True(b, second.process.Steer("steer-1", codingagent.Message{Text: "go"}))
		require.Contains(b, second.end().End.Reply, "four")
		require.Equal(b, "onesteered: gofour", second.said())
		data, err := os.ReadFile(filepath.Join(b.runner.Workspace, log))
		require.NoError(b, err)
		require.Equal(b, "ran\n", string(data))
	})
}

func TestProcess_SurvivesAKillOfTheRunner(t *testing.T) {
	each(t, func(b *bench, agent string) {
		var store string
		f := b.follow(agent, newID(), &store, "", "say one\nwait\nsay two\nwait\nsay three")
		f.waitText("one")
		b.runner.Kill()
		b.runner.Start()
		require.True(b, f.process.Steer("s1", codingagent.Message{Text: "a"}))
		f.waitText("two")
		b.runner.Kill()
		b.runner.Start()
		require.True(b, f.process.Steer("s2", codingagent.Message{Text: "b"}))
		require.Contains(b, f.end().End.Reply, "three")
		require.Equal(b, "onesteered: atwosteered: bthree", f.said())
	})
}

func TestProcess_AKilledAgentEndsWithoutAWordAndItsThreadGoesOn(t *testing.T) {
	each(t, func(b *bench, agent string) {
		var store string
		f := b.follow(agent, newID(), &store, "", "say one\ndie")
		got := f.end()
		require.Nil(b, got.End, "nobody knows what it did")
		require.Equal(b, sandbox.ExecExited, got.Exec.State)
		require.Equal(b, 9, got.Exec.Code)
		thread := waitFor(f, "a thread", func(codingagent.Thread) bool { return true })
		store = ""
		require.Contains(b, b.follow(agent, newID(), &store, thread.ID, "recall").end().End.Reply, "turns: 1")
	})
}

func TestProcess_ALostShimIsNeverStartedAgain(t *testing.T) {
	b := setup(t)
	var store string
	id := newID()
	f := b.follow("codex", id, &store, "", "say one\nwait")
	f.waitText("one")
	f.leave()
	pid := b.runner.ShimPID(string(id))
	require.NotZero(t, pid)
	shim, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, shim.Kill())
	got := b.follow("codex", id, &store, "", "say one\nwait").end()
	require.Nil(t, got.End)
	require.Equal(t, sandbox.ExecLost, got.Exec.State)
}

func TestProcess_AnAnswerToARequestMayComeFromALaterServer(t *testing.T) {
	for _, approved := range []bool{true, false} {
		t.Run(fmt.Sprint(approved), func(t *testing.T) {
			each(t, func(b *bench, agent string) {
				if agent == "claude" {
					b.Skip("claude asks for what its sandbox forbids only")
				}
				const script = "ask approval echo allowed\nsay end"
				var store string
				id := newID()
				first := b.follow(agent, id, &store, "", script)
				asked := waitFor(first, "a request", func(r codingagent.Request) bool { return r.Approval != nil })
				first.leave()

				second := b.follow(agent, id, &store, "", script)
				again := waitFor(second, "the request", func(codingagent.Request) bool { return true })
				require.Equal(b, asked.ID, again.ID)
				second.process.Answer(again.ID, codingagent.Answer{Approved: approved})
				require.Contains(b, second.end().End.Reply, "end")
				require.Equal(b, !approved, strings.Contains(second.said(), "declined"))
			})
		})
	}
}

func TestProcess_AProgramThatIsNotThereSaysSo(t *testing.T) {
	server := runnerstest.NewServer(t, nil)
	runner := server.StartRunner("local", runnerstest.DaemonConfig{Env: []string{"PATH=/usr/bin:/bin"}})
	b := &bench{T: t, box: server.Direct("local", sandbox.RunnerConfig{}), runner: runner}
	var store string
	got := b.follow("codex", newID(), &store, "", "say one").end()
	require.Nil(t, got.End)
	require.Equal(t, 127, got.Exec.Code)
	require.Contains(t, string(got.Exec.Errors), "codex")
}
