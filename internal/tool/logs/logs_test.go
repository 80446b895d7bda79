package logs_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat/ops"
	"xbot/internal/fault"
	"xbot/internal/host/logs"
	toollogs "xbot/internal/tool/logs"
	"xbot/internal/tool/tooltest"
)

type reader struct {
	asked logs.Query
	found ops.Logs
	err   error
}

func (r *reader) Read(_ context.Context, q logs.Query) (ops.Logs, error) {
	r.asked = q
	return r.found, r.err
}

func TestLogs_SaysWhoseLinesTheyAre(t *testing.T) {
	t.Parallel()
	r := &reader{found: ops.Logs{Host: "box", Processes: []string{"ingress", "worker"}, More: true, Lines: []ops.LogLine{
		{At: time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC), Level: "warn", Process: "worker", Text: "model is slow"},
	}}}
	box := tooltest.New(t)
	result, err := toollogs.New(r, tooltest.Zone("Asia/Shanghai")).Run(t.Context(), box.Call("t.0.0", `{"level":"Warn","since":"2h","words":"slow","lines":9999}`))
	require.NoError(t, err)
	require.Equal(t, "1 line of ingress, worker on box, in Asia/Shanghai:\n11-22 13:00:00.000 warn worker model is slow\n(there are older ones)", result.Content)
	require.Equal(t, "warn", r.asked.Level)
	require.Equal(t, 200, r.asked.Limit)
	require.WithinDuration(t, time.Now().Add(-2*time.Hour), r.asked.Since, time.Minute)
	require.Equal(t, "Warn 2h slow", toollogs.New(r, tooltest.Zone("Asia/Shanghai")).Summary(`{"level":"Warn","since":"2h","words":"slow"}`))

	result, err = toollogs.New(r, tooltest.Zone("Asia/Shanghai")).Run(t.Context(), box.Call("t.0.1", `{"since":"yesterday"}`))
	require.NoError(t, err)
	require.True(t, result.IsError)
	r.err = fault.Errorf(fault.Unavailable, "away")
	_, err = toollogs.New(r, tooltest.Zone("Asia/Shanghai")).Run(t.Context(), box.Call("t.0.2", `{}`))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}
