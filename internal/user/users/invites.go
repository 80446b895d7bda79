package users

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// Invite is a link by which people create accounts, in the form for lists: never its secret.
type Invite struct {
	ID        int64     `json:"id"`
	Note      string    `json:"note" doc:"Note on the intended users; visible to administrators only."`
	Role      string    `json:"role" enum:"admin,member" doc:"Role of the invited users."`
	Uses      int       `json:"uses" doc:"Maximum number of uses."`
	Used      int       `json:"used" doc:"How many have."`
	MadeBy    string    `json:"made_by,omitempty" doc:"The administrator; empty: an operator."`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Invites lists the links that can still be used, the newest first.
func (s *Store) Invites(ctx context.Context) ([]Invite, error) {
	rows, err := dbsqlc.Q.InviteList(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list invitations: %w", err))
	}
	out := make([]Invite, len(rows))
	for i, r := range rows {
		out[i] = Invite{ID: r.ID, Note: r.Note, Role: r.Role, Uses: int(r.Uses), Used: int(r.Used), MadeBy: r.MadeBy, CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt}
	}
	return out, nil
}

// MaxInvited is how many people may use one link.
const MaxInvited = 1000

// AddInvite stores the hash of a link, of which note, role, uses and end are given. by is the administrator who made it, nil for an
// operator: once they are none any more the link is no good.
func (s *Store) AddInvite(ctx context.Context, in Invite, by *chat.UserID, hash []byte) (Invite, error) {
	if in.Uses < 1 || in.Uses > MaxInvited {
		return Invite{}, fault.Errorf(fault.Invalid, "an invitation is for 1 to %d people", MaxInvited)
	}
	if !in.ExpiresAt.After(time.Now()) {
		return Invite{}, fault.Errorf(fault.Invalid, "an invitation is good for at least a day")
	}
	if err := dbsqlc.Q.InvitePrune(ctx, s.db.Pool); err != nil {
		return Invite{}, pg.Classify(fmt.Errorf("prune invitations: %w", err))
	}
	in.Note = chat.Clean(in.Note)
	row, err := dbsqlc.Q.InviteAdd(ctx, s.db.Pool, dbsqlc.InviteAddParams{
		TokenHash: hash, Note: in.Note, Role: in.Role, Uses: int32(in.Uses), MadeBy: by, ExpiresAt: in.ExpiresAt,
	})
	in.ID, in.CreatedAt = row.ID, row.CreatedAt
	return in, pg.Classify(err)
}

// WithdrawInvite makes a link useless at once; NotFound if it is already.
func (s *Store) WithdrawInvite(ctx context.Context, id int64) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.InviteWithdraw(ctx, tx, id)
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "there is no invitation %d that is still open", id)
		}
		return err
	})
}

// errInvite is the error of a link that cannot be used.
var errInvite = fault.Errorf(fault.Denied, "this invitation was used up or withdrawn, or has expired; ask for a new one")

// CheckInvite is Denied unless a link can be used now.
func (s *Store) CheckInvite(ctx context.Context, hash []byte) error {
	_, err := dbsqlc.Q.InviteOpen(ctx, s.db.Pool, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return errInvite
	}
	return pg.Classify(err)
}

// Join creates an account for the user of a link. A name that is taken is a Conflict, and the link stays valid.
func (s *Store) Join(ctx context.Context, hash []byte, name, password string) (User, error) {
	var user User
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		invite, err := dbsqlc.Q.InviteOpen(ctx, tx, hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return errInvite
		}
		if err != nil {
			return fmt.Errorf("look for an invitation: %w", err)
		}
		n, err := dbsqlc.Q.InviteUse(ctx, tx, invite.ID)
		if err != nil {
			return fmt.Errorf("use an invitation: %w", err)
		}
		if n == 0 { // another user has just used it
			return errInvite
		}
		user, err = addAccount(ctx, tx, dbsqlc.AccountAddParams{Name: name, Role: invite.Role, PasswordHash: password, InviteID: &invite.ID})
		return err
	})
	return user, err
}
