package wake_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"xbot/ingress/wake"
	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/storage"
	"xbot/workflows"
)

// executor is a Temporal client that only starts workflows.
type executor struct {
	client.Client

	options  client.StartWorkflowOptions
	workflow any
	input    any
	err      error
}

func (e *executor) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error) {
	e.options, e.workflow, e.input = o, workflow, args[0]
	return nil, e.err
}

// rows are a task and a bang command.
type rows struct {
	task chat.TaskRun
	bang chat.Bang

	parcel chat.AttachmentSet
	memory chat.MemorizeJob
	err    error
}

func (r rows) Task(context.Context, chat.CallID) (chat.TaskRun, error) { return r.task, r.err }
func (r rows) Bang(context.Context, chat.InboxID) (chat.Bang, error)   { return r.bang, r.err }
func (r rows) AttachmentSet(context.Context, chat.InboxID) (chat.AttachmentSet, error) {
	return r.parcel, r.err
}
func (r rows) Job(context.Context, chat.JobID) (cronstore.Job, error) { return cronstore.Job{}, r.err }

func (r rows) Group(context.Context, chat.GroupID) (chat.SessionKey, string, string, error) {
	return conversation, "", "", r.err
}

func (r rows) MemorizeJob(context.Context, chat.MemorizeID) (chat.MemorizeJob, error) {
	return r.memory, r.err
}

func (rows) Migration(context.Context, chat.MigrationID) (storage.Migration, error) {
	return storage.Migration{Target: "s3", State: storage.MigrationRunning}, nil
}

func (rows) Deletion(context.Context, chat.UserID) (chat.Deletion, error) {
	return chat.Deletion{Name: "ann"}, nil
}

func (r rows) SessionAbout(context.Context, chat.SessionKey) (channel, user string, err error) {
	return "", "", r.err
}

// withRows returns s with rows as its stores.
func withRows(r rows, s wake.Starter) wake.Starter {
	s.Agents, s.Attachments, s.Calls, s.Conversations = r, r, r, r
	s.Cron, s.Migrations, s.Turns, s.Usage, s.Users = r, r, r, r, r
	return s
}

func TestStart_MemorizesOnlyWhatWaits(t *testing.T) {
	t.Parallel()
	e := &executor{}
	s := withRows(rows{memory: chat.MemorizeJob{ID: 9, Session: conversation, Trigger: chat.MemorizeReset, State: chat.MemorizeWaiting}}, wake.Starter{Client: e, Attributes: on})
	require.NoError(t, s.StartMemorize(t.Context(), 9))
	require.Equal(t, "memorize/9", e.options.ID)
	require.Equal(t, "memorize · reset", e.options.StaticSummary)
	require.Equal(t, workflows.MemorizeInput{Job: 9, Trigger: "reset", Attributes: true}, e.input)

	e = &executor{}
	s = withRows(rows{memory: chat.MemorizeJob{ID: 9, State: chat.MemorizeDone}}, wake.Starter{Client: e, Attributes: on})
	require.NoError(t, s.StartMemorize(t.Context(), 9))
	require.Empty(t, e.workflow)
}

func TestStart_ShowsOperatorsTheNameOfAFileOnlyIfItMay(t *testing.T) {
	t.Parallel()
	e := &executor{}
	s := withRows(rows{parcel: chat.AttachmentSet{
		Inbox: 7, Session: conversation, Channel: "feishu", Waits: true, Files: []chat.AttachmentFetch{{Attachment: chat.Attachment{Kind: "file", Name: "pay.pdf"}, N: 1}},
	}}, wake.Starter{Client: e, Words: true, Attributes: on})
	require.NoError(t, s.StartFetch(t.Context(), 7))
	require.Equal(t, "fetch/7", e.options.ID)
	require.Equal(t, "files · feishu · pay.pdf", e.options.StaticSummary)
	require.Equal(t, workflows.FetchInput{Inbox: 7}, e.input)
	s.Words = false
	require.NoError(t, s.StartFetch(t.Context(), 7))
	require.Equal(t, "files · feishu", e.options.StaticSummary)
}

func TestStart_ShowsTheCommandToOperatorsOnlyIfItMay(t *testing.T) {
	t.Parallel()
	e := &executor{}
	s := withRows(rows{
		task: chat.TaskRun{Task: chat.Task{ID: "bg2", Command: "make all\necho", Runner: "laptop"}, Session: conversation, UserName: "alice"},
		bang: chat.Bang{Inbox: 7, Session: conversation, UserName: "alice", Command: "ls -la"},
	}, wake.Starter{Client: e, Words: true, Attributes: on})
	require.NoError(t, s.StartBackground(t.Context(), "t.0.1"))
	require.Equal(t, "background/t.0.1", e.options.ID)
	require.Equal(t, "bg2 · make all", e.options.StaticSummary)
	require.Equal(t, workflows.NameBackground, e.workflow)
	require.Equal(t, workflows.BackgroundInput{Call: "t.0.1", Task: "bg2", Runner: "laptop", Words: "make all", Attributes: true}, e.input)
	kind, _ := e.options.TypedSearchAttributes.GetKeyword(workflows.AttrKind)
	require.Equal(t, "background", kind)

	require.NoError(t, s.StartBang(t.Context(), 7))
	require.Equal(t, "command/7", e.options.ID)
	require.Equal(t, "command · ls -la", e.options.StaticSummary)
	require.Equal(t, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, e.options.WorkflowIDReusePolicy)

	s.Words, s.Attributes = false, off
	require.NoError(t, s.StartBackground(t.Context(), "t.0.1"))
	require.Equal(t, "bg2", e.options.StaticSummary)
	require.Equal(t, workflows.BackgroundInput{Call: "t.0.1", Task: "bg2", Runner: "laptop"}, e.input)
	require.Zero(t, e.options.TypedSearchAttributes.Size())
}

func TestStart_OfWhatRunsOrIsGoneIsNoError(t *testing.T) {
	t.Parallel()
	e := &executor{err: serviceerror.NewWorkflowExecutionAlreadyStarted("it runs", "", "")}
	s := withRows(rows{}, wake.Starter{Client: e, Attributes: off})
	require.NoError(t, s.StartBackground(t.Context(), "t.0.1"))
	require.NoError(t, s.StartBang(t.Context(), 7))
	e.err = errors.New("Temporal is away")
	require.ErrorContains(t, s.StartBang(t.Context(), 7), "start command/7: Temporal is away")

	e.workflow = nil
	s = withRows(rows{err: fault.Errorf(fault.NotFound, "the session was deleted")}, s)
	require.NoError(t, s.StartBackground(t.Context(), "t.0.1"))
	require.NoError(t, s.StartBang(t.Context(), 7))
	s.Turns = rows{bang: chat.Bang{Done: true}}
	require.NoError(t, s.StartBang(t.Context(), 7))
	require.Nil(t, e.workflow, "nothing was started")
}
