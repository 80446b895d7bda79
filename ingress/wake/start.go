package wake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/storage"
	"xbot/workflows"
)

// AgentsStore reads group chats.
type AgentsStore interface {
	Group(ctx context.Context, id chat.GroupID) (key chat.SessionKey, user, topic string, err error)
}

// Attachments reads the files of a message that are to be fetched.
type Attachments interface {
	AttachmentSet(ctx context.Context, id chat.InboxID) (chat.AttachmentSet, error)
}

// Calls reads background tasks.
type Calls interface {
	Task(ctx context.Context, call chat.CallID) (chat.TaskRun, error)
}

// Conversations reads memorize jobs.
type Conversations interface {
	MemorizeJob(ctx context.Context, id chat.MemorizeID) (chat.MemorizeJob, error)
}

// Cron reads jobs.
type Cron interface {
	Job(ctx context.Context, id chat.JobID) (cronstore.Job, error)
}

// TurnsStore runs the transactions of turns.
type TurnsStore interface {
	Bang(ctx context.Context, id chat.InboxID) (chat.Bang, error)
}

// Usage reads the channel and the user of a conversation.
type Usage interface {
	// SessionAbout names the channel and the user of a conversation, for operators.
	SessionAbout(ctx context.Context, key chat.SessionKey) (channel, user string, err error)
}

// Users reads deletions of users.
type Users interface {
	Deletion(ctx context.Context, id chat.UserID) (chat.Deletion, error)
}

// Migrations stores migrations of storage.
type Migrations interface {
	Migration(ctx context.Context, id chat.MigrationID) (storage.Migration, error)
}

// Starter starts the workflows of committed rows other than turns. Starting one again has no effect while it runs or
// after it has completed.
type Starter struct {
	Client        client.Client
	Agents        AgentsStore
	Attachments   Attachments
	Calls         Calls
	Conversations Conversations
	Cron          Cron
	Turns         TurnsStore
	Usage         Usage
	Users         Users
	Migrations    Migrations
	// Words allows the first words of commands in Temporal histories.
	Words      bool
	Attributes Attributes
}

// about is the data of a conversation for operators. It is empty if the conversation cannot be read.
func (s *Starter) about(ctx context.Context, key chat.SessionKey) (channel, user string) {
	channel, user, err := s.Usage.SessionAbout(ctx, key)
	if err != nil {
		return "", ""
	}
	return channel, user
}

// StartBackground starts the workflow that follows a background task.
func (s *Starter) StartBackground(ctx context.Context, call chat.CallID) error {
	t, err := s.Calls.Task(ctx, call)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	summary := t.ID + " · " + chat.FirstWords(t.Command, commandWords)
	input := workflows.BackgroundInput{Call: call, Task: t.ID, Runner: t.Runner, Attributes: s.Attributes.Known()}
	if s.Words {
		input.Words = chat.FirstWords(t.Command, commandWords)
	} else {
		summary = t.ID
	}
	o := s.options(workflows.BackgroundID(call), summary, t.Session, t.UserName, workflows.KindBackground, input.Attributes)
	return s.start(ctx, o, workflows.NameBackground, input)
}

// StartBang starts the workflow of a bang command.
func (s *Starter) StartBang(ctx context.Context, id chat.InboxID) error {
	b, err := s.Turns.Bang(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || b.Done {
		return err
	}
	summary, input := "command", workflows.BangInput{Inbox: id, Attributes: s.Attributes.Known(), Files: len(b.Files)}
	if s.Words {
		input.Words = chat.FirstWords(b.Command, commandWords)
		summary += " · " + input.Words
	}
	o := s.options(workflows.CommandID(id), summary, b.Session, b.UserName, workflows.KindCommand, input.Attributes)
	return s.start(ctx, o, workflows.NameCommand, input)
}

// StartFetch starts the workflow that fetches the files of a message.
func (s *Starter) StartFetch(ctx context.Context, id chat.InboxID) error {
	p, err := s.Attachments.AttachmentSet(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || !p.Waits {
		return err
	}
	summary := "files · " + p.Channel
	if s.Words && len(p.Files) > 0 {
		summary += " · " + chat.FirstWords(p.Files[0].Label(1), commandWords)
	}
	o := s.options(workflows.FetchID(id), summary, p.Session, p.UserName, workflows.KindFetch, s.Attributes.Known())
	return s.start(ctx, o, workflows.NameFetch, workflows.FetchInput{Inbox: id})
}

// StartMemorize starts the workflow that writes a conversation into memory.
func (s *Starter) StartMemorize(ctx context.Context, id chat.MemorizeID) error {
	j, err := s.Conversations.MemorizeJob(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || j.State != chat.MemorizeWaiting {
		return err
	}
	input := workflows.MemorizeInput{Job: id, Trigger: j.Trigger, Attributes: s.Attributes.Known()}
	o := s.options(workflows.MemorizeID(id), "memorize · "+j.Trigger, j.Session, j.UserName, workflows.KindMemorize, input.Attributes)
	return s.start(ctx, o, workflows.NameMemorize, input)
}

// StartDeletion starts the workflow that deletes a user. Its row decides whether there is something to do, regardless of earlier runs.
func (s *Starter) StartDeletion(ctx context.Context, id chat.UserID) error {
	_, err := s.Users.Deletion(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	o := s.options(workflows.DeletePersonID(id), fmt.Sprintf("delete person %d", id), "", "", workflows.KindDeletion, s.Attributes.Known())
	o.WorkflowIDReusePolicy, o.StaticDetails = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, "" // it is about no conversation
	if s.Attributes.Known() {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(workflows.AttrKind.ValueSet(workflows.KindDeletion))
	}
	return s.start(ctx, o, workflows.NameDeletePerson, workflows.DeletePersonInput{User: id})
}

// StartMigration starts the workflow of a migration of storage. It does nothing if the migration has ended.
func (s *Starter) StartMigration(ctx context.Context, id chat.MigrationID) error {
	m, err := s.Migrations.Migration(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && m.State != storage.MigrationRunning {
		return nil
	}
	if err != nil {
		return err
	}
	o := s.options(workflows.MigrateStorageID(id), "move files to "+m.Target, "", "", workflows.KindMigration, s.Attributes.Known())
	o.WorkflowIDReusePolicy, o.StaticDetails = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, "" // it is about no conversation
	if s.Attributes.Known() {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(workflows.AttrKind.ValueSet(workflows.KindMigration))
	}
	return s.start(ctx, o, workflows.NameMigrateStorage, workflows.MigrateStorageInput{Migration: id})
}

func nonempty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(p string) bool { return p == "" })
}

// commandWords bounds what operators read of a command, in characters: Temporal holds 400 bytes of a summary.
const commandWords = 60

func (s *Starter) options(id, summary string, key chat.SessionKey, user, kind string, attributes bool) client.StartWorkflowOptions {
	o := client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.TaskQueue, WorkflowTaskTimeout: workflows.TaskTimeout, StaticSummary: workflows.StaticSummary(summary),
		// A run that was ended from outside is followed by a new one; one that has completed is not.
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticDetails:                            strings.Join(nonempty(details(key), markdown.Escaped(user)), " · "),
		Memo:                                     map[string]any{workflows.MemoAbout: summary},
	}
	if attributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			workflows.AttrSession.ValueSet(keyword(string(key))),
			workflows.AttrUser.ValueSet(keyword(user)),
			workflows.AttrKind.ValueSet(kind),
		)
	}
	return o
}

func (s *Starter) start(ctx context.Context, o client.StartWorkflowOptions, name string, input any) error {
	_, err := s.Client.ExecuteWorkflow(ctx, o, name, input)
	if _, known := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); known {
		return nil
	}
	if err != nil {
		return fmt.Errorf("start %s: %w", o.ID, err)
	}
	return nil
}
