// Package telemetry is the reporting of a process: structured logs, metrics for Prometheus, traces for
// OpenTelemetry when a collector is configured. None of them holds what people wrote, nor a secret.
package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	prom "go.opentelemetry.io/otel/exporters/prometheus"
	apimetric "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.26.0"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"

	"xbot/internal/fault"
	"xbot/internal/host/logs"
)

// Config configures what is reported.
type Config struct {
	Process string // xbot serve, xbot worker ...
	Version string
	Level   string // debug | info | warn | error
	Format  string // text | json
	OTLP    string // endpoint of a collector; empty: no traces, unless OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set
	Out     io.Writer
	File    *logs.File // to which everything is logged as well; nil: to none
}

// Telemetry is the reporting of one process. Close it.
type Telemetry struct {
	Log      *slog.Logger
	Registry *prometheus.Registry
	meters   *metric.MeterProvider
	traces   *trace.TracerProvider
}

// New sets up the reporting of a process. The exporter of traces reads OTEL_ variables from the environment.
func New(ctx context.Context, cfg Config) (*Telemetry, error) {
	t := &Telemetry{Log: NewLogger(cfg), Registry: prometheus.NewRegistry()}
	t.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	exporter, err := prom.New(prom.WithRegisterer(t.Registry))
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "set up metrics: %w", err)
	}
	t.meters = metric.NewMeterProvider(metric.WithReader(exporter))
	if cfg.OTLP == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
		return t, nil
	}
	if t.traces, err = newTraces(ctx, cfg); err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		t.Log.Warn("traces could not be sent", "error", addresses.ReplaceAllString(err.Error(), "the collector"))
	}))
	otel.SetTracerProvider(t.traces)
	return t, nil
}

// addresses matches web addresses, which may contain passwords.
var addresses = regexp.MustCompile(`[a-z]+://[^\s"]+`)

// protocol is the encoding of the exporter, the only one that is compiled in.
const protocol = "http/protobuf"

func newTraces(ctx context.Context, cfg Config) (*trace.TracerProvider, error) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		if value := os.Getenv(name); value != "" && value != protocol {
			return nil, fault.Errorf(fault.Invalid, "%s is %q; xbot sends traces as %s only", name, value, protocol)
		}
	}
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "OTEL_EXPORTER_OTLP_ENDPOINT cannot be used: %w", err)
	}
	about := resource.NewSchemaless(semconv.ServiceName(cfg.Process), semconv.ServiceVersion(cfg.Version))
	if about, err = resource.Merge(about, resource.Environment()); err != nil {
		return nil, fault.Errorf(fault.Invalid, "OTEL_RESOURCE_ATTRIBUTES cannot be used: %w", err)
	}
	return trace.NewTracerProvider(trace.WithBatcher(spans), trace.WithResource(about)), nil
}

// Temporal returns the metrics handler of the Temporal SDK.
func (t *Telemetry) Temporal() client.MetricsHandler {
	return opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{Meter: t.meters.Meter("temporal")})
}

// Meter returns the meter of metrics that follow the conventions of OpenTelemetry.
func (t *Telemetry) Meter() apimetric.Meter { return t.meters.Meter("xbot") }

// Resource returns the attributes that OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME name.
func Resource() map[string]string {
	out := map[string]string{}
	for _, a := range resource.Environment().Attributes() {
		out[string(a.Key)] = a.Value.String()
	}
	return out
}

// Interceptors returns the tracing of the Temporal SDK, none without a collector.
func (t *Telemetry) Interceptors() ([]interceptor.ClientInterceptor, error) {
	if t.traces == nil {
		return nil, nil
	}
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{Tracer: t.traces.Tracer("xbot")})
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "set up tracing: %w", err)
	}
	return []interceptor.ClientInterceptor{tracing}, nil
}

// Handler serves the metrics.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.Registry, promhttp.HandlerOpts{})
}

// Close sends the remaining data.
func (t *Telemetry) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := t.meters.Shutdown(ctx)
	if t.traces != nil {
		err = errors.Join(err, t.traces.Shutdown(ctx))
	}
	return err
}

// NewLogger returns the log of a process.
func NewLogger(cfg Config) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.Level)); err != nil {
		level = slog.LevelInfo // the configuration was checked before
	}
	options := &slog.HandlerOptions{Level: level}
	var to slog.Handler = slog.NewTextHandler(cfg.Out, options)
	if cfg.Format == "json" {
		to = slog.NewJSONHandler(cfg.Out, options)
	}
	if cfg.File != nil {
		to = cfg.File.Also(to, level)
	}
	return slog.New(to)
}
