// Package routing stores in which chats conversations take place, where their answers go, and the aliases by which replies
// find them.
package routing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
)

// Store keeps routes.
type Store struct {
	db       *pg.DB
	sessions *conversation.Store
}

// New returns a store over a database.
func New(db *pg.DB, sessions *conversation.Store) *Store { return &Store{db: db, sessions: sessions} }

// SetOrigin stores the chat and scene of a conversation, from its newest message, and the runner it works on; an empty runner is
// the one that its user chose.
func (s *Store) SetOrigin(ctx context.Context, key chat.SessionKey, o chat.Origin, scene, runner string) error {
	body, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	if err := dbsqlc.Q.SessionSetOrigin(ctx, s.db.Pool, dbsqlc.SessionSetOriginParams{Key: key, Origin: body, Scene: scene, Runner: runner}); err != nil {
		return pg.Classify(fmt.Errorf("write origin: %w", err))
	}
	return nil
}

// Working returns the work session of a chat whose turn runs for a user and whose thread is not known yet; ok is false
// if there is none.
func (s *Store) Working(ctx context.Context, channel, account, chatID string, user chat.UserID) (key chat.SessionKey, ok bool, err error) {
	key, err = dbsqlc.Q.SessionWorking(ctx, s.db.Pool, dbsqlc.SessionWorkingParams{Channel: channel, Account: account, Chat: chatID, UserID: int64(user)})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return key, err == nil, pg.Classify(err)
}

// Mine lists the newest conversations of a user with their titles.
func (s *Store) Mine(ctx context.Context, user chat.UserID, limit int) ([]chat.Session, error) {
	rows, err := dbsqlc.Q.SessionMine(ctx, s.db.Pool, dbsqlc.SessionMineParams{UserID: user, Limit: int32(limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list sessions: %w", err))
	}
	out := make([]chat.Session, len(rows))
	for i, r := range rows {
		out[i] = chat.Session{Key: r.Key, Title: r.Title}
	}
	return out, nil
}

// SetSessionSend sets whether the answers of a conversation reach its channel: on, off, or empty to follow the policy.
func (s *Store) SetSessionSend(ctx context.Context, key chat.SessionKey, send string) error {
	return s.changeSession(ctx, key, func(tx *pg.Tx) error {
		return dbsqlc.Q.SessionSetSend(ctx, tx, dbsqlc.SessionSetSendParams{Key: key, Send: send})
	})
}

// SetSessionActivation sets when a group is listened to: mention, always, or empty to follow the policy.
func (s *Store) SetSessionActivation(ctx context.Context, key chat.SessionKey, activation string) error {
	return s.changeSession(ctx, key, func(tx *pg.Tx) error {
		return dbsqlc.Q.SessionSetActivation(ctx, tx, dbsqlc.SessionSetActivationParams{Key: key, Activation: activation})
	})
}

// changeSession changes a session and emits the new state to its clients.
func (s *Store) changeSession(ctx context.Context, key chat.SessionKey, change func(tx *pg.Tx) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := change(tx); err != nil {
			return fmt.Errorf("change session: %w", err)
		}
		row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.Emit(key, chat.EventSession, s.sessions.SessionOf(row))
		return nil
	})
}
