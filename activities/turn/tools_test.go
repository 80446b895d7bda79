package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/runner/mask"
	"xbot/runner/wire"
)

func TestTool_RecordsItsResultOnce(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo run >> count; cat count"}`)
	b.AskForCalls()
	out, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, out.Error)
	first := b.ResultOf(0)
	require.Equal(t, chat.CallDone, first.State)
	require.Contains(t, first.Result, "run\n[exit code 0")
	again, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, out, again)
	require.Equal(t, first, b.ResultOf(0))
	require.Equal(t, "run\n", b.Sandbox.Get(t, "count"), "the command ran once")
	require.Len(t, b.EventsOf(chat.EventTool), 2, "started and finished, once each")
}

func TestTool_AToolThatFailsIsAResult(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo no >&2; exit 3"}`, `call Read {"path":"missing.txt"}`, `call Read {"path":`, `call NoSuchTool {}`)
	b.AskForCalls()
	for n, want := range []string{"exit code 3", "missing.txt", "", "there is no tool named \"NoSuchTool\""} {
		out, err := b.RunTool(t.Context(), n)
		require.NoError(t, err)
		require.True(t, out.Error)
		require.True(t, b.ResultOf(n).IsError)
		require.Contains(t, b.ResultOf(n).Result, want)
	}
}

// full stores the files of a person who has no space left.
type full struct{ turn.Attachments }

func (full) CheckSpace(context.Context, chat.UserID, int64) error {
	return fault.Errorf(fault.TooLarge, "delete conversations to make room")
}

func TestTool_APictureForWhichThereIsNoRoomIsNotKept(t *testing.T) {
	b := setup(t, `call Read {"path":"a.png"}`, `call Read {"path":"a.png"}`)
	var drawn bytes.Buffer
	require.NoError(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 3, 2))))
	b.Sandbox.Put(t, "a.png", drawn.String())
	b.AskForCalls()
	attachments := b.Tools.Attachments
	b.Tools.Attachments = full{attachments}
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.ResultOf(0).Result, "not shown: delete conversations to make room")
	require.Empty(t, b.ResultOf(0).Pictures)
	b.Tools.Attachments = attachments
	_, err = b.RunTool(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, b.ResultOf(1).Pictures, 1)
}

func TestTool_ARunnerThatIsNotTheirsOrOfflineIsAResult(t *testing.T) {
	t.Run("denied", func(t *testing.T) {
		b := setup(t, `call Shell {"command":"touch x"}`)
		b.AskForCalls()
		b.SandboxErr = fault.Errorf(fault.Denied, "the server's own host is for administrators")
		out, err := b.RunTool(t.Context(), 0)
		require.NoError(t, err)
		require.True(t, out.Error)
		require.Contains(t, b.ResultOf(0).Result, "Error: the server's own host is for administrators")
	})
	t.Run("denied, for a tool that needs no machine", func(t *testing.T) {
		b := setup(t, `call todo_write {"todos":[{"id":"1","text":"buy milk"}]}`)
		b.AskForCalls()
		b.SandboxErr = fault.Errorf(fault.Denied, "connect a runner of your own")
		out, err := b.RunTool(t.Context(), 0)
		require.NoError(t, err)
		require.False(t, out.Error, b.ResultOf(0).Result)
	})
	t.Run("offline", func(t *testing.T) {
		b := setup(t, `call Shell {"command":"touch x"}`)
		b.AskForCalls()
		b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: activitiestest.Unreachable{Fixture: b.Fixture}}
		out, err := b.RunTool(t.Context(), 0)
		require.NoError(t, err)
		require.True(t, out.Error)
		require.Contains(t, b.ResultOf(0).Result, "runner local is offline (waited 5s)")
		require.Equal(t, chat.CallDone, b.ResultOf(0).State)
	})
}

func TestTool_RunsWithinTheWallsOfItsConversation(t *testing.T) {
	b := setup(t, `call Shell {"command":"true"}`)
	b.AskForCalls()
	n := &activitiestest.Narrow{Sandbox: b.Sandbox}
	b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: n, Confinements: n}
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, n.Asked, 1)
	require.Equal(t, chat.Confinement{Offline: true}, n.Asked[0].Confinement)
}

// furnishes gives every conversation the same environment.
type furnishes struct{ env sandbox.Environment }

func (f furnishes) Environment(context.Context, chat.SessionKey, chat.UserID, string) (sandbox.Environment, error) {
	return f.env, nil
}

func (f furnishes) Masker(context.Context, chat.SessionKey) (*mask.Masker, error) {
	return f.env.Masker(), nil
}

func TestTool_HasTheEnvironmentOfItsConversationAndNoResultShowsItsSecrets(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo 0123456789"}`)
	b.AskForCalls()
	n := &activitiestest.Narrow{Sandbox: b.Sandbox}
	env := sandbox.Environment{Variables: []string{"REGION=eu"}, Secrets: []wire.Secret{{Name: "TOKEN", Value: "0123456789"}}}
	b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: n, Environments: furnishes{env}}
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, n.Asked, 1)
	require.Equal(t, env.Secrets, n.Asked[0].Secrets)
	require.Equal(t, "REGION=eu", n.Asked[0].Env[0])
	require.Contains(t, b.ResultOf(0).Result, "[hidden: TOKEN]", "also where its runner hid nothing")
}

func TestTool_GoesWhereItBeganWhateverItsUserChoosesMeanwhile(t *testing.T) {
	b := setup(t, `call Shell {"command":"pwd"}`)
	b.AskForCalls()
	b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: elsewhere{b, "laptop"}}
	require.NoError(t, b.Conversations.SetCwd(t.Context(), activitiestest.Key, "desk", "/nowhere")) // a folder of another runner
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.ResultOf(0).Result, b.Sandbox.Workspace()+"\n[exit code 0", "it begins in the workspace")
	call, err := b.Calls.Call(t.Context(), chat.NewCallID(activitiestest.Turn, 0, 0))
	require.NoError(t, err)
	require.Equal(t, "laptop", call.Runner, "the name that applied, not what the session asks for")
}

func TestTool_WhatWasSentToARunnerThatIsGoneIsUnknown(t *testing.T) {
	b := setup(t, `call Shell {"command":"true"}`)
	b.AskForCalls()
	require.NoError(t, b.Calls.SetStartedOn(t.Context(), chat.NewCallID(activitiestest.Turn, 0, 0), "store"))
	b.SandboxErr = fault.Errorf(fault.Denied, "there is no runner laptop any more")
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.ResultOf(0).Result, i18n.Say(i18n.English, i18n.CallUnknown))
	require.Contains(t, b.ResultOf(0).Result, "no runner laptop any more")
}

// elsewhere is a sandbox of another name.
type elsewhere struct {
	*fixture
	name string
}

func (e elsewhere) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return renamed{e.Sandbox, e.name}, nil
}

type renamed struct {
	sandbox.Sandbox
	name string
}

func (r renamed) Name() string { return r.name }

// faulty is a runner that fails in a way of its own.
type faulty struct{ *fixture }

func (o faulty) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return oddBox{o.Sandbox}, nil
}

type oddBox struct{ sandbox.Sandbox }

func (oddBox) Exec(context.Context, sandbox.ExecRequest) (sandbox.ExecResult, error) {
	return sandbox.ExecResult{}, fault.Errorf(fault.Internal, "%w", &sandbox.MisbehavedError{Runner: "laptop", Said: "segmentation fault"})
}

func TestTool_AFaultOfARunnerIsSaidToBeThatRunners(t *testing.T) {
	b := setup(t, `call Shell {"command":"touch x"}`)
	b.AskForCalls()
	b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: faulty{b}}
	out, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, out.Error)
	require.Equal(t, `Error: runner laptop has a fault (it says: "segmentation fault"), so the outcome is unknown. Verify before repeating it; an operator must check that runner.`, b.ResultOf(0).Result)
}

func TestTool_AnOutageOfTheStoreIsTriedAgain(t *testing.T) {
	b := setup(t, `call Shell {"command":"touch x"}`)
	b.AskForCalls()
	b.SandboxErr = fault.Errorf(fault.Unavailable, "Postgres is away")
	_, err := b.RunTool(t.Context(), 0)
	k, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.Unavailable, k)
	require.True(t, again)
	require.Equal(t, chat.CallOpen, b.ResultOf(0).State)
}

// printed reports whether a command has printed a text.
func printed(text string) func(chat.Event) bool {
	all := ""
	return func(e chat.Event) bool {
		var o chat.Output
		if e.Kind == chat.EventOutput && json.Unmarshal(e.Data, &o) == nil {
			all += o.Text
		}
		return strings.Contains(all, text)
	}
}

func TestTool_AStopKillsTheCommandAndKeepsWhatItPrinted(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo begun; sleep 100 & wait; touch never"}`)
	b.AskForCalls()
	out, err := b.RunTool(b.WhenLive(activitiestest.ErrStop, printed("begun")), 0)
	require.NoError(t, err, "the partial output is a result")
	require.True(t, out.Error)
	require.Contains(t, b.ResultOf(0).Result, "begun\n[killed before it ended")
	require.Eventually(t, func() bool {
		_, err := b.Sandbox.Exec(t.Context(), sandbox.ExecRequest{ID: chat.NewCallID(activitiestest.Turn, 0, 0), Command: "true"})
		return err == nil
	}, activitiestest.Limit, 5*time.Millisecond, "the runner may forget a command whose result is recorded")
	require.NoFileExists(t, b.Sandbox.Workspace()+"/never")
}

func TestTool_AStopOfWhatCannotBeReachedSaysInterrupted(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo begun; sleep 100"}`)
	b.AskForCalls()
	b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: deaf{b}}
	out, err := b.RunTool(b.WhenLive(activitiestest.ErrStop, printed("begun")), 0)
	require.NoError(t, err)
	require.True(t, out.Error)
	require.Equal(t, i18n.Say(i18n.English, i18n.CallInterrupt), b.ResultOf(0).Result)
}

// deaf is a sandbox that goes away once a command runs.
type deaf struct{ *fixture }

func (d deaf) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return unkillable{d.Sandbox}, nil
}

type unkillable struct{ sandbox.Sandbox }

func (unkillable) Kill(context.Context, chat.CallID) error {
	return fault.Errorf(fault.Unavailable, "offline")
}

func (unkillable) Release(context.Context, chat.CallID) error {
	return fault.Errorf(fault.Unavailable, "offline")
}

func TestTool_AnyOtherEndLeavesTheCommandAloneAndTheNextAttemptAttaches(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo run >> count; echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ended"}`)
	b.AskForCalls()
	_, err := b.RunTool(b.WhenLive(activitiestest.ErrDetach, printed("begun")), 0)
	require.Error(t, err)
	require.False(t, temporal.IsCanceledError(err))
	_, again := activitiestest.FaultKind(t, err)
	require.True(t, again)
	require.Equal(t, chat.CallRunning, b.ResultOf(0).State)
	b.Sandbox.Put(t, "go", "")
	_, err = b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.ResultOf(0).Result, "begun\nended\n[exit code 0")
	require.Equal(t, "run\n", b.Sandbox.Get(t, "count"), "the command ran once")
}

func TestTool_WhatHasNotEndedInItsTimeIsLeftAloneAndTheNextAttemptAttaches(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo run >> count; while [ ! -e go ]; do sleep 0.05; done; echo ended"}`)
	b.AskForCalls()
	in := turn.ToolInput{Call: chat.NewCallID(activitiestest.Turn, 0, 0), Within: 500 * time.Millisecond}
	var out turn.ToolOutput
	require.NoError(t, b.Run(t.Context(), activities.NameTool, in, &out))
	require.True(t, out.Unfinished)
	require.NotEqual(t, chat.CallDone, b.ResultOf(0).State)
	b.Sandbox.Put(t, "go", "")
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.ResultOf(0).Result, "ended\n[exit code 0")
	require.Equal(t, "run\n", b.Sandbox.Get(t, "count"), "the command ran once")
}

func TestTool_WhatEndsInItsTimeIsRecorded(t *testing.T) {
	b := setup(t, `call Read {"path":"missing.txt"}`)
	b.AskForCalls()
	in := turn.ToolInput{Call: chat.NewCallID(activitiestest.Turn, 0, 0), Within: time.Minute}
	var out turn.ToolOutput
	require.NoError(t, b.Run(t.Context(), activities.NameTool, in, &out))
	require.Equal(t, turn.ToolOutput{Error: true}, out)
	require.Equal(t, chat.CallDone, b.ResultOf(0).State)
}

func TestTool_DoesNotStartInATurnThatIsOver(t *testing.T) {
	b := setup(t, `call Shell {"command":"touch never"}`)
	b.AskForCalls()
	_, err := b.Turns.FinishTurn(t.Context(), activitiestest.Key, activitiestest.Turn, chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	_, err = b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.NoFileExists(t, b.Sandbox.Workspace()+"/never")
	require.Equal(t, i18n.Say(i18n.English, i18n.CallNotRun), b.ResultOf(0).Result)
}

func TestTool_ShowsOutputAsTextWhereverItWasCut(t *testing.T) {
	b := setup(t, `call Shell {"command":"printf '\\345'; sleep 0.3; printf '\\255\\227\\377\\000.'"}`)
	b.AskForCalls()
	sub := b.Bus.Subscribe(activitiestest.Key)
	defer sub.Close()
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	text := ""
	for len(sub.Live()) > 0 {
		e := <-sub.Live()
		var o chat.Output
		require.NoError(t, json.Unmarshal(e.Data, &o))
		require.Equal(t, int64(len(text)), o.Offset)
		text += o.Text
	}
	require.Equal(t, "字\uFFFD.", text)
}

func TestTool_APanicIsReportedUnderTheTypeThatIsNotRetried(t *testing.T) {
	b := setup(t, `call Broken {}`)
	b.AskForCalls()
	_, err := b.RunTool(t.Context(), 0)
	var app *temporal.ApplicationError
	var panicked *temporal.PanicError
	require.True(t, activitiestest.ErrorsAs(err, &panicked) || activitiestest.ErrorsAs(err, &app) && app.Type() == activities.PanicType, "%v", err)
	require.NoError(t, b.Run(t.Context(), activities.NameAbandon, turn.AbandonInput{Call: chat.NewCallID(activitiestest.Turn, 0, 0), Broken: true}, nil))
	require.Equal(t, i18n.Say(i18n.English, i18n.CallBroken), b.ResultOf(0).Result)
}

func TestTool_OfADeletedSessionIsNotTriedAgain(t *testing.T) {
	b := setup(t, `call Shell {"command":"touch x"}`)
	b.AskForCalls()
	require.NoError(t, b.Agents.DeleteSession(t.Context(), activitiestest.Key))
	_, err := b.RunTool(t.Context(), 0)
	k, again := activitiestest.FaultKind(t, err)
	require.Equal(t, fault.NotFound, k)
	require.False(t, again)
}

func TestAbandon_NeverReplacesAResult(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo one"}`, `call Shell {"command":"echo two"}`)
	b.AskForCalls()
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	for n := range 2 {
		require.NoError(t, b.Run(t.Context(), activities.NameAbandon, turn.AbandonInput{Call: chat.NewCallID(activitiestest.Turn, 0, n)}, nil))
	}
	require.Contains(t, b.ResultOf(0).Result, "one")
	require.Equal(t, i18n.Say(i18n.English, i18n.CallUnknown), b.ResultOf(1).Result)
	require.True(t, b.ResultOf(1).IsError)
}

func TestInterrupt_KillsTheCommandThatALostWorkerLeftAndKeepsWhatItWrote(t *testing.T) {
	b := setup(t, `call Shell {"command":"echo begun; sleep 614"}`)
	b.AskForCalls()
	id := chat.NewCallID(activitiestest.Turn, 0, 0)
	lost, die := context.WithCancelCause(t.Context())
	defer die(nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = b.RunTool(lost, 0) // its worker dies
	}()
	require.Eventually(t, func() bool { c, err := b.Calls.Call(t.Context(), id); return err == nil && c.State == chat.CallRunning }, time.Minute, 5*time.Millisecond)
	require.NoError(t, b.Calls.SetStartedOn(t.Context(), id, "store"))
	die(errors.New("the worker is gone"))
	<-ended
	require.Equal(t, chat.CallRunning, b.ResultOf(0).State)
	for range 2 { // a second one changes nothing
		require.NoError(t, b.Run(t.Context(), activities.NameInterrupt, turn.ToolInput{Call: id}, nil))
	}
	require.Contains(t, b.ResultOf(0).Result, "killed before it ended")
	require.True(t, b.ResultOf(0).IsError)
}

// TestInterrupt_WaitsForWhatIsAwayAndNamesNoOther ends the command of a lost worker while a part is away.
func TestInterrupt_WaitsForWhatIsAwayAndNamesNoOther(t *testing.T) {
	begun := func(t *testing.T) (*fixture, chat.CallID) {
		b := setup(t, `call Shell {"command":"true"}`)
		b.AskForCalls()
		id := chat.NewCallID(activitiestest.Turn, 0, 0)
		call, err := b.Calls.Call(t.Context(), id)
		require.NoError(t, err)
		ok, err := b.Calls.BeginCall(t.Context(), call)
		require.NoError(t, err)
		require.True(t, ok)
		require.NoError(t, b.Calls.SetStartedOn(t.Context(), id, "store"))
		b.Tools.InterruptWait = 5 * time.Millisecond
		return b, id
	}
	t.Run("a runner that stays away gets its kill later", func(t *testing.T) {
		b, id := begun(t)
		b.Tools.Sandboxes = activities.Sandboxes{RunnerSandboxes: activitiestest.Unreachable{Fixture: b.Fixture}}
		require.NoError(t, b.Run(t.Context(), activities.NameInterrupt, turn.ToolInput{Call: id}, nil))
		require.Equal(t, i18n.Say(i18n.English, i18n.CallUnknown), b.ResultOf(0).Result)
	})
	for name, away := range map[string]error{
		"Postgres":                 fault.Away("Postgres", "connection refused"),
		"Postgres does not answer": context.DeadlineExceeded,
	} {
		t.Run(name, func(t *testing.T) {
			b, id := begun(t)
			rows := b.Tools.Calls
			b.Tools.Calls = rowsAway{rows, away}
			err := b.Run(t.Context(), activities.NameInterrupt, turn.ToolInput{Call: id}, nil)
			var failure *temporal.ApplicationError
			require.ErrorAs(t, err, &failure)
			require.Equal(t, string(fault.Unavailable), failure.Type())
			require.False(t, failure.NonRetryable(), "it is tried again")
			require.Equal(t, chat.CallRunning, b.ResultOf(0).State, "nothing is said of the call")
			b.Tools.Calls = rows
			require.NoError(t, b.Run(t.Context(), activities.NameInterrupt, turn.ToolInput{Call: id}, nil))
			require.Equal(t, chat.CallDone, b.ResultOf(0).State)
		})
	}
}

// rowsAway are calls in a Postgres that is away.
type rowsAway struct {
	turn.Calls

	err error
}

func (r rowsAway) Call(context.Context, chat.CallID) (chat.Call, error) { return chat.Call{}, r.err }
