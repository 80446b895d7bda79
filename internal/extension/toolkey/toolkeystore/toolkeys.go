// Package toolkeystore stores the API keys of services that tools call: those of users and of the installation.
package toolkeystore

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/extension/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// Key is a stored key, sealed.
type Key struct {
	chat.ToolKey

	Secrets []byte
}

// Store stores keys of tools. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// ToolKeys lists those of the installation, followed by those of a user; 0: of no user. Nothing is cached: a change is in force
// at once, in every process.
func (s *Store) ToolKeys(ctx context.Context, user chat.UserID) ([]Key, error) {
	rows, err := dbsqlc.Q.ToolKeyList(ctx, s.db.Pool, int64(user))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read keys of tools: %w", err))
	}
	out := make([]Key, len(rows))
	for i, r := range rows {
		out[i] = Key{Secrets: r.Secrets, ToolKey: chat.ToolKey{
			User: chat.UserID(r.Owner), Shared: r.Owner == 0, Service: r.Service, Provider: r.Provider, BaseURL: r.BaseUrl, Model: r.Model, Price: r.Price, KeyHint: r.KeyHint,
			Revision: r.Revision, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy,
		}}
	}
	return out, nil
}

// SetToolKey stores a checked key, if the stored one has the revision that in names; 0: there is none. Conflict: it was changed,
// made or removed meanwhile.
func (s *Store) SetToolKey(ctx context.Context, in Key, by chat.UserID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := secretstore.NoteKey(ctx, tx, in.Secrets); err != nil {
			return err
		}
		n, err := set(ctx, tx, in, by)
		if err == nil && n == 0 {
			return fault.Errorf(fault.Conflict, "the key was changed or removed meanwhile: read it again")
		}
		return err
	})
}

func set(ctx context.Context, tx *pg.Tx, in Key, by chat.UserID) (int64, error) {
	if in.Revision == 0 {
		return dbsqlc.Q.ToolKeyAdd(ctx, tx, dbsqlc.ToolKeyAddParams{
			Owner: pg.Nullable(in.User), Service: in.Service, Provider: in.Provider, BaseUrl: in.BaseURL, Model: in.Model, Price: in.Price, Secrets: in.Secrets, KeyHint: in.KeyHint, ChangedBy: pg.Nullable(by),
		})
	}
	return dbsqlc.Q.ToolKeyReplace(ctx, tx, dbsqlc.ToolKeyReplaceParams{
		Owner: pg.Nullable(in.User), Service: in.Service, Revision: in.Revision, Provider: in.Provider, BaseUrl: in.BaseURL, Model: in.Model, Price: in.Price, Secrets: in.Secrets, KeyHint: in.KeyHint, ChangedBy: pg.Nullable(by),
	})
}

// RemoveToolKey removes that of a user, or of the installation where user is 0. NotFound: there is none.
func (s *Store) RemoveToolKey(ctx context.Context, user chat.UserID, service string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.ToolKeyDelete(ctx, tx, dbsqlc.ToolKeyDeleteParams{Service: service, Owner: pg.Nullable(user)})
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "there is no such key")
		}
		return err
	})
}
