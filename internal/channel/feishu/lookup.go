package feishu

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"xbot/internal/chat"
)

const (
	// maxQuote bounds what is quoted of a message, and maxForwarded and maxForwardedText a forwarded conversation.
	maxQuote         = 2000 // characters
	maxForwarded     = 50   // messages
	maxForwardedText = 16000
)

// place is a chat as the platform knows it.
type place struct {
	kind chat.ChatType
	name string
}

// stored is a message as it is read.
type stored struct {
	ID     string `json:"message_id"`
	Upper  string `json:"upper_message_id"` // the forwarded conversation that it is in
	Type   string `json:"msg_type"`
	Chat   string `json:"chat_id"`
	Thread string `json:"thread_id"`
	Parent string `json:"parent_id"`
	Gone   bool   `json:"deleted"`
	// Created is when it was sent, in milliseconds.
	Created string `json:"create_time"`
	Sender  struct {
		ID   string `json:"id"`
		Type string `json:"sender_type"`
	} `json:"sender"`
	Body struct {
		Content string `json:"content"`
	} `json:"body"`
	Mentions []mention `json:"mentions"`
}

// read asks for a message; a forwarded conversation comes with what is in it.
func (a *Account) read(ctx context.Context, id string) ([]stored, error) {
	var out struct {
		Items []stored `json:"items"`
	}
	path := messagePath(id) + "?user_id_type=open_id&card_msg_content_type=user_card_content"
	err := a.call(ctx, http.MethodGet, path, nil, &out)
	return out.Items, err
}

// quote adds what a message answers to, with its files, as far as it can be read in time. In a thread every message answers to
// one, so that it is not said there when it cannot be read.
func (a *Account) quote(ctx context.Context, e *chat.Envelope, me identity) {
	if e.Thread == "" {
		e.Quote = &chat.Quote{Text: chat.Unread}
	}
	items, err := a.read(ctx, e.Parent)
	if err != nil || len(items) == 0 {
		return
	}
	m := items[0]
	who := chat.Peer{ID: m.Sender.ID}
	switch {
	case m.Sender.Type == "app" && m.Sender.ID == a.set.appID:
		e.Answers = true
		who = chat.Peer{ID: cmp.Or(me.OpenID, m.Sender.ID), Name: me.Name}
	case m.Sender.Type == "user":
		who.Name = a.nameOf(ctx, m.Sender.ID, e.Chat)
	}
	if m.Gone {
		return
	}
	text, files := a.said(ctx, m)
	if m.Type == "merge_forward" {
		text = a.told(ctx, items[1:], e.Chat)
	}
	e.Quote = &chat.Quote{Sender: who, Text: clip(text, maxQuote)}
	e.Attachments = append(e.Attachments, chat.Quoted(e.Parent, files)...)
}

// said is the text of a message that was read, and its files.
func (a *Account) said(ctx context.Context, m stored) (string, []chat.Attachment) {
	c := content{text: "[forwarded conversation]"} // one inside of another stays closed
	if m.Type != "merge_forward" {
		c = a.plainContent(ctx, m.ID, m.Type, m.Body.Content)
	}
	text, _, _ := mentionsIn(c.text, m.Mentions, identity{}) // the bot is named like everybody
	return cmp.Or(text, described(c)), c.files
}

// forwarded reads a forwarded conversation.
func (a *Account) forwarded(ctx context.Context, id string) string {
	items, err := a.read(ctx, id)
	if err != nil || len(items) < 2 {
		return "[forwarded conversation that could not be read]"
	}
	return a.told(ctx, items[1:], "")
}

// closed says why files of forwarded messages are missing: the platform does not give them to bots (234043).
const closed = "\n[its files cannot be fetched: ask for them to be sent by themselves]"

// told writes messages down line by line.
func (a *Account) told(ctx context.Context, items []stored, in string) string {
	var b strings.Builder
	head := "[forwarded conversation]"
	for i, m := range items {
		if i >= maxForwarded || b.Len() > maxForwardedText {
			fmt.Fprintf(&b, "\n[%d more]", len(items)-i)
			break
		}
		name := m.Sender.ID
		if m.Sender.Type == "user" {
			name = cmp.Or(a.nameOf(ctx, m.Sender.ID, in), name)
		}
		text, files := a.said(ctx, m)
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

// nameOf is what somebody is called: by the address book, or by the chat's list of members where that is closed. It is empty
// where nobody says.
func (a *Account) nameOf(ctx context.Context, id, in string) string {
	if id == "" {
		return ""
	}
	if name, ok := a.people.get(id); ok {
		return name
	}
	var out struct {
		User struct {
			Name string `json:"name"`
		} `json:"user"`
	}
	err := a.call(ctx, http.MethodGet, "/open-apis/contact/v3/users/"+url.PathEscape(id)+"?user_id_type=open_id", nil, &out)
	if err == nil && out.User.Name != "" {
		a.people.put(id, out.User.Name, memoFor)
		return out.User.Name
	}
	if in != "" {
		a.members(ctx, in)
		if name, ok := a.people.get(id); ok {
			return name
		}
	}
	if _, refused := refusalOf(err); err == nil || refused && !refusedAs(err, limited, flaky) {
		a.people.put(id, "", absentFor)
	}
	return ""
}

// members remembers the names of the first members of a chat.
func (a *Account) members(ctx context.Context, id string) {
	var out struct {
		Items []struct {
			ID   string `json:"member_id"`
			Name string `json:"name"`
		} `json:"items"`
	}
	path := "/open-apis/im/v1/chats/" + url.PathEscape(id) + "/members?member_id_type=open_id&page_size=100"
	if a.call(ctx, http.MethodGet, path, nil, &out) != nil {
		return
	}
	for _, m := range out.Items {
		if m.ID != "" && m.Name != "" {
			a.people.put(m.ID, m.Name, memoFor)
		}
	}
}

// chatInfo tells of what kind a chat is and what it is called.
func (a *Account) chatInfo(ctx context.Context, id string) (place, error) {
	if c, ok := a.chats.get(id); ok {
		return c, nil
	}
	var out struct {
		Name string `json:"name"`
		Mode string `json:"chat_mode"`
	}
	err := a.call(ctx, http.MethodGet, "/open-apis/im/v1/chats/"+url.PathEscape(id), nil, &out)
	if _, refused := refusalOf(err); refused && !refusedAs(err, limited, flaky) {
		a.chats.put(id, place{kind: chat.ChatGroup}, absentFor)
	}
	if err != nil {
		return place{}, err
	}
	c := place{kind: chat.ChatGroup, name: out.Name}
	if out.Mode == "p2p" {
		c.kind = chat.ChatDirect
	}
	a.chats.put(id, c, memoFor)
	return c, nil
}

// readButton reads what a button of ours carries.
func readButton(raw json.RawMessage) (button, bool) {
	var b button
	if json.Unmarshal(raw, &b) != nil {
		var text string // some clients hand it over as text
		if json.Unmarshal(raw, &text) != nil || json.Unmarshal([]byte(text), &b) != nil {
			return button{}, false
		}
	}
	return b, b.Question != "" && b.Name != ""
}
