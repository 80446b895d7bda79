package server

import (
	"context"
	"strings"

	"xbot/internal/host/config"
	"xbot/internal/host/telemetry"
	"xbot/internal/sandbox/agentenv"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/tracing"
)

// traces are the targets of traces of turns, and what wakes their exporter.
type traces struct {
	settings *tracing.Settings
	signals  *tracing.Signals
	resource tracing.Resource
}

func newTraces(s settings, p *process) *traces {
	env := TraceTargets(s.Telemetry, p.env)
	return &traces{
		settings: &tracing.Settings{Env: env}, signals: tracing.NewSignals(env),
		resource: tracing.Resource{Service: "xbot", Version: p.version, Attributes: telemetry.Resource()},
	}
}

// connect gives the settings their rows.
func (t *traces) connect(c *core) {
	t.settings.Rows, t.settings.Key, t.settings.Changed = c.stores.Tracing, c.db.key, t.signals.Reload
}

// TraceTargets returns the targets that settings and variables of OpenTelemetry configure.
func TraceTargets(t config.Telemetry, variables map[string]string) tracing.EnvironmentTargets {
	variable := func(names ...string) string {
		for _, name := range names {
			if v := strings.TrimSpace(variables[name]); v != "" {
				return v
			}
		}
		return ""
	}
	return tracing.EnvironmentTargets{
		Endpoint: t.OTLP, TracesEndpoint: variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
		Headers:  variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"),
		Langfuse: t.Langfuse == "true", Host: t.LangfuseHost, PublicKey: t.LangfusePublicKey, SecretKey: t.LangfuseSecretKey, Content: t.TraceContent == "on",
	}
}

// NewTraceSettings returns the targets of traces for a program next to the running server.
func NewTraceSettings(rows *store.Store, env tracing.EnvironmentTargets, key secret.Sealer) *tracing.Settings {
	return &tracing.Settings{Rows: rows.Tracing, Key: key, Env: env}
}

// exportTraces exports traces of turns until ctx ends. A copy of an installation exports none: they are those of the original.
func (a *agents) exportTraces(ctx context.Context) error {
	c := a.core
	if c.copy {
		<-ctx.Done()
		return nil
	}
	e := &tracing.Exporter{
		Settings: c.traces.settings, Rows: c.stores.Tracing, Signals: c.traces.signals, Resource: c.traces.resource, Prices: c.models.catalogue,
		Maskers: &agentenv.Resolver{
			AgentSecrets: c.stores.AgentSecrets, Settings: c.stores.Settings, Policies: c.db.policies, Key: c.db.key, Log: c.proc.log,
		},
		Metrics: tracing.NewMetrics(c.proc.tele.Registry), Log: c.proc.log,
	}
	return e.Run(ctx)
}
