package oauthstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
	"xbot/internal/turn/calls"
)

// Account is a stored account, with its tokens sealed.
type Account struct {
	chat.OAuthAccount

	ID     int64
	User   chat.UserID
	Tokens []byte
}

// OAuthAccounts lists those of a user, in the order of their providers.
func (s *Store) OAuthAccounts(ctx context.Context, user chat.UserID) ([]Account, error) {
	rows, err := dbsqlc.Q.OAuthAccountList(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list connected accounts: %w", err))
	}
	out := make([]Account, len(rows))
	for i, r := range rows {
		out[i] = account(r)
	}
	return out, nil
}

func account(r dbsqlc.OauthAccount) Account {
	return Account{ID: r.ID, User: r.UserID, Tokens: r.Secrets, OAuthAccount: chat.OAuthAccount{
		Provider: r.Provider, Label: r.Label, Asked: r.Asked, Scopes: r.Scopes, Problem: r.Problem, ExpiresAt: r.ExpiresAt, ConnectedAt: r.ConnectedAt, RefreshedAt: r.RefreshedAt,
	}}
}

// AccountChange is the change of a locked account.
type AccountChange int

// The changes.
const (
	Unchanged AccountChange = iota
	Renewed                 // it has the scopes, tokens, expiry and problem that it was given
	Removed
)

// HoldOAuthAccount locks an account, in all processes, while do looks at it and returns its change. It returns NotFound if the user has none there.
// The key of the installation is locked after the account, here and in all other writes of accounts, flows and providers: waiting for an
// account does not keep others from storing secrets.
func (s *Store) HoldOAuthAccount(ctx context.Context, user chat.UserID, provider string, do func(a *Account) (AccountChange, error)) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.OAuthAccountLock(ctx, tx, dbsqlc.OAuthAccountLockParams{UserID: user, Provider: chat.Clean(provider)})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fault.Errorf(fault.NotFound, "no account is connected at %.40q", provider)
		case err != nil:
			return fmt.Errorf("lock a connected account: %w", err)
		}
		a := account(row)
		kept, err := do(&a)
		switch {
		case err != nil || kept == Unchanged:
			return err
		case kept == Removed:
			return dbsqlc.Q.OAuthAccountDelete(ctx, tx, a.ID)
		}
		if err := dbsqlc.Q.OAuthAccountRefresh(ctx, tx, dbsqlc.OAuthAccountRefreshParams{
			ID: a.ID, Scopes: pg.List(a.Scopes), Secrets: a.Tokens, ExpiresAt: a.ExpiresAt, Problem: chat.Clean(a.Problem),
		}); err != nil {
			return fmt.Errorf("store the new tokens of an account: %w", err)
		}
		return secretstore.NoteKey(ctx, tx, a.Tokens)
	})
}

// ConnectOAuthAccount stores an account in place of the one before, and answers the calls that wait for it, all or nothing. answered is their
// number: all conversations that wait for the account continue. It returns Conflict if the provider has changed since the revision at which it
// gave the tokens.
func (s *Store) ConnectOAuthAccount(ctx context.Context, a Account, revision int64) (answered int, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		now, err := dbsqlc.Q.OAuthProviderLock(ctx, tx, a.Provider)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && now != revision {
			return fault.Errorf(fault.Conflict, "the provider was changed meanwhile: connect the account again")
		}
		if err != nil {
			return fmt.Errorf("lock a provider: %w", err)
		}
		if err := dbsqlc.Q.OAuthAccountConnect(ctx, tx, dbsqlc.OAuthAccountConnectParams{
			UserID: a.User, Provider: a.Provider, Label: chat.Clean(a.Label), Asked: pg.List(a.Asked), Scopes: pg.List(a.Scopes), Secrets: a.Tokens, ExpiresAt: a.ExpiresAt,
		}); err != nil {
			return fmt.Errorf("store a connected account: %w", err)
		}
		if answered, err = calls.Connected(ctx, tx, a.User, a.OAuthAccount); err != nil {
			return err
		}
		return secretstore.NoteKey(ctx, tx, a.Tokens) // last: see HoldOAuthAccount
	})
	return answered, err
}

// RefuseOAuthCall answers the call that waits for an account which the provider refuses. A call that does not wait any more is not changed.
func (s *Store) RefuseOAuthCall(ctx context.Context, refusal calls.Answer) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		_, err := calls.AnswerWaiting(ctx, tx, refusal)
		return err
	})
}

// Flow is a sign-in of a browser at a provider.
type Flow struct {
	User     chat.UserID
	Provider string
	Scopes   []string
	Verifier []byte      // sealed
	Browser  []byte      // hash of its cookie
	Login    bool        // the browser has to be signed in as the user
	Call     chat.CallID // that waits; empty: none
}

// maxFlows limits the open flows of a user; the oldest go.
const maxFlows = 10

// AddOAuthFlow stores a flow by the hash of its state, for a time.
func (s *Store) AddOAuthFlow(ctx context.Context, state []byte, f Flow, life time.Duration) error {
	var call *chat.CallID
	if f.Call != "" {
		call = &f.Call
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.OAuthFlowAdd(ctx, tx, dbsqlc.OAuthFlowAddParams{
			StateHash: state, UserID: f.User, Provider: f.Provider, Scopes: pg.List(f.Scopes), Sealed: f.Verifier, Browser: f.Browser, Login: f.Login, CallID: call, Seconds: life.Seconds(),
		}); err != nil {
			return fmt.Errorf("note a browser on its way: %w", err)
		}
		if err := dbsqlc.Q.OAuthFlowsTidy(ctx, tx, dbsqlc.OAuthFlowsTidyParams{UserID: f.User, Most: maxFlows}); err != nil {
			return fmt.Errorf("remove old flows: %w", err)
		}
		return secretstore.NoteKey(ctx, tx, f.Verifier) // last: see HoldOAuthAccount
	})
}

// ErrNoFlow is the error of a state that is unknown, used, expired, or another browser's.
var ErrNoFlow error = fault.Errorf(fault.NotFound, "this way to the provider and back is not open")

// TakeOAuthFlow returns the flow of a state for the browser that was sent with it, once.
func (s *Store) TakeOAuthFlow(ctx context.Context, state, browser []byte) (Flow, error) {
	var f Flow
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		r, err := dbsqlc.Q.OAuthFlowTake(ctx, tx, dbsqlc.OAuthFlowTakeParams{StateHash: state, Browser: browser})
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return ErrNoFlow
		case err != nil:
			return fmt.Errorf("take a flow: %w", err)
		}
		f = Flow{User: r.UserID, Provider: r.Provider, Scopes: r.Scopes, Verifier: r.Sealed, Browser: r.Browser, Login: r.Login}
		if r.CallID != nil {
			f.Call = *r.CallID
		}
		return nil
	})
	if errors.Is(err, ErrNoFlow) {
		err = ErrNoFlow
	}
	return f, err
}
