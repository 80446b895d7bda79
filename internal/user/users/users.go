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

// User is a person with an account, or a group of a platform.
type User struct {
	ID           chat.UserID
	Name         string
	Admin        bool
	Group        bool   // a group, channel or thread: its conversations belong to it, and it cannot sign in
	Disabled     bool   // disabled by an administrator
	PasswordHash string // bcrypt, empty until set
}

// Roles of users.
const (
	RoleAdmin  = "admin"
	RoleMember = "member"
)

// UserOf returns the user of a row.
func UserOf(r dbsqlc.User) User {
	return User{
		ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, Group: r.Kind == kindGroup, Disabled: r.DisabledAt != nil, PasswordHash: r.PasswordHash,
	}
}

// Lock holds the row of a user until the end of the transaction: of several that write about one user, each waits for the one before.
func Lock(ctx context.Context, tx *pg.Tx, user chat.UserID) error {
	return dbsqlc.Q.UserLock(ctx, tx, user)
}

// EnsureAdmin returns the first administrator, creating one of the given name in an empty installation.
func (s *Store) EnsureAdmin(ctx context.Context, name string) (User, error) {
	row, err := dbsqlc.Q.UserFirstAdmin(ctx, s.db.Pool)
	if errors.Is(err, pgx.ErrNoRows) {
		row, err = dbsqlc.Q.UserCreate(ctx, s.db.Pool, dbsqlc.UserCreateParams{Name: name, Role: RoleAdmin})
	}
	if err != nil {
		return User{}, pg.Classify(fmt.Errorf("find or create the administrator: %w", err))
	}
	return UserOf(row), nil
}

// UserByName finds a user; NotFound if there is none.
func (s *Store) UserByName(ctx context.Context, name string) (User, error) {
	row, err := dbsqlc.Q.UserByName(ctx, s.db.Pool, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.NotFound, "there is no user named %q", name)
	}
	return UserOf(row), pg.Classify(err)
}

// UserByID finds a user.
func (s *Store) UserByID(ctx context.Context, id chat.UserID) (User, error) {
	row, err := dbsqlc.Q.UserGet(ctx, s.db.Pool, id)
	return UserOf(row), pg.Classify(err)
}

// PasswordEffect selects what a password change revokes besides all logins, sign-in links and link codes of the user.
type PasswordEffect struct {
	KeepLogin, KeepToken []byte // hashes of the cookie and the token of the request, which remain valid; nil: none
	RevokeTokens         bool
}

// SetPassword stores a bcrypt hash, which is empty for a user without a password.
func (s *Store) SetPassword(ctx context.Context, id chat.UserID, hash string, effect PasswordEffect) error {
	// A comparison with NULL would match no row, and no login would end.
	login, token := append([]byte{}, effect.KeepLogin...), append([]byte{}, effect.KeepToken...)
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.UserSetPassword(ctx, tx, dbsqlc.UserSetPasswordParams{ID: id, PasswordHash: hash}); err != nil {
			return fmt.Errorf("set password: %w", err)
		}
		if err := dbsqlc.Q.WebSessionDeleteOthers(ctx, tx, dbsqlc.WebSessionDeleteOthersParams{UserID: id, TokenHash: login}); err != nil {
			return fmt.Errorf("sign out other browsers: %w", err)
		}
		if err := dbsqlc.Q.LoginLinkEnd(ctx, tx, id); err != nil {
			return fmt.Errorf("end sign-in links: %w", err)
		}
		if err := dbsqlc.Q.LinkCodeEnd(ctx, tx, id); err != nil {
			return fmt.Errorf("end codes that link an identity: %w", err)
		}
		if effect.RevokeTokens {
			if err := dbsqlc.Q.TokenRevokeOthers(ctx, tx, dbsqlc.TokenRevokeOthersParams{UserID: id, TokenHash: token}); err != nil {
				return fmt.Errorf("revoke tokens: %w", err)
			}
		}
		return tx.NotifyAccess(ctx)
	})
}

// AnyPassword reports whether any user can sign in with a password.
func (s *Store) AnyPassword(ctx context.Context) (bool, error) {
	yes, err := dbsqlc.Q.UserAnyPassword(ctx, s.db.Pool)
	return yes, pg.Classify(err)
}

// SignInUse is how far the sign-in of an installation has been used.
type SignInUse struct {
	SignedIn bool // the installation has a user with a password or a login
	Links    bool // there was a sign-in link in the last days
}

// SignInUse returns how far the sign-in has been used.
func (s *Store) SignInUse(ctx context.Context) (SignInUse, error) {
	row, err := dbsqlc.Q.UserSignInUse(ctx, s.db.Pool)
	return SignInUse{SignedIn: row.SignedIn, Links: row.Links}, pg.Classify(err)
}

// CreateLoginLink stores the hash of a one-time sign-in token. Errors are Conflict if the hash exists.
func (s *Store) CreateLoginLink(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error {
	if err := dbsqlc.Q.LoginLinkPrune(ctx, s.db.Pool); err != nil {
		return pg.Classify(fmt.Errorf("prune login links: %w", err))
	}
	n, err := dbsqlc.Q.LoginLinkCreate(ctx, s.db.Pool, dbsqlc.LoginLinkCreateParams{TokenHash: hash, UserID: user, ExpiresAt: expires})
	if err == nil && n == 0 {
		err = fault.Errorf(fault.Conflict, "this sign-in has been used before; sign in again")
	}
	return pg.Classify(err)
}

var errLoginLink = fault.Errorf(fault.Denied, "this sign-in link was already used, has expired or belongs to another browser; run \"xbot login-link\" for a new one")

// LoginLinkUser returns the user of a one-time token without using it. Errors are those of UseLoginLink.
func (s *Store) LoginLinkUser(ctx context.Context, hash []byte) (User, error) {
	row, err := dbsqlc.Q.LoginLinkUser(ctx, s.db.Pool, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, errLoginLink
	}
	return UserOf(row), pg.Classify(err)
}

// UseLoginLink spends a one-time token; Denied if it is unknown, spent or expired.
func (s *Store) UseLoginLink(ctx context.Context, hash []byte) (User, error) {
	id, err := dbsqlc.Q.LoginLinkUse(ctx, s.db.Pool, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, errLoginLink
	}
	if err != nil {
		return User{}, pg.Classify(err)
	}
	return s.UserByID(ctx, id)
}

// CreateWebSession stores the hash of a browser's cookie.
func (s *Store) CreateWebSession(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error {
	if err := dbsqlc.Q.WebSessionPrune(ctx, s.db.Pool); err != nil {
		return pg.Classify(fmt.Errorf("prune web sessions: %w", err))
	}
	return pg.Classify(dbsqlc.Q.WebSessionCreate(ctx, s.db.Pool, dbsqlc.WebSessionCreateParams{TokenHash: hash, UserID: user, ExpiresAt: expires}))
}

// WebSessionUser finds the user of a cookie and when it was last seen; NotFound if it is unknown or expired.
func (s *Store) WebSessionUser(ctx context.Context, hash []byte) (User, time.Time, error) {
	r, err := dbsqlc.Q.WebSessionUser(ctx, s.db.Pool, hash)
	if err != nil {
		return User{}, time.Time{}, pg.Classify(err)
	}
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, PasswordHash: r.PasswordHash}, r.LastSeenAt, nil
}

// TouchWebSession slides the end of a browser's login.
func (s *Store) TouchWebSession(ctx context.Context, hash []byte, expires time.Time) error {
	return pg.Classify(dbsqlc.Q.WebSessionTouch(ctx, s.db.Pool, dbsqlc.WebSessionTouchParams{TokenHash: hash, ExpiresAt: expires}))
}

// DeleteWebSession signs a browser out, and ends its streams in all processes.
func (s *Store) DeleteWebSession(ctx context.Context, hash []byte) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.WebSessionDelete(ctx, tx, hash)
		if err != nil || n == 0 {
			return err
		}
		return tx.NotifyAccess(ctx)
	})
}
