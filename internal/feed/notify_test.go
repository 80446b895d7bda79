package feed_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

// limit bounds every wait: peers look for each other every three seconds.
const limit = time.Minute

// process is a bus connected to a database, as each process has one.
type process struct {
	*feed.Bus
	store *store.Store
	stop  func()
}

type database struct {
	t    *testing.T
	dsn  string
	pool *pgxpool.Pool
	user users.User
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	dsn := pgtest.NewDatabase(t, pg.MigrationsHash(), pg.Migrate)
	pool, err := pgxpool.New(context.Background(), dsn)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	_, err = s.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	return &database{t: t, dsn: dsn, pool: pool, user: user}
}

func (d *database) process() *process {
	d.t.Helper()
	bus := newBus()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bus.Run(ctx, d.dsn) }()
	stopped := false
	p := &process{Bus: bus, store: store.New(d.pool, store.Options{Feed: bus})}
	p.stop = func() {
		if !stopped {
			stopped = true
			cancel()
			require.NoError(d.t, <-ended)
		}
	}
	d.t.Cleanup(p.stop)
	return p
}

// connected waits until two processes hear each other.
func (d *database) connected(a, b *process) {
	d.t.Helper()
	for _, pair := range [][2]*process{{a, b}, {b, a}} {
		probe := chat.SessionKey("agent:main:web:thread:probe")
		sub := pair[1].Subscribe(probe)
		require.Eventually(d.t, func() bool {
			pair[0].PublishDelta(probe, chat.Delta{})
			select {
			case <-sub.Live():
				return true
			case <-time.After(50 * time.Millisecond):
				return false
			}
		}, limit, time.Millisecond, "the processes do not hear each other")
		pair[0].End(probe, "")
		require.Eventually(d.t, func() bool {
			received(sub)
			again := pair[1].Subscribe(probe)
			defer again.Close()
			return len(received(again)) == 0
		}, limit, 5*time.Millisecond, "the probe does not end")
		sub.Close()
	}
}

func (d *database) accept(p *process, n int) {
	d.t.Helper()
	_, err := p.store.Turns.Accept(context.Background(), engine.NewRow{Session: key, User: d.user.ID, Channel: "web", PlatformID: fmt.Sprint("m", n), Text: "x"})
	require.NoError(d.t, err)
}

func next(t *testing.T, s *feed.Subscription) chat.Event {
	t.Helper()
	select {
	case e := <-s.Live():
		return e
	case <-time.After(limit):
		require.Fail(t, "no live event came")
		return chat.Event{}
	}
}

func TestRun_CarriesLiveEventsAndWakesBetweenProcessesInOrder(t *testing.T) {
	d := newDatabase(t)
	worker, ingress := d.process(), d.process()
	d.connected(worker, ingress)
	sub := watch(t, ingress.Bus, key)
	for i := range 50 {
		worker.PublishDelta(key, delta("t", 0, 1, i, "x"))
	}
	for i := range 50 {
		require.Equal(t, i, decode[chat.Delta](t, next(t, sub)).Offset)
	}
	d.accept(worker, 1)
	select {
	case <-sub.Woken():
	case <-time.After(limit):
		require.Fail(t, "no wake came")
	}
	require.Empty(t, received(sub), "no event comes twice")
}

func TestRun_EndsWhatIsLiveInAllProcesses(t *testing.T) {
	d := newDatabase(t)
	worker, ingress := d.process(), d.process()
	d.connected(worker, ingress)
	sub := watch(t, ingress.Bus, key)
	worker.PublishDelta(key, delta("t", 0, 1, 0, "x"))
	next(t, sub)
	sub.Close()
	require.Equal(t, 1, feed.Topics(ingress.Bus))
	worker.End(key, "t")
	require.Eventually(t, func() bool { return feed.Topics(ingress.Bus) == 0 }, limit, 5*time.Millisecond)
	require.Zero(t, feed.Topics(worker.Bus))
}

func TestRun_AProcessIsHeardAsSoonAsItListens(t *testing.T) {
	d := newDatabase(t)
	worker, first := d.process(), d.process()
	d.connected(worker, first)
	first.stop()
	second := d.process()
	d.connected(worker, second)
	sub := watch(t, second.Bus, key)
	worker.PublishDelta(key, delta("t", 0, 1, 0, "x"))
	next(t, sub)
}

// TestRun_NoDurableEventIsMissedWhenConnectionsAreKilled reads rows only when a wake says so, and kills the feed's
// connections again and again meanwhile. The last wake may fall into a gap: then opening the connection wakes.
func TestRun_NoDurableEventIsMissedWhenConnectionsAreKilled(t *testing.T) {
	d := newDatabase(t)
	worker, ingress := d.process(), d.process()
	d.connected(worker, ingress)
	sub := watch(t, ingress.Bus, key)
	const messages = 30
	seen := make(chan int, 1)
	go func() {
		var after int64
		count := 0
		for count < messages {
			<-sub.Woken()
			events, err := ingress.store.Conversations.EventsAfter(context.Background(), key, after, 100)
			if err != nil {
				break
			}
			for _, e := range events {
				if e.Seq == after+1 {
					count++
				}
				after = e.Seq
			}
		}
		seen <- count
	}()
	for i := range messages {
		d.accept(worker, i)
		if i%7 == 3 {
			d.kill()
		}
	}
	d.kill()
	select {
	case count := <-seen:
		require.Equal(t, messages, count)
	case <-time.After(limit):
		require.Fail(t, "durable events were missed")
	}
}

// kill ends the connections of all feeds, as a restart of Postgres does.
func (d *database) kill() {
	d.t.Helper()
	_, err := d.pool.Exec(context.Background(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'xbot-feed' AND datname = current_database()")
	require.NoError(d.t, err)
}

func TestRun_SaysNothingOnTheDatabaseWhileNobodyElseListens(t *testing.T) {
	d := newDatabase(t)
	alone := d.process()
	listener, err := d.pool.Acquire(t.Context())
	require.NoError(t, err)
	defer listener.Release()
	_, err = listener.Exec(t.Context(), "LISTEN xbot_feed")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return d.feeds() == 2 }, limit, 5*time.Millisecond)
	for range 10 {
		alone.Append(key, nil)
		alone.PublishDelta(key, delta("t", 0, 1, 0, "x"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for {
		n, err := listener.Conn().WaitForNotification(ctx)
		if err != nil {
			return // silence
		}
		require.Contains(t, n.Payload, `"hello"`)
	}
}

func (d *database) feeds() (n int) {
	err := d.pool.QueryRow(context.Background(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'xbot-feed' AND datname = current_database()").Scan(&n)
	require.NoError(d.t, err)
	return n
}

func TestRun_GoesOnWhileTheDatabaseIsAway(t *testing.T) {
	bus := newBus()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- bus.Run(ctx, "postgres://nobody@127.0.0.1:1/none?connect_timeout=1") }()
	sub := watch(t, bus, key)
	for i := range 5000 {
		bus.PublishDelta(key, delta("t", 0, 1, i, "x"))
		bus.Append(key, nil)
	}
	require.NotEmpty(t, received(sub), "this process is served all the same")
	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(limit):
		require.Fail(t, "Run does not end")
	}
}
