package notices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/dbsqlc"
	"xbot/internal/user/users"
)

const (
	// LongTurn is how long a turn takes whose end is announced, unless the user sets another time.
	LongTurn = time.Minute
	// ShortestTurn is the least that they may set.
	ShortestTurn = 10 * time.Second
	// LongestTurn is the most.
	LongestTurn = 24 * time.Hour
	// maxLine bounds the part of an answer in a notice, in characters.
	maxLine = 200
)

// DirectChat is a direct chat of a user with a bot.
type DirectChat struct {
	Channel string `json:"channel" maxLength:"32" example:"napcat"`
	Account string `json:"account,omitempty" maxLength:"256" doc:"Of the bot, where a channel has several."`
	Peer    string `json:"peer" maxLength:"256" doc:"The user's ID on the channel."`
}

// TurnNotices is a user's choice of notices of their turns.
type TurnNotices struct {
	To      *DirectChat `json:"to,omitempty" doc:"Absent: no notifications."`
	Seconds int         `json:"after_seconds" minimum:"10" maximum:"86400" doc:"Minimum duration of a turn that triggers a notification, in seconds."`
}

// TurnNotices returns a user's choice of notices of turns that they begin on the page, in a terminal or over HTTP.
func (s *Store) TurnNotices(ctx context.Context, user chat.UserID) (TurnNotices, error) {
	row, err := dbsqlc.Q.TurnNotices(ctx, s.db.Pool, user)
	if errors.Is(err, pgx.ErrNoRows) {
		return TurnNotices{Seconds: int(LongTurn.Seconds())}, nil
	}
	if err != nil {
		return TurnNotices{}, pg.Classify(fmt.Errorf("read what user %d is told of turns: %w", user, err))
	}
	return TurnNotices{To: &DirectChat{Channel: row.Channel, Account: row.Account, Peer: row.Peer}, Seconds: int(row.AfterSeconds)}, nil
}

// SetTurnNotices keeps that. It returns NotFound if the chat is not one of TurnNoticeChats.
func (s *Store) SetTurnNotices(ctx context.Context, user chat.UserID, n TurnNotices) error {
	if n.To == nil {
		return pg.Classify(dbsqlc.Q.TurnNoticesClear(ctx, s.db.Pool, user))
	}
	if after := time.Duration(n.Seconds) * time.Second; after < ShortestTurn || after > LongestTurn {
		return fault.Errorf(fault.Invalid, "after_seconds must be from %d to %d", int(ShortestTurn.Seconds()), int(LongestTurn.Seconds()))
	}
	set, err := dbsqlc.Q.TurnNoticesSet(ctx, s.db.Pool, dbsqlc.TurnNoticesSetParams{
		UserID: user, Channel: n.To.Channel, Account: n.To.Account, Peer: n.To.Peer, AfterSeconds: int32(n.Seconds),
	})
	if err == nil && set == 0 {
		return fault.Errorf(fault.NotFound, "you have no such account on %s; link it first, with /link", n.To.Channel)
	}
	return pg.Classify(err)
}

// TurnNoticeChats lists the chats to which notices of a user can go: their accounts on platforms that have a bot.
func (s *Store) TurnNoticeChats(ctx context.Context, user chat.UserID) ([]DirectChat, error) {
	rows, err := dbsqlc.Q.TurnNoticeChats(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list where user %d can be told of turns: %w", user, err))
	}
	out := make([]DirectChat, len(rows))
	for i, r := range rows {
		out[i] = DirectChat(r)
	}
	return out, nil
}

// NotifyTurnEnd notifies the user of a turn that has just ended, if they want that: in the direct chat that they chose, in the
// transaction that ends the turn. There is no notice of a turn that was stopped.
func NotifyTurnEnd(ctx context.Context, t *pg.Tx, turn chat.Turn) error {
	if turn.EndedAt == nil || turn.EndedAt.Sub(turn.StartedAt) < ShortestTurn {
		return nil
	}
	switch turn.State {
	case chat.TurnDone:
		return notifyTurn(ctx, t, turn.ID, i18n.TurnFinished)
	case chat.TurnFailed, chat.TurnLost:
		return notifyTurn(ctx, t, turn.ID, i18n.TurnFailed)
	}
	return nil
}

// NotifyQuestion notifies the user of a turn that it waits for their answer, as NotifyTurnEnd does of its end.
func NotifyQuestion(ctx context.Context, t *pg.Tx, turn chat.TurnID) error {
	return notifyTurn(ctx, t, turn, i18n.TurnAsks)
}

func notifyTurn(ctx context.Context, t *pg.Tx, turn chat.TurnID, say i18n.ID) error {
	row, err := dbsqlc.Q.NoticeOfTurn(ctx, t, turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for who is told of turn %s: %w", turn, err)
	}
	line := firstLine(row.Answer)
	lang, err := users.LanguageOf(ctx, t, row.UserID, row.SessionKey, line)
	if err != nil {
		return err
	}
	title := markdown.Escaped(row.Title)
	if title == "" {
		title = i18n.Say(lang, i18n.TurnUntitled)
	}
	text := i18n.Say(lang, say, title, took(lang, row.Seconds))
	if say == i18n.TurnFinished && line != "" {
		text = i18n.Say(lang, i18n.TurnAnswer, text, line)
	}
	m := chat.Message{Session: row.SessionKey, Role: chat.RoleNotice, Content: text}
	if err := conversation.AppendMessage(ctx, t, &m, ""); err != nil {
		return err
	}
	place, err := placeOf(row)
	if err != nil {
		return err
	}
	if _, err := SendTo(ctx, t, m, row.Channel, row.Account, place); err != nil {
		return fmt.Errorf("send what is told of turn %s: %w", turn, err)
	}
	t.WakeDeliver(row.SessionKey)
	return nil
}

// placeOf returns the direct chat. The user's last message there is the one that platforms want to be answered.
func placeOf(row dbsqlc.NoticeOfTurnRow) ([]byte, error) {
	var said chat.Address
	if err := json.Unmarshal(row.Place, &said); err != nil {
		return nil, fmt.Errorf("read a place in %s: %w", row.SessionKey, err)
	}
	return json.Marshal(chat.Address{ChatType: said.ChatType, Chat: said.Chat, Peer: said.Peer, ReplyTo: said.ReplyTo})
}

// took describes how long a turn took.
func took(lang i18n.Lang, seconds int64) string {
	switch minutes := (seconds + 30) / 60; {
	case seconds < 60:
		return i18n.Say(lang, i18n.ProgressSeconds, seconds)
	case minutes < 60:
		return i18n.Say(lang, i18n.ProgressMinute, minutes)
	default:
		return i18n.Say(lang, i18n.ProgressHours, minutes/60, minutes%60)
	}
}

// firstLine returns the first line of an answer that has content.
func firstLine(answer string) string {
	for line := range strings.Lines(answer) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		if line == "" || strings.Trim(line, "-=*_`~ ") == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if r := []rune(line); len(r) > maxLine {
			return string(r[:maxLine-1]) + "…"
		}
		return line
	}
	return ""
}
