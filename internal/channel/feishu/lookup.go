package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	larkcontact "github.com/larksuite/oapi-sdk-go/v3/service/contact/v3"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/chat"
)

const (
	// memoFor is how long the account uses what it looked up. Missing entries are looked up again sooner.
	memoFor   = 6 * time.Hour
	absentFor = 10 * time.Minute
	// maxQuote bounds the text of a quoted message, and maxForwarded and maxForwardedText a forwarded conversation.
	maxQuote         = 2000 // characters
	maxForwarded     = 50   // messages
	maxForwardedText = 16000
)

// place is a chat as the platform knows it.
type place struct {
	kind chat.ChatType
	name string
}

// cardContent is how cards are read: as they were sent.
const cardContent = "user_card_content"

// storedMessage is a message as it is read.
type storedMessage struct {
	id, kind, chat, thread, parent string
	// sender is an open_id, for an app its id; senderType distinguishes them.
	sender, senderType string
	senderName         string // if the platform gives it with the message
	content            string
	mentions           []mention
	created            time.Time
	gone               bool
}

// allStored are messages as the library reads them, which may lack anything.
func allStored(items []*larkim.Message) []storedMessage {
	var all []storedMessage
	for _, m := range items {
		if m == nil {
			continue
		}
		sender := data(m.Sender)
		s := storedMessage{
			id: data(m.MessageId), kind: data(m.MsgType), chat: data(m.ChatId), thread: data(m.ThreadId), parent: data(m.ParentId),
			sender: data(sender.Id), senderType: data(sender.SenderType), senderName: clean(data(sender.SenderName)), content: data(data(m.Body).Content),
			created: instant(data(m.CreateTime)), gone: data(m.Deleted),
		}
		for _, one := range m.Mentions {
			who := data(one)
			s.mentions = append(s.mentions, mention{key: data(who.Key), name: data(who.Name), id: data(who.Id)})
		}
		all = append(all, s)
	}
	return all
}

// read fetches a message; a forwarded conversation comes with its messages. The response includes the names of senders, which needs no
// permission for the address book; they are remembered.
func (a *Account) read(ctx context.Context, id string) ([]storedMessage, error) {
	q := larkim.NewGetMessageReqBuilder().MessageId(id).UserIdType("open_id").CardMsgContentType(cardContent).WithSenderName(true)
	out, err := call(ctx, a, a.im.Message.Get, q.Build())
	if err != nil {
		return nil, err
	}
	items := allStored(data(out.Data).Items)
	for _, m := range items {
		if m.senderType == "user" && m.sender != "" && m.senderName != "" {
			a.people.Put(m.sender, m.senderName, memoFor)
		}
	}
	return items, nil
}

// quote adds the message that is answered, with its files, as far as it can be read in time. In a thread every message answers
// one, so an unreadable one is not mentioned there.
func (a *Account) quote(ctx context.Context, e *chat.Envelope, me identity) {
	if e.Thread == "" {
		e.Quote = &chat.Quote{Text: chat.Unread}
	}
	items, err := a.read(ctx, e.Parent)
	if err != nil || len(items) == 0 {
		return
	}
	m := items[0]
	who := chat.Peer{ID: m.sender}
	switch {
	case m.senderType == "app" && m.sender == a.set.appID:
		e.Answers = true
		who = chat.Peer{ID: cmp.Or(me.OpenID, m.sender), Name: me.Name}
	case m.senderType == "user":
		who.Name = a.nameOf(ctx, m.sender, e.Chat)
	}
	if m.gone {
		return
	}
	text, files := a.messageText(ctx, m)
	if m.kind == "merge_forward" {
		text = a.formatMessages(ctx, items[1:], e.Chat)
	}
	e.Quote = &chat.Quote{Sender: who, Text: clip(text, maxQuote)}
	e.Attachments = append(e.Attachments, chat.Quoted(e.Parent, files)...)
}

// messageText returns the text of a fetched message, and its files.
func (a *Account) messageText(ctx context.Context, m storedMessage) (string, []chat.Attachment) {
	c := content{text: "[forwarded conversation]"} // one inside of another stays closed
	if m.kind != "merge_forward" {
		c = a.plainContent(ctx, m.id, m.kind, m.content)
	}
	text, _, _ := mentionsIn(c.text, m.mentions, identity{}) // the bot is named like a user
	return cmp.Or(text, described(c)), c.files
}

// forwarded reads a forwarded conversation.
func (a *Account) forwarded(ctx context.Context, id string) string {
	items, err := a.read(ctx, id)
	if err != nil || len(items) < 2 {
		return "[forwarded conversation that could not be read]"
	}
	return a.formatMessages(ctx, items[1:], "")
}

// closed explains missing files of forwarded messages: the platform does not give them to bots (234043).
const closed = "\n[its files cannot be fetched: ask for them to be sent by themselves]"

// formatMessages formats messages line by line.
func (a *Account) formatMessages(ctx context.Context, items []storedMessage, in string) string {
	var b strings.Builder
	head := "[forwarded conversation]"
	for i, m := range items {
		if i >= maxForwarded || b.Len() > maxForwardedText {
			fmt.Fprintf(&b, "\n[%d more]", len(items)-i)
			break
		}
		name := m.sender
		if m.senderType == "user" {
			name = cmp.Or(a.nameOf(ctx, m.sender, in), name)
		}
		text, files := a.messageText(ctx, m)
		if len(files) > 0 {
			head = "[forwarded conversation]" + closed
		}
		fmt.Fprintf(&b, "\n%s: %s", cmp.Or(name, "?"), clip(text, maxQuote))
	}
	return head + b.String()
}

// clip keeps the first characters of a text.
func clip(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// nameOf returns the name of a user: from the address book, or from the chat's list of members if that is closed. It is empty if
// neither has it.
func (a *Account) nameOf(ctx context.Context, id, in string) string {
	if id == "" {
		return ""
	}
	if name, ok := a.people.Get(id); ok {
		return name
	}
	name, err := a.listed(ctx, id)
	if name != "" {
		a.people.Put(id, name, memoFor)
		return name
	}
	if in != "" {
		a.members(ctx, in)
		if name, ok := a.people.Get(id); ok {
			return name
		}
	}
	if _, refused := refusalOf(err); err == nil || refused && !refusedAs(err, limited, flaky) {
		a.people.Put(id, "", absentFor)
	}
	return ""
}

// nameOn returns the name of a user from one of their messages, for users whom neither address book nor members name. After a message without
// a name it does not ask again for a while.
func (a *Account) nameOn(ctx context.Context, id, message string) string {
	asked := "message of " + id // no id of a user has a space
	if _, before := a.people.Get(asked); before {
		return ""
	}
	a.people.Put(asked, "", absentFor)
	if _, err := a.read(ctx, message); err != nil {
		return ""
	}
	name, _ := a.people.Get(id)
	return name
}

// listed returns the name of a user in the address book.
func (a *Account) listed(ctx context.Context, id string) (string, error) {
	out, err := call(ctx, a, a.book.User.Get, larkcontact.NewGetUserReqBuilder().UserId(id).UserIdType("open_id").Build())
	if err != nil {
		return "", err
	}
	return data(data(data(out.Data).User).Name), nil
}

// members remembers the names of the first members of a chat.
func (a *Account) members(ctx context.Context, id string) {
	q := larkim.NewGetChatMembersReqBuilder().ChatId(id).MemberIdType("open_id").PageSize(100)
	out, err := call(ctx, a, a.im.ChatMembers.Get, q.Build())
	if err != nil {
		return
	}
	for _, one := range data(out.Data).Items {
		m := data(one)
		if id, name := data(m.MemberId), data(m.Name); id != "" && name != "" {
			a.people.Put(id, name, memoFor)
		}
	}
}

// chatInfo returns the kind and the name of a chat.
func (a *Account) chatInfo(ctx context.Context, id string) (place, error) {
	if c, ok := a.chats.Get(id); ok {
		return c, nil
	}
	out, err := call(ctx, a, a.im.Chat.Get, larkim.NewGetChatReqBuilder().ChatId(id).Build())
	if _, refused := refusalOf(err); refused && !refusedAs(err, limited, flaky) {
		a.chats.Put(id, place{kind: chat.ChatGroup}, absentFor)
	}
	if err != nil {
		return place{}, err
	}
	known := data(out.Data)
	c := place{kind: chat.ChatGroup, name: data(known.Name)}
	if data(known.ChatMode) == "p2p" {
		c.kind = chat.ChatDirect
	}
	a.chats.Put(id, c, memoFor)
	return c, nil
}

// readButton reads the value of a button.
func readButton(raw json.RawMessage) (button, bool) {
	var b button
	if json.Unmarshal(raw, &b) != nil {
		var text string // some clients send it as text
		if json.Unmarshal(raw, &text) != nil || json.Unmarshal([]byte(text), &b) != nil {
			return button{}, false
		}
	}
	return b, b.Question != "" && b.Name != ""
}
