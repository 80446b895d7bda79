// Package oauthstore stores OAuth providers, connected accounts and sign-ins that are in progress.
package oauthstore

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// MaxProviders limits the providers, without those of MCP servers.
const MaxProviders = 64

// Provider is a stored provider, with its secret sealed.
type Provider struct {
	chat.OAuthProvider

	Secrets []byte // nil: there is none
}

// Store stores providers, accounts and flows. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// OAuthProviders lists those that a user sees, 0: no user: those of administrators, in the order of their ids, followed by those of MCP
// servers of the installation and of the user. Nothing is cached: a change is in force at once, in every process.
func (s *Store) OAuthProviders(ctx context.Context, viewer chat.UserID) ([]Provider, error) {
	rows, err := dbsqlc.Q.OAuthProviderList(ctx, s.db.Pool, int64(viewer))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list OAuth providers: %w", err))
	}
	out := make([]Provider, len(rows))
	for i, r := range rows {
		out[i] = Provider{Secrets: r.Secrets, OAuthProvider: chat.OAuthProvider{
			Owner: chat.UserID(r.Owner), Secret: r.Secrets != nil, Accounts: int(r.Accounts), Revision: r.Revision, CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt, ChangedBy: r.Changer,
			OAuthProviderConfig: chat.OAuthProviderConfig{
				ID: r.ID, Name: r.Name, Issuer: r.Issuer, AuthorizeURL: r.AuthorizeUrl, TokenURL: r.TokenUrl, RevokeURL: r.RevokeUrl, AccountURL: r.AccountUrl,
				Scopes: r.Scopes, MoreScopes: r.MoreScopes, ClientID: r.ClientID, ClientAuth: chat.OAuthClientAuth(r.ClientAuth), Enabled: r.Enabled,
				Resource: r.Resource, SilentIssuer: r.IssuerOptional,
			},
		}}
		if r.McpServer != nil {
			out[i].MCPServer = *r.McpServer
		}
	}
	return out, nil
}

// Void describes accounts at a provider whose tokens must not be used there any more.
type Void struct {
	Tokens  []byte // in place of the accounts' tokens, sealed
	Problem string // why they have to be connected again
}

// SetOAuthProvider stores a checked provider, if the stored one has the revision that in names; 0: there is none of that id. void, if not
// nil, is applied to the accounts there. It returns Conflict if it was changed, made or removed concurrently, and Invalid if there are too many.
func (s *Store) SetOAuthProvider(ctx context.Context, in Provider, void *Void, by chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := set(ctx, tx, in, by)
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.Errorf(fault.Conflict, "the provider was made, changed or removed meanwhile: read it again")
		}
		if void != nil {
			if err := void.at(ctx, tx, in.ID); err != nil {
				return err
			}
		}
		return secretstore.NoteKey(ctx, tx, in.Secrets) // last: see HoldOAuthAccount
	})
}

// at makes the accounts at a provider void, and deletes its open flows.
func (v Void) at(ctx context.Context, tx *pg.Tx, provider string) error {
	if err := dbsqlc.Q.OAuthAccountsVoid(ctx, tx, dbsqlc.OAuthAccountsVoidParams{Provider: provider, Secrets: v.Tokens, Problem: v.Problem}); err != nil {
		return fmt.Errorf("void the accounts at a provider: %w", err)
	}
	if err := dbsqlc.Q.OAuthFlowsVoid(ctx, tx, provider); err != nil {
		return fmt.Errorf("end the ways to a provider: %w", err)
	}
	return secretstore.NoteKey(ctx, tx, v.Tokens)
}

// SetMCPProvider stores the provider of an MCP server, in.MCPServer, in place of the one before, whose accounts become void, and names it in the
// server, all or nothing. It returns Conflict if the server does not have the revision any more, or an administrator has a provider of that id.
func (s *Store) SetMCPProvider(ctx context.Context, in Provider, void Void, revision int64, by chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.MCPServerAccount(ctx, tx, dbsqlc.MCPServerAccountParams{ID: in.MCPServer, Revision: revision, Account: in.ID, ChangedBy: pg.Nullable(by)})
		if err != nil {
			return fmt.Errorf("name the account of an MCP server: %w", err)
		}
		if n == 0 {
			return fault.Errorf(fault.Conflict, "the MCP server was changed or removed meanwhile: read it again")
		}
		n, err = add(ctx, tx, in, by)
		switch {
		case err != nil:
			return fmt.Errorf("store the provider of an MCP server: %w", err)
		case n == 0:
			return fault.Errorf(fault.Conflict, "an administrator keeps a provider %.40q: remove that first", in.ID)
		}
		if err := void.at(ctx, tx, in.ID); err != nil {
			return err
		}
		return secretstore.NoteKey(ctx, tx, in.Secrets)
	})
}

func set(ctx context.Context, tx *pg.Tx, in Provider, by chat.UserID) (int64, error) {
	if in.Revision != 0 {
		return dbsqlc.Q.OAuthProviderReplace(ctx, tx, dbsqlc.OAuthProviderReplaceParams{
			ID: in.ID, Name: in.Name, Issuer: in.Issuer, AuthorizeUrl: in.AuthorizeURL, TokenUrl: in.TokenURL, RevokeUrl: in.RevokeURL, AccountUrl: in.AccountURL,
			Scopes: pg.List(in.Scopes), MoreScopes: pg.List(in.MoreScopes), ClientID: in.ClientID, ClientAuth: string(in.ClientAuth), Secrets: in.Secrets, Enabled: in.Enabled,
			ChangedBy: pg.Nullable(by), Revision: in.Revision,
		})
	}
	many, err := dbsqlc.Q.OAuthProviderCount(ctx, tx)
	if err != nil {
		return 0, fmt.Errorf("count OAuth providers: %w", err)
	}
	if many >= MaxProviders {
		return 0, fault.Errorf(fault.Invalid, "there are %d providers already: remove one that is not needed", many)
	}
	return add(ctx, tx, in, by)
}

func add(ctx context.Context, tx *pg.Tx, in Provider, by chat.UserID) (int64, error) {
	return dbsqlc.Q.OAuthProviderAdd(ctx, tx, dbsqlc.OAuthProviderAddParams{
		ID: in.ID, Name: in.Name, Issuer: in.Issuer, IssuerOptional: in.SilentIssuer, AuthorizeUrl: in.AuthorizeURL, TokenUrl: in.TokenURL, RevokeUrl: in.RevokeURL, AccountUrl: in.AccountURL,
		Scopes: pg.List(in.Scopes), MoreScopes: pg.List(in.MoreScopes), ClientID: in.ClientID, ClientAuth: string(in.ClientAuth), Secrets: in.Secrets, Enabled: in.Enabled, Resource: in.Resource,
		McpServer: pg.Nullable(in.MCPServer), ChangedBy: pg.Nullable(by),
	})
}

// RemoveOAuthProvider removes one of administrators, with the accounts that users have connected there. It returns NotFound if there is none.
func (s *Store) RemoveOAuthProvider(ctx context.Context, id string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.OAuthProviderDelete(ctx, tx, id)
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "there is no provider %.40q", id)
		}
		return err
	})
}
