// Package wake starts and wakes the workflows of committed rows. The row holds the work, so a wake may be repeated at will,
// and the relay repeats one that fails.
package wake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"xbot/internal/chat"
	"xbot/workflows"
)

// Timeout bounds one wake; the relay takes over after it.
const Timeout = 10 * time.Second

// Waker starts or signals the turn of a session, or the subagent that it belongs to. The signal carries nothing: its subject is a committed row.
type Waker struct {
	Client     client.Client
	Words      bool // allows the first words of messages in Temporal histories
	Attributes Attributes
	Agents     Agents // nil: there are none
}

// Attributes reports which of our search attributes the namespace knows.
type Attributes interface {
	Known() bool // those of every release
	Waits() bool // AttrWaits and AttrParent, too
}

// Wake signals the session's turn that rows wait, starting it if none runs. It may be repeated at will.
func (w *Waker) Wake(ctx context.Context, r TurnWake) error {
	id, agent, err := w.workflow(ctx, r)
	if err != nil {
		return fmt.Errorf("find the workflow of %s: %w", r.Session, err)
	}
	summary := w.summary(r)
	options := client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.TaskQueue, WorkflowTaskTimeout: workflows.TaskTimeout, StaticSummary: workflows.StaticSummary(summary),
	}
	options.StaticDetails, options.Memo = details(r.Session), map[string]any{workflows.MemoAbout: summary}
	attributes := w.Attributes.Known()
	if attributes {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(
			workflows.AttrSession.ValueSet(keyword(string(r.Session))),
			workflows.AttrChannel.ValueSet(keyword(r.Channel)),
			workflows.AttrUser.ValueSet(keyword(r.UserName)),
			workflows.AttrKind.ValueSet(kindOf(agent)),
		)
	}
	waits := attributes && w.Attributes.Waits()
	if agent != nil && waits {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(options.TypedSearchAttributes.Copy(), workflows.AttrParent.ValueSet(keyword(string(agent.Parent))))
	}
	name, input := workflows.NameTurn, any(workflows.TurnInput{Session: r.Session, Attributes: attributes, Waits: waits})
	if agent != nil {
		name, input = workflows.NameSubagent, workflows.SubagentInput{Session: r.Session, Once: agent.Once(), Attributes: attributes, Waits: waits}
	}
	if r.Idle && agent == nil {
		if started, err := w.start(ctx, options, name, input); started || err != nil {
			return err
		}
	}
	if _, err := w.Client.SignalWithStartWorkflow(ctx, id, workflows.SignalWake, nil, options, name, input); err != nil {
		return fmt.Errorf("wake %s: %w", id, err)
	}
	return nil
}

// start starts a run where most likely none is open, and reports false where one is. A worker of this process has its first workflow task with
// the answer to the start, without the way through a task queue; where there is no worker, the task goes there.
func (w *Waker) start(ctx context.Context, o client.StartWorkflowOptions, name string, input any) (started bool, err error) {
	o.EnableEagerStart = true
	o.WorkflowIDConflictPolicy, o.WorkflowExecutionErrorWhenAlreadyStarted = enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, true
	_, err = w.Client.ExecuteWorkflow(ctx, o, name, input)
	if _, open := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); open {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("start %s: %w", o.ID, err)
	}
	return true, nil
}

func (w *Waker) workflow(ctx context.Context, r TurnWake) (id string, agent *chat.SubagentRef, err error) {
	if r.Agent != nil {
		return workflows.SubagentID(*r.Agent), r.Agent, nil
	}
	return WorkflowOf(ctx, w.Agents, r.Session)
}

// details links a run to its conversation.
func details(key chat.SessionKey) string {
	return "[conversation](" + workflows.ConversationPath(key) + ")"
}

func kindOf(agent *chat.SubagentRef) string {
	if agent != nil {
		return workflows.KindSubagent
	}
	return workflows.KindTurn
}

// TurnWake describes the row of a wake, for operators only.
type TurnWake struct {
	Session  chat.SessionKey
	Channel  string
	UserName string
	Text     string
	// Idle reports that no turn of the session ran when the row was committed, and that nothing waited before it.
	Idle bool
	// Agent is the subagent that the session is, where that cannot be read any more; nil: it is looked for.
	Agent *chat.SubagentRef
}

func (w *Waker) summary(r TurnWake) string {
	parts := []string{r.Channel, chat.FirstWords(r.UserName, chat.SummaryWords)} // Temporal holds 400 bytes
	if w.Words {
		parts = append(parts, `"`+chat.FirstWords(r.Text, chat.SummaryWords)+`"`)
	}
	return strings.Join(parts, " · ")
}

// keyword shortens a value to the limit of a keyword attribute: 255 characters.
func keyword(s string) string {
	if r := []rune(s); len(r) > 255 {
		return string(r[:255])
	}
	return s
}
