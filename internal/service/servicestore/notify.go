package servicestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/routing"
	"xbot/internal/user/notices"
	"xbot/internal/user/users"
)

// toldPerHour bounds how often an administrator is notified on a platform of a consumer's messages in a conversation that they took over. What
// comes above it they read on the page.
const toldPerHour = 60

// excerpt bounds the part of a message in a notice, in characters.
const excerpt = 500

// place returns the chat where an administrator last wrote to a bot alone, or nil if there is none.
func place(ctx context.Context, tx *pg.Tx, admin chat.UserID) (*chat.Address, error) {
	row, err := dbsqlc.Q.ServiceInboxPlace(ctx, tx, admin)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look where user %d writes: %w", admin, err)
	}
	var at chat.Address
	if err := json.Unmarshal(row.Place, &at); err != nil {
		return nil, fmt.Errorf("read where user %d writes: %w", admin, err)
	}
	return &chat.Address{ChatType: at.ChatType, Chat: at.Chat, Peer: at.Peer, Channel: row.Channel, Account: row.Account}, nil
}

// inboxSession makes sure of the conversation in which the agent of a service reports to an administrator what consumers ask. It has an alias,
// so that what is sent of it leads back to it (AliasAnswers).
func inboxSession(ctx context.Context, tx *pg.Tx, of, name string, admin chat.UserID) (chat.SessionKey, i18n.Lang, error) {
	key := service.InboxSession(of, admin)
	lang, err := users.LanguageOf(ctx, tx, admin, "", "")
	if err != nil {
		return "", "", err
	}
	title := i18n.Say(lang, i18n.InboxTitle, name)
	origin, err := json.Marshal(chat.Origin{Provider: service.InboxChannel, Label: title})
	if err != nil {
		return "", "", fmt.Errorf("encode origin: %w", err)
	}
	err = dbsqlc.Q.ServiceInboxSession(ctx, tx, dbsqlc.ServiceInboxSessionParams{Key: key, UserID: admin, Channel: service.InboxChannel, Title: title, Agent: of, Origin: origin})
	if err == nil {
		err = routing.AddAlias(ctx, tx, "inbox:"+string(key), key)
	}
	if err != nil {
		return "", "", fmt.Errorf("make the conversation of an inbox: %w", err)
	}
	return key, lang, nil
}

// tellWritten sends a consumer's message to the administrator of the handover, in the chat in which they last wrote in it.
func tellWritten(ctx context.Context, tx *pg.Tx, h Handover, w ConsumerMessage) error {
	if h.Taken == 0 || h.SaidFrom == nil {
		return nil
	}
	key, lang, err := inboxSession(ctx, tx, h.Service, h.ServiceName, h.Taken)
	if err != nil {
		return err
	}
	prefix := "consumer-" + h.Conversation + "-"
	n, err := dbsqlc.Q.ServiceNoticesSince(ctx, tx, dbsqlc.ServiceNoticesSinceParams{SessionKey: key, Prefix: prefix})
	if err != nil {
		return fmt.Errorf("count what user %d was told: %w", h.Taken, err)
	}
	if n >= toldPerHour {
		return nil
	}
	to, err := json.Marshal(h.SaidFrom)
	if err != nil {
		return fmt.Errorf("encode a place: %w", err)
	}
	text := i18n.Say(lang, i18n.InboxWrote, markdown.Escaped(chat.FirstWords(h.Title, 40)), markdown.Escaped(h.ServiceName), h.Conversation) + "\n\n" + markdown.Escaped(short(w.Text, excerpt))
	m := chat.Message{
		Session: key, Role: chat.RoleNotice, Content: text, Inbox: w.ID, ClientMessageID: prefix + strconv.FormatInt(int64(w.ID), 10),
	}
	if err := conversation.AppendMessage(ctx, tx, &m, ""); err != nil {
		return err
	}
	if _, err := notices.SendTo(ctx, tx, m, h.SaidFrom.Channel, h.SaidFrom.Account, to); err != nil {
		return fmt.Errorf("send what user %d is told: %w", h.Taken, err)
	}
	tx.WakeDeliver(key)
	return nil
}

func short(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
