package feishutest

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// room is a chat with its members.
type room struct {
	id, name, mode string // mode: p2p, group or topic
	members        []string
	out            bool // the bot is not in it
}

// message is a message of any user or bot.
type message struct {
	id, chat, root, parent, thread string
	sender                         string // open_id; of the bot: BotID
	bot                            bool   // the sender is another app's bot
	kind, content                  string
	mentions                       []Mention
	at                             time.Time
	gone                           bool
	within                         bool // a forwarded conversation
	forwarded                      []*message
	edits                          int
	edited                         []time.Time
	reactions                      map[string][]string // people by emoji
}

// Mention is a user who is mentioned; the text has the key in the place of the name.
type Mention struct {
	Key    string
	Person Person
}

// Incoming is a message that a user writes.
type Incoming struct {
	From     Person
	Bot      bool   // From is another app's bot
	Chat     string // of Group; empty: the direct chat with the bot
	Thread   string // of Thread
	Parent   string // message that it answers to
	Kind     string // message_type; empty: text
	Content  string // JSON; empty: made of Text
	Text     string
	Mentions []Mention
	// Forwarded are the messages of a forwarded conversation (merge_forward).
	Forwarded []Incoming
}

// Bot returns the bot as a user to mention.
func Bot() Person { return Person{OpenID: BotID, Name: BotName} }

// File is a file of any user.
type File struct {
	Kind, Name string
	Data       []byte
}

// Group makes a group with the bot in it and returns its id.
func (s *Server) Group(name string, people ...Person) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &room{id: s.id("oc"), name: name, mode: "group"}
	for _, p := range people {
		s.know(p)
		r.members = append(r.members, p.OpenID)
	}
	s.chats[r.id] = r
	return r.id
}

// Thread makes a thread in a group.
func (s *Server) Thread(group string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = group // a thread's messages name their group
	return s.id("omt")
}

// Expel removes the bot from a chat.
func (s *Server) Expel(chat string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chats[chat].out = true
}

// know adds a person; the caller holds the lock.
func (s *Server) know(p Person) {
	if !slices.Contains(s.people, p) {
		s.people = append(s.people, p)
	}
}

// direct returns the chat of a person with the bot; the caller holds the lock.
func (s *Server) direct(p Person) *room {
	s.know(p)
	id := "oc_p2p_" + p.OpenID
	if s.chats[id] == nil {
		s.chats[id] = &room{id: id, mode: "p2p", members: []string{p.OpenID}}
	}
	return s.chats[id]
}

// Direct returns the id of the chat of a person with the bot.
func (s *Server) Direct(p Person) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.direct(p).id
}

// Give stores a file that a person sends, and returns its key.
func (s *Server) Give(f File) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "file_v3"
	if f.Kind == "image" {
		kind = "img_v3"
	}
	key := s.id(kind)
	s.files[key] = f
	return key
}

// Write writes a message as a user, delivers the event, and returns the id of the message.
func (s *Server) Write(in Incoming) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.written(in)
	s.send(&delivery{kind: "im.message.receive_v1", message: m.id, event: s.received(m)})
	return m.id
}

// written stores a message of a user; the caller holds the lock.
func (s *Server) written(in Incoming) *message {
	s.know(in.From)
	m := &message{
		id: s.id("om"), chat: in.Chat, thread: in.Thread, parent: in.Parent, sender: in.From.OpenID, bot: in.Bot, kind: in.Kind, content: in.Content,
		mentions: in.Mentions, at: s.now(), reactions: map[string][]string{},
	}
	if m.chat == "" {
		m.chat = s.direct(in.From).id
	}
	if m.kind == "" {
		m.kind = "text"
	}
	if m.content == "" {
		m.content = text(map[string]any{"text": in.Text})
	}
	if p := s.messages[in.Parent]; p != nil {
		m.root = p.root
		if m.root == "" {
			m.root = p.id
		}
	}
	for _, f := range in.Forwarded {
		one := s.written(f)
		s.order = slices.DeleteFunc(s.order, func(m *message) bool { return m == one })
		one.within = true
		m.forwarded = append(m.forwarded, one)
	}
	s.messages[m.id] = m
	s.order = append(s.order, m)
	return m
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test has made something that is not JSON
	}
	return string(raw)
}

// received returns the event of a message; the caller holds the lock.
func (s *Server) received(m *message) map[string]any {
	kind, sender := "group", "user"
	if m.bot {
		sender = "bot"
	}
	if c := s.chats[m.chat]; c != nil && c.mode == "p2p" {
		kind = "p2p"
	}
	var mentions []map[string]any
	for _, one := range m.mentions {
		mentions = append(mentions, map[string]any{
			"key": one.Key, "name": one.Person.Name, "id": map[string]string{"open_id": one.Person.OpenID}, "tenant_key": "t1",
		})
	}
	ids := map[string]string{"open_id": m.sender}
	if n := slices.IndexFunc(s.people, func(p Person) bool { return p.OpenID == m.sender }); n >= 0 {
		ids["union_id"], ids["user_id"] = s.people[n].UnionID, s.people[n].UserID
	}
	return map[string]any{
		"sender": map[string]any{"sender_id": ids, "sender_type": sender, "tenant_key": "t1"},
		"message": map[string]any{
			"message_id": m.id, "root_id": m.root, "parent_id": m.parent, "thread_id": m.thread, "create_time": millis(m.at),
			"update_time": millis(m.at), "chat_id": m.chat, "chat_type": kind, "message_type": m.kind, "content": m.content, "mentions": mentions,
		},
	}
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// Recall takes back a message of a user.
func (s *Server) Recall(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[id]
	m.gone = true
	s.send(&delivery{kind: "im.message.recalled_v1", event: map[string]any{
		"message_id": id, "chat_id": m.chat, "recall_time": millis(time.Now()), "recall_type": "message_owner",
	}})
}
