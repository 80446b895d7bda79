package pg

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/fault"
)

// Classify gives an error of the driver its kind: an error about our data is a bug or bad input, all others mean that Postgres is away.
func Classify(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.Errorf(fault.NotFound, "%w", err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:2] {
		case "22": // data exception
			return fault.Errorf(fault.Invalid, "%w", err)
		case "23", "42", "0A": // constraint, syntax, unsupported
			return fault.Errorf(fault.Internal, "%w", err)
		}
	}
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && !answers(answer, notServing...) {
		return fault.Errorf(fault.Unavailable, "%w", err)
	}
	return fault.Away(Part, "%w", err)
}

// Part is the name of Postgres in errors which report that it is away.
const Part = "Postgres"

// notServing lists the classes of errors of a Postgres that does not serve now: connection, resources, shutdown and start.
var notServing = []string{"08", "53", "57P"}

// Away reports whether an error means that Postgres cannot be reached, or does not serve yet, so that the same may succeed later. A refusal, such as
// of a password, is not.
func Away(err error) bool {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answers(answer, notServing...)
	}
	_, unreadable := errors.AsType[*pgconn.ParseConfigError](err)
	return !unreadable && (fault.Is(err, fault.Unavailable) || errors.Is(err, context.DeadlineExceeded))
}

// Refused reports whether Postgres refuses the connection permanently: the password, the role or the database is a wrong one, or the connection string
// cannot be read.
func Refused(err error) bool {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answers(answer, "28", "3D")
	}
	_, unreadable := errors.AsType[*pgconn.ParseConfigError](err)
	return unreadable
}

// answers reports whether the code of an error begins with one of the classes.
func answers(answer *pgconn.PgError, classes ...string) bool {
	return slices.ContainsFunc(classes, func(c string) bool { return strings.HasPrefix(answer.Code, c) })
}

// LikeEscape escapes the wildcards of LIKE.
var LikeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
