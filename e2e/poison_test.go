//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/host/crash"
	"xbot/internal/i18n"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/prompt"
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
	before := p.givenUps(activity)
	for n := range 2 * crash.MaxCrashes {
		require.Eventually(p.t, func() bool { return runs() > n || p.givenUps(activity) > before }, crashLimit, 10*time.Millisecond, "run %d of the call", n+1)
		if p.givenUps(activity) > before { // a call that comes after it may run already
			return
		}
		p.exhaust()
		p.boot()
		before = 0 // of the new process
	}
}

// crashesHeld does the same with an activity whose statement is held.
func (p *poisonous) crashesHeld(activity string, held *hold) {
	p.t.Helper()
	for range 2 * crash.MaxCrashes {
		require.Eventually(p.t, func() bool { return held.waiting() > 0 || p.givenUp(activity) }, crashLimit, 10*time.Millisecond)
		if p.givenUp(activity) {
			return
		}
		p.exhaust()
		held.drop()
		p.boot()
	}
}

// givenUps returns how many calls of an activity the running server has given up.
func (p *poisonous) givenUps(activity string) (n int) {
	_, rest, found := strings.Cut(p.metrics(), fmt.Sprintf("xbot_calls_given_up_total{activity=%q} ", activity))
	if found {
		value, _, _ := strings.Cut(rest, "\n")
		_, err := fmt.Sscan(value, &n)
		require.NoError(p.t, err)
	}
	return n
}

func (p *poisonous) givenUp(activity string) bool { return p.givenUps(activity) > 0 }

// hung returns how often hang was called.
func (p *poisonous) hung() int { return int(p.runs.Load()) }

// hungSince returns a function that returns how often hang was called since now.
func (p *poisonous) hungSince() func() int {
	before := p.hung()
	return func() int { return p.hung() - before }
}

// seen checks the metrics and the doctor's line for the given-up activity.
func (p *poisonous) seen(activity string) {
	p.t.Helper()
	p.seenWith(1, activity)
}

// seenWith does the same if n calls were given up, the newest of them of the activity.
func (p *poisonous) seenWith(n int, activity string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return p.givenUp(activity) }, crashLimit, 50*time.Millisecond)
	out, err := p.operate("doctor")
	require.Error(p.t, err)
	require.Contains(p.t, out, fmt.Sprintf("✗ crashes     %d calls were given up in the last day because they crashed the server, the newest: %s ", n, activity))
	// The C library aborts if there is no memory for another thread.
	require.Regexp(p.t, `\((out of memory|abort in the C library)\)`, out)
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
	p.crashesHeld("Claim", held)
	p.seen("Claim")
	held.release()
	require.Eventually(t, func() bool { return k.lastNotice() == i18n.Say(i18n.English, i18n.Held) }, crashLimit, 50*time.Millisecond)
}

func TestPoison_TheEndOfATurnThatCrashesTheServerIsToldOnce(t *testing.T) {
	t.Parallel()
	p := poisoned(t, newServer(t))
	k := p.newTalk()
	held := p.held("BEFORE UPDATE ON turns", "NEW.state = 'done' AND OLD.state = 'running'")
	id := k.send("say poison")
	p.crashesHeld("Finish", held)
	require.Equal(t, chat.TurnLost, k.untilEnded(crashLimit, id).State, "the relay ends the turn")
	require.Equal(t, i18n.Say(i18n.English, i18n.Gone), k.lastNotice())
	p.seen("Finish")
	held.release()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say well again")).State)
	require.Equal(t, []string{"poison", "well again"}, k.answers())
	k.wellFormed()
}

func TestPoison_AFileThatCrashesTheServerIsLeftOutOfItsMessage(t *testing.T) {
	t.Parallel()
	var p *poisonous
	files := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { p.hang() }))
	t.Cleanup(files.Close)
	s, bot := onNapCat(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	p = poisoned(t, s)
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return bot.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	picture := onebottest.Segment{Type: "image", Data: map[string]any{"file": "poison.png", "url": files.URL + "/poison"}}
	bot.Say(carol, "20007", onebottest.Text("say thanks for the picture"), picture)
	p.crashes("FetchFile", p.hung)
	saw(t, bot, carol, "thanks for the picture")
	require.Contains(t, s.lastRequest(), "[image: poison.png · not fetched: the server crashed twice while it fetched this file")
	p.seen("FetchFile")
	require.Eventually(t, func() bool { return bot.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	bot.Say(carol, "20007", onebottest.Text("say well again"))
	saw(t, bot, carol, "well again")
	require.Len(t, seenAt(bot, carol), 2, "each message is answered once")
}

func TestPoison_AHookThatCrashesTheServerRefusesItsCallAndNothingElse(t *testing.T) {
	t.Parallel()
	var p *poisonous
	var event atomic.Value // whose hook crashes the server
	event.Store("PreToolUse")
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Event string `json:"hook_event_name"`
		}
		body, _ := io.ReadAll(r.Body) // of a server that may have ended
		if json.Unmarshal(body, &asked) == nil && asked.Event == event.Load() && strings.Contains(string(body), "poison") {
			p.hang()
		}
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(service.Close)
	p = poisoned(t, newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"))
	asks := fmt.Sprintf(`[{"hooks":[{"type":"http","url":%q,"timeout":60}]}]`, service.URL)
	p.hooks(fmt.Sprintf(`{"hooks":{"PreToolUse":%[1]s,"UserPromptSubmit":%[1]s,"AgentStop":%[1]s}}`, asks))

	k := p.newTalk()
	id := k.send(k.shell("touch %s # poison", k.file("never")), "say refused")
	p.crashes("Consult", p.hung)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.NoFileExists(t, k.file("never"), "a call whose hooks were not asked does not run")
	require.Contains(t, k.toolResults()[0], "this call did not run: the server crashed twice while its hooks ran")
	p.seen("Consult")

	for n, name := range []string{"UserPromptSubmit", "AgentStop"} {
		event.Store(name)
		hung := p.hungSince()
		id = k.send("say poison for " + name)
		p.crashes("Consult", hung)
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
		p.seenWith(n+2, "Consult")
	}
	event.Store("")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say well again")).State)
	require.Equal(t, []string{"refused", "poison for UserPromptSubmit", "poison for AgentStop", "well again"}, k.answers(), "each message is answered once")
	k.wellFormed()
}

func TestPoison_AJobThatCrashesTheServerRunsAtItsNextTime(t *testing.T) {
	t.Parallel()
	p := poisoned(t, newServer(t))
	var poison atomic.Bool
	p.model.Handle(func(r llmtest.Request) llmtest.Reply {
		if poison.Load() && strings.HasSuffix(r.Messages[len(r.Messages)-1].Content, "say ran") {
			p.hang()
		}
		return llmtest.Run(r)
	})
	ran := func(outcomes ...string) {
		t.Helper()
		for _, j := range p.cronJobs() {
			p.untilRuns(crashLimit, j.ID, fmt.Sprint("runs end as ", outcomes), func(runs []chat.JobRun) bool {
				var got []string
				for _, r := range runs {
					got = append(got, r.Outcome)
				}
				return slices.Equal(got, outcomes)
			})
		}
	}

	held := p.held("BEFORE INSERT ON cron_runs", "true")
	j := p.job(chat.JobPlan{When: "every 1h", Message: "say ran"})
	p.due(j.ID)
	p.crashesHeld("FireJob", held)
	p.seen("FireJob")
	held.release()
	require.Eventually(t, func() bool {
		now := p.cronJobs()[0]
		return now.State == chat.JobActive && now.Passed == 1 && now.Next.After(time.Now())
	}, crashLimit, 20*time.Millisecond, "the job goes on with its next time")
	p.due(j.ID)
	ran("done")

	poison.Store(true)
	p.due(j.ID)
	p.crashes("Generate", p.hung)
	ran("failed", "done")
	p.seenWith(2, "Generate")
	poison.Store(false)
	p.due(j.ID)
	ran("done", "failed", "done")
	require.Equal(t, []string{"ran", "ran"}, p.own(j.ID).answers(), "each run that ended well is answered once")
}

// cronJobs returns the jobs of the administrator.
func (s *server) cronJobs() []chat.Job {
	s.t.Helper()
	all, err := s.client.ListJobs(s.t.Context(), apiclient.ListJobsParams{})
	require.NoError(s.t, err)
	return all.Jobs
}
