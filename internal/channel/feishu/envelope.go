package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// lookTime bounds all lookups for one message, so that it is acknowledged in time.
	lookTime = 1500 * time.Millisecond
	// maxMentions bounds the mentions of an envelope.
	maxMentions = 50
)

// mention is a user who is mentioned in a message; the text has the key in the place of the name.
type mention struct{ key, name, id string }

// incoming is a message as its event has it.
type incoming struct {
	larkim.P2MessageReceiveV1Data

	app string // of a sender that is one
}

// readIncoming reads the event of a message as far as it fits: one odd member must not cost a user's message.
func readIncoming(raw json.RawMessage) (in incoming, err error) {
	if err := channel.Decode(raw, &in.P2MessageReceiveV1Data); err != nil {
		return in, fault.Errorf(fault.Invalid, "a message is malformed: %w", err)
	}
	var more struct { // members that the library does not know
		Sender struct {
			ID struct {
				AppID string `json:"app_id"`
			} `json:"sender_id"`
		} `json:"sender"`
	}
	err = channel.Decode(raw, &more)
	in.app = more.Sender.ID.AppID
	return in, err
}

// mentions returns the mentions of an event.
func (in incoming) mentions() []mention {
	var all []mention
	for _, one := range data(in.Message).Mentions {
		who := data(one)
		all = append(all, mention{key: data(who.Key), name: data(who.Name), id: data(data(who.Id).OpenId)})
	}
	return all
}

// envelope makes the envelope of a message; mine is false for one that the bot has written itself, and for one of another bot that
// does not mention it.
func (a *Account) envelope(ctx context.Context, raw json.RawMessage) (e chat.Envelope, mine bool, err error) {
	in, err := readIncoming(raw)
	if err != nil {
		return e, false, err
	}
	m, from, all := data(in.Message), data(in.Sender), in.mentions()
	id, where, sender := data(m.MessageId), data(m.ChatId), data(data(from.SenderId).OpenId)
	if id == "" || sender == "" || where == "" {
		return e, false, fault.Errorf(fault.Invalid, "a message lacks its id, its chat or its sender")
	}
	look, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	me, err := a.identify(look)
	if err != nil && len(all) > 0 && !hopeless(err) {
		return e, false, fault.Errorf(fault.Unavailable, "it is not known whether the bot is mentioned: %w", err)
	}
	if in.app == a.set.appID || sender == me.OpenID {
		return e, false, nil
	}
	c := a.content(look, id, data(m.MessageType), data(m.Content), all, me)
	bot, direct := data(from.SenderType) == "bot" || data(from.SenderType) == "app", data(m.ChatType) == "p2p"
	if bot && (!c.mentioned || direct) {
		return e, false, nil // bots that answer all messages would never end
	}
	e = chat.Envelope{
		ID: id,
		Source: chat.Source{
			Channel: Name, Account: a.name, ChatType: chat.ChatGroup, Chat: where, Thread: data(m.ThreadId), Space: data(from.TenantKey),
		},
		Root: data(m.RootId), Parent: data(m.ParentId), Sender: chat.Peer{ID: sender}, SentAt: instant(data(m.CreateTime)), Text: c.text,
		Attachments: c.files, Mentioned: c.mentioned, Mentions: c.mentions,
	}
	if direct {
		e.ChatType = chat.ChatDirect
	}
	a.wrote.Put(id, author{sender: e.Sender, in: place{kind: e.ChatType}, chat: e.Chat, thread: e.Thread}, memoFor)
	if !bot { // no answer mentions a bot: its name is not looked up
		if e.Sender.Name = a.nameOf(look, sender, e.Chat); e.Sender.Name == "" {
			e.Sender.Name = a.nameOn(look, sender, id)
		}
		e.Sender.Union, e.Sender.Member = identifier(data(from.SenderId).UnionId), identifier(data(from.SenderId).UserId)
	}
	a.surround(look, &e, me)
	return e, true, nil
}

// personForm matches ids of users.
var personForm = regexp.MustCompile(`^[A-Za-z0-9_.@-]{1,128}$`)

// identifier returns a valid id, else empty: an invalid one must not cost a message.
func identifier(id *string) string {
	if id == nil || !personForm.MatchString(*id) {
		return ""
	}
	return *id
}

// clean returns a text that may be stored.
func clean(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "") }

// surround adds what the platform gives on request: the name of the group, and the message that is answered.
func (a *Account) surround(ctx context.Context, e *chat.Envelope, me identity) {
	if e.ChatType == chat.ChatGroup {
		if c, err := a.chatInfo(ctx, e.Chat); err == nil {
			e.Subject = c.name
		}
	}
	if e.Parent != "" {
		a.quote(ctx, e, me)
	}
}

// mentionsIn replaces keys by names, removes the bot, and returns the other mentions.
func mentionsIn(text string, all []mention, me identity) (out string, mentioned bool, others []chat.Peer) {
	byKey := slices.Clone(all)
	slices.SortStableFunc(byKey, func(x, y mention) int { return cmp.Compare(len(y.key), len(x.key)) }) // @_user_10 before @_user_1
	var pairs []string
	for _, m := range byKey {
		if m.key == "" {
			continue
		}
		if me.OpenID != "" && m.id == me.OpenID {
			mentioned = true
			pairs = append(pairs, m.key+" ", "", m.key, "")
			continue
		}
		pairs = append(pairs, m.key, "@"+cmp.Or(m.name, m.id))
	}
	for _, m := range all {
		known := slices.ContainsFunc(others, func(p chat.Peer) bool { return p.ID == m.id })
		if m.id == "" || m.id == me.OpenID || known || len(others) >= maxMentions {
			continue
		}
		others = append(others, chat.Peer{ID: m.id, Name: clean(m.name)})
	}
	text = strings.NewReplacer(append(pairs, "@_all", "@all")...).Replace(text) // a mention of all is not among the mentions
	return strings.TrimSpace(clean(text)), mentioned, others
}
