package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	metadata "go.temporal.io/api/sdk/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/workflows"
)

// askForShell makes every command of the installation wait for permission.
const askForShell = "XBOT_TOOL_RULES=Shell=ask"

// untilAsked waits until the n-th question of the session is open, from 1, and returns its call.
func (k *talk) untilAsked(n int) chat.ToolEvent {
	k.t.Helper()
	var got chat.ToolEvent
	asked := map[chat.CallID]bool{}
	k.until(crashLimit, "a question", func(e chat.Event) bool {
		if e.Kind != chat.EventTool {
			return false
		}
		got = decode[chat.ToolEvent](k.t, e)
		if got.Approval != nil {
			asked[got.ID] = true
		}
		return len(asked) == n
	})
	return got
}

// answer answers for a call.
func (k *talk) answer(call chat.CallID, a apiclient.Answer) chat.ToolCall {
	k.t.Helper()
	got, err := k.client.AnswerApproval(k.t.Context(), k.key, call, a)
	require.NoError(k.t, err)
	require.NotNil(k.t, got.Approval)
	return got
}

// lastApproval is the approval of the last call as a snapshot shows it.
func (k *talk) lastApproval() *chat.Approval {
	k.t.Helper()
	calls := lastCalls(k)
	require.NotEmpty(k.t, calls)
	return calls[0].Approval
}

func TestApproval_SurvivesTwoKillsAndRunsTheCommandOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send("say I will leave a trace.", k.shell("echo a >> %s", k.file("asked")), "say done")
	call := k.untilAsked(1)
	require.Equal(t, chat.ApprovalOpen, call.Approval.State)
	require.Contains(t, call.Summary, "echo a")
	require.Contains(t, k.details(), "waiting for approval: Shell · echo a")
	for range 2 {
		s.crash()
		s.boot()
		require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "the question is still open after a restart")
		require.Empty(t, k.trace("asked"), "nothing runs before the answer")
	}
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
	require.Equal(t, chat.ApprovalAllowed, k.lastApproval().State)
	require.Equal(t, []string{"done"}, k.answers())
	k.wellFormed()
}

// details are what an operator reads of the session's turn.
func (k *talk) details() string {
	k.t.Helper()
	value, err := k.temporal().QueryWorkflow(k.t.Context(), workflows.TurnID(k.key), "", "__temporal_workflow_metadata")
	require.NoError(k.t, err)
	var got metadata.WorkflowMetadata
	require.NoError(k.t, value.Get(&got))
	return got.GetCurrentDetails()
}

// A worker that gets the whole history of a run that it still holds, because the sticky task queue timed out or was reset, gives up what it
// holds and replays: what it gives up may not touch the run any more. The race detector sees it where it does.
func TestApproval_AReplayOfARunThatTheWorkerHoldsChangesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(k.shell("echo a >> %s", k.file("asked")), "say done")
	call := k.untilAsked(1)
	run := workflows.TurnID(k.key)
	for range 20 {
		_, err := k.temporal().WorkflowService().ResetStickyTaskQueue(t.Context(), &workflowservice.ResetStickyTaskQueueRequest{
			Namespace: s.namespace(), Execution: &common.WorkflowExecution{WorkflowId: run},
		})
		require.NoError(t, err)
		require.NoError(t, k.temporal().SignalWorkflow(t.Context(), run, "", workflows.SignalWake, nil))
		require.Contains(t, k.details(), "waiting for approval: Shell · echo a")
	}
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
	require.Equal(t, []string{"done"}, k.answers())
}

func TestApproval_AnsweredWithinACrashCounts(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(k.shell("echo a >> %s", k.file("asked")), "say done")
	call := k.untilAsked(1)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	s.crash() // the wake may be lost with it: the relay repeats it
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
}

func TestApproval_AChangedCallRunsAsChangedAndOnceThoughTheServerIsKilledRightAfterTheAnswer(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(k.shell("echo a >> %s", k.file("written")), "say done")
	call := k.untilAsked(1)
	changed, err := json.Marshal(map[string]string{"command": "echo b >> " + k.file("changed")})
	require.NoError(t, err)
	got := k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Arguments: changed})
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"b"}, k.trace("changed"))
	require.Empty(t, k.trace("written"), "what the model wrote never ran")
	calls := lastCalls(k)
	require.Equal(t, got.Arguments, calls[0].Arguments)
	require.Equal(t, call.Arguments, calls[0].Approval.Asked)
	require.Contains(t, calls[0].Result, i18n.Say(i18n.English, i18n.CallEdited))
	k.wellFormed()
}

func TestApproval_EverythingOfATurnIsAllowedAlsoAfterAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(k.shell("echo a >> %s", k.file("all")), k.shell("echo b >> %s", k.file("all")), "say done")
	call := k.untilAsked(1)
	turn, err := k.client.AllowTurn(t.Context(), k.key, call.Turn)
	require.NoError(t, err)
	require.NotNil(t, turn.Allows)
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a", "b"}, k.trace("all"))
	id = k.send(k.shell("echo c >> %s", k.file("all")), "say done")
	var asked chat.ToolEvent
	k.until(crashLimit, "the question of the next turn, which asks again", func(e chat.Event) bool {
		if e.Kind == chat.EventTool {
			asked = decode[chat.ToolEvent](t, e)
		}
		return asked.Turn != "" && asked.Turn != call.Turn && asked.Approval != nil
	})
	require.Equal(t, chat.ApprovalOpen, asked.Approval.State)
	k.answer(asked.ID, apiclient.Answer{Decision: apiclient.Deny})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a", "b"}, k.trace("all"))
	k.wellFormed()
}

func TestApproval_AnsweredWhileNoWorkerRuns(t *testing.T) {
	t.Parallel()
	p := newParts(t, askForShell)
	id := p.send("each", p.shell("echo a >> %s", p.file("first")), p.shell("echo b >> %s", p.file("second")), "say done")
	call := p.untilAsked(1)
	p.worker.kill()
	p.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	_, err := p.client.AnswerApproval(t.Context(), p.key, call.ID, apiclient.Answer{Decision: apiclient.Deny})
	require.Equal(t, fault.Conflict, fault.KindOf(err), "the answer was taken")
	require.Empty(t, p.trace("first"), "nobody works")
	p.worker.start()
	second := p.untilAsked(2)
	require.Equal(t, []string{"a"}, p.trace("first"))
	p.answer(second.ID, apiclient.Answer{Decision: apiclient.Deny, Note: "once is enough"})
	require.Equal(t, chat.TurnDone, p.untilEnded(crashLimit, id).State)
	require.Empty(t, p.trace("second"))
	require.Equal(t, []string{"done"}, p.answers())
	p.wellFormed()
}

func TestApproval_AnsweredWhileTemporalIsAway(t *testing.T) {
	t.Parallel()
	k := newServerWithStack(t, askForShell).newTalk()
	id := k.send(k.shell("echo a >> %s", k.file("asked")), "say done")
	call := k.untilAsked(1)
	signal(t, k.child("xbot-temporal"), syscall.SIGKILL)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
	k.wellFormed()
}

func TestApproval_ADenialReachesTheModelWithItsNote(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(k.shell("touch %s", k.file("never")), "say I see")
	call := k.untilAsked(1)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Deny, Note: "ask Ops first"})
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	requests := s.model.Requests()
	last, err := json.Marshal(requests[len(requests)-1])
	require.NoError(t, err)
	require.Contains(t, string(last), "the user denied this call: ask Ops first")
	require.NoFileExists(t, k.file("never"))

	_, err = k.client.AnswerApproval(t.Context(), k.key, call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "answered before: denied by admin")
	k.wellFormed()
}

func TestApproval_AStopEndsTheWaiting(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	id := k.send(k.shell("touch %s", k.file("never")), "say never")
	call := k.untilAsked(1)
	k.send("/stop")
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	require.Equal(t, chat.ApprovalVoid, k.lastApproval().State)
	_, err := k.client.AnswerApproval(t.Context(), k.key, call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.NoFileExists(t, k.file("never"))
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say next")).State)
	k.wellFormed()
}

func TestApproval_NobodyAnswersInTime(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell, "XBOT_APPROVAL_WAIT=1s")
	k := s.newTalk()
	id := k.send(k.shell("touch %s", k.file("never")), "say too late")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, chat.ApprovalDenied, k.lastApproval().State)
	require.Equal(t, i18n.Say(i18n.English, i18n.Unanswered), k.lastApproval().Note)
	require.NoFileExists(t, k.file("never"))
}

// appender makes a program that appends its input to a file, and returns its path.
func (k *talk) appender() string {
	k.t.Helper()
	dir, err := os.MkdirTemp("", "xa") // short: the button of a question names the program
	require.NoError(k.t, err)
	k.t.Cleanup(func() { require.NoError(k.t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, "append")
	require.NoError(k.t, os.WriteFile(path, []byte("#!/bin/sh\nexec cat >>\"$1\"\n"), 0o755))
	return path
}

func TestApproval_ByCommandAndAlways(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	appends := k.appender()
	id := k.send(k.shell("echo a >> %s", k.file("asked")), "say done")
	k.untilAsked(1)
	k.send("/approve")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	id = k.send(k.shell("echo b | %s %s", appends, k.file("asked")), "say done")
	k.answer(k.untilAsked(2).ID, apiclient.Answer{Decision: apiclient.Allow, Always: true})
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	id = k.send(k.shell("echo c | %s %s", appends, k.file("asked")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"a", "b", "c"}, k.trace("asked"))

	_, err := k.client.SetPermission(t.Context(), "Shell", apiclient.SetPermissionRequest{Rule: chat.RuleDeny})
	require.NoError(t, err)
	id = k.send(k.shell("echo d >> %s", k.file("asked")), "say denied")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Len(t, k.trace("asked"), 3)
	require.Nil(t, k.lastApproval(), "a denied tool asks nobody")
	k.wellFormed()
}

func TestPermissions_OfAPersonAndAConversationHoldAfterAKillAndForSubagents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	run := func(program ...string) { k.untilEnded(time.Minute, k.send(program...)) }
	appends := k.appender()
	writes := func(word string) string { return k.shell("echo %s | %s %s", word, appends, k.file("ran")) }
	_, err := k.client.ChoosePreset(t.Context(), string(chat.PresetAsk))
	require.NoError(t, err)
	id := k.send(writes("a"), "say done")
	asked := k.untilAsked(1)
	require.Equal(t, "echo, "+appends, chat.InWords(asked.Approval.Always))
	k.answer(asked.ID, apiclient.Answer{Decision: apiclient.Allow, Always: true})
	s.crash()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	run(writes("b"), "say done")
	require.Nil(t, k.lastApproval(), "the rules that the answer has set allow it")

	id = k.send(k.shell("echo c > %s", k.file("other")), "say done")
	asked = k.untilAsked(2)
	require.Empty(t, asked.Approval.Always, "no rule fits a command that writes a file")
	_, err = k.client.AnswerApproval(t.Context(), k.key, asked.ID, apiclient.Answer{Decision: apiclient.Allow, Always: true})
	require.ErrorContains(t, err, "No rule fits this call")
	k.answer(asked.ID, apiclient.Answer{Decision: apiclient.Deny})
	k.untilEnded(time.Minute, id)

	_, err = k.client.UpdateSession(t.Context(), k.key, apiclient.Change{Preset: new(string(chat.PresetReadOnly))})
	require.NoError(t, err)
	run(writes("d"), "say done")
	require.Contains(t, lastCalls(k)[0].Result, "the user's settings deny this call of Shell")
	run(k.subagent(args{"role": "coder"}, writes("e"), "say tried"), "say done")
	require.Equal(t, "[coder answered]\ntried", lastCalls(k)[0].Result)
	require.Equal(t, []string{"a", "b"}, k.trace("ran"))
	require.NoFileExists(t, k.file("other"))

	_, err = k.client.UpdateSession(t.Context(), k.key, apiclient.Change{Preset: new(string(chat.PresetAuto))})
	require.NoError(t, err)
	run(k.shell("echo f > %s", k.file("other")), "say done")
	require.FileExists(t, k.file("other"))
	k.wellFormed()
}

// TestHistories_OfAskedCalls keeps the histories of an allowed and a denied call for the replay tests.
func TestHistories_OfAskedCalls(t *testing.T) {
	t.Parallel()
	s := newServer(t, askForShell)
	k := s.newTalk()
	for n, c := range []struct {
		name, decision string
	}{{"approved-call", apiclient.Allow}, {"denied-call", apiclient.Deny}} {
		id := k.send(k.shell("true"), "say done")
		k.answer(k.untilAsked(n+1).ID, apiclient.Answer{Decision: c.decision, Note: "a secret note"})
		h := s.capture(c.name, k.untilEnded(time.Minute, id))
		data, err := protojson.Marshal(h)
		require.NoError(t, err)
		require.NotContains(t, string(data), "a secret note", "what people wrote stands in the history")
		t.Logf("%s: %d events", c.name, len(h.Events))
	}
}

func TestServe_RefusesARuleForAToolThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s := prepareServer(t, "XBOT_TOOL_RULES=Shel=ask")
	s.process.start()
	require.Eventually(t, func() bool { return !s.running() }, startLimit, 10*time.Millisecond)
	require.Contains(t, s.out.String(), `XBOT_TOOL_RULES names "Shel", which is not a tool`)
}

func TestApproval_AKillAsTheAllowedCommandBeginsLosesNoAnswer(t *testing.T) {
	t.Parallel()
	k := newServer(t, askForShell).newTalk()
	id := k.send(k.shell("echo a >> %s; sleep 1", k.file("once")), "say done")
	k.answer(k.untilAsked(1).ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, time.Millisecond)
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("a command that a person has just allowed", restarted, id).State)
	require.Equal(t, []string{"a"}, k.trace("once"))
	k.wellFormed()
}
