package server

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"xbot/ingress/wake"
	"xbot/internal/fault"
	"xbot/internal/host/outage"
	"xbot/internal/host/temporalclient"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/workflows"
)

// orchestration is Temporal, and what wakes workflows.
type orchestration struct {
	client     client.Client
	namespace  string
	identity   string                // of this process, to Temporal
	codec      *temporalclient.Codec // of the payloads in Temporal's histories
	words      bool                  // whether summaries may contain the first words of messages
	attributes *attributes
	wakes      *wake.Dispatcher // wakes workflows whose rows were just committed
	outages    *outage.Watch    // of Postgres and Temporal
}

func newOrchestration(ctx context.Context, s settings, p *process, db *database, closer *Server) (*orchestration, error) {
	o := &orchestration{namespace: s.Namespace, words: s.Summaries == "on", attributes: &attributes{log: p.log}}
	var err error
	err = p.untilPostgres(ctx, func(ctx context.Context) (err error) {
		o.codec, err = newCodec(ctx, db, s.Codec == "on")
		return err
	})
	if err != nil {
		return nil, err
	}
	dial := s.dial
	dial.Metrics, dial.Log = p.tele.Temporal(), Quiet(p.log)
	if dial.Interceptors, err = p.tele.Interceptors(); err != nil {
		return nil, err
	}
	o.identity = identity(s.process, s.version)
	dial.Codec, dial.Identity = o.codec, o.identity
	if o.client, err = temporalclient.New(dial); err != nil {
		return nil, err
	}
	closer.onClose(o.client.Close)
	o.outages = outage.New(p.log, postgresPart{db.rows}, temporalPart{o.client})
	o.wakes = &wake.Dispatcher{
		Turns: &wake.Waker{Client: o.client, Words: o.words, Attributes: o.attributes, Agents: db.rows.Agents},
		Starts: &wake.Starter{
			Client: o.client, Agents: db.rows.Agents, Attachments: db.rows.Attachments, Calls: db.rows.Calls, Conversations: db.rows.Conversations,
			Cron: db.rows.Cron, Turns: db.rows.Turns, Usage: db.rows.Usage, Users: db.rows.Users, Migrations: db.rows.Storage, Words: o.words, Attributes: o.attributes,
		},
		Users: db.rows.Users, Log: p.log, Outages: o.outages,
	}
	closer.onClose(o.wakes.Wait)
	return o, nil
}

// postgresPart is Postgres as requests need it.
type postgresPart struct{ rows *store.Store }

// Ping implements outage.Part.
func (p postgresPart) Ping(ctx context.Context) error { return p.rows.Ping(ctx) }

// Name implements outage.Part.
func (postgresPart) Name() string { return pg.Part }

// Caused implements outage.Part.
func (postgresPart) Caused(err error) bool { return fault.PartOf(err) == pg.Part }

// temporalPart is Temporal as wakes need it.
type temporalPart struct{ client.Client }

// Name implements outage.Part.
func (temporalPart) Name() string { return "Temporal" }

// Caused implements outage.Part.
func (temporalPart) Caused(err error) bool {
	_, away := errors.AsType[*serviceerror.Unavailable](err)
	_, silent := errors.AsType[*serviceerror.DeadlineExceeded](err)
	return away || silent
}

// Ping implements outage.Part.
func (t temporalPart) Ping(ctx context.Context) error {
	_, err := t.CheckHealth(ctx, nil)
	return err
}

// Unpause lets a run continue that was paused in the Temporal UI.
func (o *orchestration) Unpause(ctx context.Context, workflowID, runID string) error {
	_, err := o.client.WorkflowService().UnpauseWorkflowExecution(ctx, &workflowservice.UnpauseWorkflowExecutionRequest{
		Namespace: o.namespace, WorkflowId: workflowID, RunId: runID, Identity: "xbot", Reason: "a person ended it", RequestId: rand.Text(),
	})
	return err
}

// attributes reports which of our search attributes the namespace knows.
type attributes struct {
	known atomic.Bool // those of every release
	waits atomic.Bool // AttrWaits and AttrParent, too
	log   *slog.Logger
}

// Known reports whether it knows those of every release.
func (a *attributes) Known() bool { return a.known.Load() }

// Waits reports whether it knows AttrWaits and AttrParent, too.
func (a *attributes) Waits() bool { return a.waits.Load() }

// learnAttributes finds out whether the namespace knows our search attributes, as soon as Temporal answers.
func (o *orchestration) learnAttributes(ctx context.Context) error {
	names := []string{
		workflows.AttrSession.GetName(), workflows.AttrChannel.GetName(), workflows.AttrUser.GetName(),
		workflows.AttrKind.GetName(), workflows.AttrModel.GetName(), workflows.AttrOutcome.GetName(),
	}
	for ctx.Err() == nil {
		have, err := temporalclient.HasAttributes(ctx, o.client, o.namespace, names)
		if err == nil && have {
			o.attributes.known.Store(true)
			more, err := temporalclient.HasAttributes(ctx, o.client, o.namespace, []string{workflows.AttrWaits.GetName(), workflows.AttrParent.GetName()})
			if err == nil && more {
				o.attributes.waits.Store(true)
				return nil
			}
		}
		o.attributes.log.Debug("search attributes are not there yet", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(2 * time.Second):
		}
	}
	return nil
}
