package delivery

import (
	"slices"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// connects returns the account that a question asks for, or nil if it asks for something else.
func connects(a chat.Asking) *chat.AccountAsk {
	if all := inquiries(a); len(all) == 1 {
		return all[0].Connect
	}
	return nil
}

// connectCard asks for an account: a button leads to where it is connected, another declines.
func connectCard(a chat.Asking) *channel.Question {
	lang, ask := i18n.Lang(a.Lang), connects(a)
	q := &channel.Question{
		ID: string(a.Call.ID), Title: i18n.Say(lang, i18n.OAuthButton, ask.Name), Text: connectText(a),
		Buttons: []channel.Button{{Name: chat.PressDeny, Label: i18n.Say(lang, i18n.AskDecline)}},
	}
	if a.Link != "" {
		q.Buttons = append([]channel.Button{{Label: q.Title, Style: "primary", URL: a.Link}}, q.Buttons...)
	}
	return q
}

// connectInWords is the same where there are no cards.
func connectInWords(a chat.Asking) string {
	return connectText(a) + "\n\n" + i18n.Say(i18n.Lang(a.Lang), i18n.AskDeclineH)
}

// connectText asks a user to connect an account, with the reason; and with the place to do it, while it is open.
func connectText(a chat.Asking) string {
	lang, ask := i18n.Lang(a.Lang), connects(a)
	parts := []string{i18n.Say(lang, i18n.OAuthAsk, "**"+line(ask.Name)+"**", "")}
	if r := strings.TrimSpace(a.Call.Approval.Reason); r != "" {
		parts = append(parts, quoted(r))
	}
	if len(ask.Scopes) > 0 {
		parts = append(parts, i18n.Say(lang, i18n.OAuthScopes, markdown.Code(strings.Join(ask.Scopes, " "))))
	}
	switch {
	case !isOpen(a):
	case a.Link == "":
		parts = append(parts, i18n.Say(lang, i18n.OAuthNoAddress))
	default:
		parts = append(parts, i18n.Say(lang, i18n.OAuthOpen, a.Link))
	}
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return strings.Join(parts, "\n\n")
}

// linkPlace replaces, in stored pieces, the link under which an account is connected: anyone with the link could connect theirs, so it is not stored.
// It is made of characters for private use, which do not occur in texts.
const linkPlace = "\uE000link\uE001"

// withoutLink returns the delivery as it is stored.
func (s *sending) withoutLink() chat.Outbound {
	kept := s.o
	if kept.Asked != nil && kept.Asked.Link != "" {
		kept.Pieces = reworded(kept.Pieces, kept.Asked.Link, linkPlace)
	}
	return kept
}

// withLink are stored pieces as they are sent. The link of a call is the same each time.
func withLink(stored []chat.Piece, link string) []chat.Piece {
	return reworded(stored, linkPlace, link)
}

func reworded(pieces []chat.Piece, from, to string) []chat.Piece {
	out := slices.Clone(pieces)
	for n := range out {
		out[n].Text = strings.ReplaceAll(out[n].Text, from, to)
	}
	return out
}
