package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
)

// User is a person with an account, or a group of a platform.
type User struct {
	ID           chat.UserID
	Name         string
	Admin        bool
	Group        bool   // a group, channel or thread: its conversations belong to it, and nobody signs in as it
	PasswordHash string // bcrypt, empty until set
}

// Roles of users.
const (
	roleAdmin  = "admin"
	roleMember = "member"
)

func userOf(r dbsqlc.User) User {
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == roleAdmin, Group: r.Kind == kindGroup, PasswordHash: r.PasswordHash}
}

// EnsureAdmin returns the first administrator, creating one of the given name in an empty installation.
func (s *Store) EnsureAdmin(ctx context.Context, name string) (User, error) {
	row, err := s.q.UserFirstAdmin(ctx, s.pool)
	if errors.Is(err, pgx.ErrNoRows) {
		row, err = s.q.UserCreate(ctx, s.pool, dbsqlc.UserCreateParams{Name: name, Role: roleAdmin})
	}
	if err != nil {
		return User{}, classify(fmt.Errorf("find or create the administrator: %w", err))
	}
	return userOf(row), nil
}

// CreateUser adds a member; a name that is taken is a Conflict.
func (s *Store) CreateUser(ctx context.Context, name string) (User, error) {
	if _, err := s.UserByName(ctx, name); err == nil {
		return User{}, fault.Errorf(fault.Conflict, "there is a user named %q already", name)
	}
	row, err := s.q.UserCreate(ctx, s.pool, dbsqlc.UserCreateParams{Name: name, Role: roleMember})
	if err != nil {
		return User{}, classify(fmt.Errorf("create user: %w", err))
	}
	return userOf(row), nil
}

// UserByName finds a user; NotFound if there is none.
func (s *Store) UserByName(ctx context.Context, name string) (User, error) {
	row, err := s.q.UserByName(ctx, s.pool, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.NotFound, "there is no user named %q", name)
	}
	return userOf(row), classify(err)
}

// UserByID finds a user.
func (s *Store) UserByID(ctx context.Context, id chat.UserID) (User, error) {
	row, err := s.q.UserGet(ctx, s.pool, id)
	return userOf(row), classify(err)
}

// SetPassword stores a bcrypt hash and signs out the user's browsers but the one whose cookie has the hash keep, nil for
// none.
func (s *Store) SetPassword(ctx context.Context, id chat.UserID, hash string, keep []byte) error {
	if keep == nil {
		keep = []byte{} // NULL would compare with nothing, and nobody would be signed out
	}
	return s.inTx(ctx, func(tx *tx) error {
		if err := s.q.UserSetPassword(ctx, tx, dbsqlc.UserSetPasswordParams{ID: id, PasswordHash: hash}); err != nil {
			return fmt.Errorf("set password: %w", err)
		}
		return s.q.WebSessionDeleteOthers(ctx, tx, dbsqlc.WebSessionDeleteOthersParams{UserID: id, TokenHash: keep})
	})
}

// AnyPassword reports whether anybody can sign in with a password.
func (s *Store) AnyPassword(ctx context.Context) (bool, error) {
	yes, err := s.q.UserAnyPassword(ctx, s.pool)
	return yes, classify(err)
}

// CreateLoginLink stores the hash of a one-time sign-in token.
func (s *Store) CreateLoginLink(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error {
	if err := s.q.LoginLinkPrune(ctx, s.pool); err != nil {
		return classify(fmt.Errorf("prune login links: %w", err))
	}
	return classify(s.q.LoginLinkCreate(ctx, s.pool, dbsqlc.LoginLinkCreateParams{TokenHash: hash, UserID: user, ExpiresAt: expires}))
}

// UseLoginLink spends a one-time token; Denied if it is unknown, spent or expired.
func (s *Store) UseLoginLink(ctx context.Context, hash []byte) (User, error) {
	id, err := s.q.LoginLinkUse(ctx, s.pool, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, fault.Errorf(fault.Denied, "this sign-in link was used before or has expired; run \"xbot login-link\" for a new one")
	}
	if err != nil {
		return User{}, classify(err)
	}
	return s.UserByID(ctx, id)
}

// CreateWebSession stores the hash of a browser's cookie.
func (s *Store) CreateWebSession(ctx context.Context, user chat.UserID, hash []byte, expires time.Time) error {
	if err := s.q.WebSessionPrune(ctx, s.pool); err != nil {
		return classify(fmt.Errorf("prune web sessions: %w", err))
	}
	return classify(s.q.WebSessionCreate(ctx, s.pool, dbsqlc.WebSessionCreateParams{TokenHash: hash, UserID: user, ExpiresAt: expires}))
}

// WebSessionUser finds the user of a cookie and when it was last seen; NotFound if it is unknown or expired.
func (s *Store) WebSessionUser(ctx context.Context, hash []byte) (User, time.Time, error) {
	r, err := s.q.WebSessionUser(ctx, s.pool, hash)
	if err != nil {
		return User{}, time.Time{}, classify(err)
	}
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == roleAdmin, PasswordHash: r.PasswordHash}, r.LastSeenAt, nil
}

// TouchWebSession slides the end of a browser's login.
func (s *Store) TouchWebSession(ctx context.Context, hash []byte, expires time.Time) error {
	return classify(s.q.WebSessionTouch(ctx, s.pool, dbsqlc.WebSessionTouchParams{TokenHash: hash, ExpiresAt: expires}))
}

// DeleteWebSession signs a browser out.
func (s *Store) DeleteWebSession(ctx context.Context, hash []byte) error {
	return classify(s.q.WebSessionDelete(ctx, s.pool, hash))
}

// Token is an API token as it can be listed: never its secret.
type Token struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
}

// CreateToken stores the hash of an API token and returns its id.
func (s *Store) CreateToken(ctx context.Context, user chat.UserID, name string, hash []byte) (int64, error) {
	id, err := s.q.TokenCreate(ctx, s.pool, dbsqlc.TokenCreateParams{UserID: user, Name: Clean(name), TokenHash: hash})
	return id, classify(err)
}

// RevokeOlderTokens revokes the user's tokens of a name but the newest few.
func (s *Store) RevokeOlderTokens(ctx context.Context, user chat.UserID, name string, keep int) error {
	err := s.q.TokenRevokeOlder(ctx, s.pool, dbsqlc.TokenRevokeOlderParams{UserID: user, Name: Clean(name), Keep: int32(keep)})
	if err != nil {
		return classify(fmt.Errorf("revoke earlier tokens: %w", err))
	}
	return nil
}

// touchEvery bounds how often the last use of a token or a browser is written.
const touchEvery = time.Minute

// TokenUser finds the user of an API token; NotFound if it is unknown or revoked.
func (s *Store) TokenUser(ctx context.Context, hash []byte) (User, error) {
	r, err := s.q.TokenUser(ctx, s.pool, hash)
	if err != nil {
		return User{}, classify(err)
	}
	if r.LastUsedAt == nil || time.Since(*r.LastUsedAt) > touchEvery {
		if err := s.q.TokenTouch(ctx, s.pool, r.TokenID); err != nil {
			return User{}, classify(err)
		}
	}
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == roleAdmin, PasswordHash: r.PasswordHash}, nil
}

// Tokens lists a user's tokens.
func (s *Store) Tokens(ctx context.Context, user chat.UserID) ([]Token, error) {
	rows, err := s.q.TokenList(ctx, s.pool, user)
	if err != nil {
		return nil, classify(err)
	}
	out := make([]Token, len(rows))
	for i, r := range rows {
		out[i] = Token{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt}
	}
	return out, nil
}

// RevokeToken makes a token of the user useless at once; NotFound if it is not theirs.
func (s *Store) RevokeToken(ctx context.Context, user chat.UserID, id int64) error {
	n, err := s.q.TokenRevoke(ctx, s.pool, dbsqlc.TokenRevokeParams{ID: id, UserID: user})
	if err != nil {
		return classify(err)
	}
	if n == 0 {
		return fault.Errorf(fault.NotFound, "there is no token %d", id)
	}
	return nil
}
