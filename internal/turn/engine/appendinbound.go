package engine

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/dbsqlc"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/groupmessages"
	"xbot/internal/user/users"
)

// appendInbound appends a row that a turn has claimed to the transcript, after the messages that it superseded.
func appendInbound(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, row claimed, zones []string) error {
	said := conversation.ParseOptions(row.Options)
	var before conversation.UserMessage
	if said.Replaces != 0 {
		var err error
		if before, err = conversation.Replacing(ctx, t, key, turn, chat.InboxID(row.ID), said.Replaces); err != nil {
			return err
		}
	}
	if row.Replaces {
		if err := appendReplaced(ctx, t, key, turn, row, zones); err != nil {
			return err
		}
	}
	if row.Kind == kindMessage && inGroup(key, row.Sender) {
		if err := groupmessages.Append(ctx, t, key, turn, chat.InboxID(row.ID)); err != nil {
			return err
		}
	}
	content, pictures, err := withFiles(ctx, t, chat.TextWithAttachments(conversation.WordsOf(row.Body, row.Options), before.Files), chat.InboxID(row.ID), row.Files)
	if err != nil {
		return err
	}
	m := chat.Message{
		Session: key, Turn: turn, Role: chat.RoleUser, Content: content, Sender: row.Sender,
		Inbox: chat.InboxID(row.ID), ClientMessageID: row.PlatformID, Pictures: append(before.Pictures, pictures...),
		Place: chat.Place{BranchOf: before.Root},
	}
	switch row.Kind {
	case kindMessage:
		m.Origin = originOf(row.Options)
	case calls.KindBackground: // no user wrote it: no client knows its id
		m.Origin, m.ClientMessageID = row.Account, ""
	case kindControl:
		m.Origin = chat.OriginCommand
	}
	zone := users.Zone(row.Timezone, zones)
	preface := chat.PrefaceIn(row.AcceptedAt, zone, row.Cwd)
	if said.Named {
		preface = chat.PrefaceToYou(preface)
	}
	if said.Skill != "" && strings.Contains(strings.ToLower(row.Body), said.Skill) { // a message that waits can be changed
		getter, asks := chat.SkillTool, chat.PrefaceSkill(preface, said.Skill) // the skill may be newer than the list in the prompt
		if said.PromptTool != "" {
			getter, asks = said.PromptTool, chat.PrefacePrompt(preface, said.Skill, said.PromptTool)
		}
		preface = asks
		if err := dbsqlc.Q.ActiveToolsUse(ctx, t, dbsqlc.ActiveToolsUseParams{SessionKey: key, Names: []string{getter}}); err != nil {
			return fmt.Errorf("note the tool for a skill: %w", err)
		}
	}
	if row.Kind == kindMessage && row.Amended {
		told, err := edits.ChangesForModel(ctx, t, key, turn, zone)
		if err != nil {
			return err
		}
		preface += told
	}
	return conversation.AppendMessage(ctx, t, &m, preface)
}

// withFiles returns the text of a message with a line about each of its files, and the pictures made of them.
func withFiles(ctx context.Context, t *pg.Tx, text string, id chat.InboxID, n int32) (string, []chat.PictureRef, error) {
	if n == 0 {
		return text, nil, nil
	}
	files, err := attachments.Of(ctx, t, id)
	var pictures []chat.PictureRef
	for _, f := range files {
		if f.Picture != nil {
			pictures = append(pictures, *f.Picture)
		}
	}
	return chat.TextWithAttachments(text, files), pictures, err
}

// appendReplaced appends the messages that the row superseded, and one that lists those that a full queue dropped for it.
func appendReplaced(ctx context.Context, t *pg.Tx, key chat.SessionKey, turn chat.TurnID, row claimed, zones []string) error {
	if err := dbsqlc.Q.QueueAdopt(ctx, t, dbsqlc.QueueAdoptParams{ID: row.ID, Session: key}); err != nil {
		return fmt.Errorf("adopt what other messages had replaced: %w", err)
	}
	rows, err := dbsqlc.Q.QueueReplaced(ctx, t, row.ID)
	if err != nil {
		return fmt.Errorf("read what message %d replaced: %w", row.ID, err)
	}
	zone := users.Zone(row.Timezone, zones)
	if said := summaryOf(rows); said != "" {
		m := chat.Message{Session: key, Turn: turn, Role: chat.RoleUser, Origin: chat.OriginSummarized, Content: said}
		if err := conversation.AppendMessage(ctx, t, &m, chat.PrefaceIn(row.AcceptedAt, zone, row.Cwd)); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r.Outcome != outcomeSuperseded {
			continue
		}
		content, pictures, err := withFiles(ctx, t, r.Body, r.ID, r.Files)
		if err != nil {
			return err
		}
		m := chat.Message{
			Session: key, Turn: turn, Role: chat.RoleUser, Origin: chat.OriginSuperseded, Content: content, Sender: r.Sender,
			Inbox: r.ID, ClientMessageID: r.PlatformID, Pictures: pictures,
		}
		mark := supersededMark
		if r.Kind == calls.KindBackground { // text of the product, which no message has superseded
			m.Origin, m.ClientMessageID, mark = r.Account, "", ""
		}
		if err := conversation.AppendMessage(ctx, t, &m, chat.PrefaceIn(r.AcceptedAt, zone, row.Cwd)+mark); err != nil {
			return err
		}
	}
	return nil
}

// supersededMark is the text before a message that gets no separate answer.
const supersededMark = " [superseded by a newer message below: do not answer it on its own]"

// maxLineRunes limits the line about a message that a full queue dropped.
const maxLineRunes = 200

// summaryOf lists the messages that a full queue dropped, one line each; empty if there are none.
func summaryOf(rows []dbsqlc.QueueReplacedRow) string {
	var lines []string
	for _, r := range rows {
		if r.Outcome != outcomeSummarized {
			continue
		}
		line := chat.FirstWords(r.Body, maxLineRunes)
		if r.Sender != "" {
			line = r.Sender + ": " + line
		}
		lines = append(lines, "- "+line)
	}
	if len(lines) == 0 {
		return ""
	}
	return i18n.Say(i18n.English, i18n.SummarizedHead, len(lines)) + "\n" + strings.Join(lines, "\n")
}

// inGroup reports whether group messages may have been recorded before a message; direct conversations need no query.
func inGroup(key chat.SessionKey, sender string) bool {
	return sender != "" || strings.Contains(string(key), ":group:") || strings.Contains(string(key), ":channel:")
}
