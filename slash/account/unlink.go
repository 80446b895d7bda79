package account

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/links"
)

// Unlink is /unlink: the identity that writes is not linked to other channels any more.
type Unlink struct {
	Conversations Conversations
	Links         Links
	Policies      Policies
}

var _ slashcommand.Runner = Unlink{}

// Spec describes the command.
func (Unlink) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "unlink", Help: i18n.HelpUnlink, Group: slashcommand.GroupYou}
}

// Run unlinks the sender of a direct message.
func (c Unlink) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	s, owner, err := c.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if s.ChatType != chat.ChatDirect || owner != in.User {
		return "", i18n.Fault(fault.Invalid, i18n.LinkGroup)
	}
	p, err := c.Policies.Get(ctx)
	if err != nil {
		return "", err
	}
	if name, linked := p.Person(chat.Envelope{Source: chat.Source{Channel: in.Channel}, Sender: in.Peer}); linked {
		return "", i18n.Fault(fault.Denied, i18n.UnlinkPolicy, name)
	}
	if in.Peer.ID == "" {
		return "", i18n.Fault(fault.Invalid, i18n.UnlinkNone)
	}
	got, err := c.Links.Unlink(ctx, links.Link{User: in.User, Channel: in.Channel, Account: in.Account, Peer: in.Peer.ID, Name: in.Peer.Name})
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.UnlinkDone, got.Account, got.Moved), nil
}
