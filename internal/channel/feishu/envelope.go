package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// lookTime bounds all that is looked up for one message, so that it is acknowledged in time.
	lookTime = 1500 * time.Millisecond
	// maxMentions bounds who is mentioned in an envelope.
	maxMentions = 50
)

// mention is somebody who is mentioned in a message; the text has the key in their place.
type mention struct {
	Key  string  `json:"key"`
	Name string  `json:"name"`
	ID   looseID `json:"id"`
}

// looseID is a person's id: an object in events, a string in messages that are read.
type looseID string

// UnmarshalJSON reads either form.
func (l *looseID) UnmarshalJSON(raw []byte) error {
	var o struct {
		OpenID string `json:"open_id"`
	}
	if json.Unmarshal(raw, &o) == nil {
		*l = looseID(o.OpenID)
		return nil
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*l = looseID(s)
	}
	return nil // anything else is nobody
}

// incoming is a message as its event has it.
type incoming struct {
	Sender struct {
		ID struct {
			OpenID string `json:"open_id"`
			AppID  string `json:"app_id"`
		} `json:"sender_id"`
		Type   string `json:"sender_type"`
		Tenant string `json:"tenant_key"`
	} `json:"sender"`
	Message struct {
		ID       string    `json:"message_id"`
		Root     string    `json:"root_id"`
		Parent   string    `json:"parent_id"`
		Thread   string    `json:"thread_id"`
		Created  string    `json:"create_time"`
		Chat     string    `json:"chat_id"`
		ChatType string    `json:"chat_type"`
		Type     string    `json:"message_type"`
		Content  string    `json:"content"`
		Mentions []mention `json:"mentions"`
	} `json:"message"`
}

// envelope makes the envelope of a message; mine is false for one that the bot has written itself, and for one of another bot that
// does not mention it.
func (a *Account) envelope(ctx context.Context, raw json.RawMessage) (e chat.Envelope, mine bool, err error) {
	var in incoming
	if err := channel.Decode(raw, &in); err != nil {
		return e, false, fault.Errorf(fault.Invalid, "a message is malformed: %w", err)
	}
	m, sender := in.Message, in.Sender.ID.OpenID
	if m.ID == "" || sender == "" || m.Chat == "" {
		return e, false, fault.Errorf(fault.Invalid, "a message lacks its id, its chat or its sender")
	}
	look, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	me, err := a.identify(look)
	if err != nil && len(m.Mentions) > 0 && !hopeless(err) {
		return e, false, fault.Errorf(fault.Unavailable, "it is not known whether the bot is mentioned: %w", err)
	}
	if in.Sender.ID.AppID == a.set.appID || sender == me.OpenID {
		return e, false, nil
	}
	c := a.content(look, m.ID, m.Type, m.Content, m.Mentions, me)
	bot := in.Sender.Type == "bot" || in.Sender.Type == "app"
	if bot && (!c.mentioned || m.ChatType == "p2p") {
		return e, false, nil // bots that answer to all that is said would never end
	}
	e = chat.Envelope{
		ID:    m.ID,
		Place: chat.Place{Channel: Name, Account: a.name, ChatType: chat.ChatGroup, Chat: m.Chat, Thread: m.Thread, Space: in.Sender.Tenant},
		Root:  m.Root, Parent: m.Parent, Sender: chat.Peer{ID: sender}, SentAt: instant(m.Created), Text: c.text, Attachments: c.files,
		Mentioned: c.mentioned, Mentions: c.mentions,
	}
	if m.ChatType == "p2p" {
		e.ChatType = chat.ChatDirect
	}
	a.wrote.put(m.ID, author{sender: e.Sender, in: place{kind: e.ChatType}, chat: m.Chat, thread: m.Thread}, memoFor)
	if !bot { // one without a name is called back by no answer
		e.Sender.Name = a.nameOf(look, sender, m.Chat)
	}
	a.surround(look, &e, me)
	return e, true, nil
}

// clean is a text that may be stored.
func clean(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "") }

// surround adds what the platform tells when it is asked: the name of the group, and what is answered to.
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

// mentionsIn puts names in the place of keys, takes out the bot, and returns the others.
func mentionsIn(text string, all []mention, me identity) (out string, mentioned bool, others []chat.Peer) {
	byKey := slices.Clone(all)
	slices.SortStableFunc(byKey, func(x, y mention) int { return cmp.Compare(len(y.Key), len(x.Key)) }) // @_user_10 before @_user_1
	var pairs []string
	for _, m := range byKey {
		if m.Key == "" {
			continue
		}
		if me.OpenID != "" && string(m.ID) == me.OpenID {
			mentioned = true
			pairs = append(pairs, m.Key+" ", "", m.Key, "")
			continue
		}
		pairs = append(pairs, m.Key, "@"+cmp.Or(m.Name, string(m.ID)))
	}
	for _, m := range all {
		known := slices.ContainsFunc(others, func(p chat.Peer) bool { return p.ID == string(m.ID) })
		if m.ID == "" || string(m.ID) == me.OpenID || known || len(others) >= maxMentions {
			continue
		}
		others = append(others, chat.Peer{ID: string(m.ID), Name: clean(m.Name)})
	}
	text = strings.NewReplacer(append(pairs, "@_all", "@all")...).Replace(text) // who calls everybody is not among those mentioned
	return strings.TrimSpace(clean(text)), mentioned, others
}
