package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/store"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// caps are limits that a test may change.
type caps struct{ now atomic.Pointer[policy.Limits] }

func (c *caps) set(l policy.Limits) { c.now.Store(&l) }

// Get returns a document that says nothing else.
func (c *caps) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: *c.now.Load()}, nil
}

// woken collects who was handed a turn.
type woken struct {
	mu  sync.Mutex
	who []chat.SessionKey
	on  func(chat.SessionKey) // may be nil
}

// Wake notes them.
func (w *woken) Wake(wakes ...chat.Wake) {
	for _, one := range wakes {
		w.mu.Lock()
		w.who = append(w.who, chat.SessionKey(one.ID))
		w.mu.Unlock()
		if w.on != nil {
			w.on(chat.SessionKey(one.ID))
		}
	}
}

func (w *woken) take() []chat.SessionKey {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.who
	w.who = nil
	return out
}

// queue is a store with limits, tenants, and a line.
type queue struct {
	*bundle
	caps  *caps
	woken *woken
	turns atomic.Int64
}

func throttled(t *testing.T, l policy.Limits) *queue {
	b := setup(t)
	q := &queue{bundle: b, caps: &caps{}, woken: &woken{}}
	q.caps.set(l)
	b.Store = store.New(b.pool, store.Options{Policies: q.caps, Wakes: q.woken})
	return q
}

func (q *queue) tenant(name string) users.User {
	q.t.Helper()
	var id chat.UserID
	require.NoError(q.t, q.pool.QueryRow(q.t.Context(), "INSERT INTO users (name, role) VALUES ($1, 'member') RETURNING id", name).Scan(&id))
	return users.User{ID: id, Name: name}
}

// ask opens a session of a user and has it wait for answers to n messages.
func (q *queue) ask(u users.User, name string, n int) chat.SessionKey {
	q.t.Helper()
	key := chat.SessionKey("agent:main:web:thread:" + name)
	_, err := q.Conversations.CreateSession(q.t.Context(), conversation.NewSession{Key: key, Owner: u.ID, Channel: "web"})
	require.NoError(q.t, err)
	for i := range n {
		_, err := q.Turns.Accept(q.t.Context(), engine.NewRow{Session: key, User: u.ID, Channel: "web", PlatformID: fmt.Sprint(name, i), Text: fmt.Sprint("m", i)})
		require.NoError(q.t, err)
	}
	return key
}

// start claims for a session and returns its turn, empty if it has to wait.
func (q *queue) start(key chat.SessionKey) chat.TurnID {
	q.t.Helper()
	turn := chat.TurnID(fmt.Sprint("turn", q.turns.Add(1)))
	_, ok, err := q.Turns.Claim(q.t.Context(), key, turn, "run-"+string(turn), 0)
	require.NoError(q.t, err)
	if !ok {
		return ""
	}
	return turn
}

func (q *queue) end(key chat.SessionKey, turn chat.TurnID) {
	q.t.Helper()
	_, err := q.Turns.FinishTurn(q.t.Context(), key, turn, chat.TurnDone, "")
	require.NoError(q.t, err)
}

func (q *queue) running() (n int) {
	q.t.Helper()
	require.NoError(q.t, q.pool.QueryRow(q.t.Context(), "SELECT count(*) FROM turns WHERE state = 'running'").Scan(&n))
	return n
}

// pass lets time go by for turns that are kept.
func (q *queue) pass(key chat.SessionKey) {
	q.t.Helper()
	_, err := q.pool.Exec(q.t.Context(), "UPDATE inbox SET granted_until = now() - interval '1 second' WHERE session_key = $1 AND granted_until IS NOT NULL", key)
	require.NoError(q.t, err)
}

// waits returns the only message of a conversation that waits.
func (q *queue) waits(key chat.SessionKey) chat.Queued {
	q.t.Helper()
	got, err := q.Conversations.Messages(q.t.Context(), key, conversation.Page{Limit: 10})
	require.NoError(q.t, err)
	require.Len(q.t, got.Queued, 1)
	return got.Queued[0]
}

// edited changes it.
func (q *queue) edited(key chat.SessionKey) (bool, error) {
	q.t.Helper()
	err := q.Turns.EditWaiting(q.t.Context(), key, q.waits(key).Inbox, "say it differently")
	return err == nil, err
}

func TestClaim_WaitsInLineForAFreeTurn(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	first, second := q.ask(q.user, "first", 1), q.ask(q.user, "second", 1)
	turn := q.start(first)
	require.NotEmpty(t, turn)
	require.Empty(t, q.start(second))
	require.Empty(t, q.woken.take())

	events, err := q.Conversations.EventsAfter(t.Context(), second, 0, 10)
	require.NoError(t, err)
	require.Len(t, events, 2)
	require.Contains(t, string(events[1].Data), `"throttled": true`, "the person sees why it waits")
	require.True(t, q.waits(second).Throttled, "also who looks later")
	ok, err := q.edited(second)
	require.NoError(t, err)
	events, err = q.Conversations.EventsAfter(t.Context(), second, 0, 10)
	require.NoError(t, err)
	require.True(t, ok)
	require.Contains(t, string(events[2].Data), `"throttled": true`, "changing it changes nothing of that")
	rows, err := q.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, rows, "who stands in line is not woken in vain")

	q.end(first, turn)
	require.Equal(t, []chat.SessionKey{second}, q.woken.take())
	require.NotEmpty(t, q.start(second))
}

func TestClaim_RepeatedFindsItsOwnAlsoAtTheLimit(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	s := q.ask(q.user, "s", 2)
	turn := q.start(s)
	got, ok, err := q.Turns.Claim(t.Context(), s, turn, "again", 0)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "m0", got.Text)
}

func TestClaim_ASessionThatGoesOnDoesNotOvertake(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	busy, other := q.ask(q.user, "busy", 3), q.ask(q.user, "other", 1)
	turn := q.start(busy)
	require.Empty(t, q.start(other))
	q.end(busy, turn)
	require.Empty(t, q.start(busy), "the freed turn is kept for the other")
	turn = q.start(other)
	require.NotEmpty(t, turn)
	q.end(other, turn)
	require.NotEmpty(t, q.start(busy))
}

func TestClaim_ALimitChangesWhileTurnsWait(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 3})
	var keys []chat.SessionKey
	turns := map[chat.SessionKey]chat.TurnID{}
	for i := range 6 {
		keys = append(keys, q.ask(q.user, fmt.Sprint("s", i), 1))
		if turn := q.start(keys[i]); turn != "" {
			turns[keys[i]] = turn
		}
	}
	require.Len(t, turns, 3)

	q.caps.set(policy.Limits{Turns: 1})
	q.end(keys[0], turns[keys[0]])
	require.Empty(t, q.woken.take(), "a lower limit stops new ones and nothing that runs")
	require.Equal(t, 2, q.running())
	require.Empty(t, q.start(keys[3]))

	q.caps.set(policy.Limits{Turns: 4})
	_, err := q.Turns.GrantTurns(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []chat.SessionKey{keys[3], keys[4]}, q.woken.take(), "a higher one wakes those who wait longest")
	require.Empty(t, q.start(keys[5]))
	require.NotEmpty(t, q.start(keys[3]))
	require.NotEmpty(t, q.start(keys[4]))
}

func TestHandOutTurns_AFreeTurnThatNobodyUsesGoesToTheNext(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	first, gone, next := q.ask(q.user, "first", 1), q.ask(q.user, "gone", 1), q.ask(q.user, "next", 1)
	turn := q.start(first)
	require.Empty(t, q.start(gone))
	require.Empty(t, q.start(next))
	q.end(first, turn)
	require.Equal(t, []chat.SessionKey{gone}, q.woken.take())
	q.pass(gone)
	late, err := q.Turns.GrantTurns(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, late)
	require.Equal(t, []chat.SessionKey{next}, q.woken.take())
	turn = q.start(next)
	require.NotEmpty(t, turn)
	q.end(next, turn)
	require.Equal(t, []chat.SessionKey{gone}, q.woken.take(), "it went to the end of the line and not out of it")
}

func TestSettleTurn_HandsOnTheTurnOfARunThatDied(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	dead, next := q.ask(q.user, "dead", 1), q.ask(q.user, "next", 1)
	turn := q.start(dead)
	require.Empty(t, q.start(next))
	settled, err := q.Turns.SettleTurn(t.Context(), turn)
	require.NoError(t, err)
	require.Equal(t, engine.SettledReleased, settled)
	require.Equal(t, []chat.SessionKey{next}, q.woken.take())
}

func TestClaim_AUserOfAnOwnModelHasOneTurnAndHindersNobody(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 10})
	rich, other := q.tenant("rich"), q.tenant("other")
	for _, sql := range []string{
		"INSERT INTO runners (user_id, name, token_hash, info) VALUES ($1, 'laptop', 'x', '{\"llm\": {\"provider\": \"openai\"}}')",
		"INSERT INTO user_settings (user_id, key, value) VALUES ($1, 'active_runner', 'laptop')",
	} {
		_, err := q.pool.Exec(t.Context(), sql, rich.ID)
		require.NoError(t, err)
	}
	one, two := q.ask(rich, "one", 1), q.ask(rich, "two", 1)
	turn := q.start(one)
	require.NotEmpty(t, turn)
	require.Empty(t, q.start(two))
	for i := range 5 {
		require.NotEmpty(t, q.start(q.ask(other, fmt.Sprint("o", i), 1)))
	}
	q.end(one, turn)
	require.Equal(t, []chat.SessionKey{two}, q.woken.take())

	_, err := q.pool.Exec(t.Context(), "INSERT INTO user_settings (user_id, key, value) VALUES ($1, 'llm_source', 'server')", rich.ID)
	require.NoError(t, err)
	require.NotEmpty(t, q.start(two))
	require.NotEmpty(t, q.start(q.ask(rich, "three", 1)), "answered by the server's model, the limit of their own does not hold")
}

// running is a turn of a queue that has begun.
type running struct {
	key  chat.SessionKey
	turn chat.TurnID
}

// answered is who began in which order as one turn after another ends, the oldest first, up to the one that is looked for, if any.
func (q *queue) answered(all *[]running, until chat.SessionKey) (order []chat.SessionKey) {
	q.t.Helper()
	for range 100 {
		if oldest := *all; len(oldest) > 0 {
			q.end(oldest[0].key, oldest[0].turn)
			*all = oldest[1:]
		}
		for _, key := range q.woken.take() {
			turn := q.start(key)
			require.NotEmpty(q.t, turn)
			*all = append(*all, running{key, turn})
			order = append(order, key)
			if key == until {
				return order
			}
		}
		if until == "" {
			return order
		}
	}
	require.Fail(q.t, "never answered", "%s", until)
	return nil
}

func TestLine_ATenantWithManyDoesNotDelayOneOfAnotherByMoreThanTwoTurns(t *testing.T) {
	for _, most := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(most, " at once"), func(t *testing.T) {
			q := throttled(t, policy.Limits{Turns: most})
			many, others := q.tenant("many"), []users.User{q.tenant("b"), q.tenant("c")}
			var all []running
			for i := range 60 {
				key := q.ask(many, fmt.Sprint("many", i), 1)
				if turn := q.start(key); turn != "" {
					all = append(all, running{key, turn})
				}
			}
			require.Len(t, all, most)
			for i := range 20 { // somebody else with much to do must not delay the third either
				require.Empty(t, q.start(q.ask(others[0], fmt.Sprint("b", i), 1)))
			}
			single := q.ask(others[1], "single", 1)
			require.Empty(t, q.start(single))
			before := q.answered(&all, single)
			require.LessOrEqual(t, len(before), 3, "two others and then its own: %v", before)
			for range 10 {
				q.answered(&all, "") // the line goes on
			}
			again := q.ask(others[1], "again", 1)
			require.Empty(t, q.start(again))
			require.LessOrEqual(t, len(q.answered(&all, again)), 3)
		})
	}
}

func TestLine_NeverMoreThanTheLimitAndNoneIsForgotten(t *testing.T) {
	for _, most := range []int{1, 4, 20} { // 20: near and far from the limit
		t.Run(fmt.Sprint(most, " at once"), func(t *testing.T) { soak(t, most) })
	}
}

// soak has many sessions of three tenants claim at once, with runs that die and wakes that are lost.
func soak(t *testing.T, most int) {
	q := throttled(t, policy.Limits{Turns: most})
	tenants := []users.User{q.tenant("a"), q.tenant("b"), q.tenant("c")}
	const sessions, messages = 30, 3
	wakes := make(chan chat.SessionKey, 100_000)
	var keys []chat.SessionKey
	for i := range sessions {
		keys = append(keys, q.ask(tenants[i%3], fmt.Sprint("s", i), messages))
		wakes <- keys[i]
	}
	q.woken.on = func(key chat.SessionKey) {
		if rand.IntN(10) == 0 { // killed before it woke anybody
			q.pass(key)
			return
		}
		wakes <- key
	}
	open := map[chat.SessionKey]*sync.Mutex{} // one run of a workflow id at a time
	for _, key := range keys {
		open[key] = &sync.Mutex{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan struct{}) // a run that has just ended its turn still wakes others
	var peak, runs atomic.Int64
	var g errgroup.Group
	for range 30 {
		g.Go(func() error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-done:
					return nil
				case key := <-wakes:
					open[key].Lock()
					err := q.run(ctx, key, &peak, &runs)
					open[key].Unlock()
					if err != nil {
						return err
					}
				}
			}
		})
	}
	require.Eventually(t, func() bool {
		_, err := q.Turns.GrantTurns(ctx) // the relay
		require.NoError(t, err)
		rows, err := q.Store.Turns.ToWake(ctx) // others change what is due between two looks
		require.NoError(t, err)
		for _, r := range rows {
			wakes <- r.Session
		}
		var left int
		require.NoError(t, q.pool.QueryRow(ctx, "SELECT count(*) FROM inbox WHERE outcome IS NULL").Scan(&left))
		return left == 0 && q.running() == 0
	}, time.Minute, 20*time.Millisecond)
	close(done)
	require.NoError(t, g.Wait())
	require.LessOrEqual(t, peak.Load(), int64(most))
	require.GreaterOrEqual(t, runs.Load(), int64(sessions*messages))
}

// run is a workflow: it claims and finishes until nothing waits, and sometimes dies.
func (q *queue) run(ctx context.Context, key chat.SessionKey, peak, runs *atomic.Int64) error {
	for {
		turn := chat.TurnID(fmt.Sprint("turn", q.turns.Add(1)))
		_, ok, err := q.Turns.Claim(ctx, key, turn, "run-"+string(turn), 0)
		if err != nil || !ok {
			return err
		}
		var n int64
		if err := q.pool.QueryRow(ctx, "SELECT count(*) FROM turns WHERE state = 'running'").Scan(&n); err != nil {
			return err
		}
		for old := peak.Load(); n > old; old = peak.Load() {
			if peak.CompareAndSwap(old, n) {
				break
			}
		}
		runs.Add(1)
		if rand.IntN(20) == 0 {
			_, err = q.Turns.SettleTurn(ctx, turn)
			return err
		}
		pending, err := q.Turns.FinishTurn(ctx, key, turn, chat.TurnDone, "")
		if err != nil || !pending {
			return err
		}
	}
}

func TestLine_WhateverHappensNobodyWaitsWhileATurnIsFree(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 2})
	tenants := []users.User{q.tenant("a"), q.tenant("b"), q.tenant("c")}
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.IntRange(1, 4).Draw(r, "limit")
		q.caps.set(policy.Limits{Turns: most, UserTurns: rapid.IntRange(0, 2).Draw(r, "of a user")})
		running := map[chat.SessionKey]chat.TurnID{}
		var order []chat.SessionKey // of running, so that a seed repeats
		begin := func(key chat.SessionKey) {
			if turn := q.start(key); turn != "" {
				running[key], order = turn, append(order, key)
			}
		}
		finish := func(i int) {
			key := order[i]
			order = append(order[:i:i], order[i+1:]...)
			q.end(key, running[key])
			delete(running, key)
		}
		for range rapid.IntRange(1, 25).Draw(r, "events") {
			if len(order) == 0 || rapid.Bool().Draw(r, "somebody asks") {
				n++
				begin(q.ask(tenants[rapid.IntRange(0, 2).Draw(r, "who")], fmt.Sprint("p", n), 1))
			} else {
				finish(rapid.IntRange(0, len(order)-1).Draw(r, "which ends"))
			}
			for _, key := range q.woken.take() {
				begin(key)
			}
			require.LessOrEqual(t, len(running), most)
		}
		for len(order) > 0 {
			finish(0)
			for _, key := range q.woken.take() {
				begin(key)
			}
		}
		var left int
		require.NoError(t, q.pool.QueryRow(t.Context(), "SELECT count(*) FROM inbox WHERE outcome IS NULL").Scan(&left))
		require.Zero(t, left, "all turns have ended, and somebody still waits")
	})
}

func TestTellThrottled_TellsOnceInWords(t *testing.T) {
	q := throttled(t, policy.Limits{Turns: 1})
	first, second := q.ask(q.user, "first", 1), q.ask(q.user, "second", 1)
	q.start(first)
	q.start(second)
	rows, err := q.Throttled(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Empty(t, rows)
	rows, err = q.Throttled(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, second, rows[0].Session)
	for range 2 {
		require.NoError(t, q.Turns.NotifyThrottled(t.Context(), rows[0]))
	}
	told, err := q.Conversations.Messages(t.Context(), second, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, told.Messages, 1)
	rows, err = q.Throttled(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, rows)
	tenants, err := q.Turns.TurnsByTenant(t.Context())
	require.NoError(t, err)
	require.Len(t, tenants, 1)
	require.Equal(t, 1, tenants[0].Running)
	require.Equal(t, 1, tenants[0].Waiting)
	require.Positive(t, tenants[0].Longest)
}
