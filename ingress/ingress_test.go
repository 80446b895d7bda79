package ingress_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/ingress/intake"
	"xbot/ingress/wake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pgtest"
	"xbot/internal/store"
)

const key = chat.SessionKey("agent:main:web:thread:t")

// limit bounds every wait.
const limit = time.Minute

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}

// wakes records who was woken.
type wakes struct {
	mu   sync.Mutex
	rows []wake.Row
	fail func(ctx context.Context, r wake.Row) error
}

func (w *wakes) Wake(ctx context.Context, r wake.Row) error {
	w.mu.Lock()
	w.rows = append(w.rows, r)
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		return fail(ctx, r)
	}
	return nil
}

func (w *wakes) sessions() (out []chat.SessionKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.rows {
		out = append(out, r.Session)
	}
	return out
}

// starts records what was started. It stands in for Temporal.
type starts struct {
	mu       sync.Mutex
	bangs    []chat.InboxID
	tasks    []chat.CallID
	delivers []chat.SessionKey
	jobs     []chat.JobID
	groups   []chat.GroupID
	memories []chat.MemorizeID
	err      error
}

func (s *starts) StartDeliver(_ context.Context, u store.Undelivered) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivers = append(s.delivers, u.Session)
	return s.err
}

func (s *starts) StartGroup(_ context.Context, id chat.GroupID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = append(s.groups, id)
	return nil
}

func (s *starts) StartCron(_ context.Context, id chat.JobID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = append(s.jobs, id)
	return nil
}

func (s *starts) StartMemorize(_ context.Context, id chat.MemorizeID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memories = append(s.memories, id)
	return s.err
}

func (s *starts) StartFetch(context.Context, chat.InboxID) error { return nil }

func (s *starts) StartBang(_ context.Context, id chat.InboxID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bangs = append(s.bangs, id)
	return s.err
}

func (s *starts) StartBackground(_ context.Context, call chat.CallID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append(s.tasks, call)
	return s.err
}

type bundle struct {
	*store.Store
	t        *testing.T
	pool     *pgxpool.Pool
	user     store.User
	wakes    *wakes
	starts   *starts
	dispatch *intake.Dispatch
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{t: t, pool: pgtest.NewPool(t, store.MigrationsHash(), store.Migrate), wakes: &wakes{}}
	b.Store = store.New(b.pool, store.Options{})
	var err error
	b.user, err = b.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	b.session(key)
	b.starts = &starts{}
	b.dispatch = &intake.Dispatch{Inbox: b.Store, Waker: b.wakes, Starter: b.starts, Log: slog.New(slog.DiscardHandler)}
	return b
}

func (b *bundle) session(key chat.SessionKey) {
	b.t.Helper()
	_, err := b.CreateSession(b.t.Context(), store.NewSession{Key: key, Owner: b.user.ID, Channel: "web"})
	require.NoError(b.t, err)
}

func (b *bundle) inbound(key chat.SessionKey, id, text string) intake.Inbound {
	return intake.Inbound{
		Inbound:  store.Inbound{Session: key, User: b.user.ID, Channel: "web", PlatformID: id, Text: text},
		UserName: b.user.Name,
	}
}

// accept commits a message as an ingress does that is killed before its wake.
func (b *bundle) accept(key chat.SessionKey, id string) {
	b.t.Helper()
	_, err := b.Accept(b.t.Context(), b.inbound(key, id, "text of "+id).Inbound)
	require.NoError(b.t, err)
}

func (b *bundle) claim(key chat.SessionKey, turn chat.TurnID) {
	b.t.Helper()
	_, ok, err := b.Claim(b.t.Context(), key, turn, "run-"+string(turn), 0)
	require.NoError(b.t, err)
	require.True(b.t, ok)
}

// older makes rows look as if they were as old as d.
func (b *bundle) older(d time.Duration) {
	b.t.Helper()
	for _, query := range []string{
		"UPDATE inbox SET woken_at = woken_at - $1::interval, accepted_at = accepted_at - $1::interval",
		"UPDATE turns SET checked_at = checked_at - $1::interval, started_at = started_at - $1::interval",
	} {
		_, err := b.pool.Exec(b.t.Context(), query, d)
		require.NoError(b.t, err)
	}
}

func (b *bundle) turn(key chat.SessionKey) chat.Turn {
	b.t.Helper()
	turns, err := b.Turns(b.t.Context(), key, 1)
	require.NoError(b.t, err)
	require.NotEmpty(b.t, turns)
	return turns[0]
}

func (b *bundle) transcript(key chat.SessionKey) store.Transcript {
	b.t.Helper()
	t, err := b.Messages(b.t.Context(), key, store.Page{Limit: 100})
	require.NoError(b.t, err)
	return t
}

func TestMessage_IsCommittedBeforeItsTurnIsWoken(t *testing.T) {
	b := setup(t)
	b.wakes.fail = func(context.Context, wake.Row) error {
		if len(b.transcript(key).Queued) != 1 {
			return errors.New("woken too early")
		}
		return nil
	}
	var problem error
	b.dispatch.Log = slog.New(failures{&problem})
	got, err := b.dispatch.Message(t.Context(), b.inbound(key, "m1", "hello"))
	require.NoError(t, err)
	require.NotZero(t, got.ID)
	b.dispatch.Wait()
	require.NoError(t, problem)
	require.Equal(t, []wake.Row{{Session: key, Channel: "web", UserName: "alice", Text: "hello"}}, b.wakes.rows)
}

// failures is a log that keeps the last error.
type failures struct{ err *error }

func (f failures) Enabled(context.Context, slog.Level) bool { return true }
func (f failures) WithAttrs([]slog.Attr) slog.Handler       { return f }
func (f failures) WithGroup(string) slog.Handler            { return f }
func (f failures) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			*f.err = err
		}
		return true
	})
	return nil
}

func TestMessage_TheSenderDoesNotWaitForTheWake(t *testing.T) {
	b := setup(t)
	release := make(chan struct{})
	b.wakes.fail = func(ctx context.Context, _ wake.Row) error {
		select {
		case <-release:
			return ctx.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var problem error
	b.dispatch.Log = slog.New(failures{&problem})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.dispatch.Message(ctx, b.inbound(key, "m1", "hello"))
	require.NoError(t, err)
	cancel() // the sender leaves; the wake goes on
	close(release)
	b.dispatch.Wait()
	require.NoError(t, problem)
}

func TestMessage_IsAcceptedThoughItsWakeFails(t *testing.T) {
	b := setup(t)
	b.wakes.fail = func(context.Context, wake.Row) error { return errors.New("Temporal is away") }
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, "m1", "hello"))
	require.NoError(t, err)
	b.dispatch.Wait()
	require.Len(t, b.transcript(key).Queued, 1)
}

func TestMessage_RefusesWhatNobodyCouldAnswer(t *testing.T) {
	b := setup(t)
	for name, c := range map[string]struct {
		id, text string
		kind     fault.Kind
	}{
		"no id":                   {"", "x", fault.Invalid},
		"a long id":               {strings.Repeat("x", 129), "x", fault.Invalid},
		"an id with NUL":          {"a\x00", "x", fault.Invalid},
		"an id that is no UTF-8":  {"\xff", "x", fault.Invalid},
		"no text":                 {"m", "", fault.Invalid},
		"a text of NUL":           {"m", "\x00\x00", fault.Invalid},
		"a text that is too long": {"m", strings.Repeat("x", intake.MaxTextBytes+1), fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.dispatch.Message(t.Context(), b.inbound(key, c.id, c.text))
			require.Equal(t, c.kind, fault.KindOf(err), "%v", err)
		})
	}
	require.Empty(t, b.transcript(key).Queued)
	require.Empty(t, b.wakes.rows)
	_, err := b.dispatch.Message(t.Context(), b.inbound(key, strings.Repeat("x", 128), strings.Repeat("x", intake.MaxTextBytes)))
	require.NoError(t, err, "as long as allowed is allowed")
	b.dispatch.Wait()
}

func TestStop_WakesTheTurnItIsForAndNothingElse(t *testing.T) {
	b := setup(t)
	got, err := b.dispatch.Stop(t.Context(), b.inbound(key, "s1", ""))
	require.NoError(t, err)
	require.Empty(t, got.Turn)
	b.dispatch.Wait()
	require.Empty(t, b.wakes.rows, "a stop with nothing to stop starts no workflow")
	b.accept(key, "m1")
	b.claim(key, "t1")
	accepted, err := b.dispatch.Message(t.Context(), b.inbound(key, "s2", "/stop"))
	require.NoError(t, err)
	b.dispatch.Wait()
	require.Len(t, b.wakes.rows, 1)
	again, err := b.dispatch.Message(t.Context(), b.inbound(key, "s2", "/stop"))
	require.NoError(t, err)
	require.Equal(t, store.Accepted{ID: accepted.ID, Duplicate: true}, again)
	stop, err := b.StopRequested(t.Context(), key, "t1")
	require.NoError(t, err)
	require.True(t, stop)
	b.dispatch.Wait()
}

func TestStop_SpeaksTheLanguageOfWhoStops(t *testing.T) {
	b := setup(t)
	b.accept(key, "m1")
	_, err := b.dispatch.Stop(t.Context(), b.inbound(key, "s1", "停"))
	require.NoError(t, err)
	events, err := b.EventsAfter(t.Context(), key, 0, 100)
	require.NoError(t, err)
	require.Contains(t, string(events[len(events)-3].Data), i18n.Say(i18n.Chinese, i18n.StoppedQueued))
	require.Contains(t, string(events[len(events)-1].Data), i18n.Say(i18n.Chinese, i18n.StopsQueued, 1), "the stop is answered")
}

func TestMessage_ManyAtOnceAreEachAcceptedOnce(t *testing.T) {
	b := setup(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	fresh := 0
	for i := range 60 {
		wg.Go(func() {
			got, err := b.dispatch.Message(context.Background(), b.inbound(key, fmt.Sprint("m", i%20), "x"))
			mu.Lock()
			defer mu.Unlock()
			if err == nil && !got.Duplicate {
				fresh++
			}
		})
	}
	wg.Wait()
	b.dispatch.Wait()
	require.Equal(t, 20, fresh)
	require.Len(t, b.transcript(key).Queued, 20)
}

func TestMessage_ABangIsStartedAndNoTurnIsWoken(t *testing.T) {
	b := setup(t)
	got, err := b.dispatch.Message(t.Context(), b.inbound(key, "b1", "!ls -la"))
	require.NoError(t, err)
	again, err := b.dispatch.Message(t.Context(), b.inbound(key, "b1", "!ls -la"))
	require.NoError(t, err)
	require.True(t, again.Duplicate)
	b.dispatch.Wait()
	require.Equal(t, []chat.InboxID{got.ID, got.ID}, b.starts.bangs, "a start may be repeated")
	require.Empty(t, b.wakes.sessions())
	_, err = b.dispatch.Message(t.Context(), b.inbound(key, "m1", "!!!"))
	require.NoError(t, err)
	b.dispatch.Wait()
	require.Len(t, b.wakes.sessions(), 1, "that was a message")
}
