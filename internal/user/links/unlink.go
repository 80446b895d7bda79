package links

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/users"
)

// Unlinked is the result of an Unlink.
type Unlinked struct {
	Account string // name of the account that the identity has now; empty: it has none until it is used again
	Moved   int    // conversations that moved with it
}

// Unlink moves an identity with its direct conversations from its user to a new user. Memory, sign-ins and everything else remain with the former
// user. The single sign-on of a user is removed. Errors are Invalid if the identity is the only way to the account, or if the settings appoint it.
// l.Name is the user's name on the platform, if known.
func (s *Store) Unlink(ctx context.Context, l Link) (out Unlinked, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		key := dbsqlc.IdentityLockParams{Channel: l.Channel, Account: l.Account, Peer: l.Peer, UserID: l.User}
		row, err := dbsqlc.Q.IdentityLock(ctx, tx, key)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return i18n.Fault(fault.NotFound, i18n.UnlinkNone)
		case err != nil:
			return fmt.Errorf("lock the identity: %w", err)
		case row.Appointed != "":
			return i18n.Fault(fault.Invalid, i18n.UnlinkAppointed)
		case row.Alone:
			return i18n.Fault(fault.Invalid, i18n.UnlinkAlone)
		}
		if err := dbsqlc.Q.LinkCodePrune(ctx, tx, l.User); err != nil { // one may have been shown there
			return fmt.Errorf("revoke link codes: %w", err)
		}
		if l.Channel == users.ChannelSignOn {
			return dbsqlc.Q.IdentityDelete(ctx, tx, dbsqlc.IdentityDeleteParams(key))
		}
		to, err := users.Separate(ctx, tx, l.Channel, chat.Peer{ID: l.Peer, Name: l.Name})
		if err != nil {
			return err
		}
		out.Account = to.Name
		out.Moved, err = moveIdentity(ctx, tx, l, to.ID)
		return err
	})
	return out, err
}
