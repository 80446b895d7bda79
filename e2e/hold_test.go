package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// holdKey names the lock at which held statements wait.
const holdKey = 611

// heldHere are the statements that wait at it in this database; the Postgres may have others.
const heldHere = `locktype = 'advisory' AND NOT granted AND objid = $1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

// hold makes statements wait at a point of a transaction, so that a kill meets exactly that point.
type hold struct {
	t  *testing.T
	db *pgx.Conn
}

// held holds statements on a table until release: when is what a trigger takes, such as "BEFORE INSERT ON inbox".
func (s *server) held(when, condition string) *hold {
	s.t.Helper()
	h := &hold{s.t, s.look()}
	for _, statement := range []string{
		`SELECT pg_advisory_lock(611)`,
		`CREATE OR REPLACE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(611); RETURN coalesce(NEW, OLD); END $$`,
		`DO $$ DECLARE at text; BEGIN FOR at IN SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'wait_for_test' LOOP EXECUTE 'DROP TRIGGER wait_for_test ON ' || at; END LOOP; END $$`,
		`CREATE TRIGGER wait_for_test ` + when + ` FOR EACH ROW WHEN (` + condition + `) EXECUTE FUNCTION wait_for_test()`,
	} {
		_, err := h.db.Exec(s.t.Context(), statement)
		require.NoError(s.t, err, statement)
	}
	return h
}

// also holds statements on another table, too.
func (h *hold) also(when, condition string) {
	h.t.Helper()
	_, err := h.db.Exec(h.t.Context(), `CREATE TRIGGER wait_for_test `+when+` FOR EACH ROW WHEN (`+condition+`) EXECUTE FUNCTION wait_for_test()`)
	require.NoError(h.t, err)
}

// waits waits until so many statements do.
func (h *hold) waits(n int) {
	h.t.Helper()
	h.waitsWithin(time.Minute, n)
}

func (h *hold) waitsWithin(limit time.Duration, n int) {
	h.t.Helper()
	require.Eventually(h.t, func() bool { return h.waiting() >= n }, limit, 10*time.Millisecond, "%d statements should wait", n)
}

// waiting returns how many statements wait now.
func (h *hold) waiting() (n int) {
	if h.db.QueryRow(h.t.Context(), `SELECT count(*) FROM pg_locks WHERE `+heldHere, holdKey).Scan(&n) != nil {
		return 0 // the next look finds them
	}
	return n
}

// drop cancels the waiting statements, whose client is dead, and holds later ones.
func (h *hold) drop() {
	h.t.Helper()
	_, err := h.db.Exec(h.t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE `+heldHere, holdKey)
	require.NoError(h.t, err)
}

// release cancels the waiting statements, whose client is dead, and holds no more.
func (h *hold) release() {
	h.t.Helper()
	h.drop()
	require.NoError(h.t, h.db.Close(h.t.Context()))
}

// look opens the database of the server.
func (s *server) look() *pgx.Conn {
	s.t.Helper()
	e, err := s.endpoints()
	require.NoError(s.t, err)
	db, err := pgx.Connect(s.t.Context(), e.DatabaseURL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = db.Close(context.Background()) }) // it may be closed already
	return db
}
