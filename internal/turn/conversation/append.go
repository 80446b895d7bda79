package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/memory/lexical"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/user/users"
)

// AppendMessage writes a transcript row and its event, and fills in the id and the time. If several users write, the
// preface names the sender.
func AppendMessage(ctx context.Context, t *pg.Tx, m *chat.Message, preface string) error {
	if preface != "" && m.Sender != "" {
		preface = chat.PrefaceFrom(preface, m.Sender)
	}
	return AppendShown(ctx, t, m, preface, nil, nil)
}

// AppendUnsent writes a row that is only in the transcript, and sent to no platform.
func AppendUnsent(ctx context.Context, t *pg.Tx, m *chat.Message) error {
	return appendRow(ctx, t, m, rowParams(m))
}

// AppendShown writes a row that users see differently from the model; nil: both see the same.
func AppendShown(ctx context.Context, t *pg.Tx, m *chat.Message, preface string, opaque []byte, shown *string) error {
	p := rowParams(m)
	p.Preface, p.Opaque, p.Shown, p.ToPeople = preface, opaque, shown, toPeople(Seen(*m, shown))
	return appendRow(ctx, t, m, p)
}

func rowParams(m *chat.Message) dbsqlc.MessageAppendParams {
	p := dbsqlc.MessageAppendParams{
		SessionKey: m.Session, Role: m.Role, Content: m.Content, Reasoning: m.Reasoning,
		ClientMessageID: m.ClientMessageID, Model: m.Model, Finish: m.FinishReason, Origin: m.Origin, Sender: m.Sender,
		DisplayOnly: m.Role == chat.RoleNotice || m.Origin == chat.OriginCommand, Silent: m.Silent, Pictures: refs(m.Pictures),
	}
	if m.Turn != "" {
		p.TurnID = &m.Turn
	}
	if m.Role == chat.RoleAssistant {
		p.Step = new(int32(m.Step))
	}
	if m.Inbox != 0 {
		p.InboxID = &m.Inbox
	}
	if m.BranchOf != 0 {
		p.BranchOf = new(int64(m.BranchOf))
	}
	if m.Usage != nil {
		p.PromptTokens, p.CachedTokens, p.CompletionTokens = int32(m.Usage.PromptTokens), int32(m.Usage.CachedTokens), int32(m.Usage.CompletionTokens)
	}
	return p
}

func appendRow(ctx context.Context, t *pg.Tx, m *chat.Message, p dbsqlc.MessageAppendParams) error {
	p.Words = SearchWords(m.Role, p.DisplayOnly || p.Silent, Seen(*m, p.Shown).Content)
	row, err := dbsqlc.Q.MessageAppend(ctx, t, p)
	if err != nil {
		return fmt.Errorf("append %s message: %w", m.Role, err)
	}
	m.ID, m.CreatedAt, m.Undelivered = chat.MessageID(row.ID), row.CreatedAt, !row.Deliver
	if row.Outbound {
		t.WakeDeliver(m.Session)
	}
	if m.BranchOf != 0 {
		if err := tellBranches(ctx, t, m); err != nil {
			return err
		}
	}
	t.Emit(m.Session, chat.EventMessage, Seen(*m, p.Shown))
	return nil
}

// SearchWords returns the search terms of a message of a user or model. It is empty for hidden messages.
func SearchWords(role chat.Role, hidden bool, text string) string {
	if hidden || role != chat.RoleUser && role != chat.RoleAssistant {
		return ""
	}
	words, _ := lexical.Vector(text)
	return words
}

// toPeople reports whether a message is to be sent to the platform of its conversation: answers, and notices. Text of the
// model between its steps is shown as progress; notices about the context are not shown.
func toPeople(m chat.Message) bool {
	switch m.Role {
	case chat.RoleAssistant:
		return len(m.ToolCalls) == 0 && strings.TrimSpace(m.Content) != ""
	case chat.RoleNotice:
		return m.Origin != chat.OriginContext
	default:
		return false
	}
}

// Seen returns a message as users see it. A silent answer shows nothing, not even its reasoning.
func Seen(m chat.Message, shown *string) chat.Message {
	if shown != nil {
		m.Content = *shown
	}
	if m.Silent {
		m.Content, m.Reasoning = "", ""
	}
	return m
}

// AppendNotice appends a notice to the user.
func AppendNotice(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, text string) error {
	m := chat.Message{Session: key, Turn: turn, Role: chat.RoleNotice, Content: text}
	return AppendMessage(ctx, t, &m, "")
}

// AppendSystemNotice appends a notice to a conversation, in the language of the conversation.
func AppendSystemNotice(ctx context.Context, t *pg.Tx, key chat.SessionKey, say i18n.ID, args ...any) error {
	lang, err := users.LanguageOf(ctx, t, 0, key, "")
	if err != nil {
		return err
	}
	return AppendNotice(ctx, t, key, "", i18n.Say(lang, say, args...))
}

// LangOfTurn returns the language for the user who started a turn.
func LangOfTurn(ctx context.Context, t *pg.Tx, turn chat.TurnID) (i18n.Lang, error) {
	return LangOf(ctx, t, turn)
}

// LangOf returns the language for the user who started a turn: the conversation has their message, but not their command.
func LangOf(ctx context.Context, db pg.DBTX, turn chat.TurnID) (i18n.Lang, error) {
	first, err := dbsqlc.Q.TurnAsksFirst(ctx, db, &turn)
	if errors.Is(err, pgx.ErrNoRows) {
		return users.LanguageOf(ctx, db, 0, "", "")
	}
	if err != nil {
		return "", fmt.Errorf("read the turn's message: %w", err)
	}
	return users.LanguageOf(ctx, db, first.UserID, first.SessionKey, first.Command)
}

// refs returns the pictures for a row, never null.
func refs(pictures []chat.PictureRef) []chat.PictureRef {
	if pictures == nil {
		return []chat.PictureRef{}
	}
	return pictures
}
