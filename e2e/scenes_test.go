package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
)

func TestScenes_CommandsRunWithinTheSandboxOfTheirScene(t *testing.T) {
	t.Parallel()
	p, err := onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	s := newServer(t, "NAPCAT_MODE=reverse", "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s", "ADMIN_CHAT_ID=20007") // commands on the host are hers alone
	s.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"], privateScenes: {
		chat: {enabled: true, sandbox: {files: "read_only", network: "off"}}, work: {enabled: true, triggerTag: "#work"}}}}}`)
	p.Dial(onebottest.Client{URL: strings.Replace(s.url, "http", "ws", 1) + "/channels/napcat", Token: "napcat-secret"})
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	carol := onebottest.Person("20007")
	reach := `python3 -c "import socket; socket.socket(socket.AF_INET)"`
	made := func(name string) bool {
		_, err := os.Stat(filepath.Join(s.traces, name))
		return err == nil
	}
	for _, c := range []struct {
		name, before string
		free         bool
	}{{"chat", "", false}, {"work", "#work\n", true}} {
		command := "touch " + filepath.Join(s.traces, c.name) + "; " + reach + " && touch " + filepath.Join(s.traces, c.name+"-reached") + "; true"
		p.Say(carol, "20007", onebottest.Text(c.before+call("Shell", args{"command": command})+"\nsay done in "+c.name))
		saw(t, p, carol, "done in "+c.name)
		require.Equal(t, c.free, made(c.name), c.name)
		require.Equal(t, c.free, made(c.name+"-reached"), c.name)
		system := s.model.Requests()[len(s.model.Requests())-1].System
		require.Equal(t, !c.free, strings.Contains(system, "Here no file can be changed, and commands reach no network."), c.name)
	}
	p.Say(carol, "20007", onebottest.Text("!touch "+filepath.Join(s.traces, "bang")))
	saw(t, p, carol, "exit code 1")
	require.False(t, made("bang"), "what a person writes by hand is held, too")

	p.Say(carol, "20007", onebottest.Text(call("FileCreate", args{"path": filepath.Join(s.traces, "file"), "content": "x"})+"\nsay tried"))
	saw(t, p, carol, "tried")
	require.False(t, made("file"), "nor do tools write files")
	require.Eventually(t, func() bool {
		return count(t, s.look(), "SELECT count(*) FROM tool_calls WHERE name = 'FileCreate' AND is_error") == 1
	}, time.Minute, 20*time.Millisecond)
}

func TestScenes_CommandsRunOnTheRunnerOfTheirScene(t *testing.T) {
	t.Parallel()
	p, err := onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	p.AddPerson("20008", "Dave")
	s := newServer(t, "NAPCAT_MODE=reverse", "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s", "ADMIN_CHAT_ID=20007", "XBOT_RUNNER_WAIT=1s")
	l := s.newLaptop() // of the administrator, who is Carol
	_, err = s.client.UseModel(t.Context(), chat.LLMServer)
	require.NoError(t, err)
	_, err = s.client.UseRunner(t.Context(), "local")
	require.NoError(t, err)
	s.inForce(`{permissions: {others: "auto"}, channels: {napcat: {dmPolicy: "open", allowFrom: ["*"], privateScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#work", runner: "laptop"}}}}}`)
	p.Dial(onebottest.Client{URL: strings.Replace(s.url, "http", "ws", 1) + "/channels/napcat", Token: "napcat-secret"})
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	carol, dave := onebottest.Person("20007"), onebottest.Person("20008")
	ran := func(place onebottest.Place, who, before, said string) (runner, result string) {
		t.Helper()
		p.Say(place, who, onebottest.Text(before+call("Shell", args{"command": "echo in $PWD >" + filepath.Join(s.traces, said) + "; pwd"})+"\nsay "+said))
		saw(t, p, place, said)
		require.NoError(t, s.database().QueryRow(t.Context(), "SELECT runner, result FROM tool_calls ORDER BY started_at DESC LIMIT 1").Scan(&runner, &result))
		return runner, result
	}
	runner, result := ran(carol, "20007", "", "chatted")
	require.Equal(t, "local", runner)
	require.NotContains(t, result, l.workspace)
	runner, result = ran(carol, "20007", "#work\n", "worked")
	require.Equal(t, "laptop", runner)
	require.Contains(t, result, l.workspace)

	_, result = ran(dave, "20008", "#work\n", "refused")
	require.Contains(t, result, "The policy lets the commands of this conversation run on the runner `laptop` alone")
	require.NoFileExists(t, filepath.Join(s.traces, "refused"), "another one's laptop is not his")
	l.kill()
	s.untilRunner("laptop", false)
	_, result = ran(carol, "20007", "#work\n", "away")
	require.Contains(t, result, "runner laptop is offline (waited 1s)")
	require.NoFileExists(t, filepath.Join(s.traces, "away"), "nothing runs elsewhere instead")
}

func TestScenes_ModelEffortAndApprovalsAreThoseOfTheScene(t *testing.T) {
	t.Parallel()
	s := newServer(t, "THINKER_KEY=sk-of-the-thinker")
	s.inForce(`{
		session: {identityLinks: {admin: ["matrix:@boss"]}},
		models: [
			{id: "anthropic/claude-scripted", alias: ["thinker"], baseUrl: "` + s.model.URL() + `", apiKeyEnv: "THINKER_KEY", maxOutput: 32000},
			{id: "openai/quick", baseUrl: "` + s.model.BaseURL() + `", apiKeyEnv: "THINKER_KEY"},
		],
		channels: {matrix: {allowFrom: ["@boss"], privateScenes: {
			chat: {enabled: true, model: "openai/quick", think: "low", permissions: "read_only"},
			work: {enabled: true, model: "thinker", think: "high", permissions: "ask"},
		}, accounts: {two: {privateScenes: {chat: {enabled: true}}}}}},
	}`)
	message := 0
	says := func(account, before, said string) (*talk, chat.InboxID) {
		message++
		e := direct(fmt.Sprint("m", message), "@boss", before+call("Shell", args{"command": "touch " + filepath.Join(s.traces, said)})+"\nsay "+said)
		e.Account = account
		out := s.bridge(e)
		require.Equal(t, "accepted", out.Outcome)
		return &talk{server: s, key: out.Session}, out.InboxID
	}
	ended := func(k *talk, id chat.InboxID) llmtest.Request {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
		requests := s.model.Requests()
		return requests[len(requests)-1]
	}

	r := ended(says("", "", "chatted"))
	require.Equal(t, "quick", r.Model)
	require.Contains(t, string(r.Raw), `"reasoning_effort":"low"`)
	require.NoFileExists(t, filepath.Join(s.traces, "chatted"), "nothing is changed there, although its person may do all")

	k, id := says("", "#work\n", "worked")
	asked := k.untilAsked(1)
	require.NoFileExists(t, filepath.Join(s.traces, "worked"))
	k.answer(asked.ID, apiclient.Answer{Decision: apiclient.Allow})
	r = ended(k, id)
	require.Equal(t, "claude-scripted", r.Model)
	require.Equal(t, llmtest.Anthropic, r.Dialect)
	require.Contains(t, string(s.model.Requests()[r.N-1].Raw), `"budget_tokens":20480`)
	require.FileExists(t, filepath.Join(s.traces, "worked"), "allowed by a person")

	r = ended(says("two", "", "free"))
	require.Equal(t, "scripted", r.Model, "another bot is as it was")
	require.NotContains(t, string(r.Raw), "reasoning_effort")
	require.FileExists(t, filepath.Join(s.traces, "free"))
}
