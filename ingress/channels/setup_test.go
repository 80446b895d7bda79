package channels_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/ingress/channels"
	"xbot/ingress/gateway"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = time.Minute

// world is everything around two desks: what is configured, who holds what, and the one bot there is.
type world struct {
	mu       sync.Mutex
	known    []channel.Configured
	holder   string
	opened   int
	running  int
	most     int
	problems []string
	sent     []channel.Message
	said     []chat.Envelope
	outcome  gateway.Outcome
	runs     func(ctx context.Context) error
	to       channel.Receiver
	as       func(b bot) channel.Account // what the bot can do beside; nil: nothing
	signs    int                         // that were counted
	slow     chan struct{}               // closed when the platform takes what is sent; nil: at once
}

func (w *world) do(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

func (w *world) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return is()
	}, patience, 10*time.Millisecond, what)
}

func (w *world) ChannelAccounts(context.Context) ([]channel.Configured, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]channel.Configured{}, w.known...), nil
}

func (w *world) HoldChannel(_ context.Context, _, _, holder string, _ time.Duration) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.holder != "" && w.holder != holder {
		return false, nil
	}
	w.holder = holder
	return true, nil
}

func (w *world) ReleaseChannel(_ context.Context, _, _, holder string) error {
	w.do(func() {
		if w.holder == holder {
			w.holder = ""
		}
	})
	return nil
}

func (w *world) SpendSign(_ context.Context, _, _ string, budget int) (may bool, err error) {
	w.do(func() {
		w.signs++
		may = w.signs <= budget
	})
	return may, nil
}

func (w *world) ReportChannel(_ context.Context, _, _ string, _ bool, _ time.Time, _ time.Duration, problem string) error {
	w.do(func() {
		if problem != "" {
			w.problems = append(w.problems, problem)
		}
	})
	return nil
}

func (w *world) Receive(_ context.Context, e chat.Envelope) (gateway.Outcome, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, e)
	return w.outcome, nil
}
func (w *world) Edit(context.Context, chat.Envelope) (bool, error)   { return true, nil }
func (w *world) Recall(context.Context, chat.Envelope) (bool, error) { return true, nil }
func (w *world) Press(_ context.Context, p channel.Press) channel.Toast {
	return channel.Toast{Text: p.Channel + " " + p.Question}
}

// bot is the account.
type bot struct{ *world }

func (b bot) Run(ctx context.Context, to channel.Receiver, _ channel.Reporter) error {
	b.do(func() { b.running++; b.most, b.to = max(b.most, b.running), to })
	defer b.do(func() { b.running-- })
	if b.runs != nil {
		return b.runs(ctx)
	}
	<-ctx.Done()
	return nil
}

func (b bot) Send(_ context.Context, _ channel.Address, m channel.Message) (channel.Sent, error) {
	if b.slow != nil {
		<-b.slow
	}
	b.do(func() { b.sent = append(b.sent, m) })
	return channel.Sent{}, nil
}

func (b bot) Check(context.Context) (channel.Identity, []channel.Problem, error) {
	return channel.Identity{}, nil, nil
}
func (b bot) Traits() channel.Traits { return channel.Traits{} }
func (b bot) Webhook(channel.Receiver, channel.Reporter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
}

// bare gives accounts nothing.
type bare struct{}

func (bare) Resources(string, string) channel.Resources { return channel.Resources{} }

func (w *world) setup(holder string) *channels.AccountRunner {
	live := &channel.Live{
		Source: w, Resources: bare{},
		Drivers: []channel.Driver{{Name: "test", Open: func(string, map[string]string, channel.Resources) (channel.Account, error) {
			w.do(func() { w.opened++ })
			if w.as != nil {
				return w.as(bot{w}), nil
			}
			return bot{w}, nil
		}}},
	}
	return &channels.AccountRunner{Live: live, Gateway: w, States: w, Holder: holder, Log: slog.New(slog.DiscardHandler)}
}

// start runs a set-up and returns how to end it.
func start(t *testing.T, d *channels.AccountRunner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = d.Run(ctx)
	}()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done }) }
	t.Cleanup(stop)
	return stop
}

func configured(revision int64) []channel.Configured {
	return []channel.Configured{{Channel: "test", Enabled: true, Revision: revision}}
}

func TestSetup_OneIngressRunsAnAccountAndAnotherTakesOver(t *testing.T) {
	w := &world{known: configured(1)}
	first := start(t, w.setup("first"))
	w.eventually(t, "it runs", func() bool { return w.running == 1 && w.holder == "first" })
	start(t, w.setup("second"))
	first()
	w.eventually(t, "the other runs it", func() bool { return w.running == 1 && w.holder == "second" })
	w.do(func() { require.Equal(t, 1, w.most, "never both") })
}

func TestSetup_AChangeOpensTheAccountAnewAndSwitchingOffEndsIt(t *testing.T) {
	w := &world{known: configured(1)}
	start(t, w.setup("first"))
	w.eventually(t, "it runs", func() bool { return w.running == 1 })
	w.do(func() { w.known = configured(2) })
	w.eventually(t, "it was opened anew", func() bool { return w.opened == 2 && w.running == 1 })
	w.do(func() { w.known = []channel.Configured{{Channel: "test", Revision: 3}} })
	w.eventually(t, "it is off", func() bool { return w.running == 0 && w.holder == "" })
	w.do(func() { require.Equal(t, 1, w.most) })
}

func TestSetup_WhatCannotWorkIsSaidAndWaitsForAChange(t *testing.T) {
	w := &world{known: configured(1)}
	tries := 0
	w.runs = func(context.Context) error {
		w.do(func() { tries++ })
		return fault.Errorf(fault.Denied, "the secret is wrong")
	}
	start(t, w.setup("first"))
	w.eventually(t, "it is said", func() bool { return len(w.problems) == 1 && w.problems[0] == "the secret is wrong" })
	w.do(func() { w.known = configured(2) })
	w.eventually(t, "it is tried again after a change", func() bool { return tries == 2 })
}

func TestSetup_WhatWasMendedOnThePlatformWorksWithoutAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{known: configured(1)}
		var mended atomic.Bool
		w.runs = func(ctx context.Context) error {
			if !mended.Load() {
				return fault.Errorf(fault.Denied, "the app has no bot")
			}
			<-ctx.Done()
			return nil
		}
		stop := start(t, w.setup("first"))
		<-time.After(time.Minute)
		w.do(func() { require.Equal(t, []string{"the app has no bot"}, w.problems) })
		mended.Store(true)
		<-time.After(10 * time.Minute)
		w.do(func() { require.Equal(t, 1, w.running) })
		stop()
	})
}

func TestSetup_AnAccountThatDoesNotEndHoldsUpNoOther(t *testing.T) {
	w := &world{known: configured(1)}
	end := make(chan struct{})
	w.runs = func(context.Context) error {
		<-end
		return nil
	}
	start(t, w.setup("first"))
	w.eventually(t, "it runs", func() bool { return w.running == 1 })
	w.do(func() {
		w.known = []channel.Configured{{Channel: "test", Revision: 2}, {Channel: "test", Account: "other", Enabled: true, Revision: 3}}
	})
	w.eventually(t, "the other one runs beside it", func() bool { return w.running == 2 })
	close(end)
	w.eventually(t, "both have ended", func() bool { return w.running == 0 })
}

func TestReceive_SaysARefusalOnceUnderAKeyOfTheMessage(t *testing.T) {
	w := &world{known: configured(1), outcome: gateway.Outcome{Result: gateway.ResultRefused, Reply: "who are you", Direct: "who are you"}}
	start(t, w.setup("first"))
	w.eventually(t, "it runs", func() bool { return w.to != nil })
	e := chat.Envelope{ID: "m1", Sender: chat.Peer{ID: "u1"}, Text: "hello", Attachments: []chat.Attachment{{Kind: "file", Name: "a.txt", Key: "k"}}}
	require.NoError(t, w.to.Receive(t.Context(), e))
	require.NoError(t, w.to.Receive(t.Context(), e))
	w.do(func() {
		require.Equal(t, "test", w.said[0].Channel)
		require.Equal(t, "hello", w.said[0].Text, "what is a command is decided by what was written alone")
		require.Len(t, w.sent, 2)
		require.Equal(t, w.sent[0].Key, w.sent[1].Key, "the platform drops the second")
		require.Zero(t, w.sent[0].Seq, "the number of the first answer is the answer's")
		w.outcome = gateway.Outcome{Result: gateway.ResultAnswered, Reply: "it stands in the conversation"}
	})
	require.NoError(t, w.to.Receive(t.Context(), e))
	w.do(func() { require.Len(t, w.sent, 2, "the workflow delivers it") })
	toast, err := w.to.Pressed(t.Context(), channel.Press{Question: "gone"})
	require.NoError(t, err)
	require.Equal(t, "test gone", toast.Text)
}

func TestReceive_IsDoneInTimeWhileThePlatformIsSlowToTakeARefusal(t *testing.T) {
	w := &world{known: configured(1), outcome: gateway.Outcome{Result: gateway.ResultRefused, Direct: "who are you"}, slow: make(chan struct{})}
	start(t, w.setup("first"))
	w.eventually(t, "it runs", func() bool { return w.to != nil })
	require.NoError(t, w.to.Receive(t.Context(), chat.Envelope{ID: "m1", Sender: chat.Peer{ID: "u1"}, Text: "hello"}))
	w.do(func() { require.Empty(t, w.sent, "it was not slow") })
	close(w.slow)
	w.eventually(t, "it is said all the same", func() bool { return len(w.sent) == 1 })
}

func TestWebhook_ReachesItsAccountAndNoOther(t *testing.T) {
	w := &world{known: configured(1)}
	d := w.setup("first")
	ask := func(path string) int {
		got := httptest.NewRecorder()
		d.ServeHTTP(got, httptest.NewRequest(http.MethodPost, path, nil))
		return got.Code
	}
	require.Equal(t, http.StatusTeapot, ask("/channels/test"))
	require.Equal(t, http.StatusNotFound, ask("/channels/test/other"))
	require.Equal(t, http.StatusNotFound, ask("/channels/nobody"))
	w.do(func() { w.known = []channel.Configured{{Channel: "test", Revision: 2}} })
	require.Eventually(t, func() bool { return ask("/channels/test") == http.StatusServiceUnavailable }, patience, 50*time.Millisecond)
}

func TestWebhook_BodiesOfAllCallersTogetherAreBounded(t *testing.T) {
	w := &world{known: configured(1)}
	d := w.setup("one")
	call := func(body io.Reader) int {
		got := httptest.NewRecorder()
		d.ServeHTTP(got, httptest.NewRequest(http.MethodPost, channels.Prefix+"test", body))
		return got.Code
	}
	accepted := call(strings.NewReader("an event"))
	require.NotEqual(t, http.StatusTooManyRequests, accepted)
	var open []*io.PipeWriter
	var calls sync.WaitGroup
	hold := func(size int) {
		body, sender := io.Pipe()
		open = append(open, sender)
		calls.Go(func() { call(body) })
		_, err := sender.Write(make([]byte, size)) // returns once it was read, or refused
		if err != nil {
			require.ErrorIs(t, err, io.ErrClosedPipe)
		}
	}
	for range 3 {
		hold(8<<20 + 1) // the last byte is read when room was made for those before it
	}
	require.Equal(t, http.StatusTooManyRequests, call(bytes.NewReader(make([]byte, 1<<20))), "no more large ones")
	require.Equal(t, accepted, call(strings.NewReader("an event")), "what platforms send gets in all the same")
	for range 61 {
		hold(1)
	}
	require.Equal(t, http.StatusTooManyRequests, call(strings.NewReader("an event")), "no more at all")
	for _, sender := range open {
		require.NoError(t, sender.Close())
	}
	calls.Wait()
	require.Equal(t, accepted, call(strings.NewReader("an event")), "room comes back")
	require.Equal(t, accepted, call(bytes.NewReader(make([]byte, 7<<20))))
	require.Equal(t, http.StatusRequestEntityTooLarge, call(bytes.NewReader(make([]byte, 9<<20))))
}

func TestSetup_ACopyConnectsNothingAndSaysWhy(t *testing.T) {
	w := &world{known: configured(1)}
	d := w.setup("copy")
	d.Live.Copy = true
	start(t, d)
	w.eventually(t, "it says why", func() bool { return len(w.problems) > 0 && strings.Contains(w.problems[0], "XBOT_COPY=on") })
	answer := httptest.NewRecorder()
	d.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, channels.Prefix+"test", nil))
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
	w.do(func() { require.Zero(t, w.opened) })
}
