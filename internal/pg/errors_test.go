package pg_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/pg"
)

func TestErrors_TellAPostgresThatIsAwayFromOneThatRefuses(t *testing.T) {
	answer := func(code string) error { return fmt.Errorf("read: %w", &pgconn.PgError{Code: code}) }
	_, noDSN := pgx.ParseConfig("postgres://%zz")
	require.Error(t, noDSN)
	_, noServer := pgx.Connect(t.Context(), "postgres://xbot@127.0.0.1:1/xbot")
	require.Error(t, noServer)
	for name, c := range map[string]struct {
		err                        error
		kind                       fault.Kind
		away, refused, unreachable bool
	}{
		"no server":              {noServer, fault.Unavailable, true, false, true},
		"the connection is lost": {io.ErrUnexpectedEOF, fault.Unavailable, true, false, true},
		"it is starting":         {answer("57P03"), fault.Unavailable, true, false, true},
		"it is stopped":          {answer("57P01"), fault.Unavailable, true, false, true},
		"a process of it died":   {answer("57P02"), fault.Unavailable, true, false, true},
		"it is full":             {answer("53300"), fault.Unavailable, true, false, true},
		"another password":       {answer("28P01"), fault.Unavailable, false, true, false},
		"no such database":       {answer("3D000"), fault.Unavailable, false, true, false},
		"no connection string":   {noDSN, fault.Unavailable, false, true, true},
		"a conflict of writes":   {answer("40001"), fault.Unavailable, false, false, false},
		"a constraint":           {answer("23505"), fault.Internal, false, false, false},
		"bad data":               {answer("22021"), fault.Invalid, false, false, false},
		"no row":                 {pgx.ErrNoRows, fault.NotFound, false, false, false},
		"a fault of ours":        {fault.Errorf(fault.Conflict, "changed"), fault.Conflict, false, false, false},
		"another part is away":   {fault.Errorf(fault.Unavailable, "the runner is away"), fault.Unavailable, true, false, false},
		"no time left":           {context.DeadlineExceeded, fault.Internal, true, false, false},
		"cancelled":              {context.Canceled, fault.Internal, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := fmt.Errorf("do it: %w", pg.Classify(c.err))
			require.Equal(t, c.kind, fault.KindOf(err))
			require.Equal(t, c.away, pg.Away(err))
			require.Equal(t, c.refused, pg.Refused(err))
			require.Equal(t, c.unreachable, fault.PartOf(err) == pg.Part)
			require.ErrorIs(t, err, c.err)
		})
	}
	require.False(t, pg.Away(nil))
	require.False(t, pg.Refused(nil))
}
