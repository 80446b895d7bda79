//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"golang.org/x/sys/unix"

	"xbot/internal/apiclient"
	"xbot/internal/chat"
	"xbot/internal/crash"
	"xbot/internal/i18n"
	"xbot/internal/llm/llmtest"
	"xbot/internal/prompt"
	"xbot/workflows"
)

// exhaust takes all remaining memory from the server and returns once the server has crashed. Until then it opens connections, for each of which the
// server needs memory.
func (s *server) exhaust() {
	s.t.Helper()
	limit := unix.Rlimit{Cur: 1, Max: 1}
	require.NoError(s.t, unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_DATA, &limit, nil))
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close() // the server is gone
		}
	}()
	for deadline := time.Now().Add(time.Minute); s.running(); {
		require.True(s.t, time.Now().Before(deadline), "the server lives without memory")
		c, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), time.Second)
		if err != nil {
			continue // it is ending
		}
		open = append(open, c)
		_, _ = c.Write([]byte("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Filler: " + strings.Repeat("x", 8<<10))) // the server may have ended
	}
}

// poisonous is a server with a call that crashes it.
type poisonous struct {
	*server

	runs   atomic.Int32  // how often the call ran
	hanged chan struct{} // closed at the end of the test
}

func poisoned(t *testing.T, s *server) *poisonous {
	t.Helper()
	p := &poisonous{server: s, hanged: make(chan struct{})}
	t.Cleanup(func() { close(p.hanged) })
	return p
}

// hang is called by the call under test, and keeps it waiting.
func (p *poisonous) hang() {
	p.runs.Add(1)
	<-p.hanged
}

// crashes crashes the server each time the call of an activity runs, and restarts it, until the call is given up. runs returns how often it ran.
// Some processes run out of memory before they can write the cause: those count as killed.
func (p *poisonous) crashes(activity string, runs func() int) {
	p.t.Helper()
	for n := range 2 * crash.MaxCrashes {
		require.Eventually(p.t, func() bool { return runs() > n || p.givenUp(activity) }, crashLimit, 10*time.Millisecond, "run %d of the call", n+1)
		if runs() <= n {
			return
		}
		p.exhaust()
		p.boot()
	}
}

// givenUp reports whether the running server has given up a call of an activity.
func (p *poisonous) givenUp(activity string) bool {
	return strings.Contains(p.metrics(), fmt.Sprintf(`xbot_calls_given_up_total{activity=%q} 1`, activity))
}

// hung returns how often hang was called.
func (p *poisonous) hung() int { return int(p.runs.Load()) }

// seen checks the metrics and the doctor's line for the given-up activity.
func (p *poisonous) seen(activity string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.givenUp(activity) }, crashLimit, 50*time.Millisecond)
	out, err := p.operate("doctor")
	require.Error(p.t, err)
	require.Contains(p.t, out, "✗ crashes     1 calls were given up in the last day because they crashed the server, the newest: "+activity+" ")
	require.Contains(p.t, out, "(out of memory)")
	dumps, err := filepath.Glob(filepath.Join(crash.Folder(p.home), "crash-*.txt"))
	require.NoError(p.t, err)
	require.NotEmpty(p.t, dumps)
	for _, dump := range dumps {
		text, err := os.ReadFile(dump)
		require.NoError(p.t, err)
		require.Contains(p.t, string(text), "goroutine ")
	}
}

func TestPoison_AStepOfAModelThatCrashesTheServerEndsItsTurn(t *testing.T) {
	t.Parallel()
	p := poisoned(t, newServer(t))
	p.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if strings.HasSuffix(r.Messages[len(r.Messages)-1].Content, "poison") {
			p.hang()
		}
		return llmtest.Run(r)
	})
	other, k := p.newTalk(), p.newTalk()
	innocent := other.send("stream 100 50ms")
	other.untilDelta(time.Minute)
	id := k.send("say poison")
	p.crashes("Generate", p.hung)
	require.Equal(t, chat.TurnFailed, k.untilEnded(crashLimit, id).State)
	require.Equal(t, i18n.Say(i18n.English, i18n.Crashed), k.lastNotice())
	require.Equal(t, chat.TurnDone, other.untilEnded(crashLimit, innocent).State, "a turn beside it goes on")
	p.seen("Generate")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say well again")).State)
	k.wellFormed()
}

func TestPoison_AToolThatCrashesTheServerEndsWithAnError(t *testing.T) {
	t.Parallel()
	p, fruits := poisoned(t, newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1")), newShop(t, "fruit-90210")
	fruits.hang = p.hang
	p.offers("fruits", fruits, true)
	k := p.newTalk()
	id := k.send(`call search_tools {"query":"what does a fruit cost"}`, "each", `call mcp_fruits_look_up {"fruit":"quince"}`, "say looked")
	p.crashes("Tool", p.hung)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"looked"}, k.answers(), "the turn goes on")
	require.Contains(t, k.toolResults()[1], "the server crashed twice while it ran this call")
	p.seen("Tool")
	k.wellFormed()
}

func TestPoison_ACommandSurvivesWhatCrashesTheServerBesideIt(t *testing.T) {
	t.Parallel()
	p := poisoned(t, newServer(t))
	p.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if strings.HasSuffix(r.Messages[len(r.Messages)-1].Content, "poison") {
			p.hang()
		}
		return llmtest.Run(r)
	})
	k, bad := p.newTalk(), p.newTalk()
	id := k.send(k.shell("echo x >> %s; until test -e %s; do sleep 0.1; done; echo survived", k.file("once"), k.file("go")), "say seen")
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, 10*time.Millisecond)
	poison := bad.send("say poison")
	p.crashes("Generate", p.hung)
	require.Equal(t, chat.TurnFailed, bad.untilEnded(crashLimit, poison).State)
	k.touch("go")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "survived")
	require.Equal(t, []string{"x"}, k.trace("once"), "the command ran once")
}

// poisonedOnFeishu starts a server on a Feishu that does not answer when messages are sent, and sends the bot a message.
func poisonedOnFeishu(t *testing.T, text string) (*poisonous, *onFeishu) {
	t.Helper()
	f := newFeishu(t, 1, 0)
	p := poisoned(t, newServer(t, f.env()...))
	p.inForce(letAllIn)
	require.Eventually(t, f.connected, time.Minute, 20*time.Millisecond)
	f.hinder(stuck)
	f.say(0, 1, text)
	return p, f
}

func TestPoison_ADeliveryThatCrashesTheServerIsReportedAsUnknown(t *testing.T) {
	t.Parallel()
	p, f := poisonedOnFeishu(t, "say poison")
	p.crashes("Send", f.unanswered)
	p.seen("Send")
	f.hinder(none)
	require.Eventually(t, func() bool {
		var state string
		err := p.database().QueryRow(t.Context(), "SELECT state FROM outbound ORDER BY id LIMIT 1").Scan(&state)
		return err == nil && state == chat.OutboundUncertain
	}, crashLimit, 20*time.Millisecond)
	require.Eventually(t, f.connected, time.Minute, 20*time.Millisecond)
	f.say(0, 1, "say well again")
	require.Eventually(t, func() bool { return strings.Contains(strings.Join(f.shown(0, 1), "\n"), "well again") }, crashLimit, 20*time.Millisecond)
}

func TestPoison_ProgressThatCrashesTheServerIsNotShownAndTheAnswerComes(t *testing.T) {
	t.Parallel()
	p, f := poisonedOnFeishu(t, "stream 100 100ms")
	p.crashes("Follow", f.unanswered)
	p.seen("Follow")
	f.hinder(none)
	require.Eventually(t, func() bool { return len(f.shown(0, 1)) == 1 }, crashLimit, 20*time.Millisecond)
	require.Len(t, strings.Fields(f.shown(0, 1)[0]), 100, "the answer, and no card")
}

// attempt is the number of the attempt of the only activity of a run that a worker has begun; 0: none has.
func (s *server) attempt(workflow string) int {
	s.t.Helper()
	run, err := s.temporal().DescribeWorkflowExecution(s.t.Context(), workflow, "")
	if err != nil || len(run.GetPendingActivities()) != 1 || run.GetPendingActivities()[0].GetState() != enums.PENDING_ACTIVITY_STATE_STARTED {
		return 0
	}
	return int(run.GetPendingActivities()[0].GetAttempt())
}

func TestPoison_ABackgroundTaskSurvivesACrashBesideIt(t *testing.T) {
	t.Parallel()
	p := poisoned(t, newServer(t))
	k := p.newTalk()
	k.done(fmt.Sprintf(`call Shell {"command":"until test -e %s; do sleep 0.1; done; echo survived > %s","background":true}`, k.file("go"), k.file("end")), "say begun")
	task := workflows.BackgroundID(k.transcript().Messages[1].ToolCalls[0].ID)
	for n := range crash.MaxBeside {
		require.Eventually(t, func() bool { return p.attempt(task) > n }, crashLimit, 10*time.Millisecond, "the task is followed again")
		p.exhaust()
		p.boot()
	}
	k.touch("go")
	require.Eventually(t, func() bool { return slices.Equal(k.trace("end"), []string{"survived"}) }, time.Minute, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		var state string
		err := p.database().QueryRow(t.Context(), "SELECT state FROM background_tasks").Scan(&state)
		return err == nil && state == string(chat.TaskExited)
	}, crashLimit, 20*time.Millisecond)
}

func TestPoison_WorkBesideTurnsThatCrashesTheServerEnds(t *testing.T) {
	t.Parallel()
	for activity, c := range map[string]struct {
		titles string
		asks   func(r llmtest.Request) bool
		begin  string // the command that begins it
	}{
		"Title":    {"on", names, ""},
		"Memorize": {"off", memorizes, "/new"},
		"Compress": {"off", func(r llmtest.Request) bool { return r.System == prompt.Compact() }, "/compact"},
	} {
		t.Run(activity, func(t *testing.T) {
			t.Parallel()
			p := poisoned(t, newServer(t, "AGENT_TITLES="+c.titles, "LLM_RETRY_DELAY=10ms"))
			p.model.Handle(func(r llmtest.Request) llmtest.Reply {
				if c.asks(r) {
					p.hang()
				}
				return llmtest.Run(r)
			})
			k := p.newTalk()
			if c.begin == "" {
				k.done("say one turn") // each conversation needs a title until it has one
			} else {
				k.remember("the bird is blue")
				k.fill(2)
				k.send(c.begin)
			}
			p.crashes(activity, p.hung)
			p.seen(activity)
			require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say well again")).State)
		})
	}
}

func TestPoison_AClaimThatCrashesTheServerWaitsAndItsSenderIsTold(t *testing.T) {
	t.Parallel()
	p := poisoned(t, newServer(t, "XBOT_HELD_AFTER=1s"))
	k := p.newTalk()
	k.done("say before")
	held := p.held("BEFORE INSERT ON turns", "true")
	_, err := k.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "m-poison", Text: "say poison"})
	require.NoError(t, err)
	for range 2 * crash.MaxCrashes {
		require.Eventually(t, func() bool { return held.waiting() > 0 || p.givenUp("Claim") }, crashLimit, 10*time.Millisecond)
		if p.givenUp("Claim") {
			break
		}
		p.exhaust()
		held.drop()
		p.boot()
	}
	p.seen("Claim")
	held.release()
	require.Eventually(t, func() bool { return k.lastNotice() == i18n.Say(i18n.English, i18n.Held) }, crashLimit, 50*time.Millisecond)
}
