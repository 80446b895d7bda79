// Package cardstore stores the cards that models make, and queues them for delivery.
package cardstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/channel/card"
	"xbot/internal/channel/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// MaxDrafts is how many cards of a conversation are stored: the last changed ones.
const MaxDrafts = 20

// Store stores the cards. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// DraftCard stores a card of a conversation under an id. An existing one is unchanged.
func (s *Store) DraftCard(ctx context.Context, in chat.SessionKey, id string, call chat.CallID, c card.Card) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode card: %w", err)
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := dbsqlc.Q.CardDraftAdd(ctx, tx, dbsqlc.CardDraftAddParams{SessionKey: in, ID: id, Card: data, CallID: string(call)})
		if err != nil {
			return fmt.Errorf("keep card %s: %w", id, err)
		}
		return dbsqlc.Q.CardDraftsTrim(ctx, tx, dbsqlc.CardDraftsTrimParams{SessionKey: in, Most: MaxDrafts})
	})
}

// Card reads a card of a conversation. It returns NotFound if there is none with that id.
func (s *Store) Card(ctx context.Context, in chat.SessionKey, id string) (card.Card, error) {
	data, err := dbsqlc.Q.CardDraftGet(ctx, s.db.Pool, dbsqlc.CardDraftGetParams{SessionKey: in, ID: chat.Clean(id)})
	if err != nil {
		return card.Card{}, missing(id, err)
	}
	return decode(data)
}

// ChangeCard changes a card, once for each call: a repeated call gets the card unchanged. If change fails, nothing is changed.
func (s *Store) ChangeCard(ctx context.Context, in chat.SessionKey, id string, call chat.CallID, change func(card.Card) (card.Card, error)) (card.Card, error) {
	var out card.Card
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.CardDraftLock(ctx, tx, dbsqlc.CardDraftLockParams{SessionKey: in, ID: chat.Clean(id), CallID: string(call)})
		if err != nil {
			return missing(id, err)
		}
		if out, err = decode(row.Card); err != nil || row.Done {
			return err
		}
		if out, err = change(out); err != nil {
			return err
		}
		data, err := json.Marshal(out)
		if err != nil {
			return fmt.Errorf("encode card: %w", err)
		}
		return dbsqlc.Q.CardDraftSave(ctx, tx, dbsqlc.CardDraftSaveParams{SessionKey: in, ID: chat.Clean(id), Card: data, CallID: string(call)})
	})
	return out, err
}

// SendCard queues a card for the chat that the turn of a call answers, once. It returns false if the turn answers none.
func (s *Store) SendCard(ctx context.Context, in chat.SessionKey, call chat.CallID, c card.Card) (sent bool, err error) {
	data, err := json.Marshal(c)
	if err != nil {
		return false, fmt.Errorf("encode card: %w", err)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		keys, err := dbsqlc.Q.CardSend(ctx, tx, dbsqlc.CardSendParams{CallID: string(call), SessionKey: in, Card: data})
		if err != nil {
			return fmt.Errorf("send the card of call %s: %w", call, err)
		}
		for _, key := range keys {
			tx.WakeDeliver(key)
		}
		sent, err = dbsqlc.Q.CardSent(ctx, tx, dbsqlc.CardSentParams{CallID: string(call), SessionKey: in})
		return err
	})
	return sent, err
}

func missing(id string, err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.Errorf(fault.NotFound, "there is no card %.40q in this conversation; card_create makes one and says its id", id)
	}
	return pg.Classify(fmt.Errorf("read card: %w", err))
}

func decode(data []byte) (c card.Card, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("decode card: %w", err)
	}
	return c, nil
}
