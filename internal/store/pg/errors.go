package pg

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/fault"
)

// Classify gives an error of the driver its kind: what Postgres refuses because of our data is a bug or bad input,
// all else is Postgres being away.
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
	return fault.Errorf(fault.Unavailable, "%w", err)
}

// Clean makes text storable: valid UTF-8 without NUL, which Postgres cannot hold.
func Clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ReplaceAll(text, "\x00", "")
}

// LikeEscape escapes the wildcards of LIKE.
var LikeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
