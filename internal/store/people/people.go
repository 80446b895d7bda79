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
	PasswordHash string // bcrypt, empty until set
}

// Roles of users.
const (
	RoleAdmin  = "admin"
	roleMember = "member"
)

// UserOf is the user of a row.
func UserOf(r dbsqlc.User) User {
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, Group: r.Kind == kindGroup, PasswordHash: r.PasswordHash}
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

// CreateUser adds a member; a name that is taken is a Conflict.
func (s *Store) CreateUser(ctx context.Context, name string) (User, error) {
	if _, err := s.UserByName(ctx, name); err == nil {
		return User{}, fault.Errorf(fault.Conflict, "there is a user named %q already", name)
	}
	row, err := s.db.Q.UserCreate(ctx, s.db.Pool, dbsqlc.UserCreateParams{Name: name, Role: roleMember})
	if err != nil {
		return User{}, pg.Classify(fmt.Errorf("create user: %w", err))
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
		return s.db.Q.WebSessionDeleteOthers(ctx, tx, dbsqlc.WebSessionDeleteOthersParams{UserID: id, TokenHash: keep})
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

// Token is an API token as it can be listed: never its secret.
type Token struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
}

// CreateToken stores the hash of an API token and returns its id.
func (s *Store) CreateToken(ctx context.Context, user chat.UserID, name string, hash []byte) (int64, error) {
	id, err := s.db.Q.TokenCreate(ctx, s.db.Pool, dbsqlc.TokenCreateParams{UserID: user, Name: pg.Clean(name), TokenHash: hash})
	return id, pg.Classify(err)
}

// RevokeOlderTokens revokes the user's tokens of a name but the newest few.
func (s *Store) RevokeOlderTokens(ctx context.Context, user chat.UserID, name string, keep int) error {
	err := s.db.Q.TokenRevokeOlder(ctx, s.db.Pool, dbsqlc.TokenRevokeOlderParams{UserID: user, Name: pg.Clean(name), Keep: int32(keep)})
	if err != nil {
		return pg.Classify(fmt.Errorf("revoke earlier tokens: %w", err))
	}
	return nil
}

// touchEvery bounds how often the last use of a token or a browser is written.
const touchEvery = time.Minute

// TokenUser finds the user of an API token; NotFound if it is unknown or revoked.
func (s *Store) TokenUser(ctx context.Context, hash []byte) (User, error) {
	r, err := s.db.Q.TokenUser(ctx, s.db.Pool, hash)
	if err != nil {
		return User{}, pg.Classify(err)
	}
	if r.LastUsedAt == nil || time.Since(*r.LastUsedAt) > touchEvery {
		if err := s.db.Q.TokenTouch(ctx, s.db.Pool, r.TokenID); err != nil {
			return User{}, pg.Classify(err)
		}
	}
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, PasswordHash: r.PasswordHash}, nil
}

// Tokens lists a user's tokens.
func (s *Store) Tokens(ctx context.Context, user chat.UserID) ([]Token, error) {
	rows, err := s.db.Q.TokenList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(err)
	}
	out := make([]Token, len(rows))
	for i, r := range rows {
		out[i] = Token{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt}
	}
	return out, nil
}

// RevokeToken makes a token of the user useless at once; NotFound if it is not theirs.
func (s *Store) RevokeToken(ctx context.Context, user chat.UserID, id int64) error {
	n, err := s.db.Q.TokenRevoke(ctx, s.db.Pool, dbsqlc.TokenRevokeParams{ID: id, UserID: user})
	if err != nil {
		return pg.Classify(err)
	}
	if n == 0 {
		return fault.Errorf(fault.NotFound, "there is no token %d", id)
	}
	return nil
}
