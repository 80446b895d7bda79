package telemetry_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"

	"xbot/internal/chat"
	"xbot/internal/host/telemetry"
	"xbot/internal/llm"
	"xbot/internal/llm/callmetrics"
)

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestTraces_AreSentAndFailuresAreLoggedInTheFormOfTheLog has a collector that refuses.
func TestTraces_AreSentAndFailuresAreLoggedInTheFormOfTheLog(t *testing.T) {
	sent := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- r.URL.Path + " " + r.Header.Get("Authorization") + " " + string(body)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", strings.Replace(collector.URL, "://", "://user:hunter2@", 1))
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20token")
	t.Setenv("OTEL_SERVICE_NAME", "my-xbot")
	out := &lines{}
	tele, err := telemetry.New(t.Context(), telemetry.Config{Process: "xbot worker", Version: "1", Level: "info", Format: "json", OTLP: "set", Out: out})
	require.NoError(t, err)
	_, span := otel.Tracer("test").Start(t.Context(), "a turn")
	span.End()
	_ = tele.Close(t.Context()) // it fails: the collector refuses
	got := <-sent
	require.Contains(t, got, "/v1/traces ")
	require.Contains(t, got, "a turn")
	require.Contains(t, got, "my-xbot", "the variable names the service")
	otel.Handle(io.ErrUnexpectedEOF)
	for line := range strings.Lines(out.String()) {
		require.True(t, json.Valid([]byte(line)), line)
	}
	require.Contains(t, out.String(), "traces could not be sent")
	require.NotContains(t, out.String(), "hunter2")
}

func TestTraces_RefuseAProtocolThatTheExporterDoesNotSpeak(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "grpc")
			_, err := telemetry.New(t.Context(), telemetry.Config{OTLP: "http://collector.example:4318", Out: io.Discard})
			require.ErrorContains(t, err, name)
		})
	}
}

func TestHandler_ShowsCallsOfModelsUnderTheirNamesInPrometheus(t *testing.T) {
	tele, err := telemetry.New(t.Context(), telemetry.Config{Process: "xbot worker", Out: io.Discard})
	require.NoError(t, err)
	defer func() { _ = tele.Close(t.Context()) }()
	calls, err := callmetrics.New(tele.Meter())
	require.NoError(t, err)
	calls.Called(t.Context(), "openai/gpt-5.5", llm.Answer{Usage: chat.Usage{PromptTokens: 3, CompletionTokens: 4}}, time.Second, nil)
	page := httptest.NewRecorder()
	tele.Handler().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, name := range []string{"gen_ai_client_operation_duration_seconds_bucket{", "gen_ai_client_token_usage_bucket{", `gen_ai_provider_name="openai"`, `gen_ai_request_model="gpt-5.5"`, `gen_ai_token_type="input"`} {
		require.Contains(t, page.Body.String(), name)
	}
}
