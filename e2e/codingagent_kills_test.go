package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/fault"
)

// coders are conversations that coding agents answer while processes are killed at random.
type coders struct {
	*server

	programs, folder string // where the scripted agents are, and where they keep their conversations
	chance           *rand.Rand
	kills            map[string]int // by what was killed

	mu    sync.Mutex
	asked map[chat.SessionKey]int // how many messages were written to a conversation; they are numbered from 0
}

// agentKills is how often something is killed, a few times unless XBOT_AGENT_KILLS says how often, and what the moments depend on.
func agentKills(t *testing.T) (times int, chance *rand.Rand) {
	t.Helper()
	times, seed := 4, rand.Uint64()
	var err error
	if text := os.Getenv("XBOT_AGENT_KILLS"); text != "" {
		times, err = strconv.Atoi(text)
		require.NoError(t, err, "XBOT_AGENT_KILLS is how often something is killed, such as 60")
	}
	if text := os.Getenv("XBOT_AGENT_KILLS_SEED"); text != "" {
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "XBOT_AGENT_KILLS_SEED is a number that an earlier run printed")
	}
	t.Logf("XBOT_AGENT_KILLS_SEED=%d", seed)
	return times, rand.New(rand.NewPCG(seed, 0))
}

func newCoders(t *testing.T) *coders {
	t.Helper()
	k := &coders{programs: agenttest.Install(t), folder: t.TempDir(), kills: map[string]int{}, asked: map[chat.SessionKey]int{}}
	wrapped := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.Mkdir(wrapped, 0o700))
	var models []string
	for _, name := range agents.Names() {
		script := fmt.Sprintf("#!/bin/sh\nXBOT_FAKE_AGENT_HOME='%s' exec '%s' \"$@\"\n", k.folder, filepath.Join(k.programs, name))
		require.NoError(t, os.WriteFile(filepath.Join(wrapped, name), []byte(script), 0o700))
		models = append(models, fmt.Sprintf(`{id: "%s/default", alias: ["%s"], dialect: "%s"}`, name, name, name))
	}
	k.server = newServer(t, "PATH="+wrapped+":"+os.Getenv("PATH"))
	k.inForce(`{models: [` + strings.Join(models, ", ") + `]}`)
	return k
}

// converse writes one message after the other until the time is over: each has its agent say something, run a command, ask for leave and
// answer. A word that is put in while a turn runs is a message of its own.
func (k *coders) converse(ctx context.Context, talk *talk, ends <-chan chat.TurnState) {
	write := func() (number int, err error) {
		k.mu.Lock()
		number = k.asked[talk.key]
		k.mu.Unlock()
		text := fmt.Sprintf("say on my way with %d\nrun sleep 0.1; echo %d >> %s\nask approval echo %d >> %s\nthink hm\nsay answer %d",
			number, number, talk.file("ran"), number, talk.file("allowed"), number)
		if _, err = k.client.SendUntilAccepted(context.Background(), talk.key, fmt.Sprint(talk.key, "/", number), text, nil); err == nil {
			k.mu.Lock()
			k.asked[talk.key]++
			k.mu.Unlock()
		}
		return number, err
	}
	for ctx.Err() == nil {
		number, err := write()
		if err != nil {
			k.t.Error(err)
			return
		}
		if number%3 == 1 {
			rest(ctx, time.Duration(number%7)*50*time.Millisecond)
			if _, err := write(); err != nil {
				k.t.Error(err)
				return
			}
		}
		select {
		case <-ends:
		case <-ctx.Done():
		}
	}
}

// attend allows what the agent of a conversation asks for, and tells of the ends of its turns.
func (k *coders) attend(ctx context.Context, talk *talk, ends chan<- chat.TurnState) {
	for u := range k.client.Watch(ctx, talk.key, 0) {
		if u.Event == nil {
			continue
		}
		switch u.Event.Kind {
		case chat.EventTool:
			e := decode[chat.ToolEvent](k.t, *u.Event)
			if e.Approval != nil && e.Approval.State == chat.ApprovalOpen {
				k.allow(ctx, talk, e.ID)
			}
		case chat.EventTurn:
			turn := decode[chat.Turn](k.t, *u.Event)
			if turn.State != chat.TurnRunning && turn.State != chat.TurnReleased {
				select {
				case ends <- turn.State:
				default: // nobody waits for it
				}
			}
		}
	}
}

// allow answers a question until the server has the answer.
func (k *coders) allow(ctx context.Context, talk *talk, call chat.CallID) {
	for ctx.Err() == nil {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		_, err := k.client.AnswerApproval(try, talk.key, call, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"Allow"}}})
		cancel()
		if err == nil || fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
			return
		}
		rest(ctx, 200*time.Millisecond)
	}
}

// strike kills the server, its runner, or an agent.
func (k *coders) strike() {
	targets := []string{"xbot", "xbot-runner", "agent", "agent"}
	target := targets[k.chance.IntN(len(targets))]
	switch target {
	case "xbot":
		k.crash()
		k.boot()
	case "xbot-runner":
		pids := children(k.t, k.cmd.Process.Pid, target)
		if len(pids) == 0 {
			return // it is being started again
		}
		signal(k.t, pids[0], syscall.SIGKILL)
	case "agent":
		pids := k.agents()
		if len(pids) == 0 {
			return // all of them have answered
		}
		signal(k.t, pids[k.chance.IntN(len(pids))], syscall.SIGKILL)
	}
	k.kills[target]++
}

// agents are the processes of the scripted agents.
func (k *coders) agents() (pids []int) {
	for _, name := range agents.Names() {
		for _, pid := range find(k.t, name) {
			if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && strings.HasPrefix(exe, k.programs+"/") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func (k *coders) struck() (n int) {
	for _, times := range k.kills {
		n += times
	}
	return n
}

// settle waits until nothing runs and nothing waits.
func (k *coders) settle() {
	k.t.Helper()
	db, left := k.look(), ""
	require.Eventually(k.t, func() bool {
		var open, running, kills int
		err := db.QueryRow(k.t.Context(), `SELECT (SELECT count(*) FROM inbox WHERE outcome IS NULL),
			(SELECT count(*) FROM turns WHERE state = 'running'), (SELECT count(*) FROM kills WHERE sent_at IS NULL)`).Scan(&open, &running, &kills)
		left = fmt.Sprintf("%d messages wait, %d turns run, %d kills are to be sent: %v", open, running, kills, err)
		return err == nil && open+running+kills == 0
	}, 3*time.Minute, 200*time.Millisecond, "%s", &left)
}

// tally is what became of the messages of a conversation.
type tally struct{ messages, answered, unknown, refused, toQuestion, twice, silent, givenTwice, ranTwice int }

var answerNumber = regexp.MustCompile(`say answer (\d+)|answer (\d+)`)

// numbersIn counts which numbers stand behind "answer" in texts, each once a text.
func numbersIn(texts []string) map[int]int {
	out := map[int]int{}
	for _, text := range texts {
		seen := map[int]bool{}
		for _, found := range answerNumber.FindAllStringSubmatch(text, -1) {
			n, err := strconv.Atoi(found[1] + found[2])
			if err == nil && !seen[n] {
				seen[n] = true
				out[n]++
			}
		}
	}
	return out
}

// tally looks at what a conversation came to.
func (k *coders) tally(talk *talk, given []string) (out tally) {
	k.t.Helper()
	db := k.look()
	column := func(query string) (texts []string) {
		rows, err := db.Query(k.t.Context(), query, talk.key)
		require.NoError(k.t, err)
		defer rows.Close()
		for rows.Next() {
			var text string
			require.NoError(k.t, rows.Scan(&text))
			texts = append(texts, text)
		}
		require.NoError(k.t, rows.Err())
		return texts
	}
	said := numbersIn(column(`SELECT content || ' ' || reasoning FROM messages WHERE session_key = $1 AND role = 'assistant' AND content NOT LIKE 'turns: %'`))
	told := numbersIn(column(`SELECT m.content FROM messages m JOIN messages n ON n.turn_id = m.turn_id AND n.role = 'notice'
		WHERE m.session_key = $1 AND m.role = 'user' AND (n.content LIKE '%the outcome is unknown%' OR n.content LIKE '%ended while it waited for your answer%')`))
	other := numbersIn(column(`SELECT m.content FROM messages m JOIN turns t ON t.id = m.turn_id WHERE m.session_key = $1 AND m.role = 'user' AND t.state = 'failed'`))
	// What comes while the agent asks is meant for its question: it has no turn, and a notice says how it was understood.
	asked := numbersIn(column(`SELECT m.content FROM messages m JOIN messages n ON n.inbox_id = m.inbox_id AND n.role = 'notice'
		WHERE m.session_key = $1 AND m.role = 'user' AND m.turn_id IS NULL`))
	got, ran, allowed := numbersIn(given), numberLines(talk.trace("ran")), numberLines(talk.trace("allowed"))
	for n := range k.asked[talk.key] {
		out.messages++
		switch {
		case said[n] > 1:
			out.twice++
		case said[n] == 1:
			out.answered++
		case told[n] > 0:
			out.unknown++
		case other[n] > 0:
			out.refused++
		case asked[n] > 0:
			out.toQuestion++
		default:
			out.silent++
			k.t.Logf("message %d of %s has no answer, and nothing was said: %s, %s", n, talk.key,
				column(fmt.Sprintf(`SELECT row_to_json(i)::text FROM inbox i WHERE session_key = $1 AND body LIKE '%%answer %d'`, n)),
				column(fmt.Sprintf(`SELECT row_to_json(m)::text FROM messages m WHERE session_key = $1 AND turn_id IN (SELECT turn_id FROM messages WHERE content LIKE '%%answer %d')
					OR inbox_id IN (SELECT id FROM inbox WHERE body LIKE '%%answer %d')`, n, n)))
		}
		if got[n] > 1 {
			out.givenTwice++
			k.t.Logf("message %d of %s was given to its agent %d times", n, talk.key, got[n])
		}
		if ran[n] > 1 || allowed[n] > 1 {
			out.ranTwice++
		}
	}
	return out
}

func numberLines(lines []string) map[int]int {
	out := map[int]int{}
	for _, line := range lines {
		if n, err := strconv.Atoi(line); err == nil {
			out[n]++
		}
	}
	return out
}

// TestCodingAgentKills_AtRandomMomentsLeaveEachMessageAnsweredOnceOrSaidAsUnknown prints what kills of the server, its runner and the
// agents cost in the middle of turns that speak, run commands and ask people.
func TestCodingAgentKills_AtRandomMomentsLeaveEachMessageAnsweredOnceOrSaidAsUnknown(t *testing.T) {
	t.Parallel()
	k := newCoders(t)
	var times int
	times, k.chance = agentKills(t)
	ctx, over := context.WithCancel(t.Context())
	defer over()
	watched, leave := context.WithCancel(t.Context())
	defer leave()
	var load, feeds sync.WaitGroup
	talks := map[string]*talk{}
	for i, name := range agents.Names() {
		talk := k.newTalk()
		talks[name] = talk
		talk.untilEnded(time.Minute, talk.send("/model "+name))
		talk.queue([]string{"steer", "followup"}[i%2])
		ends := make(chan chat.TurnState, 100)
		feeds.Go(func() { k.attend(watched, talk, ends) })
		load.Go(func() { k.converse(ctx, talk, ends) })
	}
	for k.struck() < times {
		rest(t.Context(), time.Duration(100+k.chance.IntN(2000))*time.Millisecond)
		k.strike()
		if n := k.struck(); n%10 == 9 {
			t.Logf("%d of %d kills", n+1, times)
		}
	}
	over()
	load.Wait()
	k.settle()
	for _, talk := range talks { // a thread that was left goes on
		require.Equal(t, chat.TurnDone, talk.untilEnded(crashLimit, talk.send("recall")).State, talk.dump())
	}
	leave()
	feeds.Wait()
	k.table(talks)
}

// table prints what the kills cost, and fails where anything was lost or done twice.
func (k *coders) table(talks map[string]*talk) {
	k.t.Helper()
	all, err := agenttest.AllGiven(k.folder)
	require.NoError(k.t, err)
	k.t.Logf("kills: %v", k.kills)
	k.t.Logf("%-9s %9s %9s %16s %8s %12s %6s %7s %12s %10s", "agent", "messages", "answered", "said as unknown", "refused", "to question", "twice", "silent", "given twice", "ran twice")
	bad := 0
	for _, name := range agents.Names() {
		var given []string
		for _, one := range all {
			if one.Agent == name {
				given = append(given, one.Text)
			}
		}
		n := k.tally(talks[name], given)
		k.t.Logf("%-9s %9d %9d %16d %8d %12d %6d %7d %12d %10d", name, n.messages, n.answered, n.unknown, n.refused, n.toQuestion, n.twice, n.silent, n.givenTwice, n.ranTwice)
		bad += n.twice + n.silent + n.givenTwice + n.ranTwice + n.refused
		talks[name].wellFormed()
	}
	require.Zero(k.t, bad, "messages that were lost, answered twice, given twice, or whose commands ran twice")
}
