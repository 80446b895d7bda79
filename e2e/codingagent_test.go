package e2e

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/codingagent/agenttest"
)

// newCoder starts a server whose runner has the scripted coding agents, and a conversation that codex answers.
func newCoder(t *testing.T) *talk {
	t.Helper()
	s := newServer(t, "PATH="+agenttest.Install(t)+":"+os.Getenv("PATH"))
	s.inForce(`{models: [{id: "codex/default", alias: ["codex"], dialect: "codex"}]}`)
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send("/model codex"))
	return k
}

// reply is the newest message of the agent.
func (k *talk) reply() (last chat.Message) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleAssistant {
			last = m
		}
	}
	return last
}

func TestCodingAgent_AnswersInPlaceOfAModelAndGoesOnWithItsThread(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	turn := k.untilEnded(crashLimit, k.send("think hm", "run echo a >> "+k.file("ran"), "say on my way", "say hello there"))
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, []string{"hello there"}, k.answers())
	require.Equal(t, "codex/default", k.lastModel())
	require.Contains(t, k.reply().Reasoning, "on my way")
	require.Contains(t, k.reply().Reasoning, "› echo a")
	require.Equal(t, []string{"a"}, k.trace("ran"))
	require.Equal(t, chat.Usage{PromptTokens: 100, CachedTokens: 40, CompletionTokens: 10}, turn.Usage, "what it says that it took is booked")

	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	require.Regexp(t, "^turns: 1; last: .*\nthink hm\n", k.answers()[1], "the same thread goes on")
	status := regexp.MustCompile("codex resume (thr_[0-9]+)").FindStringSubmatch(k.command("/status"))
	require.Len(t, status, 2)

	k.untilEnded(crashLimit, k.send("/new"))
	require.NotContains(t, k.command("/status"), "codex resume", "a conversation that begins anew has no thread yet")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	require.Contains(t, k.reply().Content, "turns: 0;")

	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("/session "+status[1]+" recall")).State)
	require.Contains(t, k.reply().Content, "turns: 2;", "a thread that was there before is gone on with")
	require.Contains(t, k.notices()[len(k.notices())-1], "codex goes on with its thread `"+status[1]+"`")
	require.Empty(t, k.model.Requests(), "no model was asked")
	k.wellFormed()
}

func TestCodingAgent_TheDoctorSaysWhetherSomebodyIsLoggedIn(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	said, err := k.operate("doctor")
	require.NoError(t, err, said)
	require.Contains(t, said, "codex/default on local of admin: somebody is logged in")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("run touch .fakeagent/logged-out", "say bye")).State)
	said, err = k.operate("doctor")
	require.NoError(t, err, said)
	require.Contains(t, said, "codex/default on local of admin: codex finds no log-in of its own; it last answered at ", "a turn that was answered is the better proof")
	require.Equal(t, chat.TurnFailed, k.untilEnded(crashLimit, k.send("say hello")).State)
	require.Contains(t, k.lastNotice(), "Run `codex login` on that machine")
	said, err = k.operate("doctor")
	require.Error(t, err)
	require.Contains(t, said, "nobody is logged in to codex: run codex login on that machine")
}

func TestCodingAgent_AsksOnACardThatSurvivesAKillAndRunsWhatIsAllowedOnce(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	id := k.send("say before", "ask approval echo a >> "+k.file("asked"), "ask question Which one? | red | blue", "say end")
	call := k.untilAsked(1)
	require.Contains(t, call.Approval.Questions[0].Text, "echo a >> ")
	require.Equal(t, "Allow", call.Approval.Questions[0].Options[0].Label)
	k.crash()
	k.boot()
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "the question is still open after a restart")
	require.Empty(t, k.trace("asked"), "nothing runs before the answer")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"Allow"}}})
	k.crash() // the wake may be lost with it
	k.boot()
	second := k.untilAsked(2)
	require.Equal(t, "Which one?", second.Approval.Questions[0].Text)
	k.answer(second.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"blue"}}})
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
	require.Equal(t, []string{"end"}, k.answers())
	require.Contains(t, k.reply().Reasoning, "chosen: blue")
	require.Equal(t, 10, turn.Usage.CompletionTokens, "booked once")
	k.wellFormed()
}

func TestCodingAgent_AKilledServerAndRunnerGoOnReadingAndNothingRunsTwice(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	k.queue("steer")
	id := k.send("say one", "run echo a >> "+k.file("once"), "wait", "say end")
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, 10*time.Millisecond)
	k.crash()
	k.boot()
	signal(t, k.child("xbot-runner"), syscall.SIGKILL)
	k.send("go on")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("once"))
	require.Equal(t, []string{"end"}, k.answers())
	require.Contains(t, k.reply().Reasoning, "steered: ", "what was written meanwhile reached the process")
	require.Equal(t, 1, strings.Count(k.reply().Reasoning, "one\n"), "what it said before the kill stands once")
	k.wellFormed()
}

func TestCodingAgent_AProcessThatIsKilledHasAnUnknownOutcomeAndItsThreadGoesOn(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	id := k.send("say one", "run echo a >> "+k.file("once")+"; kill -9 $PPID", "say never")
	require.Equal(t, chat.TurnFailed, k.untilEnded(crashLimit, id).State)
	require.Contains(t, k.lastNotice(), "the outcome is unknown")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	require.Regexp(t, "^turns: 1; last: .*\nsay one\n", k.reply().Content, "the next turn goes on with the thread")
	require.Equal(t, []string{"a"}, k.trace("once"), "nothing ran a second time")
	k.wellFormed()
}

func TestCodingAgent_ThatDiesWhileItAsksClosesItsQuestionAlsoWhereTheServerIsKilledWithIt(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	dies := func(file string) string {
		return "run (" + k.untilFile(file) + "; kill -9 $PPID) >/dev/null 2>&1 &"
	}
	id := k.send("say one", dies("first"), "ask approval echo a >> "+k.file("asked"))
	k.untilAsked(1)
	k.touch("first")
	require.Equal(t, chat.TurnFailed, k.untilEnded(crashLimit, id).State)
	require.Contains(t, k.lastNotice(), "codex ended while it waited for your answer (exit code 137)")
	require.True(t, k.lastApproval().AgentEnded())

	id = k.send("say two", dies("second"), "ask approval echo b >> "+k.file("asked"))
	k.untilAsked(2)
	k.crash()
	k.touch("second")
	require.Eventually(t, func() bool { return k.shims() == 0 }, time.Minute, 10*time.Millisecond)
	k.boot()
	require.Equal(t, chat.TurnFailed, k.untilEnded(crashLimit, id).State)
	require.Contains(t, k.lastNotice(), "codex ended while it waited for your answer (exit code 137)")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	require.Contains(t, k.reply().Content, "turns: 2;", "the thread goes on")
	require.Empty(t, k.trace("asked"), "nothing ran")
	k.wellFormed()
}

func TestCodingAgent_AStopAndARunThatIsGoneLeaveNoProcess(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	id := k.send("say so far", "run echo a >> "+k.file("one"), "wait")
	require.Eventually(t, func() bool { return len(k.trace("one")) == 1 }, time.Minute, 10*time.Millisecond)
	require.NotZero(t, k.shims())
	k.send("/stop")
	require.Equal(t, chat.TurnStopped, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"so far"}, k.answers(), "what it said stays")
	require.Eventually(t, func() bool { return k.shims() == 0 }, time.Minute, 50*time.Millisecond)

	id = k.send("run echo b >> "+k.file("two"), "wait")
	require.Eventually(t, func() bool { return len(k.trace("two")) == 1 }, time.Minute, 10*time.Millisecond)
	k.terminate(k.key)
	require.Equal(t, chat.TurnLost, k.untilEnded(crashLimit, id).State)
	require.Eventually(t, func() bool { return k.shims() == 0 }, time.Minute, 50*time.Millisecond, "nobody waits for it")
}

func TestCodingAgent_AndModelsKnowWhatTheOthersSaidAndDid(t *testing.T) {
	t.Parallel()
	s := newServer(t, "PATH="+agenttest.Install(t)+":"+os.Getenv("PATH"))
	s.inForce(`{models: [{id: "codex/default", alias: ["codex"], dialect: "codex"}]}`)
	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say the capital is Paris")).State)
	k.untilEnded(time.Minute, k.send("/model codex"))
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("run echo a >> "+k.file("ran"), "say I wrote it")).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	given := k.reply().Content
	require.Equal(t, 1, strings.Count(given, "[ASSISTANT] the capital is Paris"), given)
	require.Regexp(t, "(?s)<history>.*Paris.*</history>.*\\[What you are asked now\\].*say I wrote it$", given)
	k.untilEnded(time.Minute, k.send("/model default"))
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say I see")).State)
	require.Equal(t, "I see", k.reply().Content)
	var seen []string
	for _, m := range k.model.Requests()[k.model.Count()-1].Messages {
		seen = append(seen, m.Content)
	}
	require.Contains(t, seen, "I wrote it\n\n[What codex did for this answer]\n› echo a >> "+k.file("ran"))
	k.untilEnded(time.Minute, k.send("/model codex"))
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("say again")).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	require.Contains(t, k.reply().Content, "turns: 3;", "its thread goes on")
	require.Contains(t, k.reply().Content, "[ASSISTANT] I see")
	require.NotContains(t, k.reply().Content, "Paris", "nothing is told twice")
	k.wellFormed()
}

// shims are the commands that the server's runner has under way.
func (k *talk) shims() int { return len(find(k.t, "shim", k.home)) }

func TestCodingAgent_SeesThePhotoThatAPersonSendsOnAPlatform(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t, "PATH="+agenttest.Install(t)+":"+os.Getenv("PATH"))
	s.inForce(`{session: {identityLinks: {admin: ["napcat:20007"]}}, channels: {napcat: {dmPolicy: "open", allowFrom: ["*", "20007"]}},
		models: [{id: "claude/default", alias: ["claude"], dialect: "claude"}]}`)
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(carol, "20007", onebottest.Text("/model claude"))
	saw(t, p, carol, "claude/default")
	p.Say(carol, "20007", onebottest.Text("see"), p.File("image", "", photo(t, 33, 20)))
	saw(t, p, carol, "pictures: 1; image/png of ")
	require.Empty(t, s.model.Requests(), "no model was asked")
}

func TestCodingAgent_WhatIsSaidWhileItAsksIsAnAnswerOrIsSaidToBeNone(t *testing.T) {
	t.Parallel()
	k := newCoder(t)
	id := k.send("ask approval echo a >> "+k.file("asked"), "say end")
	k.untilAsked(1)
	k.send("say answer 7")
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "what fits no answer answers nothing")
	require.Contains(t, k.lastNotice(), "`/deny` declines to answer.")
	require.Contains(t, k.transcript().Messages[len(k.transcript().Messages)-2].Content, "say answer 7", "it stands in the conversation")
	k.send("Allow")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
	require.Equal(t, []string{"end"}, k.answers())
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send("recall")).State)
	require.Contains(t, k.reply().Content, "turns: 1;", "the agent was given nothing else")
	k.wellFormed()
}
