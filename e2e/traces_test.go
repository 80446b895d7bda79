package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"xbot/internal/chat"
)

// traceCollector is an OTLP receiver over HTTP that keeps the spans of turns. Those of Temporal's SDK have no turn.
type traceCollector struct {
	mu    sync.Mutex
	spans []*tracepb.Span
}

func (c *traceCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var in coltracepb.ExportTraceServiceRequest
	if r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range in.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				if textOf(s, "xbot.turn.id") != "" {
					c.spans = append(c.spans, s)
				}
			}
		}
	}
}

func (c *traceCollector) arrived() []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*tracepb.Span{}, c.spans...)
}

func textOf(s *tracepb.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetStringValue()
		}
	}
	return ""
}

func numberOf(s *tracepb.Span, key string) int64 {
	for _, a := range s.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetIntValue()
		}
	}
	return 0
}

func TestTraces_ATurnThroughAKillIsOneTraceWithoutDoubles(t *testing.T) {
	t.Parallel()
	c := &traceCollector{}
	receiver := httptest.NewServer(c)
	t.Cleanup(receiver.Close)
	k := newServer(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+receiver.URL).newTalk()
	id := k.send(k.shell("echo begun >> %s; %s; echo over", k.file("begun"), k.untilFile("go")), "say counted")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 10*time.Millisecond)
	k.crash()
	require.Empty(t, c.arrived(), "the turn has not ended")
	k.boot()
	k.touch("go")
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnDone, turn.State)
	require.Eventually(t, func() bool { return len(c.arrived()) >= 4 }, time.Minute, 20*time.Millisecond, "the trace arrives")

	names, ids := map[string]int{}, map[string]bool{}
	for _, s := range c.arrived() {
		operation, _, _ := strings.Cut(s.GetName(), " ")
		names[operation]++
		ids[hex.EncodeToString(s.GetSpanId())] = true
		require.Equal(t, string(turn.ID), textOf(s, "xbot.turn.id"))
		require.Equal(t, c.arrived()[0].GetTraceId(), s.GetTraceId())
		require.NotContains(t, s.String(), "begun", "content is off")
		if operation == "execute_tool" {
			require.Equal(t, tracepb.Status_STATUS_CODE_UNSET, s.GetStatus().GetCode())
			require.GreaterOrEqual(t, numberOf(s, "xbot.attempts"), int64(2), "the attempt after the kill is one of the same span")
		}
	}
	require.Equal(t, map[string]int{"invoke_agent": 1, "chat": 2, "execute_tool": 1}, names)
	require.Len(t, ids, 4)
	require.Len(t, k.trace("begun"), 1, "the command ran once")
}
