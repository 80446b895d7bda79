// Package notices stores what the server reports to its operator about itself, in a chat on a platform.
package notices

import (
	"context"
	"encoding/json"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
	"xbot/internal/user/dbsqlc"
)

// channel is that of the conversation of notices. No platform has this name, and users cannot make conversations of it.
const channel = "notices"

// Conversation is the conversation of notices, in the archive of the first administrator.
var Conversation = session.Thread(session.DefaultAgent, channel, "server")

// Notice is a message of the server to its operator.
type Notice struct {
	Key   string // a notice is sent once for each key
	Owner chat.UserID
	Title string // of the conversation, where it has to be made
	Text  string
	To    chat.Address // with channel and account
}

// Store keeps notices. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over a database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// NotifyOperator writes a notice and sends it, once for each key. An earlier one whose sending has not begun is not sent any
// more. It returns NotFound if the settings of platforms have no such bot.
func (s *Store) NotifyOperator(ctx context.Context, n Notice) error {
	origin, err := json.Marshal(chat.Origin{Provider: channel, Label: n.Title})
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	n.To.Aside = true // replies to it go to the chat's own conversation
	place, err := json.Marshal(n.To)
	if err != nil {
		return fmt.Errorf("encode the place: %w", err)
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := dbsqlc.Q.NoticeSession(ctx, tx, dbsqlc.NoticeSessionParams{
			Key: Conversation, UserID: n.Owner, Channel: channel, Title: n.Title, Agent: session.DefaultAgent, Origin: origin,
		})
		if err != nil {
			return fmt.Errorf("make the conversation of notices: %w", err)
		}
		told, err := dbsqlc.Q.NoticeTold(ctx, tx, dbsqlc.NoticeToldParams{SessionKey: Conversation, Key: n.Key})
		if err != nil || told {
			return err
		}
		if err := dbsqlc.Q.NoticeSupersede(ctx, tx, Conversation); err != nil {
			return fmt.Errorf("withdraw earlier notices: %w", err)
		}
		m := chat.Message{Session: Conversation, Role: chat.RoleNotice, Content: n.Text, ClientMessageID: n.Key}
		if err := conversation.AppendMessage(ctx, tx, &m, ""); err != nil {
			return err
		}
		sent, err := SendTo(ctx, tx, m, n.To.Channel, n.To.Account, place)
		if err == nil && !sent {
			return fault.Errorf(fault.NotFound, "no bot is configured for %s", n.To.Setting())
		}
		tx.WakeDeliver(Conversation)
		return err
	})
}

// SendTo has a message delivered in a chat of a bot account, for any conversation. It returns false if there is no such account.
func SendTo(ctx context.Context, tx *pg.Tx, m chat.Message, channel, account string, place []byte) (bool, error) {
	n, err := dbsqlc.Q.NoticeSend(ctx, tx, dbsqlc.NoticeSendParams{
		SessionKey: m.Session, Channel: channel, Account: account, Place: place, MessageID: int64(m.ID),
	})
	return n > 0, err
}
