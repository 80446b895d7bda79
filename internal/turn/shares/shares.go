// Package shares stores public links to a conversation as of the creation of the link.
package shares

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

const (
	// MaxShares is the maximum number of valid links of a conversation.
	MaxShares = 50
	// MaxMessages is the number of messages that a link shows, the newest ones.
	MaxMessages = 500
	// MaxBytes is the total size of the texts that a link shows; the oldest of them may end beyond it.
	MaxBytes = 1 << 20
)

// ShareLink is a link, without its token.
type ShareLink struct {
	ID        int64          `json:"id"`
	Upto      chat.MessageID `json:"message_id" doc:"The newest message that it shows; 0: there was none."`
	MadeAt    time.Time      `json:"made_at"`
	ExpiresAt time.Time      `json:"expires_at"`
}

// Shared is the content of a link: the visible part of a conversation, without the arguments and results of tools.
type Shared struct {
	Title     string
	MadeAt    time.Time
	ExpiresAt time.Time
	More      bool // older messages are left out
	Messages  []Message
}

// Message is a message shown by a link.
type Message struct {
	Role      chat.Role
	Sender    string // if several people write
	Text      string
	Pictures  []chat.PictureRef
	Tools     []string // names, in the order of the calls
	CreatedAt time.Time
}

// Store stores links. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// MakeShare stores the hash of a link that shows the current conversation, for some days. It returns Conflict if the maximum number of links exists.
func (s *Store) MakeShare(ctx context.Context, key chat.SessionKey, hash []byte, days int) (made ShareLink, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := dbsqlc.Q.ShareHold(ctx, tx, key); err != nil {
			return fmt.Errorf("hold session %q: %w", key, err)
		}
		if err := dbsqlc.Q.SharePrune(ctx, tx, key); err != nil {
			return fmt.Errorf("prune shares: %w", err)
		}
		row, err := dbsqlc.Q.ShareAdd(ctx, tx, dbsqlc.ShareAddParams{SessionKey: key, TokenHash: hash, Days: int32(days), Most: MaxShares})
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Errorf(fault.Conflict, "this conversation has %d links, as many as it may have; revoke one first", MaxShares)
		}
		made = ShareLink{ID: row.ID, Upto: chat.MessageID(row.MessageUpto), MadeAt: row.MadeAt, ExpiresAt: row.ExpiresAt}
		return err
	})
	return made, pg.Classify(err)
}

// Shares lists the valid links of a conversation, the newest first.
func (s *Store) Shares(ctx context.Context, key chat.SessionKey) ([]ShareLink, error) {
	rows, err := dbsqlc.Q.ShareList(ctx, s.db.Pool, key)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list shares: %w", err))
	}
	out := make([]ShareLink, len(rows))
	for i, r := range rows {
		out[i] = ShareLink{ID: r.ID, Upto: chat.MessageID(r.MessageUpto), MadeAt: r.MadeAt, ExpiresAt: r.ExpiresAt}
	}
	return out, nil
}

// RevokeShare revokes a link of a conversation at once. It returns NotFound if it has no such valid link.
func (s *Store) RevokeShare(ctx context.Context, key chat.SessionKey, id int64) error {
	n, err := dbsqlc.Q.ShareDelete(ctx, s.db.Pool, dbsqlc.ShareDeleteParams{SessionKey: key, ID: id})
	if err == nil && n == 0 {
		return fault.Errorf(fault.NotFound, "there is no link %d of this conversation that is still good", id)
	}
	return pg.Classify(err)
}

// errShare is the one error of every link that shows nothing, for any reason.
var errShare = fault.Errorf(fault.NotFound, "this link shows nothing: it is wrong, was revoked or has expired")

// Shared returns the content of a link, by the hash of its token. It returns NotFound if it is unknown, revoked or expired, or its user is disabled.
func (s *Store) Shared(ctx context.Context, hash []byte) (Shared, error) {
	h, err := dbsqlc.Q.ShareOpen(ctx, s.db.Pool, hash)
	if errors.Is(err, pgx.ErrNoRows) {
		return Shared{}, errShare
	}
	if err != nil {
		return Shared{}, pg.Classify(fmt.Errorf("read share: %w", err))
	}
	rows, err := dbsqlc.Q.ShareMessages(ctx, s.db.Pool, dbsqlc.ShareMessagesParams{
		SessionKey: h.SessionKey, MessageUpto: chat.MessageID(h.MessageUpto), ControlUpto: h.ControlUpto, N: MaxMessages + 1, Bytes: MaxBytes,
	})
	if err != nil {
		return Shared{}, pg.Classify(fmt.Errorf("read shared messages: %w", err))
	}
	if len(rows) > MaxMessages {
		rows = rows[1:]
	}
	out := Shared{Title: h.Title, MadeAt: h.MadeAt, ExpiresAt: h.ExpiresAt, More: len(rows) > 0 && int(rows[0].Found) > len(rows)}
	out.Messages, err = s.withTools(ctx, rows)
	return out, err
}

func (s *Store) withTools(ctx context.Context, rows []dbsqlc.ShareMessagesRow) ([]Message, error) {
	out := make([]Message, len(rows))
	index := make(map[chat.MessageID]int, len(rows))
	ids := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = Message{Role: r.Role, Sender: r.Sender, Text: r.Text, Pictures: r.Pictures, CreatedAt: r.CreatedAt}
		index[r.ID], ids[i] = i, int64(r.ID)
	}
	tools, err := dbsqlc.Q.ShareTools(ctx, s.db.Pool, ids)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list shared tools: %w", err))
	}
	for _, t := range tools {
		m := &out[index[t.MessageID]]
		m.Tools = append(m.Tools, t.Name)
	}
	return out, nil
}
