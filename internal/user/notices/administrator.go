package notices

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/users"
)

// NotifyAdministrator sends an administrator a notice once, then at most daily (Once), where one of them last wrote to a bot alone. It
// is in the conversation of notices, also where none of them did. It reports whether it is sent now: false where it was before, or
// there is no administrator.
func (s *Store) NotifyAdministrator(ctx context.Context, of chat.NoticeKey, say func(i18n.Lang) string) (told bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		admin, err := dbsqlc.Q.NoticeAdministrator(ctx, tx)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look for an administrator: %w", err)
		}
		if told, err = amongMost(ctx, tx, of); err != nil || !told {
			return err
		}
		return tellAdministrator(ctx, tx, admin, say)
	})
	return told && err == nil, err
}

func tellAdministrator(ctx context.Context, tx *pg.Tx, admin chat.UserID, say func(i18n.Lang) string) error {
	place, err := dbsqlc.Q.NoticePlace(ctx, tx)
	there := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("look where an administrator writes: %w", err)
	}
	reader := admin
	if there {
		reader = place.ID
	}
	lang, err := users.LanguageOf(ctx, tx, reader, place.SessionKey, "")
	if err != nil {
		return err
	}
	title := i18n.Say(lang, i18n.NoticesTitle)
	origin, err := json.Marshal(chat.Origin{Provider: channel, Label: title})
	if err != nil {
		return fmt.Errorf("encode origin: %w", err)
	}
	err = dbsqlc.Q.NoticeSession(ctx, tx, dbsqlc.NoticeSessionParams{
		Key: Conversation, UserID: admin, Channel: channel, Title: title, Agent: session.DefaultAgent, Origin: origin,
	})
	if err != nil {
		return fmt.Errorf("make the conversation of notices: %w", err)
	}
	m := chat.Message{Session: Conversation, Role: chat.RoleNotice, Content: chat.Clean(say(lang)), ClientMessageID: "once-" + rand.Text()}
	if err := conversation.AppendMessage(ctx, tx, &m, ""); err != nil || !there {
		return err
	}
	to, err := aside(place.Place)
	if err != nil {
		return err
	}
	_, err = SendTo(ctx, tx, m, place.Channel, place.Account, to)
	tx.WakeDeliver(Conversation)
	return err
}

// aside returns a place for messages that reply to no message there.
func aside(place []byte) ([]byte, error) {
	var a chat.Address
	if err := json.Unmarshal(place, &a); err != nil {
		return nil, fmt.Errorf("read the place: %w", err)
	}
	out, err := json.Marshal(chat.Address{ChatType: a.ChatType, Chat: a.Chat, Peer: a.Peer, Channel: a.Channel, Account: a.Account, Aside: true})
	if err != nil {
		return nil, fmt.Errorf("encode the place: %w", err)
	}
	return out, nil
}
