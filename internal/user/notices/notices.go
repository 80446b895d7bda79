// Package notices keeps what the server tells its operator of itself, in a chat on a platform.
package notices

import (
	"context"
	"encoding/json"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/pg/dbsqlc"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
)

// channel is that of the conversation of notices. No platform is called so, and nobody makes conversations of it.
const channel = "notices"

// Conversation is where notices stand, in the archive of the first administrator.
var Conversation = session.Thread(session.DefaultAgent, channel, "server")

// Notice is something that the server tells its operator.
type Notice struct {
	Key   string // of which it is told once
	Owner chat.UserID
	Title string // of the conversation, where it has to be made
	Text  string
	To    chat.Address // with channel and account
}

// Store keeps notices. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// TellOperator writes a notice and puts it on its way, once for each key. An earlier one that nobody has begun to send is not sent any
// more. NotFound: the settings of platforms have no such bot.
func (s *Store) TellOperator(ctx context.Context, n Notice) error {
	origin, err := json.Marshal(chat.Origin{Provider: channel, Label: n.Title})
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	n.To.Aside = true // whoever answers to it writes in the chat's own conversation
	place, err := json.Marshal(n.To)
	if err != nil {
		return fmt.Errorf("encode the place: %w", err)
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := tx.Q.NoticeSession(ctx, tx, dbsqlc.NoticeSessionParams{
			Key: Conversation, UserID: n.Owner, Channel: channel, Title: n.Title, Agent: session.DefaultAgent, Origin: origin,
		})
		if err != nil {
			return fmt.Errorf("make the conversation of notices: %w", err)
		}
		told, err := tx.Q.NoticeTold(ctx, tx, dbsqlc.NoticeToldParams{SessionKey: Conversation, Key: n.Key})
		if err != nil || told {
			return err
		}
		if err := tx.Q.NoticeSupersede(ctx, tx, Conversation); err != nil {
			return fmt.Errorf("withdraw earlier notices: %w", err)
		}
		m := chat.Message{Session: Conversation, Role: chat.RoleNotice, Content: n.Text, ClientMessageID: n.Key}
		if err := conversation.AppendMessage(ctx, tx, &m, ""); err != nil {
			return err
		}
		sent, err := tx.Q.NoticeSend(ctx, tx, dbsqlc.NoticeSendParams{
			SessionKey: Conversation, Channel: n.To.Channel, Account: n.To.Account, Place: place, MessageID: int64(m.ID),
		})
		if err == nil && sent == 0 {
			return fault.Errorf(fault.NotFound, "no bot is configured for %s", n.To.Setting())
		}
		tx.WakeDeliver(Conversation)
		return err
	})
}
