package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/secret"
)

// database opens the database of the parts, for looks that no client can have.
func (p *parts) database() *pgxpool.Pool {
	p.t.Helper()
	pool, err := pgxpool.New(context.Background(), p.servers.DatabaseURL)
	require.NoError(p.t, err)
	p.t.Cleanup(pool.Close)
	return pool
}

// one reads a value from the database.
func one[T any](t *testing.T, db *pgxpool.Pool, query string, args ...any) (v T) {
	t.Helper()
	require.NoError(t, db.QueryRow(t.Context(), query, args...).Scan(&v))
	return v
}

// member makes a user who is no administrator and returns their client.
func (p *parts) member(db *pgxpool.Pool, name string) *apiclient.Client {
	p.t.Helper()
	token, hash := secret.NewToken()
	one[int64](p.t, db, `WITH u AS (INSERT INTO users (name, role) VALUES ($1, 'member') RETURNING id)
		INSERT INTO api_tokens (user_id, name, token_hash) SELECT id, 'test', $2 FROM u RETURNING id`, name, hash)
	client := apiclient.New(apiclient.Endpoint{URL: p.url, Token: token})
	p.t.Cleanup(client.Close)
	return client
}

// limit puts limits in force, which every process knows a second later.
func (p *parts) limit(db *pgxpool.Pool, limits string) {
	p.t.Helper()
	one[int64](p.t, db, `INSERT INTO policies (body) VALUES (jsonb_build_object('limits', $1::jsonb)) RETURNING id`, limits)
}

// flood has a person write one message in each of n new sessions. Each is answered for about two seconds.
func flood(ctx context.Context, c *apiclient.Client, n int) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range n {
		g.Go(func() error {
			s, err := c.CreateSession(ctx, apiclient.NewSession{})
			if err != nil {
				return err
			}
			_, err = c.SendUntilAccepted(ctx, s.Key, fmt.Sprint("m", i), "stream 40 50ms", nil)
			return err
		})
	}
	return g.Wait()
}

func TestThrottle_ManyTurnsOfOneDoNotDelayTheSingleMessageOfAnother(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	db := p.database()
	p.limit(db, `{"turns": 2, "llm": {"global": 3}}`)
	other := p.member(db, "other")
	require.NoError(t, flood(t.Context(), p.client, 500))
	require.Eventually(t, func() bool {
		return one[bool](t, db, "SELECT count(throttled_at) > 300 AND count(throttled_at) = count(*) FROM inbox WHERE outcome IS NULL")
	}, crashLimit, 100*time.Millisecond, "they all wait in line")
	running := func() int { return one[int](t, db, "SELECT count(*) FROM turns WHERE state = 'running'") }
	require.Eventually(t, func() bool { return running() <= 2 }, crashLimit, 20*time.Millisecond, "what began before the limit was known ends")

	most := 0
	for i := range 3 {
		session, err := other.CreateSession(t.Context(), apiclient.NewSession{})
		require.NoError(t, err)
		got, err := other.SendUntilAccepted(t.Context(), session.Key, fmt.Sprint("single", i), "say at once", nil)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			most = max(most, running())
			return one[int](t, db, "SELECT count(*) FROM messages WHERE session_key = $1 AND role = 'assistant'", session.Key) == 1
		}, crashLimit, 20*time.Millisecond)
		// Turns that are kept for two at the same instant begin in any order, so the time at which its own was kept counts.
		passed := one[int](t, db, `SELECT count(*) FROM turns o, inbox i JOIN turns t ON t.id = i.turn_id JOIN sessions s ON s.key = i.session_key
			LEFT JOIN tenants_served v ON v.user_id = s.user_id AND v.granted_at > i.accepted_at
			WHERE i.id = $1 AND o.session_key <> i.session_key AND o.started_at > coalesce(i.throttled_at, i.accepted_at)
			AND o.started_at < coalesce(v.granted_at, t.started_at)`, got.ID)
		t.Logf("%d turns began before its own while it stood in line; it stood in line after %.2f s and began after %.2f s", passed,
			one[float64](t, db, "SELECT extract(epoch FROM throttled_at - accepted_at)::float8 FROM inbox WHERE id = $1", got.ID),
			one[float64](t, db, "SELECT extract(epoch FROM t.started_at - i.accepted_at)::float8 FROM inbox i JOIN turns t ON t.id = i.turn_id WHERE i.id = $1", got.ID))
		require.LessOrEqual(t, passed, 2)
	}
	require.LessOrEqual(t, most, 2, "turns at once")

	p.limit(db, `{"turns": 9, "llm": {"global": 3}}`)
	require.Eventually(t, func() bool { return running() == 9 }, crashLimit, 20*time.Millisecond, "a raised limit lets more begin")
	require.Eventually(t, func() bool {
		held := one[int](t, db, "SELECT count(*) FROM llm_leases WHERE held_until > now()")
		require.LessOrEqual(t, held, 3)
		return held == 3 && one[int](t, db, "SELECT count(*) FROM llm_leases WHERE held_until IS NULL") > 2
	}, crashLimit, 20*time.Millisecond)
	waited := one[string](t, db, "SELECT turn_id FROM llm_leases WHERE held_until IS NULL LIMIT 1")
	require.Eventually(t, func() bool { return one[bool](t, db, "SELECT state <> 'running' FROM turns WHERE id = $1", waited) }, crashLimit, 50*time.Millisecond)
	require.Equal(t, string(chat.TurnDone), one[string](t, db, "SELECT state FROM turns WHERE id = $1", waited))
	require.Zero(t, one[int](t, db, "SELECT count(*) FROM feed_events WHERE kind = 'retry'"), "who waits is told of no failure")
	require.Zero(t, one[int](t, db, "SELECT coalesce(max(failures), 0) FROM steps"))
	p.shortHistory(one[string](t, db, "SELECT session_key FROM turns WHERE id = $1", waited), waited)
}

// shortHistory checks that a turn left no more in Temporal than one that never waited. A wake that is sent twice leaves some more.
func (p *parts) shortHistory(session, turn string) {
	p.t.Helper()
	c := p.temporal()
	defer c.Close()
	left := map[enums.EventType]int{}
	ctx, cancel := context.WithTimeout(p.t.Context(), crashLimit)
	defer cancel()
	history := c.GetWorkflowHistory(ctx, "turn/"+session, turn, true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT) // to its end, which comes after that of the row
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(p.t, err)
		left[event.EventType]++
	}
	require.Equal(p.t, 1, left[enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED], "%v", left)
	require.Equal(p.t, 1, left[enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED], "%v", left)
	require.Zero(p.t, left[enums.EVENT_TYPE_TIMER_STARTED], "%v", left)
	require.Equal(p.t, 2, left[enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES], "its model and its outcome, and no wait: %v", left)
}
