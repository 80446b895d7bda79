package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// User is a person with an account, or a group of a platform.
type User struct {
	ID           chat.UserID
	Name         string
	Admin        bool
	Group        bool   // a group, channel or thread: its conversations belong to it, and nobody signs in as it
	Disabled     bool   // shut out by an administrator
	PasswordHash string // bcrypt, empty until set
}

// Roles of users.
const (
	RoleAdmin  = "admin"
	RoleMember = "member"
)

// UserOf is the user of a row.
func UserOf(r dbsqlc.User) User {
	return User{
		ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, Group: r.Kind == kindGroup, Disabled: r.DisabledAt != nil, PasswordHash: r.PasswordHash,
	}
}

// EnsureAdmin returns the first administrator, creating one of the given name in an empty installation.
func (s *Store) EnsureAdmin(ctx context.Context, name string) (User, error) {
	row, err := s.db.Q.UserFirstAdmin(ctx, s.db.Pool)
	if errors.Is(err, pgx.ErrNoRows) {
		row, err = s.db.Q.UserCreate(ctx, s.db.Pool, dbsqlc.UserCreateParams{Name: name, Role: RoleAdmin})
	}
	if err != nil {
		return User{}, pg.Classify(fmt.Errorf("find or create the administrator: %w", err))
	}
	return UserOf(row), nil
}

// UserByName finds a user; NotFound if there is none.
func (s *Store) UserByName(ctx context.Context, name string) (User, error) {
	row, err := s.db.Q.UserByName(ctx, s.db.Pool, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.NotFound, "there is no user named %q", name)
	}
	return UserOf(row), pg.Classify(err)
}

// UserByID finds a user.
func (s *Store) UserByID(ctx context.Context, id chat.UserID) (User, error) {
	row, err := s.db.Q.UserGet(ctx, s.db.Pool, id)
	return UserOf(row), pg.Classify(err)
}

// SetPassword stores a bcrypt hash and signs out the user's browsers but the one whose cookie has the hash keep, nil for
// none.
func (s *Store) SetPassword(ctx context.Context, id chat.UserID, hash string, keep []byte) error {
	if keep == nil {
		keep = []byte{} // NULL would compare with nothing, and nobody would be signed out
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := s.db.Q.UserSetPassword(ctx, tx, dbsqlc.UserSetPasswordParams{ID: id, PasswordHash: hash}); err != nil {
			return fmt.Errorf("set password: %w", err)
		}
		if err := s.db.Q.WebSessionDeleteOthers(ctx, tx, dbsqlc.WebSessionDeleteOthersParams{UserID: id, TokenHash: keep}); err != nil {
			return fmt.Errorf("sign out other browsers: %w", err)
		}
		return s.db.Q.AccessChanged(ctx, tx)
	})
}

// AnyPassword reports whether anybody can sign in with a password.
func (s *Store) AnyPassword(ctx context.Context) (bool, error) {
	yes, err := s.db.Q.UserAnyPassword(ctx, s.db.Pool)
	return yes, pg.Classify(err)
}

// CreateLoginLink stores the hash of a one-time sign-in token.
func (s *Store) CreateLoginLink(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error {
	if err := s.db.Q.LoginLinkPrune(ctx, s.db.Pool); err != nil {
		return pg.Classify(fmt.Errorf("prune login links: %w", err))
	}
	return pg.Classify(s.db.Q.LoginLinkCreate(ctx, s.db.Pool, dbsqlc.LoginLinkCreateParams{TokenHash: hash, UserID: user, ExpiresAt: expires}))
}

// UseLoginLink spends a one-time token; Denied if it is unknown, spent or expired.
func (s *Store) UseLoginLink(ctx context.Context, hash []byte) (User, error) {
	id, err := s.db.Q.LoginLinkUse(ctx, s.db.Pool, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.Denied, "this sign-in link was used before or has expired; run \"xbot login-link\" for a new one")
	}
	if err != nil {
		return User{}, pg.Classify(err)
	}
	return s.UserByID(ctx, id)
}

// CreateWebSession stores the hash of a browser's cookie.
func (s *Store) CreateWebSession(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error {
	if err := s.db.Q.WebSessionPrune(ctx, s.db.Pool); err != nil {
		return pg.Classify(fmt.Errorf("prune web sessions: %w", err))
	}
	return pg.Classify(s.db.Q.WebSessionCreate(ctx, s.db.Pool, dbsqlc.WebSessionCreateParams{TokenHash: hash, UserID: user, ExpiresAt: expires}))
}

// WebSessionUser finds the user of a cookie and when it was last seen; NotFound if it is unknown or expired.
func (s *Store) WebSessionUser(ctx context.Context, hash []byte) (User, time.Time, error) {
	r, err := s.db.Q.WebSessionUser(ctx, s.db.Pool, hash)
	if err != nil {
		return User{}, time.Time{}, pg.Classify(err)
	}
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, PasswordHash: r.PasswordHash}, r.LastSeenAt, nil
}

// TouchWebSession slides the end of a browser's login.
func (s *Store) TouchWebSession(ctx context.Context, hash []byte, expires time.Time) error {
	return pg.Classify(s.db.Q.WebSessionTouch(ctx, s.db.Pool, dbsqlc.WebSessionTouchParams{TokenHash: hash, ExpiresAt: expires}))
}

// DeleteWebSession signs a browser out.
func (s *Store) DeleteWebSession(ctx context.Context, hash []byte) error {
	return pg.Classify(s.db.Q.WebSessionDelete(ctx, s.db.Pool, hash))
}
