package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/slashcommand"
)

// listed is how many items /inbox lists, and words how much of each, in characters.
const (
	listed     = 20
	firstWords = 80
)

// Inbox is /inbox: what consumers of services ask, the answer to them, and who answers in their conversations.
type Inbox struct {
	Quota    Quota
	Services Services
	People   slashcommand.People // knows where other users read, too
}

var _ slashcommand.Runner = Inbox{}

// Spec describes the command.
func (Inbox) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "inbox", Usage: "[[take|give] ID [TEXT…]]", Help: i18n.HelpInbox, Group: slashcommand.GroupServer, Who: slashcommand.Admin}
}

// Run lists, shows, answers, takes or gives back. Consumers wrote what it shows, to this service alone: no other user reads it.
func (c Inbox) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	if who, err := c.People.Caller(ctx, in.User, in.Session); err != nil || !who.Direct {
		return i18n.Say(in.Lang, i18n.InboxAlone), err
	}
	word, rest := slashcommand.FirstWord(args)
	switch word {
	case "", "list":
		return c.list(ctx, in)
	case "take", "give":
		id, more := slashcommand.FirstWord(rest)
		if id == "" || more != "" {
			return "", i18n.Fault(fault.Invalid, i18n.InboxUsage)
		}
		return c.setHandover(ctx, in, id, word == "take")
	}
	id := itemID(word)
	if rest == "" {
		return c.show(ctx, in, id)
	}
	return c.answer(ctx, in, id, rest)
}

// itemID returns the id of an item, of which users may leave out the beginning.
func itemID(word string) string {
	word = strings.Trim(strings.ToLower(word), "`")
	if full := "inbox_" + word; service.IsItem(full) {
		return full
	}
	return word
}

func (c Inbox) list(ctx context.Context, in slashcommand.Request) (string, error) {
	var open []service.Item
	for _, status := range []service.ItemStatus{service.ItemUnread, service.ItemRead} {
		found, err := c.Services.InboxItems(ctx, servicestore.ItemPage{Status: status, Limit: listed + 1})
		if err != nil {
			return "", err
		}
		open = append(open, found...)
	}
	if len(open) == 0 {
		return i18n.Say(in.Lang, i18n.InboxNone), nil
	}
	var lines []string
	for _, item := range open[:min(len(open), listed)] {
		lines = append(lines, "* "+i18n.Say(in.Lang, i18n.InboxLine, item.ID, status(in.Lang, item), markdown.Escaped(item.ServiceName), item.Conversation,
			markdown.Escaped(chat.FirstWords(item.Message, firstWords))))
	}
	if more := len(open) - listed; more > 0 {
		lines = append(lines, "", i18n.Say(in.Lang, i18n.InboxMore, more))
	}
	return strings.Join(append(lines, "", i18n.Say(in.Lang, i18n.InboxHow, "ID")), "\n"), nil
}

func status(lang i18n.Lang, item service.Item) string {
	said := i18n.Say(lang, map[service.ItemStatus]i18n.ID{
		service.ItemUnread: i18n.InboxUnread, service.ItemRead: i18n.InboxRead, service.ItemHandled: i18n.InboxHandled,
	}[item.Status])
	if item.TakenBy != "" {
		said += ", " + i18n.Say(lang, i18n.InboxTakenBy, markdown.Escaped(item.TakenBy))
	}
	return said
}

func (c Inbox) show(ctx context.Context, in slashcommand.Request, id string) (string, error) {
	item, err := c.Services.InboxItem(ctx, id)
	if err != nil {
		return "", err
	}
	if item.Status == service.ItemUnread {
		if err := c.Services.SetInboxItem(ctx, id, service.ItemRead); err != nil {
			return "", err
		}
	}
	return strings.Join([]string{
		i18n.Say(in.Lang, i18n.InboxShown, item.ID, markdown.Escaped(item.ServiceName), item.Conversation, markdown.Escaped(titled(in.Lang, item.Title)), status(in.Lang, item)),
		markdown.Escaped(item.Message), i18n.Say(in.Lang, i18n.InboxHow, item.ID),
	}, "\n\n"), nil
}

func (c Inbox) answer(ctx context.Context, in slashcommand.Request, id, text string) (string, error) {
	by, err := c.by(ctx, in)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(in.Key()))
	item, err := c.Services.AnswerInboxItem(ctx, id, by, "cmd-"+hex.EncodeToString(sum[:]), text)
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.InboxAnswered, markdown.Escaped(titled(in.Lang, item.Title)), markdown.Escaped(item.ServiceName), item.Conversation), nil
}

// setHandover takes a conversation from the agent or gives it back, by its id or by that of an item.
func (c Inbox) setHandover(ctx context.Context, in slashcommand.Request, id string, take bool) (string, error) {
	of, err := c.conversation(ctx, id)
	if err != nil {
		return "", err
	}
	name := of.Service
	if one, err := c.Services.Service(ctx, of.Service); err == nil {
		name = one.Name
	}
	say := i18n.InboxTaken
	if take {
		by, err := c.by(ctx, in)
		if err != nil {
			return "", err
		}
		if _, err := c.Services.TakeIn(ctx, of, by, c.Quota.Zones()); err != nil {
			return "", err
		}
	} else {
		given, err := c.Services.GiveConversation(ctx, of)
		if err != nil || !given {
			return i18n.Say(in.Lang, i18n.InboxNotTaken), err
		}
		say = i18n.InboxGiven
	}
	return i18n.Say(in.Lang, say, markdown.Escaped(titled(in.Lang, of.Title)), markdown.Escaped(name), of.ID), nil
}

func (c Inbox) conversation(ctx context.Context, id string) (service.Conversation, error) {
	if id = itemID(id); !service.IsItem(id) {
		return c.Services.AnyConversation(ctx, id)
	}
	item, err := c.Services.InboxItem(ctx, id)
	if err != nil {
		return service.Conversation{}, err
	}
	return c.Services.ServiceConversation(ctx, item.Service, item.Conversation)
}

// by returns the writer, and the place where they get messages of the consumer.
func (c Inbox) by(ctx context.Context, in slashcommand.Request) (servicestore.Actor, error) {
	by := servicestore.Actor{User: in.User, Name: in.UserName}
	if in.Peer.ID == "" {
		return by, nil
	}
	at, err := c.Services.AdminPlace(ctx, in.User)
	if err == nil && (at == nil || at.Channel != in.Channel || at.Account != in.Account) {
		at = &chat.Address{ChatType: chat.ChatDirect, Peer: in.Peer.ID, Channel: in.Channel, Account: in.Account}
	}
	by.From = at
	return by, err
}

func titled(lang i18n.Lang, title string) string {
	if title == "" {
		return i18n.Say(lang, i18n.InboxNameless)
	}
	return chat.FirstWords(title, firstWords)
}
