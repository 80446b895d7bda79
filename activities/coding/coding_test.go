package coding_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/coding"
	"xbot/activities/turn"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/sandbox"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/runner/job"
)

func TestMain(m *testing.M) { runnerstest.Main(m) }

const patience = 30 * time.Second

// bench is a conversation whose turns the scripted codex answers, on a real runner.
type bench struct {
	*activitiestest.Fixture
	runner   *runnerstest.Runner
	box      *sandbox.Runner
	settings codingagent.Settings
	user     chat.UserID
	programs string            // folder of the scripted agents
	model    activities.Models // that answers where no agent does
}

func setup(t *testing.T, script ...string) *bench {
	t.Helper()
	programs := agenttest.Install(t)
	b := newBench(t, []string{"PATH=" + programs + ":" + os.Getenv("PATH")}, script...)
	b.programs = programs
	return b
}

// newBench starts a runner with variables of its own.
// stores returns the stores that coding agents use.
func (b *bench) stores() coding.Store {
	s := b.Store
	return coding.Store{Attachments: s.Attachments, Calls: s.Calls, CodingAgents: s.CodingAgents, Conversations: s.Conversations, Turns: s.Turns}
}

func newBench(t *testing.T, env []string, script ...string) *bench {
	t.Helper()
	b := &bench{Fixture: activitiestest.New(t, script...)}
	server := runnerstest.NewServer(t, nil)
	b.runner = server.StartRunner("local", runnerstest.DaemonConfig{Env: env})
	b.box = server.Direct("local", sandbox.RunnerConfig{})
	b.settings = codingagent.Settings{Agent: "codex", Sandbox: codingagent.WorkspaceWrite, Approvals: codingagent.ApproveOnRequest}
	b.model = b.Model.Models
	b.Model.Models, b.Model.Agents = activitiestest.OneModel{Client: client{b}}, &coding.Agents{Store: b.stores(), Sandboxes: activities.Sandboxes{RunnerSandboxes: boxes{b}}}
	_, user, err := b.Store.Conversations.Session(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	b.user = user
	return b
}

// asks runs the first step, which ends with a question, and opens the question.
func (b *bench) asks() chat.CallID {
	b.T.Helper()
	out, err := b.Fixture.Generate(b.T.Context(), 0)
	require.NoError(b.T, err)
	require.Equal(b.T, "tool_calls", out.Finish, b.LastMessage().Content)
	require.Equal(b.T, coding.Inquiring, out.Calls[0].Name)
	require.True(b.T, out.Calls[0].Inquires)
	call := b.LastMessage().ToolCalls[0]
	_, err = b.Calls.Ask(b.T.Context(), call.ID, chat.Request{})
	require.NoError(b.T, err)
	return call.ID
}

// goesOn runs the call that asked and the step after it.
func (b *bench) goesOn() turn.GenerateOutput {
	b.T.Helper()
	_, err := b.RunTool(b.T.Context(), 0)
	require.NoError(b.T, err)
	out, err := b.Fixture.Generate(b.T.Context(), 1)
	require.NoError(b.T, err)
	return out
}

// boxes has the runner alone.
type boxes struct{ b *bench }

func (x boxes) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return x.b.box, nil
}

// client stands for the agent.
type client struct{ b *bench }

func (client) Model() string                       { return "codex/default" }
func (c client) CodingAgent() codingagent.Settings { return c.b.settings }
func (client) Generate(context.Context, llm.Request, llm.Sink) (llm.Answer, error) {
	panic("a coding agent takes no calls")
}

// began is a step that goes on beside the test.
type began struct {
	done chan struct{}
	out  turn.GenerateOutput
	err  error
}

// begin runs an attempt of a step of a turn until ctx ends.
func (b *bench) begin(ctx context.Context, id chat.TurnID, step int) *began {
	g := &began{done: make(chan struct{})}
	go func() {
		defer close(g.done)
		g.err = b.Run(ctx, activities.NameGenerate, turn.GenerateInput{Session: activitiestest.Key, Turn: id, Step: step}, &g.out)
	}()
	return g
}

func (g *began) wait(t *testing.T) turn.GenerateOutput {
	t.Helper()
	select {
	case <-g.done:
	case <-time.After(patience):
		require.Fail(t, "the step does not end")
	}
	return g.out
}

// waitWork waits until the agent has run a command that writes a file.
func (b *bench) waitFile(name string) {
	b.T.Helper()
	require.Eventually(b.T, func() bool {
		_, err := os.Stat(filepath.Join(b.runner.Workspace, name))
		return err == nil
	}, patience, 5*time.Millisecond, name)
}

func (b *bench) read(name string) string {
	b.T.Helper()
	data, err := os.ReadFile(filepath.Join(b.runner.Workspace, name))
	require.NoError(b.T, err)
	return string(data)
}

// openTurn ends the turn before and lets another one claim a message.
func (b *bench) openTurn(before, id chat.TurnID, state chat.TurnState, text string) {
	b.T.Helper()
	ctx := b.T.Context()
	_, err := b.Turns.FinishTurn(ctx, activitiestest.Key, before, state, "")
	require.NoError(b.T, err)
	_, err = b.Turns.Accept(ctx, engine.NewRow{Session: activitiestest.Key, User: b.user, Channel: "web", PlatformID: "p-" + string(id), Text: text})
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(ctx, activitiestest.Key, id, "run-"+string(id), 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
}

const second, third = chat.TurnID("0199e2f0-2222-7000-8000-000000000000"), chat.TurnID("0199e2f0-3333-7000-8000-000000000000")

func TestAgent_AnswersAndTheNextTurnGoesOnWithItsThread(t *testing.T) {
	b := setup(t, "think hm", "run echo one > one.txt", "say on my way", "say hello there")
	out, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "stop", out.Finish)
	m := b.LastMessage()
	require.Equal(t, "hello there", m.Content, "only the last message is the answer")
	require.Equal(t, "codex/default", m.Model)
	require.Contains(t, m.Reasoning, "hm")
	require.Contains(t, m.Reasoning, "on my way")
	require.Contains(t, m.Reasoning, "› echo one > one.txt")
	require.Positive(t, m.Usage.CompletionTokens)
	require.Equal(t, "one\n", b.read("one.txt"))
	thread, err := b.CodingAgents.CodingThread(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	require.Equal(t, "codex", thread.Agent)
	require.NotEmpty(t, thread.Thread)
	require.Equal(t, b.runner.Workspace, thread.Dir)
	require.Positive(t, thread.Usage.Output)

	b.openTurn(activitiestest.Turn, second, chat.TurnDone, "recall")
	g := b.begin(t.Context(), second, 0)
	g.wait(t)
	require.NoError(t, g.err)
	require.Contains(t, b.LastMessage().Content, "turns: 1; last:")
}

func TestAgent_AConversationThatBeginsAnewHasAnotherThread(t *testing.T) {
	b := setup(t, "say hello")
	_, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	_, err = b.Turns.FinishTurn(t.Context(), activitiestest.Key, activitiestest.Turn, chat.TurnDone, "")
	require.NoError(t, err)
	_, err = b.Turns.Accept(t.Context(), engine.NewRow{Session: activitiestest.Key, User: b.user, Channel: "web", PlatformID: "new", Text: "/new", Control: true})
	require.NoError(t, err)
	_, ok, err := b.Turns.Claim(t.Context(), activitiestest.Key, second, "run-new", 0)
	require.NoError(t, err)
	require.True(t, ok)
	require.NoError(t, b.Conversations.ResetSession(t.Context(), second, chat.ResetNew, "", "anew"))
	b.openTurn(second, third, chat.TurnDone, "recall")
	g := b.begin(t.Context(), third, 0)
	g.wait(t)
	require.NoError(t, g.err)
	require.Contains(t, b.LastMessage().Content, "turns: 0;")
}

func TestAgent_AServerThatComesLaterGoesOnReadingAndNothingRunsTwice(t *testing.T) {
	b := setup(t, "say one", "run echo ran >> ran.txt", "wait", "say end")
	ctx, kill := context.WithCancelCause(t.Context())
	first := b.begin(ctx, activitiestest.Turn, 0)
	b.waitFile("ran.txt")
	kill(activitiestest.ErrDetach)
	first.wait(t)
	require.Error(t, first.err)

	later := b.begin(t.Context(), activitiestest.Turn, 0)
	b.steer("go on")
	require.Equal(t, "stop", later.wait(t).Finish)
	require.NoError(t, later.err)
	require.Equal(t, "end", b.LastMessage().Content)
	require.Contains(t, b.LastMessage().Reasoning, "steered: ")
	require.Equal(t, "ran\n", b.read("ran.txt"))
}

// steer has the person write to the turn that runs.
func (b *bench) steer(text string) {
	b.T.Helper()
	_, err := b.Turns.Accept(b.T.Context(), engine.NewRow{Session: activitiestest.Key, User: b.user, Channel: "web", PlatformID: "s-" + text, Text: text, Queue: chat.Queue{Mode: chat.QueueSteer}})
	require.NoError(b.T, err)
}

func TestAgent_AStopInterruptsItAndKeepsWhatItSaid(t *testing.T) {
	b := setup(t, "say so far", "run echo > there.txt", "wait")
	ctx, stop := context.WithCancelCause(t.Context())
	g := b.begin(ctx, activitiestest.Turn, 0)
	b.waitFile("there.txt")
	stop(activitiestest.ErrStop)
	g.wait(t)
	runs, err := b.CodingAgents.CodingRuns(t.Context(), activitiestest.Turn)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	require.True(t, runs[0].Ended)
	require.Equal(t, "so far", b.LastMessage().Content)
	require.Equal(t, chat.FinishStopped, b.LastMessage().FinishReason)
	require.Eventually(t, func() bool { return b.runner.ShimPID(string(runs[0].ID())) == 0 }, patience, 5*time.Millisecond)
}

func TestAgent_AProcessThatIsLostIsNotStartedAgainAndItsThreadGoesOn(t *testing.T) {
	b := setup(t, "say one", "die")
	out, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, chat.FinishError, out.Finish)
	require.Equal(t, chat.RoleNotice, b.LastMessage().Role)
	require.Contains(t, b.LastMessage().Content, "the outcome is unknown")
	require.Contains(t, b.LastMessage().Content, "exit code 9")

	b.openTurn(activitiestest.Turn, second, chat.TurnFailed, "recall")
	g := b.begin(t.Context(), second, 0)
	g.wait(t)
	require.NoError(t, g.err)
	require.Contains(t, b.LastMessage().Content, "turns: 1; last:")
}

// answer answers the first question of a call.
func (b *bench) answer(call chat.CallID, with ...string) {
	b.T.Helper()
	_, err := b.Calls.Answer(b.T.Context(), calls.Answer{
		Session: activitiestest.Key, User: b.user, UserName: "alice", Call: call, Allow: true, Answers: chat.Answers{"q1": with},
	})
	require.NoError(b.T, err)
}

func TestAgent_AsksAPersonAndTheNextStepGoesOnWithTheSameProcess(t *testing.T) {
	for answer, says := range map[string]string{"Allow": "ran", "Refuse": "declined"} {
		t.Run(answer, func(t *testing.T) {
			b := setup(t, "say before", "ask approval echo ran > ran.txt", "say end")
			call := b.asks()
			require.Equal(t, "before", b.LastMessage().Content)
			b.answer(call, answer)
			require.Equal(t, "stop", b.goesOn().Finish)
			require.Equal(t, "end", b.LastMessage().Content)
			require.NotContains(t, b.LastMessage().Reasoning, "before", "it stands with the question")
			if says == "ran" {
				require.Equal(t, "ran\n", b.read("ran.txt"))
				return
			}
			require.Contains(t, b.LastMessage().Reasoning, "declined")
			require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"))
		})
	}
}

func TestAgent_EachOfThemAnswersAsksAndGoesOnWithItsThread(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say before", "ask question Which one? | red | blue", "say end")
			b.settings.Agent = name
			b.answer(b.asks(), "blue")
			require.Equal(t, "stop", b.goesOn().Finish, b.LastMessage().Content)
			require.Equal(t, "end", b.LastMessage().Content)
			require.Contains(t, b.LastMessage().Reasoning, "chosen: blue")

			b.openTurn(activitiestest.Turn, second, chat.TurnDone, "recall")
			g := b.begin(t.Context(), second, 0)
			g.wait(t)
			require.NoError(t, g.err)
			require.Contains(t, b.LastMessage().Content, "turns: 1; last:")
		})
	}
}

func TestAgent_OfThePolicyMayHaveAnotherProgram(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say hello")
			program := filepath.Join(t.TempDir(), name) // the scripted agents play by their names
			require.NoError(t, os.Link(filepath.Join(b.programs, name), program))
			for _, other := range agents.Names() {
				require.NoError(t, os.Remove(filepath.Join(b.programs, other)))
			}
			b.settings.Agent, b.settings.Program = name, program
			_, err := b.Fixture.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Equal(t, "hello", b.LastMessage().Content)
		})
	}
}

func TestAgent_ClaudeCodeStartsNoBackgroundTasks(t *testing.T) {
	b := setup(t, "say hello")
	program, seen := filepath.Join(t.TempDir(), "claude"), filepath.Join(t.TempDir(), "seen")
	script := "#!/bin/sh\nprintf %s \"$CLAUDE_CODE_DISABLE_BACKGROUND_TASKS\" > " + seen + "\nexec " + filepath.Join(b.programs, "claude") + " \"$@\"\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
	b.settings.Agent, b.settings.Program = "claude", program
	_, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	got, err := os.ReadFile(seen)
	require.NoError(t, err)
	require.Equal(t, "1", string(got), "the process of a turn ends with it, and background tasks with the process")
}

func TestAgent_ATurnThatIsClosedFromOutsideEndsItsProcess(t *testing.T) {
	b := setup(t, "run echo > there.txt", "wait")
	ctx, kill := context.WithCancelCause(t.Context())
	g := b.begin(ctx, activitiestest.Turn, 0)
	b.waitFile("there.txt")
	kill(activitiestest.ErrDetach)
	g.wait(t)
	settled, err := b.Turns.SettleTurn(t.Context(), activitiestest.Turn)
	require.NoError(t, err)
	require.Equal(t, engine.SettledLost, settled)
	runs, err := b.CodingAgents.CodingRuns(t.Context(), activitiestest.Turn)
	require.NoError(t, err)
	require.True(t, runs[0].Ended)
	var runner string
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT runner FROM kills WHERE call_id = $1", runs[0].ID()).Scan(&runner))
	require.Equal(t, "local", runner, "its runner is told as soon as it can be")

	require.True(t, fault.Is(b.CodingAgents.SendCodingRun(t.Context(), runs[0], "store"), fault.Conflict), "it is not sent any more")
	_, err = b.CodingAgents.BeginCodingRun(t.Context(), activitiestest.Key, codingagent.Run{Turn: activitiestest.Turn, Round: 1})
	require.True(t, fault.Is(err, fault.Conflict), "and no other one begins")
}

func TestThread_IsBoundForItsOwnPersonAloneAndNotWhileATurnRuns(t *testing.T) {
	b := setup(t, "say hello")
	thread := codingagent.Binding{Agent: "codex", Thread: "thr_1", Runner: "local"}
	require.True(t, fault.Is(b.CodingAgents.BindCodingThread(t.Context(), activitiestest.Key, thread), fault.Conflict), "a turn runs")
	_, err := b.Turns.FinishTurn(t.Context(), activitiestest.Key, activitiestest.Turn, chat.TurnDone, "")
	require.NoError(t, err)
	require.NoError(t, b.CodingAgents.BindCodingThread(t.Context(), activitiestest.Key, thread))
	got, err := b.CodingAgents.CodingThread(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	require.Equal(t, "thr_1", got.Thread)

	bob, err := b.Users.CreateUser(t.Context(), "bob", "member")
	require.NoError(t, err)
	_, err = b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: "agent:main:web:thread:bob", Owner: bob.ID, Channel: "web"})
	require.NoError(t, err)
	require.True(t, fault.Is(b.CodingAgents.BindCodingThread(t.Context(), "agent:main:web:thread:bob", thread), fault.NotFound), "it is another person's")
	got, err = b.CodingAgents.CodingThread(t.Context(), "agent:main:web:thread:bob")
	require.NoError(t, err)
	require.Nil(t, got)
}

func TestAgent_ATurnThatIsOverLeavesNoProcess(t *testing.T) {
	b := setup(t, "ask approval echo ran > ran.txt")
	_, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	runs, err := b.CodingAgents.CodingRuns(t.Context(), activitiestest.Turn)
	require.NoError(t, err)
	require.NotZero(t, b.runner.ShimPID(string(runs[0].ID())))
	require.NoError(t, b.Model.Agents.End(t.Context(), activitiestest.Key, activitiestest.Turn))
	require.Eventually(t, func() bool { return b.runner.ShimPID(string(runs[0].ID())) == 0 }, patience, 5*time.Millisecond)
	runs, err = b.CodingAgents.CodingRuns(t.Context(), activitiestest.Turn)
	require.NoError(t, err)
	require.True(t, runs[0].Ended)
}

func TestAgent_SaysThatNobodyIsLoggedInAndThatThereIsNoProgram(t *testing.T) {
	b := setup(t, "fail login")
	_, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.LastMessage().Content, "`codex login`")

	b.settings.Program = "/nowhere/codex"
	b.openTurn(activitiestest.Turn, second, chat.TurnFailed, "say x")
	g := b.begin(t.Context(), second, 0)
	g.wait(t)
	require.Contains(t, b.LastMessage().Content, "is not installed on the runner local")
}

func TestAgent_AConversationWithoutCommandsHasNone(t *testing.T) {
	b := setup(t, "run echo > ran.txt")
	b.Model.Authorizers.Rules = map[string]chat.Rule{"Shell": chat.RuleDeny}
	out, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "denied", out.Fault)
	require.True(t, strings.HasPrefix(b.LastMessage().Content, "codex runs commands by itself"))
	require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"))
}

func TestAgent_DoesNotAnswerInASceneWithWalls(t *testing.T) {
	b := setup(t, "run echo > ran.txt")
	b.Model.Agents = &coding.Agents{Store: b.stores(), Sandboxes: activities.Sandboxes{RunnerSandboxes: boxes{b}, Confinements: &activitiestest.Narrow{}}}
	out, err := b.Fixture.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "denied", out.Fault)
	require.Contains(t, b.LastMessage().Content, "the policy narrows what commands may do here")
	require.NoFileExists(t, filepath.Join(b.runner.Workspace, "ran.txt"))
}

func TestAgent_WhatItWasNotSeenToTakeIsGivenAgainAndWhatItTookIsNot(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "run echo one >> one.txt", "say answered one")
			b.settings.Agent = name
			b.leaves("deaf")
			_, err := b.Fixture.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.Contains(t, b.LastMessage().Content, "the outcome is unknown")
			require.NoFileExists(t, filepath.Join(b.runner.Workspace, "one.txt"))
			thread, err := b.CodingAgents.CodingThread(t.Context(), activitiestest.Key)
			require.NoError(t, err)
			require.Nil(t, thread, "a thread that was given nothing is none")

			b.openTurn(activitiestest.Turn, second, chat.TurnFailed, "run echo two >> two.txt\ndie")
			b.begin(t.Context(), second, 0).wait(t)
			require.Contains(t, b.LastMessage().Content, "the outcome is unknown")
			require.Equal(t, "one\n", b.read("one.txt"), "it is given with the next message")
			require.Equal(t, "two\n", b.read("two.txt"))

			b.openTurn(second, third, chat.TurnFailed, "say answered three")
			b.begin(t.Context(), third, 0).wait(t)
			require.Equal(t, "answered three", b.LastMessage().Content)
			require.Equal(t, "two\n", b.read("two.txt"), "what it took is not given again")
		})
	}
}

// leaves puts a file where scripted agents look for one.
func (b *bench) leaves(name string) {
	b.T.Helper()
	folder := filepath.Join(b.runner.Workspace, ".fakeagent")
	require.NoError(b.T, os.MkdirAll(folder, 0o700))
	require.NoError(b.T, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
}

func TestAgent_AThreadThatIsGoneIsSaidAndTheNextMessageBeginsAnother(t *testing.T) {
	for _, name := range []string{"codex", "claude", "opencode"} { // kimi begins a thread of any name
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say hello")
			b.settings.Agent = name
			_, err := b.Fixture.Generate(t.Context(), 0)
			require.NoError(t, err)
			require.NoError(t, os.RemoveAll(filepath.Join(b.runner.Workspace, ".fakeagent")))
			b.openTurn(activitiestest.Turn, second, chat.TurnDone, "run echo two >> two.txt")
			b.begin(t.Context(), second, 0).wait(t)
			require.Contains(t, b.LastMessage().Content, "Your next message begins another thread")
			require.NoFileExists(t, filepath.Join(b.runner.Workspace, "two.txt"))

			b.openTurn(second, third, chat.TurnFailed, "recall")
			b.begin(t.Context(), third, 0).wait(t)
			require.Equal(t, "turns: 0; last:", strings.TrimSpace(b.LastMessage().Content))
			require.Equal(t, "two\n", b.read("two.txt"), "the message that was not taken is in it")
		})
	}
}

// untilOver waits until a process has written that its turn is over.
func (b *bench) untilOver() {
	b.T.Helper()
	require.Eventually(b.T, func() bool {
		over := false
		err := filepath.WalkDir(b.runner.State, func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Base(path) != job.OutputFile {
				return nil //nolint:nilerr // what is gone is looked at no more
			}
			data, err := os.ReadFile(path)
			over = over || strings.Contains(string(data), "turn/completed")
			return err
		})
		return err == nil && over
	}, patience, 5*time.Millisecond)
}

func TestAgent_WhatAProcessDidNotTakeIsAnsweredByAnotherOneBesideItsOwnAnswer(t *testing.T) {
	b := setup(t, "run echo > one.txt", "say answer one")
	ctx, kill := context.WithCancelCause(t.Context())
	first := b.begin(ctx, activitiestest.Turn, 0)
	b.waitFile("one.txt")
	kill(activitiestest.ErrDetach)
	first.wait(t)
	require.Error(t, first.err)
	b.untilOver()
	b.steer("run echo > two.txt\nwait\nsay answer two")
	_, err := b.Store.Turns.Steer(t.Context(), activitiestest.Key, activitiestest.Turn, 1)
	require.NoError(t, err)

	ctx, kill = context.WithCancelCause(t.Context())
	later := b.begin(ctx, activitiestest.Turn, 0)
	b.waitFile("two.txt")
	kill(activitiestest.ErrDetach) // the answer of the first process is kept by nobody yet
	later.wait(t)
	require.Error(t, later.err)

	last := b.begin(t.Context(), activitiestest.Turn, 0)
	b.steer("go on")
	last.wait(t)
	require.NoError(t, last.err)
	require.Equal(t, "answer one\n\nanswer two", b.LastMessage().Content)
	require.Regexp(t, "steered: .*\ngo on", b.LastMessage().Reasoning)
	require.Equal(t, 20, b.LastMessage().Usage.CompletionTokens, "both are booked")
}

// opencode 1.18.33 ends a turn where it is refused a permission, without another message.
func TestAgent_ThatSaysNothingAfterARefusalDoesNotRepeatItsEarlierSentence(t *testing.T) {
	for _, name := range agents.Names() {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "say I will run it", "ask quietly touch made")
			b.settings.Agent = name
			call := b.asks()
			require.Equal(t, "I will run it", b.LastMessage().Content, "it stands with the question")
			b.answer(call, "Refuse")
			require.Equal(t, "stop", b.goesOn().Finish)
			require.Equal(t, "("+name+" ended its turn without a word.)", b.LastMessage().Content)
		})
	}
}
