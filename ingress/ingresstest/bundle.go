package ingresstest

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/ingress/intake"
	"xbot/ingress/wake"
	"xbot/internal/channel/delivery"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

// Key is the session of a Bundle.
const Key = chat.SessionKey("agent:main:web:thread:t")

// Limit bounds every wait.
const Limit = time.Minute

// Wakes records who was woken.
type Wakes struct {
	Mu   sync.Mutex
	Rows []wake.TurnWake
	Fail func(ctx context.Context, r wake.TurnWake) error
}

// Wake records a wake, and returns the error of Fail.
func (w *Wakes) Wake(ctx context.Context, r wake.TurnWake) error {
	w.Mu.Lock()
	w.Rows = append(w.Rows, r)
	fail := w.Fail
	w.Mu.Unlock()
	if fail != nil {
		return fail(ctx, r)
	}
	return nil
}

// Sessions returns the woken sessions, in order.
func (w *Wakes) Sessions() (out []chat.SessionKey) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for _, r := range w.Rows {
		out = append(out, r.Session)
	}
	return out
}

// Starts records started work in place of Temporal.
type Starts struct {
	mu        sync.Mutex
	Bangs     []chat.InboxID
	Tasks     []chat.CallID
	delivers  []chat.SessionKey
	jobs      []chat.JobID
	groups    []chat.GroupID
	Memories  []chat.MemorizeID
	Deletions []chat.UserID
	err       error
}

// StartDeliver records a delivery.
func (s *Starts) StartDeliver(_ context.Context, u delivery.Undelivered) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivers = append(s.delivers, u.Session)
	return s.err
}

// StartGroup records a group chat.
func (s *Starts) StartGroup(_ context.Context, id chat.GroupID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = append(s.groups, id)
	return nil
}

// StartCron records a job.
func (s *Starts) StartCron(_ context.Context, id chat.JobID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs = append(s.jobs, id)
	return nil
}

// StartMemorize records a conversation that is put into memory.
func (s *Starts) StartMemorize(_ context.Context, id chat.MemorizeID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Memories = append(s.Memories, id)
	return s.err
}

// StartTrack records nothing: tests look at the line in the store.
func (s *Starts) StartTrack(context.Context) error { return s.err }

// StartDeletion records a user who is deleted.
func (s *Starts) StartDeletion(_ context.Context, id chat.UserID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Deletions = append(s.Deletions, id)
	return s.err
}

// StartMigration starts nothing.
func (s *Starts) StartMigration(context.Context, chat.MigrationID) error { return nil }

// StartFetch starts nothing.
func (s *Starts) StartFetch(context.Context, chat.InboxID) error { return nil }

// StartBang records a bang command.
func (s *Starts) StartBang(_ context.Context, id chat.InboxID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Bangs = append(s.Bangs, id)
	return s.err
}

// StartBackground records a background task.
func (s *Starts) StartBackground(_ context.Context, call chat.CallID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Tasks = append(s.Tasks, call)
	return s.err
}

// Bundle is a dispatcher over a separate database, with one user, whose session is Key.
type Bundle struct {
	*store.Store
	T        *testing.T
	Pool     *pgxpool.Pool
	User     users.User
	Wakes    *Wakes
	Starts   *Starts
	Dispatch *intake.Dispatcher
	Woken    *wake.Dispatcher // wakes through Wakes and Starts
}

// New makes a bundle for a parallel test.
func New(t *testing.T) *Bundle {
	t.Helper()
	t.Parallel()
	b := &Bundle{T: t, Pool: pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), Wakes: &Wakes{}}
	b.Store = store.New(b.Pool, store.Options{})
	var err error
	b.User, err = b.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	b.MakeSession(Key)
	b.Starts = &Starts{}
	b.Woken = &wake.Dispatcher{Turns: b.Wakes, Starts: b.Starts, Users: b.Store.Users, Log: slog.New(slog.DiscardHandler)}
	b.Dispatch = &intake.Dispatcher{Calls: b.Store.Calls, Turns: b.Store.Turns, Wakes: b.Woken}
	return b
}

// MakeSession makes a session of the user.
func (b *Bundle) MakeSession(key chat.SessionKey) {
	b.T.Helper()
	_, err := b.Conversations.CreateSession(b.T.Context(), conversation.NewSession{Key: key, Owner: b.User.ID, Channel: "web"})
	require.NoError(b.T, err)
}

// Inbound is a message of the user.
func (b *Bundle) Inbound(key chat.SessionKey, id, text string) intake.Message {
	return intake.Message{
		NewRow:   engine.NewRow{Session: key, User: b.User.ID, Channel: "web", PlatformID: id, Text: text},
		UserName: b.User.Name,
	}
}

// Write commits a message as an ingress does that is killed before its wake.
func (b *Bundle) Write(key chat.SessionKey, id string) {
	b.T.Helper()
	_, err := b.Turns.Accept(b.T.Context(), b.Inbound(key, id, "text of "+id).NewRow)
	require.NoError(b.T, err)
}

// ClaimTurn gives the waiting messages of a session to a turn.
func (b *Bundle) ClaimTurn(key chat.SessionKey, turn chat.TurnID) {
	b.T.Helper()
	_, ok, err := b.Turns.Claim(b.T.Context(), key, turn, "run-"+string(turn), 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
}

// Age makes rows look older by d.
func (b *Bundle) Age(d time.Duration) {
	b.T.Helper()
	for _, query := range []string{
		"UPDATE inbox SET woken_at = woken_at - $1::interval, accepted_at = accepted_at - $1::interval",
		"UPDATE turns SET checked_at = checked_at - $1::interval, started_at = started_at - $1::interval",
	} {
		_, err := b.Pool.Exec(b.T.Context(), query, d)
		require.NoError(b.T, err)
	}
}

// LastTurn is the newest turn of a session.
func (b *Bundle) LastTurn(key chat.SessionKey) chat.Turn {
	b.T.Helper()
	turns, err := b.Conversations.Turns(b.T.Context(), key, 1)
	require.NoError(b.T, err)
	require.NotEmpty(b.T, turns)
	return turns[0]
}

// Transcript is the conversation of a session.
func (b *Bundle) Transcript(key chat.SessionKey) conversation.Transcript {
	b.T.Helper()
	t, err := b.Conversations.Messages(b.T.Context(), key, conversation.Page{Limit: 100})
	require.NoError(b.T, err)
	return t
}
