package e2e

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/llm/llmtest"
)

// realScenario is a test case for the coding agents from npm. Each case runs in a new conversation.
type realScenario struct {
	name  string
	run   func(k *talk, agent string)
	lacks map[string]string // the agents that cannot do it, with the reason, which the guide also gives
}

var realScenarios = []realScenario{
	{name: "plain", run: realPlain},
	{name: "command with approval", run: realApproval},
	{name: "refusal", run: realRefusal},
	{name: "stop", run: realStop},
	{name: "message while it works", run: realSteer},
	{name: "next turn goes on", run: realResume},
	{name: "picture", run: realPicture},
	{name: "server killed while a command runs", run: realServerKilled},
	{name: "agent killed while a command runs", run: realAgentKilled},
	{name: "agent killed while it asks", run: func(k *talk, agent string) { realKilledAsking(k, agent, false) }},
	{name: "agent and server killed while it asks", run: func(k *talk, agent string) { realKilledAsking(k, agent, true) }},
}

// TestRealCodingAgents_DoWhatTheGuideSays runs every scenario with every coding agent of npm on one server with a confined runner, and prints
// a table. It runs where XBOT_REAL_AGENTS is set.
func TestRealCodingAgents_DoWhatTheGuideSays(t *testing.T) {
	t.Parallel()
	model, workspace := llmtest.New(t), t.TempDir()
	s := newServer(t, append(agenttest.InstallReal(t, false, model.URL()), "XBOT_WORKSPACE="+workspace)...)
	s.model, s.traces = model, workspace
	var models []string
	for _, name := range agenttest.RealNames() {
		models = append(models, `{id: "`+name+`/default", alias: ["`+name+`"], dialect: "`+name+`", agent: {approvals: "untrusted"}}`)
	}
	s.inForce(`{models: [` + strings.Join(models, ", ") + `]}`)
	said, err := s.operate("doctor")
	require.NoError(t, err, said)
	var table bytes.Buffer
	rows := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = rows.Write([]byte(strings.Join(cells, "\t") + "\n")) } // into memory
	row(append([]string{"scenario"}, agenttest.RealNames()...)...)
	for _, sc := range realScenarios {
		cells := []string{sc.name}
		for _, agent := range agenttest.RealNames() {
			if reason := sc.lacks[agent]; reason != "" {
				cells = append(cells, reason)
				continue
			}
			began := time.Now()
			passed := t.Run(sc.name+"/"+agent, func(t *testing.T) {
				own := *s
				own.t = t
				k := own.newTalk()
				k.untilEnded(time.Minute, k.send("/model "+agent))
				sc.run(k, agent)
				k.wellFormed()
			})
			cells = append(cells, map[bool]string{true: "passed", false: "failed"}[passed]+" in "+time.Since(began).Round(100*time.Millisecond).String())
		}
		row(cells...)
	}
	require.NoError(t, rows.Flush())
	t.Logf("%s\n%s", strings.Join(agenttest.RealVersions(t), ", "), &table)
	said, err = s.operate("doctor")
	require.NoError(t, err, said)
	require.NotContains(t, said, "nobody is logged in")
}

// asksFor sends a message that has an agent ask for a command, and returns its question.
func (k *talk) asksFor(agent, command string, then ...string) (chat.InboxID, chat.CallID) {
	k.t.Helper()
	id := k.send(append([]string{"say I will run it", agenttest.RealCall(k.t, agent, command), "then"}, then...)...)
	call := k.untilAsked(1)
	require.Empty(k.t, k.trace("ran"), "nothing runs before the answer")
	return id, call.ID
}

// choose answers the question of an agent.
func (k *talk) choose(call chat.CallID, option string) {
	k.t.Helper()
	k.answer(call, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {option}}})
}

// runsCommand has an agent run a command that ends when touch makes the file "go".
func (k *talk) runsCommand(agent string, then ...string) chat.InboxID {
	k.t.Helper()
	id, call := k.asksFor(agent, "echo a >> "+k.file("ran")+"; "+k.untilFile("go"), then...)
	k.choose(call, "Allow")
	require.Eventually(k.t, func() bool { return len(k.trace("ran")) == 1 }, crashLimit, 20*time.Millisecond, "the command runs")
	return id
}

// endsWith waits for the end of a turn that is answered with a text.
func (k *talk) endsWith(id chat.InboxID, text string) {
	k.t.Helper()
	require.Equal(k.t, chat.TurnDone, k.untilEnded(crashLimit, id).State, k.dump())
	require.Contains(k.t, k.reply().Content, text)
}

// failsAndGoesOn waits for the end of a turn that failed with a notice, and tries that the next message is answered.
func (k *talk) failsAndGoesOn(id chat.InboxID, notice string) {
	k.t.Helper()
	require.Equal(k.t, chat.TurnFailed, k.untilEnded(crashLimit, id).State, k.dump())
	require.Contains(k.t, k.lastNotice(), notice)
	k.endsWith(k.send("say back again"), "back again")
}

// killAgents kills the coding agents of the server: all that runs below shims.
func (s *server) killAgents() {
	s.t.Helper()
	var kill func(parent int)
	kill = func(parent int) {
		for _, pid := range children(s.t, parent, "") {
			kill(pid)
			signal(s.t, pid, syscall.SIGKILL)
		}
	}
	for _, shim := range find(s.t, "shim", s.home) {
		kill(shim)
	}
}

func realPlain(k *talk, _ string) { k.endsWith(k.send("say hello there"), "hello there") }

func realApproval(k *talk, agent string) {
	home, err := os.UserHomeDir()
	require.NoError(k.t, err)
	outside := filepath.Join(home, ".xbot-real-agent-escape")
	id, call := k.asksFor(agent, "echo a >> "+k.file("ran")+"; at="+home+"; touch $at/.xbot-real-agent-escape || echo walled >> "+k.file("ran"), "say end")
	k.choose(call, "Allow")
	k.endsWith(id, "end")
	require.Equal(k.t, []string{"a", "walled"}, k.trace("ran"))
	require.NoFileExists(k.t, outside)
}

func realRefusal(k *talk, agent string) {
	id, call := k.asksFor(agent, "echo a >> "+k.file("ran"), "say end")
	k.choose(call, "Refuse")
	require.Equal(k.t, chat.TurnDone, k.untilEnded(crashLimit, id).State, k.dump())
	require.Empty(k.t, k.trace("ran"))
}

func realStop(k *talk, agent string) {
	id := k.runsCommand(agent, "say never")
	k.send("/stop")
	require.Equal(k.t, chat.TurnStopped, k.untilEnded(crashLimit, id).State, k.dump())
	require.Eventually(k.t, func() bool { return k.shims() == 0 }, time.Minute, 50*time.Millisecond, "no process is left")
	k.endsWith(k.send("say back again"), "back again")
}

func realSteer(k *talk, agent string) {
	k.queue("steer")
	id := k.runsCommand(agent, "say first")
	k.send("say steered")
	require.Eventually(k.t, func() bool { return len(k.transcript().Queued) == 0 }, crashLimit, 50*time.Millisecond, "the running turn takes the message")
	k.touch("go")
	k.endsWith(id, "steered")
	turns := map[chat.TurnID]bool{}
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleAssistant {
			turns[m.Turn] = true
		}
	}
	require.Len(k.t, turns, 1, "both messages have one turn")
}

func realResume(k *talk, _ string) {
	before := k.model.Count()
	k.endsWith(k.send("say the word is plum"), "the word is plum")
	k.endsWith(k.send("say again"), "again")
	for _, r := range k.model.Requests()[before:] {
		knows, asked := false, false
		for _, m := range r.Messages {
			knows = knows || m.Role == "assistant" && strings.Contains(m.Content, "the word is plum")
			asked = asked || knows && m.Role == "user" && strings.Contains(m.Content, "say again")
		}
		if asked {
			return
		}
	}
	require.Fail(k.t, "the model was not given the earlier turn")
}

func realPicture(k *talk, agent string) {
	before := k.model.Count()
	f, err := k.client.Upload(k.t.Context(), k.key, "", agent+".png", bytes.NewReader(photo(k.t, 33, 20)))
	require.NoError(k.t, err)
	sent, err := k.client.SendMessage(k.t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "picture-" + agent, Text: "say I see it", Files: []string{f.Path}})
	require.NoError(k.t, err)
	k.endsWith(sent.ID, "I see it")
	for _, r := range k.model.Requests()[before:] {
		for _, m := range r.Messages {
			for _, p := range m.Pictures {
				if shown, _, err := image.DecodeConfig(bytes.NewReader(p.Data)); err == nil && shown.Width == 33 && strings.Contains(m.Content, "I see it") {
					return
				}
			}
		}
	}
	require.Fail(k.t, "the model was not shown the picture")
}

func realServerKilled(k *talk, agent string) {
	id := k.runsCommand(agent, "say end")
	k.crash()
	k.boot()
	k.touch("go")
	k.endsWith(id, "end")
	require.Equal(k.t, []string{"a"}, k.trace("ran"), "the command ran once")
}

func realAgentKilled(k *talk, agent string) {
	id := k.runsCommand(agent, "say never")
	k.killAgents()
	k.failsAndGoesOn(id, "the outcome is unknown")
	require.Equal(k.t, []string{"a"}, k.trace("ran"), "the command ran once")
}

func realKilledAsking(k *talk, agent string, server bool) {
	id, _ := k.asksFor(agent, "echo a >> "+k.file("ran"), "say never")
	if server {
		k.crash()
	}
	k.killAgents()
	if server {
		k.boot()
	}
	k.failsAndGoesOn(id, agent+" ended while it waited for your answer")
	require.Empty(k.t, k.trace("ran"), "nothing ran")
}
