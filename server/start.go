package server

import (
	"context"
	"crypto/rand"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"xbot/activities/background"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/filelink"
	"xbot/internal/temporalclient"
	"xbot/workflows"
)

// waker wakes turns.
func (p *parts) waker(t config.Temporal) *wake.Waker {
	return &wake.Waker{Client: p.temporal, Words: t.Summaries == "on", Attributes: p.attributes.Load, Waits: p.waits.Load, Agents: p.store}
}

// wakeLine has those woken who are handed a free turn, whichever half of the server frees it.
func (p *parts) wakeLine(t config.Temporal) {
	if p.line == nil {
		p.line = &wake.NextInLine{Waker: p.waker(t), Users: p.store, Groups: p.starter(t), Log: p.log}
		p.store.Line = p.line
	}
}

// starter starts what runs beside turns.
func (p *parts) starter(t config.Temporal) *wake.Starter {
	return &wake.Starter{Client: p.temporal, Rows: p.store, Words: t.Summaries == "on", Attributes: p.attributes.Load, Waits: p.waits.Load, About: p.store.SessionAbout}
}

// taskWaker wakes the turn of a session when a background task of it has ended.
type taskWaker struct{ *wake.Waker }

var _ background.Waker = taskWaker{}

// WakeTask wakes the session of a task.
func (w taskWaker) WakeTask(ctx context.Context, t chat.TaskRun) error {
	return w.Wake(ctx, wake.Row{Session: t.Session, Channel: t.Channel, UserName: t.UserName, Text: "background task " + t.ID + " ended"})
}

// wakeFetched wakes the turn of a message whose files are there.
func wakeFetched(w *wake.Waker) func(ctx context.Context, p chat.Parcel) error {
	return func(ctx context.Context, p chat.Parcel) error {
		return w.Wake(ctx, wake.Row{Session: p.Session, Channel: p.Channel, UserName: p.UserName, Text: "files came"})
	}
}

// outputLink makes the address under which the whole output of a command can be downloaded.
func (p *parts) outputLink(user chat.UserID, runner string, exec chat.CallID, name string) (string, error) {
	return filelink.New(p.key).URL(filelink.Link{
		User: user, Runner: runner, Exec: exec, Name: name, Expires: time.Now().Add(filelink.MaxLife),
	})
}

// learnAttributes finds out whether the namespace knows our search attributes, as soon as Temporal answers.
func (p *parts) learnAttributes(ctx context.Context, namespace string) error {
	names := []string{
		workflows.AttrSession.GetName(), workflows.AttrChannel.GetName(), workflows.AttrUser.GetName(),
		workflows.AttrKind.GetName(), workflows.AttrModel.GetName(), workflows.AttrOutcome.GetName(),
	}
	for ctx.Err() == nil {
		have, err := temporalclient.HasAttributes(ctx, p.temporal, namespace, names)
		if err == nil && have {
			p.attributes.Store(true)
			more, err := temporalclient.HasAttributes(ctx, p.temporal, namespace, []string{workflows.AttrWaits.GetName(), workflows.AttrParent.GetName()})
			if err == nil && more {
				p.waits.Store(true)
				return nil
			}
		}
		p.log.Debug("search attributes are not there yet", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	return nil
}

// unpause lets a run go on that was paused in the Temporal UI.
func (in *ingressPart) unpause(ctx context.Context, workflowID, runID string) error {
	_, err := in.temporal.WorkflowService().UnpauseWorkflowExecution(ctx, &workflowservice.UnpauseWorkflowExecutionRequest{
		Namespace: in.cfg.Namespace, WorkflowId: workflowID, RunId: runID, Identity: "xbot", Reason: "a person ended it", RequestId: rand.Text(),
	})
	return err
}
