package wake_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.uber.org/goleak"

	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/workflows"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const conversation = chat.SessionKey("agent:main:web:thread:t")

// starter is a Temporal client that only starts and signals.
type starter struct {
	client.Client

	id, signal string
	arg        any
	options    client.StartWorkflowOptions
	workflow   any
	input      workflows.TurnInput
	err        error

	started  client.StartWorkflowOptions // of a start without a signal
	startErr error
}

func (s *starter) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error) {
	s.started, s.workflow = o, workflow
	s.input, _ = args[0].(workflows.TurnInput)
	return nil, s.startErr
}

func (s *starter) SignalWithStartWorkflow(_ context.Context, id, signal string, arg any, o client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error) {
	s.id, s.signal, s.arg, s.options, s.workflow = id, signal, arg, o, workflow
	s.input, _ = args[0].(workflows.TurnInput)
	return nil, s.err
}

func woken(t *testing.T, w wake.Waker, r wake.TurnWake) *starter {
	t.Helper()
	s := &starter{}
	w.Client = s
	require.NoError(t, w.Wake(t.Context(), r))
	return s
}

// attributes says whether the namespace knows those of every release.
type attributes bool

func (a attributes) Known() bool { return bool(a) }
func (attributes) Waits() bool   { return false }

const on, off = attributes(true), attributes(false)

func TestWake_CarriesNothingThatIsNotARow(t *testing.T) {
	t.Parallel()
	s := woken(t, wake.Waker{Words: true, Attributes: on}, wake.TurnWake{Session: conversation, Channel: "web", UserName: "alice", Text: "fix the build\nplease"})
	require.Equal(t, "turn/"+string(conversation), s.id)
	require.Equal(t, s.id, s.options.ID)
	require.Equal(t, workflows.SignalWake, s.signal)
	require.Nil(t, s.arg)
	require.Equal(t, workflows.NameTurn, s.workflow)
	require.Equal(t, workflows.TurnInput{Session: conversation, Attributes: true}, s.input)
	require.Equal(t, workflows.TaskQueue, s.options.TaskQueue)
	require.Equal(t, `web · alice · "fix the build"`, s.options.StaticSummary)
	require.Equal(t, 4, s.options.TypedSearchAttributes.Size())
	session, _ := s.options.TypedSearchAttributes.GetKeyword(workflows.AttrSession)
	require.Equal(t, string(conversation), session)
}

func TestWake_FindsTheWorkflowOfASubagentThatWasDeleted(t *testing.T) {
	t.Parallel()
	agent := chat.SubagentRef{Session: "agent:main:subagent:t1.0.0", Parent: conversation, Role: "coder", Instance: "a", Call: "t1.0.0"}
	s := woken(t, wake.Waker{Attributes: off}, wake.TurnWake{Session: agent.Session, Agent: &agent})
	require.Equal(t, workflows.SubagentID(agent), s.id)
	require.Equal(t, workflows.NameSubagent, s.workflow)
}

func TestWake_StartsATurnAtOnceWhereNoneRuns(t *testing.T) {
	t.Parallel()
	s := woken(t, wake.Waker{Attributes: on}, wake.TurnWake{Session: conversation, Idle: true})
	require.Equal(t, "turn/"+string(conversation), s.started.ID)
	require.True(t, s.started.EnableEagerStart)
	require.Equal(t, enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, s.started.WorkflowIDConflictPolicy)
	require.True(t, s.started.WorkflowExecutionErrorWhenAlreadyStarted)
	require.Equal(t, workflows.TurnInput{Session: conversation, Attributes: true}, s.input)
	require.Empty(t, s.signal, "its first claim finds the row")
}

func TestWake_SignalsATurnThatRunsAfterAll(t *testing.T) {
	t.Parallel()
	s := &starter{startErr: serviceerror.NewWorkflowExecutionAlreadyStarted("it closes", "", "run")}
	w := wake.Waker{Client: s, Attributes: on}
	require.NoError(t, w.Wake(t.Context(), wake.TurnWake{Session: conversation, Idle: true}))
	require.Equal(t, workflows.SignalWake, s.signal)
	require.False(t, s.options.EnableEagerStart, "the SDK refuses it beside a signal")
}

func TestWake_ASubagentIsSignalledInAnyCase(t *testing.T) {
	t.Parallel()
	agent := chat.SubagentRef{Session: "agent:main:subagent:t1.0.0", Parent: conversation, Role: "coder", Instance: "a", Call: "t1.0.0"}
	s := woken(t, wake.Waker{Attributes: off}, wake.TurnWake{Session: agent.Session, Agent: &agent, Idle: true})
	require.Equal(t, workflows.SignalWake, s.signal)
}

func TestStart_TellsAGroupChatThatItWasDeleted(t *testing.T) {
	t.Parallel()
	c := &signaller{}
	s := withRows(rows{err: fault.Errorf(fault.NotFound, "gone")}, wake.Starter{Client: c, Attributes: on})
	require.NoError(t, s.StartGroup(t.Context(), "g1"))
	require.Equal(t, []string{"group/g1"}, c.signalled)
	c.err = serviceerror.NewNotFound("it has ended")
	require.NoError(t, s.StartGroup(t.Context(), "g1"))
}

// signaller is a Temporal client that only signals what runs.
type signaller struct {
	client.Client

	signalled []string
	err       error
}

func (s *signaller) SignalWorkflow(_ context.Context, id, _, _ string, _ any) error {
	s.signalled = append(s.signalled, id)
	return s.err
}

func TestWake_KeepsWordsAndAttributesOutWhereTheyAreNotWanted(t *testing.T) {
	t.Parallel()
	s := woken(t, wake.Waker{Attributes: off}, wake.TurnWake{Session: conversation, Channel: "web", UserName: "alice", Text: "a secret"})
	require.Equal(t, "web · alice", s.options.StaticSummary)
	require.Zero(t, s.options.TypedSearchAttributes.Size())
	require.False(t, s.input.Attributes)
	data, err := json.Marshal(s.options)
	require.NoError(t, err)
	require.NotContains(t, string(data), "a secret")
}

func TestWake_ShowsWhatAStrangerWroteAndNeverAsMarkup(t *testing.T) {
	t.Parallel()
	s := woken(t, wake.Waker{Words: true, Attributes: off}, wake.TurnWake{Session: conversation, Channel: "qq", UserName: "bob", Text: "[log in](https://evil.example)"})
	require.Equal(t, `qq · bob · "\[log in\](https://evil.example)"`, s.options.StaticSummary, "the Temporal UI reads it as Markdown")
	require.Equal(t, `qq · bob · "[log in](https://evil.example)"`, s.options.Memo[workflows.MemoAbout], "and this as it is")
}

func TestWake_FitsWhatTemporalHolds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"字", "<", "😀"} {
		fitsWhatTemporalHolds(t, strings.Repeat(text, 300))
	}
}

func fitsWhatTemporalHolds(t *testing.T, wide string) {
	t.Helper()
	s := woken(t, wake.Waker{Words: true, Attributes: on}, wake.TurnWake{
		Session: chat.SessionKey("agent:main:web:thread:" + strings.Repeat("字", 59)), Channel: "web", UserName: wide, Text: wide,
	})
	require.True(t, utf8.ValidString(s.id))
	require.LessOrEqual(t, len(s.id), 255)
	summary, err := json.Marshal(s.options.StaticSummary)
	require.NoError(t, err)
	require.LessOrEqual(t, len(summary), 400, "limit.userMetadataSummarySize")
	user, _ := s.options.TypedSearchAttributes.GetKeyword(workflows.AttrUser)
	require.LessOrEqual(t, utf8.RuneCountInString(user), 255)
}

func TestWake_SaysWhatItCouldNotWake(t *testing.T) {
	t.Parallel()
	away := serviceerror.NewUnavailable("connection refused")
	w := &wake.Waker{Client: &starter{err: away}, Attributes: off}
	err := w.Wake(t.Context(), wake.TurnWake{Session: conversation})
	require.ErrorIs(t, err, away)
	require.ErrorContains(t, err, "turn/"+string(conversation))
}
