package users

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/quota"
	"xbot/internal/user/dbsqlc"
)

// Scope is a permission of an access token.
type Scope string

// The scopes, from the narrowest.
const (
	ScopeRead  Scope = "read"           // read what its owner may read, but not as an administrator
	ScopeChat  Scope = "chat"           // that, and write in conversations
	ScopeAdmin Scope = "administration" // all that its owner may, also as an administrator
)

// Token is an API token as it can be listed: never its secret.
type Token struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
	Scope      Scope      `json:"scope" enum:"read,chat,administration" doc:"Scope: read; read and write in conversations; or all rights of its owner, including those of an administrator."`
	ExpiresAt  *time.Time `json:"expires_at,omitempty" doc:"Expiry; absent: valid until revoked."`
}

// CreateToken stores the hash of an API token, of which name, scope and end are given, and returns its id. Without a scope it may all. It is
// a Conflict where the user has as many as they may.
func (s *Store) CreateToken(ctx context.Context, user chat.UserID, t Token, hash []byte) (id int64, err error) {
	err = quota.Make(ctx, s.quota, s.db, quota.Making{Of: quota.Tokens, Owner: user}, func(tx *pg.Tx) (bool, error) {
		id, err = dbsqlc.Q.TokenCreate(ctx, tx, tokenRow(user, t, hash))
		return err == nil, err
	})
	return id, err
}

// GrantToken makes a token for a user as an operator, or as the server for programs of its machine, however many they have; else it is
// CreateToken.
func (s *Store) GrantToken(ctx context.Context, user chat.UserID, t Token, hash []byte) (int64, error) {
	id, err := dbsqlc.Q.TokenCreate(ctx, s.db.Pool, tokenRow(user, t, hash))
	return id, pg.Classify(err)
}

func tokenRow(user chat.UserID, t Token, hash []byte) dbsqlc.TokenCreateParams {
	return dbsqlc.TokenCreateParams{UserID: user, Name: chat.Clean(t.Name), TokenHash: hash, Scope: string(cmp.Or(t.Scope, ScopeAdmin)), ExpiresAt: t.ExpiresAt}
}

// RevokeOlderTokens revokes the user's tokens of a name but the newest few.
func (s *Store) RevokeOlderTokens(ctx context.Context, user chat.UserID, name string, keep int) error {
	err := dbsqlc.Q.TokenRevokeOlder(ctx, s.db.Pool, dbsqlc.TokenRevokeOlderParams{UserID: user, Name: chat.Clean(name), Keep: int32(keep)})
	if err != nil {
		return pg.Classify(fmt.Errorf("revoke earlier tokens: %w", err))
	}
	return nil
}

// touchEvery bounds how often the last use of a token or a browser is written.
const touchEvery = time.Minute

// TokenUser finds the user of an API token, and what it may; NotFound if it is unknown, revoked or expired.
func (s *Store) TokenUser(ctx context.Context, hash []byte) (User, Scope, error) {
	r, err := dbsqlc.Q.TokenUser(ctx, s.db.Pool, hash)
	if err != nil {
		return User{}, "", pg.Classify(err)
	}
	if r.LastUsedAt == nil || time.Since(*r.LastUsedAt) > touchEvery {
		if err := dbsqlc.Q.TokenTouch(ctx, s.db.Pool, r.TokenID); err != nil {
			return User{}, "", pg.Classify(err)
		}
	}
	return User{ID: r.ID, Name: r.Name, Admin: r.Role == RoleAdmin, PasswordHash: r.PasswordHash}, Scope(r.Scope), nil
}

// Tokens lists a user's tokens.
func (s *Store) Tokens(ctx context.Context, user chat.UserID) ([]Token, error) {
	rows, err := dbsqlc.Q.TokenList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(err)
	}
	out := make([]Token, len(rows))
	for i, r := range rows {
		out[i] = Token{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt, LastUsedAt: r.LastUsedAt, Scope: Scope(r.Scope), ExpiresAt: r.ExpiresAt}
	}
	return out, nil
}

// RevokeToken makes a token of the user useless at once; NotFound if it is not theirs.
func (s *Store) RevokeToken(ctx context.Context, user chat.UserID, id int64) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.TokenRevoke(ctx, tx, dbsqlc.TokenRevokeParams{ID: id, UserID: user})
		if err != nil {
			return fmt.Errorf("revoke a token: %w", err)
		}
		if n == 0 {
			return fault.Errorf(fault.NotFound, "there is no token %d", id)
		}
		return tx.NotifyAccess(ctx)
	})
}
