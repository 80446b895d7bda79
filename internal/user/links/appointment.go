package links

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/users"
)

// Appointment makes a peer the first administrator, because the settings name the chat in which they write.
type Appointment struct {
	Channel, Account, Peer string
	Chat                   string // as the settings name it
}

// Appoint makes a peer the first administrator: their direct conversations move with them, as by a code of /link. An administrator stays
// who they are, and a disabled user stays disabled. made reports that it was done now. It returns Unavailable if there is no administrator yet.
func (s *Store) Appoint(ctx context.Context, a Appointment) (who users.User, made bool, err error) {
	row, err := dbsqlc.Q.IdentityUser(ctx, s.db.Pool, a.identity())
	if err == nil && settled(row) {
		return users.UserOf(row), false, nil
	}
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return users.User{}, false, pg.Classify(fmt.Errorf("look for who writes in %s: %w", a.Chat, err))
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		who, made, err = appoint(ctx, tx, a)
		return err
	})
	return who, made, err
}

func (a Appointment) identity() dbsqlc.IdentityUserParams {
	return dbsqlc.IdentityUserParams{Kind: users.KindPerson, Channel: a.Channel, Account: a.Account, Peer: a.Peer}
}

// settled reports whether a user may not become another one.
func settled(row dbsqlc.User) bool { return row.Role == users.RoleAdmin || row.DisabledAt != nil }

func appoint(ctx context.Context, t *pg.Tx, a Appointment) (who users.User, made bool, err error) {
	lock := strings.Join([]string{"identity", users.KindPerson, a.Channel, a.Account, a.Peer}, "\x1f")
	if err := t.LockName(ctx, lock); err != nil {
		return who, false, fmt.Errorf("lock the identity: %w", err)
	}
	first, err := dbsqlc.Q.UserFirstAdmin(ctx, t)
	if errors.Is(err, pgx.ErrNoRows) {
		return who, false, fault.Errorf(fault.Unavailable, "there is no administrator yet")
	}
	if err != nil {
		return who, false, fmt.Errorf("find the first administrator: %w", err)
	}
	from, err := dbsqlc.Q.IdentityUser(ctx, t, a.identity())
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = dbsqlc.Q.IdentityAdd(ctx, t, dbsqlc.IdentityAddParams{
			Kind: users.KindPerson, Channel: a.Channel, Account: a.Account, Peer: a.Peer, UserID: first.ID,
		})
	case err != nil:
	case settled(from):
		return users.UserOf(from), false, nil
	default:
		_, err = moveIdentity(ctx, t, Link{User: from.ID, Channel: a.Channel, Account: a.Account, Peer: a.Peer}, first.ID)
	}
	if err != nil {
		return who, false, fmt.Errorf("make who writes in %s the administrator: %w", a.Chat, err)
	}
	p := dbsqlc.IdentityAppointParams{Channel: a.Channel, Account: a.Account, Peer: a.Peer, Appointed: a.Chat}
	return users.UserOf(first), true, dbsqlc.Q.IdentityAppoint(ctx, t, p)
}

// Depose takes back what Appoint did for other chats than the one that the settings name now; empty: for all. Their peers are unknown
// to xbot then. It returns their number.
func (s *Store) Depose(ctx context.Context, but string) (int, error) {
	n, err := dbsqlc.Q.IdentityDepose(ctx, s.db.Pool, but)
	return int(n), pg.Classify(err)
}
