package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
)

// laptop is a runner of the server's administrator, on a machine of theirs, with a model of its own.
type laptop struct {
	*process
	workspace string
	model     *llmtest.Server
}

// newLaptop makes the runner, starts it as the answer says, and makes it the active one.
func (s *server) newLaptop() *laptop {
	s.t.Helper()
	made, err := s.client.CreateRunner(s.t.Context(), "laptop")
	require.NoError(s.t, err)
	folder := s.t.TempDir()
	token := filepath.Join(folder, "laptop.token")
	require.NoError(s.t, os.WriteFile(token, []byte(made.Token+"\n"), 0o600))
	l := &laptop{workspace: s.t.TempDir(), model: llmtest.New(s.t)}
	said := strings.Fields(strings.Replace(made.Command, "laptop.token", token, 1))
	require.Equal(s.t, "xbot-runner", said[0])
	l.process = newProcess(s.t, said[0], []string{"XBOT_RUNNER_LLM_KEY=key-of-the-laptop"}, append(said[1:],
		"--workspace", l.workspace, "--state", filepath.Join(folder, "state"),
		"--llm-provider", "openai", "--llm-base-url", l.model.BaseURL(), "--llm-model", "mine")...)
	l.start()
	s.untilRunner("laptop", true)
	all, err := s.client.UseRunner(s.t.Context(), "laptop")
	require.NoError(s.t, err)
	require.Equal(s.t, "openai/mine", all.Model)
	return l
}

// untilRunner waits until a runner is online, or is not.
func (s *server) untilRunner(name string, online bool) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		all, err := s.client.ListRunners(s.t.Context())
		require.NoError(s.t, err)
		for _, r := range all.Runners {
			if r.Name == name {
				return r.Online == online
			}
		}
		return !online
	}, time.Minute, 20*time.Millisecond, "runner %s: online is not %t", name, online)
}

// lastModel is the model of the newest answer.
func (k *talk) lastModel() string {
	k.t.Helper()
	messages := k.transcript().Messages
	return messages[len(messages)-1].Model
}

func TestRunner_OfAPersonRunsTheirCommandsAndTheirModelAndNothingElseDoesInItsPlace(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_RUNNER_WAIT=1s", "LLM_RETRY_DELAY=10ms", "LLM_RETRY_ATTEMPTS=2")
	l := s.newLaptop()
	k := s.newTalk()

	id := k.send(k.shell("pwd; touch here"), "say from the laptop")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, l.workspace)
	require.FileExists(t, filepath.Join(l.workspace, "here"))
	require.Equal(t, "openai/mine", k.lastModel())
	require.Empty(t, s.model.Requests(), "the server's model was not asked")
	require.Contains(t, l.model.Requests()[0].Header.Get("Authorization"), "key-of-the-laptop")

	_, err := s.client.UseModel(t.Context(), chat.LLMServer)
	require.NoError(t, err)
	id = k.send("say from the server")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, "openai/scripted", k.lastModel())

	l.kill()
	s.untilRunner("laptop", false)
	id = k.send(k.shell("touch %s", k.file("elsewhere")), "say sorry")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "runner laptop is offline (waited 1s)")
	_, err = s.client.UseModel(t.Context(), chat.LLMAuto)
	require.NoError(t, err)
	asked := len(s.model.Requests())
	id = k.send("say from the laptop again")
	k.untilWaits(1)
	require.Equal(t, 1, k.saying("runner laptop is offline"))
	require.Len(t, s.model.Requests(), asked, "the server's model did not answer in its place")

	l.start()
	s.untilRunner("laptop", true)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, "openai/mine", k.lastModel())
	said, err := s.operate("runner", "list")
	require.NoError(t, err, said)
	require.Regexp(t, `laptop\s+admin\s+native\s+online`, said)
	said, err = s.operate("runner", "revoke", "laptop")
	require.NoError(t, err, said)
	require.Contains(t, said, "Runner laptop of admin is revoked")
	require.Eventually(t, func() bool { return strings.Contains(l.out.String(), "unknown or was revoked") }, time.Minute, 10*time.Millisecond)
	id = k.send(k.shell("touch %s", k.file("elsewhere")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "there is no runner laptop any more")
	require.NoFileExists(t, k.file("elsewhere"), "nothing ran on the host")
	k.wellFormed()
}

func TestRunner_ItsTokenIsRenewedByTheOperator(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l := s.newLaptop()
	said, err := s.operate("runner", "create", "laptop")
	require.Error(t, err)
	require.Contains(t, said, "there is a runner named \"laptop\" already")
	said, err = s.operate("runner", "create", "Laptop")
	require.Error(t, err)
	require.Contains(t, said, "cannot be a runner's name")
	said, err = s.operate("runner", "token", "laptop")
	require.NoError(t, err, said)
	fields := strings.Fields(said)
	require.Eventually(t, func() bool { return strings.Contains(l.out.String(), "unknown or was revoked") }, time.Minute, 10*time.Millisecond)
	for i, arg := range l.args {
		if arg == "--token-file" {
			require.NoError(t, os.WriteFile(l.args[i+1], []byte(fields[len(fields)-1]), 0o600))
		}
	}
	s.untilRunner("laptop", true) // the file is read again at each connection
}

func TestRunner_OfTheServerHasTheLimitsOfItsSettings(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_LIMIT_FILE_SIZE=1M", "XBOT_LIMIT_PROCESSES=0", "XBOT_LIMIT_FREE=0")
	k := s.newTalk()
	file := k.file("big")
	id := k.send(k.shell("head -c 2M /dev/zero >%s; wc -c <%s", file, file), "say so much")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "1048576\n")
}

func TestRunner_OfAGroupIsMadeByTheOperatorAndRunsItsCommands(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	s.inForce(`{permissions: {others: "auto"}, channels: {napcat: {groups: {"20001": {}}}}}`)
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	team, bot := onebottest.Group("20001"), onebottest.At(p.Self())
	file := filepath.Join(s.traces, "ran")
	ask := onebottest.Text(" " + call("Shell", args{"command": "echo ran >>" + file}) + "\nsay done")
	p.Say(team, "20007", bot, ask)
	saw(t, p, team, "done")
	require.NoFileExists(t, file, "it has no runner yet")

	said := strings.Fields(s.operated("runner", "create", "shared", "--session", "agent:main:napcat:group:20001"))
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(said[len(said)-1]), 0o600))
	newProcess(t, "xbot-runner", nil, "--server", "ws"+strings.TrimPrefix(s.url, "http")+"/api/runners/connect", "--token-file", token,
		"--workspace", s.traces, "--state", filepath.Join(t.TempDir(), "state")).start()
	require.Eventually(t, func() bool {
		return regexp.MustCompile(`(?m)^shared .* online `).MatchString(s.operated("runner", "list"))
	}, time.Minute, 100*time.Millisecond)
	p.Say(team, "20007", bot, ask)
	require.Eventually(t, func() bool { return len(seenAt(p, team)) == 2 }, time.Minute, 20*time.Millisecond)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(data))
}
