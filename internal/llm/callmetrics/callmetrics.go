// Package callmetrics counts the calls of models by the semantic conventions of OpenTelemetry for generative AI: gen_ai.client.operation.duration and
// gen_ai.client.token.usage.
package callmetrics

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
)

// The bounds of the buckets that the conventions name, in seconds and in tokens.
var (
	durationBounds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	tokenBounds    = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

// Recorder records calls of models. A nil one records nothing.
type Recorder struct {
	duration metric.Float64Histogram
	tokens   metric.Int64Histogram
}

// New returns a recorder that uses a meter.
func New(m metric.Meter) (*Recorder, error) {
	duration, err := m.Float64Histogram("gen_ai.client.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long calls of models take."), metric.WithExplicitBucketBoundaries(durationBounds...))
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "set up metrics of model calls: %w", err)
	}
	tokens, err := m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens of calls of models, by type: input, output."), metric.WithExplicitBucketBoundaries(tokenBounds...))
	if err != nil {
		return nil, fault.Errorf(fault.Internal, "set up metrics of model calls: %w", err)
	}
	return &Recorder{duration, tokens}, nil
}

// Called records a call of a model, provider/model, that has ended. err is nil if it succeeded.
func (r *Recorder) Called(ctx context.Context, model string, answer llm.Answer, took time.Duration, err error) {
	if r == nil {
		return
	}
	provider, name := llm.SplitModel(model)
	common := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", provider), attribute.String("gen_ai.request.model", name),
	}
	ended := common
	if err != nil {
		ended = append(slices.Clip(ended), attribute.String("error.type", class(ctx, err)))
	}
	ctx = context.WithoutCancel(ctx)
	r.duration.Record(ctx, took.Seconds(), metric.WithAttributes(ended...))
	if answer.Usage == (chat.Usage{}) {
		return
	}
	r.tokens.Record(ctx, int64(answer.Usage.PromptTokens), metric.WithAttributes(append(slices.Clip(common), attribute.String("gen_ai.token.type", "input"))...))
	r.tokens.Record(ctx, int64(answer.Usage.CompletionTokens), metric.WithAttributes(append(slices.Clip(common), attribute.String("gen_ai.token.type", "output"))...))
}

// class returns the class of an error: one of a few words.
func class(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "canceled"
	}
	return string(fault.KindOf(err))
}
