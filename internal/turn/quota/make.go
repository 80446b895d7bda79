package quota

import (
	"context"
	"errors"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/policy"
)

// Thing is a kind of object of which a user or group may have a limited number: a member of limits.person of the policy. Objects made by
// messages on platforms, agents, schedules, triggers, operators and the server are not refused.
type Thing string

// The kinds that are counted.
const (
	Sessions Thing = "sessions"
	Runners  Thing = "runners"
	Tokens   Thing = "tokens"
)

// Making describes one thing that is made for an owner.
type Making struct {
	Of    Thing
	Owner chat.UserID
	// Still makes all statements of the transaction see one snapshot of the database.
	Still bool
}

// tries limits the attempts of a transaction with one snapshot: of so many at once for one user each gets its turn.
const tries = 50

// Make runs insert in a transaction, and rolls it back with a Conflict if the owner then has more than allowed. Of several at once as
// many are made as the limit permits. insert reports whether it has made one; it may run again.
func Make(ctx context.Context, q *Quota, db *pg.DB, m Making, insert func(tx *pg.Tx) (made bool, err error)) error {
	caps, err := q.Caps(ctx) // before the transaction: it may need another connection
	if err != nil {
		return err
	}
	for range tries {
		err = db.InTx(ctx, func(tx *pg.Tx) error { return m.within(ctx, tx, caps.Person, insert) })
		if !outdated(err) {
			break
		}
	}
	return err
}

func (m Making) within(ctx context.Context, tx *pg.Tx, l policy.PersonLimits, insert func(tx *pg.Tx) (bool, error)) error {
	if m.Still {
		if _, err := tx.Exec(ctx, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"); err != nil {
			return fmt.Errorf("begin to see one moment: %w", err)
		}
	}
	if err := dbsqlc.Q.QuotaHold(ctx, tx, m.Owner); err != nil {
		return fmt.Errorf("hold what user %d has: %w", m.Owner, err)
	}
	made, err := insert(tx)
	if err != nil || !made {
		return err
	}
	held, most, full, err := m.count(ctx, tx, l)
	if err != nil {
		return fmt.Errorf("count what user %d has: %w", m.Owner, err)
	}
	if int(held) > most {
		return i18n.Fault(fault.Conflict, full, held-1)
	}
	return nil
}

// count returns how many there are and may be, and the sentence for too many.
func (m Making) count(ctx context.Context, tx *pg.Tx, l policy.PersonLimits) (held int32, most int, full i18n.ID, err error) {
	switch m.Of {
	case Sessions:
		held, err = dbsqlc.Q.QuotaSessions(ctx, tx, m.Owner)
		return held, l.Sessions, i18n.RoomSessions, err
	case Runners:
		held, err = dbsqlc.Q.QuotaRunners(ctx, tx, m.Owner)
		return held, l.Runners, i18n.RoomRunners, err
	default:
		held, err = dbsqlc.Q.QuotaTokens(ctx, tx, m.Owner)
		return held, l.Tokens, i18n.RoomTokens, err
	}
}

// outdated reports whether a transaction failed because another one has changed what it read.
func outdated(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == "40001"
}
