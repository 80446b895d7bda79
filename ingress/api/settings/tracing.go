package settings

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/tracing"
)

// Tracing has the targets of traces.
type Tracing struct {
	Settings *tracing.Settings
	Resource tracing.Resource // of the span of a test
}

// TraceTarget is a target of traces.
type TraceTarget tracing.Target

// TraceTargets lists the targets of traces.
type TraceTargets struct {
	Targets []TraceTarget `json:"targets"`
}

// TraceTargetDraft is the configuration of a target of traces.
type TraceTargetDraft struct {
	Enabled   bool   `json:"enabled"`
	Endpoint  string `json:"endpoint,omitempty" maxLength:"512" doc:"Address of the collector, without /v1/traces, or of Langfuse; empty: Langfuse's cloud in the EU."`
	PublicKey string `json:"public_key,omitempty" maxLength:"512" doc:"Public key of the Langfuse project."`
	Secret    string `json:"secret,omitempty" maxLength:"4096" doc:"Secret key of the Langfuse project, or headers for the collector, such as authorization=Bearer%20token. Empty: the stored one stays. It is never returned."`
	Forget    bool   `json:"forget,omitempty" doc:"The stored secret is removed."`
	Content   bool   `json:"content,omitempty" doc:"Spans contain prompts, replies, arguments and results, with secrets masked."`
	Revision  int64  `json:"revision,omitempty" minimum:"0" doc:"The revision that the change was made from; 0: the target is not configured yet."`
}

// TraceTargetTested is the result of a test.
type TraceTargetTested tracing.Tested

type (
	// TraceTargetPath names the target of a request.
	TraceTargetPath struct {
		Target string `path:"target" enum:"otlp,langfuse"`
	}
	traceTargetChange struct {
		TraceTargetPath

		Body TraceTargetDraft
	}
)

func (a *Endpoints) registerTracing(h huma.API) {
	const root, one = "/api/tracing", "/api/tracing/{target}"
	huma.Register(h, huma.Operation{
		OperationID: "list-trace-targets", Method: http.MethodGet, Path: root, Summary: "Collectors that traces of turns are exported to",
		Description: "For administrators. What waits for a target, and why the last export failed, is in the list.", Security: endpoint.Secured,
	}, a.listTraceTargets)
	huma.Register(h, huma.Operation{
		OperationID: "set-trace-target", Method: http.MethodPut, Path: one, Summary: "Configure a target of traces",
		Description: "For administrators. It prevails over the environment, also if it is not enabled. Every worker follows it within half a minute. 409: it was changed meanwhile. " +
			"If the address changes, the secret has to be given again.", Security: endpoint.Secured,
	}, a.setTraceTarget)
	huma.Register(h, huma.Operation{
		OperationID: "delete-trace-target", Method: http.MethodDelete, Path: one, Summary: "Remove the configuration of a target of traces",
		Description: "For administrators. The environment counts again.", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, a.removeTraceTarget)
	huma.Register(h, huma.Operation{
		OperationID: "test-trace-target", Method: http.MethodPost, Path: one + "/test", Summary: "Export one span",
		Description: "For administrators. Nothing is stored. For Langfuse the keys are checked before. The result says what is wrong.", Security: endpoint.Secured,
	}, a.testTraceTarget)
}

func (a *Endpoints) listTraceTargets(ctx context.Context, _ *struct{}) (*struct{ Body TraceTargets }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	list, err := a.Tracing.Settings.List(ctx)
	out := TraceTargets{Targets: make([]TraceTarget, len(list))}
	for i, t := range list {
		out.Targets[i] = TraceTarget(t)
	}
	return &struct{ Body TraceTargets }{out}, a.Problem(err)
}

func (a *Endpoints) setTraceTarget(ctx context.Context, in *traceTargetChange) (*struct{ Body TraceTarget }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	u := auth.User(ctx)
	if err := a.Tracing.Settings.Save(ctx, in.draft(), u.ID); err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("target of traces saved", "target", in.Target, "enabled", in.Body.Enabled, "content", in.Body.Content, "by", u.Name)
	list, err := a.Tracing.Settings.List(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	for _, t := range list {
		if t.Name == in.Target {
			return &struct{ Body TraceTarget }{TraceTarget(t)}, nil
		}
	}
	return nil, a.Problem(fault.Errorf(fault.Internal, "the target %s is not in the list", in.Target))
}

func (in *traceTargetChange) draft() tracing.Draft {
	b := in.Body
	return tracing.Draft{
		Name: in.Target, Enabled: b.Enabled, Endpoint: b.Endpoint, PublicKey: b.PublicKey, Secret: b.Secret, Forget: b.Forget, Content: b.Content, Revision: b.Revision,
	}
}

func (a *Endpoints) removeTraceTarget(ctx context.Context, in *TraceTargetPath) (*struct{}, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	if err := a.Tracing.Settings.Remove(ctx, in.Target); err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("target of traces removed", "target", in.Target, "by", auth.User(ctx).Name)
	return nil, nil
}

func (a *Endpoints) testTraceTarget(ctx context.Context, in *traceTargetChange) (*struct{ Body TraceTargetTested }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	out, err := a.Tracing.Settings.Test(ctx, in.draft(), a.Tracing.Resource)
	return &struct{ Body TraceTargetTested }{TraceTargetTested(out)}, a.Problem(err)
}
