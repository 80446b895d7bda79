package account

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/secret"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/links"
	"xbot/internal/user/users"
)

// LinkCodes makes the codes with which users prove their identity on another channel.
type LinkCodes interface {
	NewLink(ctx context.Context, user chat.UserID, key chat.SessionKey) (code string, err error)
}

// Link is /link: a user's account on one channel becomes theirs on another.
type Link struct {
	Conversations Conversations
	Links         Links
	Codes         LinkCodes
}

var _ slashcommand.Runner = Link{}

// Spec describes the command.
func (Link) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "link", Usage: "[CODE]", Help: i18n.HelpLink, Group: slashcommand.GroupYou, Whole: true}
}

// Run makes a code, or uses one. The code is in the transcript of the user who asked for it, who is alone there, and is
// worth nothing once it was used or is ten minutes old.
func (c Link) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	s, owner, err := c.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if s.ChatType != chat.ChatDirect || owner != in.User {
		return "", i18n.Fault(fault.Invalid, i18n.LinkGroup)
	}
	if args == "" {
		code, err := c.Codes.NewLink(ctx, in.User, in.Session)
		if err != nil {
			return "", err
		}
		return i18n.Say(in.Lang, i18n.LinkCode, code), nil
	}
	if in.Peer.ID == "" {
		return "", i18n.Fault(fault.Invalid, i18n.LinkHere)
	}
	got, err := c.Links.UseLinkCode(ctx, links.Link{
		Hash: secret.HashToken(users.ReadCode(args)), User: in.User, Channel: in.Channel, Account: in.Account,
		Peer: in.Peer.ID, Name: in.Peer.Name, Lang: in.Lang,
	})
	switch {
	case err != nil:
		return "", err
	case got.Again:
		return i18n.Say(in.Lang, i18n.LinkAgain), nil
	}
	return i18n.Say(in.Lang, i18n.LinkDone, got.To.Name, got.Moved), nil
}
