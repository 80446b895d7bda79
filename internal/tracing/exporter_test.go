package tracing_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/usage"
	"xbot/internal/pg"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/tracing"
	"xbot/internal/tracing/spans"
	"xbot/internal/tracing/tracestore"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/ratings"
)

const key chat.SessionKey = "agent:main:web:c0ffee"

// collector is an OTLP receiver over HTTP, and Langfuse's API for projects and scores.
type collector struct {
	t   *testing.T
	url string

	mu     sync.Mutex
	status int // of traces; 0: 200
	spans  []*tracepb.Span
	asked  int
	header http.Header
	scores []map[string]any
	gone   []string
	wrong  bool // the keys are not accepted
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{t: t}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", c.traces)
	mux.HandleFunc("POST /api/public/otel/v1/traces", c.traces)
	mux.HandleFunc("GET /api/public/projects", func(w http.ResponseWriter, _ *http.Request) {
		if c.wrong {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = io.WriteString(w, `{"data":[{"id":"p1","name":"xbot"}]}`)
	})
	mux.HandleFunc("POST /api/public/scores", func(_ http.ResponseWriter, r *http.Request) {
		var got map[string]any
		_ = json.NewDecoder(r.Body).Decode(&got)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.scores = append(c.scores, got)
	})
	mux.HandleFunc("DELETE /api/public/scores/{id}", func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.gone = append(c.gone, r.PathValue("id"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *collector) traces(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	c.header = r.Header
	if c.status != 0 {
		w.WriteHeader(c.status)
		return
	}
	var in coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, resource := range in.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			c.spans = append(c.spans, scope.GetSpans()...)
		}
	}
	out, _ := proto.Marshal(&coltracepb.ExportTraceServiceResponse{})
	_, _ = w.Write(out)
}

func (c *collector) answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

func (c *collector) requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// names returns the names of the spans that came, sorted.
func (c *collector) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, s := range c.spans {
		out = append(out, s.GetName())
	}
	slices.Sort(out)
	return out
}

// bench is a store with a user, and an exporter of it.
type bench struct {
	*store.Store
	t        *testing.T
	pool     *pgxpool.Pool
	user     chat.UserID
	settings *tracing.Settings
	exporter *tracing.Exporter
	registry *prometheus.Registry
	log      *strings.Builder
}

func setup(t *testing.T, env tracing.EnvironmentTargets) *bench {
	t.Helper()
	b := &bench{t: t, registry: prometheus.NewRegistry(), log: &strings.Builder{}}
	signals := tracing.NewSignals(env)
	b.pool = pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	b.Store = store.New(b.pool, store.Options{Traces: signals})
	user, err := b.Users.EnsureAdmin(t.Context(), "ann")
	require.NoError(t, err)
	b.user = user.ID
	_, err = b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: b.user, Channel: "web"})
	require.NoError(t, err)
	b.settings = &tracing.Settings{Rows: b.Tracing, Key: secret.Key{1}, Env: env, Changed: signals.Reload}
	b.exporter = &tracing.Exporter{
		Settings: b.settings, Rows: b.Tracing, Signals: signals, Resource: tracing.Resource{Service: "xbot", Version: "1"}, Metrics: tracing.NewMetrics(b.registry),
		Prices: usage.Prices{"openai/m": {Input: 1, Output: 10}}, Log: slog.New(slog.NewTextHandler(&locked{to: b.log}, nil)),
	}
	return b
}

// locked is a log that several goroutines write.
type locked struct {
	mu sync.Mutex
	to *strings.Builder
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// run runs the exporter until the test ends or the returned function is called.
func (b *bench) run() (stop func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.exporter.Run(ctx) // it ends with ctx
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-done
	})
	b.t.Cleanup(stop)
	return stop
}

// turn runs a turn with a call of a tool to its end.
func (b *bench) turn(id chat.TurnID, text string) {
	b.t.Helper()
	ctx := b.t.Context()
	_, err := b.Turns.Accept(ctx, engine.NewRow{Session: key, User: b.user, Channel: "web", PlatformID: string(id), Text: text})
	require.NoError(b.t, err)
	_, ok, err := b.Turns.Claim(ctx, key, id, "run-"+string(id), 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
	for n, a := range []chat.Answer{
		{Text: "I look: sk-live-0123456789abcdef", Finish: "tool_calls", Calls: []chat.ToolCall{{ID: chat.NewCallID(id, 0, 0), Name: "Read", Class: chat.ClassRead, Arguments: `{"path":"x"}`}}},
		{Text: "done", Finish: "stop"},
	} {
		step := chat.Step{Session: key, Turn: id, N: n}
		_, _, _, err := b.Turns.BeginStep(ctx, step)
		require.NoError(b.t, err)
		a.Model, a.Usage = "openai/m", chat.Usage{PromptTokens: 100, CompletionTokens: 10}
		a.Call = chat.ModelCall{Model: a.Model, ResponseModel: "m-2026", AskedAt: time.Now(), FirstToken: 20 * time.Millisecond, Attempts: n + 1}
		_, err = b.Turns.CommitStep(ctx, step, a)
		require.NoError(b.t, err)
	}
	_, err = b.Turns.FinishTurn(ctx, key, id, chat.TurnDone, "")
	require.NoError(b.t, err)
}

func (b *bench) waiting(target string) int {
	b.t.Helper()
	all, err := b.Tracing.Waiting(b.t.Context())
	require.NoError(b.t, err)
	return all[target].Count
}

func (b *bench) eventually(ok func() bool, what string) {
	b.t.Helper()
	require.Eventually(b.t, ok, 20*time.Second, 20*time.Millisecond, what)
}

// turnSpans are the spans of bench.turn.
var turnSpans = []string{"chat m", "chat m", "execute_tool Read", "invoke_agent main"}

func TestExporter_ATurnArrivesAtACollectorOnceItHasEnded(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{Endpoint: c.url, Headers: "authorization=Bearer%20abc,x-team=a"})
	b.run()
	b.turn("t1", "hello sk-live-0123456789abcdef")
	b.eventually(func() bool { return len(c.names()) == 4 && b.waiting(tracing.OTLP) == 0 }, "the trace arrives")
	require.Equal(t, turnSpans, c.names())
	require.Equal(t, []string{"Bearer abc", "a", "application/x-protobuf"}, []string{c.header.Get("Authorization"), c.header.Get("X-Team"), c.header.Get("Content-Type")})
	chat := c.spans[1].String()
	for _, part := range []string{"gen_ai.response.time_to_first_chunk", "m-2026", "gen_ai.usage.cost", "tool_calls", `"ann"`} {
		require.Contains(t, chat, part, "of the rows")
	}
	for _, s := range c.spans {
		require.NotContains(t, s.String(), "0123456789abcdef", "content is off")
		require.NotContains(t, s.String(), "langfuse")
	}
	require.EqualValues(t, 1, b.sent(tracing.OTLP))
}

// unbuildable is a store in which the rows of one turn cannot be read.
type unbuildable struct {
	*tracestore.Store
	turn chat.TurnID
}

func (u unbuildable) Turn(ctx context.Context, id chat.TurnID, content bool) (spans.Turn, error) {
	if id == u.turn {
		return spans.Turn{}, fault.Errorf(fault.Internal, "odd rows")
	}
	return u.Store.Turn(ctx, id, content)
}

func TestExporter_ATraceThatCannotBeBuiltDelaysNoOther(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{Endpoint: c.url})
	b.exporter.Rows = unbuildable{b.Tracing, "t1"}
	b.turn("t1", "one")
	b.turn("t2", "two")
	stop := b.run()
	b.eventually(func() bool { return len(c.names()) == 4 && b.waiting(tracing.OTLP) == 1 }, "the second trace arrives")
	stop()
	require.Contains(t, b.log.String(), "a trace cannot be built")
}

// sent returns how many exports a target has accepted, by the metric.
func (b *bench) sent(target string) (n float64) {
	b.t.Helper()
	families, err := b.registry.Gather()
	require.NoError(b.t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if f.GetName() == "xbot_trace_exports_total" && labels["target"] == target && labels["outcome"] == "sent" {
				n = m.GetCounter().GetValue()
			}
		}
	}
	return n
}

func TestExporter_NothingIsWrittenWhileNoTargetIsConfigured(t *testing.T) {
	b := setup(t, tracing.EnvironmentTargets{Langfuse: true})
	b.turn("t1", "hello")
	require.Zero(t, b.waiting(tracing.OTLP))
	require.NoError(t, b.settings.Save(t.Context(), tracing.Draft{Name: tracing.OTLP, Endpoint: "http://127.0.0.1:1"}, b.user))
	b.turn("t2", "hello")
	require.Zero(t, b.waiting(tracing.OTLP), "the target is not enabled")
}

func TestExporter_ARepeatedExportHasTheSameIDs(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{Endpoint: c.url})
	b.turn("t1", "hello")
	// An exporter that dies after it has sent the spans leaves the row, which is due again after its lease.
	taken, err := b.Tracing.Claim(t.Context(), tracing.OTLP, time.Hour, 8)
	require.NoError(t, err)
	require.Len(t, taken, 1)
	again, err := b.Tracing.Claim(t.Context(), tracing.OTLP, time.Hour, 8)
	require.NoError(t, err)
	require.Empty(t, again, "it goes to one exporter")
	ids := func() (out []string) {
		for _, s := range c.spans {
			out = append(out, string(s.GetTraceId())+string(s.GetSpanId()))
		}
		return out
	}
	require.NoError(t, b.Tracing.Postpone(t.Context(), tracing.OTLP, 0, ""))
	stop := b.run()
	b.eventually(func() bool { return b.waiting(tracing.OTLP) == 0 }, "it is exported")
	stop()
	first := ids()
	require.Len(t, first, 4)
	c.spans = nil
	_, err = b.pool.Exec(t.Context(), "INSERT INTO trace_exports (target, kind, turn_id) VALUES ('otlp', 'turn', 't1')")
	require.NoError(t, err)
	b.run()
	b.eventually(func() bool { return b.waiting(tracing.OTLP) == 0 }, "it is exported again")
	require.Equal(t, first, ids())
}

func TestExporter_ACollectorThatIsAwayIsWaitedFor(t *testing.T) {
	c := newCollector(t)
	c.answer(http.StatusServiceUnavailable)
	b := setup(t, tracing.EnvironmentTargets{Endpoint: c.url})
	b.run()
	b.turn("t1", "hello")
	b.turn("t2", "hello")
	b.eventually(func() bool {
		list, err := b.settings.List(t.Context())
		return err == nil && list[0].Problem != ""
	}, "the problem is shown")
	require.Equal(t, 2, b.waiting(tracing.OTLP))
	require.Empty(t, c.names())
	c.answer(0)
	require.NoError(t, b.Tracing.Resume(t.Context(), tracing.OTLP))
	b.exporter.Signals.Reload()
	b.eventually(func() bool { return b.waiting(tracing.OTLP) == 0 }, "both arrive")
	require.Len(t, c.names(), 8)
	require.Equal(t, 1, strings.Count(b.log.String(), "traces cannot be exported"), "an outage is logged once")
	require.Contains(t, b.log.String(), "traces are exported again")
}

func TestExporter_ATraceThatIsRefusedDelaysNoOther(t *testing.T) {
	c := newCollector(t)
	c.answer(http.StatusBadRequest)
	b := setup(t, tracing.EnvironmentTargets{Endpoint: c.url})
	b.run()
	b.turn("t1", "hello")
	b.eventually(func() bool { return b.waiting(tracing.OTLP) == 0 }, "it is given up")
	require.Equal(t, 1, c.requests())
	c.answer(0)
	b.turn("t2", "hello")
	b.eventually(func() bool { return len(c.names()) == 4 }, "the next one arrives")
}

func TestExporter_LangfuseGetsContentOnceItIsWantedWithSecretsMasked(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{})
	require.NoError(t, b.settings.Save(t.Context(), tracing.Draft{Name: tracing.Langfuse, Enabled: true, Endpoint: c.url, PublicKey: "pk-lf-1", Secret: "sk-lf-2", Content: true}, b.user))
	b.run()
	b.turn("t1", "hello, the password: hunter2-hunter2")
	b.eventually(func() bool { return len(c.names()) == 4 }, "the trace arrives")
	require.Equal(t, "Basic cGstbGYtMTpzay1sZi0y", c.header.Get("Authorization"))
	require.Equal(t, "4", c.header.Get("X-Langfuse-Ingestion-Version"))
	all := ""
	for _, s := range c.spans {
		all += s.String()
	}
	require.NotContains(t, all, "hunter2")
	require.NotContains(t, all, "0123456789abcdef")
	require.Contains(t, all, "[hidden]")
	require.Contains(t, all, "hello, the password")
	require.Contains(t, all, "langfuse.observation.cost_details")
}

func TestExporter_ARatingBecomesAScoreThatFollowsIt(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{Langfuse: true, Host: c.url, PublicKey: "pk", SecretKey: "sk"})
	b.run()
	b.turn("t1", "hello")
	ctx := t.Context()
	transcript, err := b.Conversations.Messages(ctx, key, conversation.Page{Limit: 10})
	require.NoError(t, err)
	reply := transcript.Messages[len(transcript.Messages)-1].ID
	require.NoError(t, b.Ratings.Rate(ctx, key, b.user, ratings.Rating{Message: reply, Helpful: true, Comment: "good"}))
	b.eventually(func() bool { return b.waiting(tracing.Langfuse) == 0 }, "it arrives")
	require.NoError(t, b.Ratings.Rate(ctx, key, b.user, ratings.Rating{Message: reply}))
	b.eventually(func() bool { return b.waiting(tracing.Langfuse) == 0 }, "so does the change")
	require.NoError(t, b.Ratings.Remove(ctx, key, b.user, reply))
	b.eventually(func() bool { return b.waiting(tracing.Langfuse) == 0 }, "and the removal")
	require.Len(t, c.scores, 2)
	require.Equal(t, []any{1.0, 0.0}, []any{c.scores[0]["value"], c.scores[1]["value"]})
	require.Equal(t, c.scores[0]["id"], c.scores[1]["id"])
	require.Equal(t, []string{c.scores[0]["id"].(string)}, c.gone)
	require.Equal(t, "BOOLEAN", c.scores[0]["dataType"])
	require.NotContains(t, c.scores[0], "comment", "content is off")
	require.NotEmpty(t, c.scores[0]["traceId"])
}

func TestSettings_AStoredSecretStaysWithItsAddress(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{})
	ctx := t.Context()
	d := tracing.Draft{Name: tracing.Langfuse, Enabled: true, Endpoint: c.url, PublicKey: "pk-lf-1", Secret: "sk-lf-0123456789-wxyz"}
	require.NoError(t, b.settings.Save(ctx, d, b.user))
	list, err := b.settings.List(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"langfuse", "installation", "…wxyz"}, []string{list[1].Name, list[1].Source, list[1].KeyHint})
	d.Secret, d.Revision = "", 1
	tested, err := b.settings.Test(ctx, d, tracing.Resource{Service: "xbot"})
	require.NoError(t, err)
	require.True(t, tested.Passed, tested.Problem)
	require.Equal(t, []string{"xbot connection test"}, c.names(), "a test exports a span")
	c.wrong = true
	tested, err = b.settings.Test(ctx, d, tracing.Resource{})
	require.NoError(t, err)
	require.Contains(t, tested.Problem, "does not accept the key")
	require.NoError(t, b.settings.Save(ctx, d, b.user))
	require.ErrorContains(t, b.settings.Save(ctx, d, b.user), "meanwhile")
	d.Endpoint, d.Revision = "https://elsewhere.example", 2
	require.ErrorContains(t, b.settings.Save(ctx, d, b.user), "enter the key or the headers again")
	require.NoError(t, b.settings.Remove(ctx, tracing.Langfuse))
}

func TestSettings_RefuseWhatCannotBeUsed(t *testing.T) {
	b := setup(t, tracing.EnvironmentTargets{})
	for _, d := range []tracing.Draft{
		{Name: "other", Endpoint: "http://a"}, {Name: tracing.OTLP}, {Name: tracing.OTLP, Endpoint: "ftp://a"}, {Name: tracing.OTLP, Endpoint: "http://a:b@c"}, {Name: tracing.OTLP, Endpoint: "http://a?b"},
		{Name: tracing.OTLP, Endpoint: "http://a", Secret: "no header"}, {Name: tracing.OTLP, Endpoint: "http://a", Secret: "a=b\r\nc: d"}, {Name: tracing.OTLP, Endpoint: "http://a", Secret: "a b=c"},
		{Name: tracing.Langfuse, PublicKey: "pk"}, {Name: tracing.Langfuse, Secret: "sk"}, {Name: tracing.OTLP, Endpoint: "http://" + strings.Repeat("a", 600)},
	} {
		require.Error(t, b.settings.Save(t.Context(), d, b.user), "%+v", d)
	}
}

func TestExporter_ASubagentIsPartOfTheTraceOfItsCall(t *testing.T) {
	c := newCollector(t)
	b := setup(t, tracing.EnvironmentTargets{Endpoint: c.url})
	b.turn("t1", "hello")
	call := chat.NewCallID("t1", 0, 0)
	for _, statement := range []string{
		`INSERT INTO sessions (key, user_id, channel, chat_type, root) VALUES ('agent:main:sub:s1', (SELECT id FROM users LIMIT 1), 'web', 'subagent', '` + string(key) + `')`,
		`INSERT INTO subagents (session_key, parent, root, role, instance, depth, call_id, profile) VALUES ('agent:main:sub:s1', '` + string(key) + `', '` + string(key) + `', 'explorer', '', 1, '` + string(call) + `', '{}')`,
		`INSERT INTO turns (id, session_key, run_id, state, ended_at) VALUES ('t2', 'agent:main:sub:s1', 'r', 'done', now())`,
		`INSERT INTO subagent_tasks (call_id, session_key, asked_in, tree, background, words, turn_id) VALUES ('` + string(call) + `', 'agent:main:sub:s1', 't1', 't1', false, 'look', 't2')`,
		`INSERT INTO trace_exports (target, kind, turn_id) VALUES ('otlp', 'turn', 't2')`,
	} {
		_, err := b.pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	b.run()
	b.eventually(func() bool { return b.waiting(tracing.OTLP) == 0 }, "both arrive")
	byName := map[string]*tracepb.Span{}
	for _, s := range c.spans {
		byName[s.GetName()] = s
	}
	require.Equal(t, byName["invoke_agent main"].GetTraceId(), byName["invoke_agent explorer"].GetTraceId())
	require.Equal(t, byName["execute_tool Read"].GetSpanId(), byName["invoke_agent explorer"].GetParentSpanId())
}
