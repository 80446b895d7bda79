package callmetrics_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/callmetrics"
)

func TestCalled_RecordsTheHistogramsOfTheConventions(t *testing.T) {
	reader := metric.NewManualReader()
	r, err := callmetrics.New(metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))
	require.NoError(t, err)
	r.Called(t.Context(), "kimi/k3", llm.Answer{Usage: chat.Usage{PromptTokens: 100, CompletionTokens: 7}}, 2*time.Second, nil)
	r.Called(t.Context(), "kimi/k3", llm.Answer{}, time.Second, fault.Errorf(fault.RateLimited, "slow down"))
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	r.Called(stopped, "kimi/k3", llm.Answer{}, time.Second, context.Canceled)

	var got metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &got))
	durations, tokens := map[string]uint64{}, map[string]int64{}
	for _, m := range got.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			require.Equal(t, []string{"gen_ai.client.operation.duration", "s"}, []string{m.Name, m.Unit})
			for _, p := range data.DataPoints {
				require.InDelta(t, 81.92, p.Bounds[len(p.Bounds)-1], 0)
				failure, _ := p.Attributes.Value("error.type")
				provider, _ := p.Attributes.Value("gen_ai.provider.name")
				model, _ := p.Attributes.Value("gen_ai.request.model")
				require.Equal(t, "moonshot_ai k3", provider.AsString()+" "+model.AsString())
				durations[failure.AsString()] = p.Count
			}
		case metricdata.Histogram[int64]:
			require.Equal(t, []string{"gen_ai.client.token.usage", "{token}"}, []string{m.Name, m.Unit})
			for _, p := range data.DataPoints {
				kind, _ := p.Attributes.Value("gen_ai.token.type")
				tokens[kind.AsString()] = p.Sum
			}
		}
	}
	require.Equal(t, map[string]uint64{"": 1, "rate_limited": 1, "canceled": 1}, durations)
	require.Equal(t, map[string]int64{"input": 100, "output": 7}, tokens)
	(*callmetrics.Recorder)(nil).Called(t.Context(), "m", llm.Answer{}, 0, nil) // records nothing
}
