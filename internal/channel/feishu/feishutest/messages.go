package feishutest

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// outgoing is a message that the bot sends.
type outgoing struct {
	Receive  string `json:"receive_id"`
	Kind     string `json:"msg_type"`
	Content  string `json:"content"`
	UUID     string `json:"uuid"`
	InThread bool   `json:"reply_in_thread"`
}

func (s *Server) create(c call) (any, *refusal) {
	var in outgoing
	if !c.in(&in) {
		return nil, refuse(230001, "Your request contains an invalid request parameter.")
	}
	chat := in.Receive
	switch c.URL.Query().Get("receive_id_type") {
	case "chat_id":
	case "open_id":
		i := slices.IndexFunc(s.people, func(p Person) bool { return p.OpenID == in.Receive })
		if i < 0 {
			return nil, refuse(230034, "The receive_id is invalid.")
		}
		chat = s.direct(s.people[i]).id
	default:
		return nil, refuse(230001, "invalid receive_id_type")
	}
	r := s.chats[chat]
	if r == nil {
		return nil, refuse(230034, "The receive_id is invalid.")
	}
	return s.sent(in, &message{chat: chat}, r)
}

func (s *Server) reply(c call) (any, *refusal) {
	var in outgoing
	to := s.messages[c.PathValue("id")]
	if !c.in(&in) || to == nil {
		return nil, refuse(230001, "Your request contains an invalid request parameter.")
	}
	if to.gone {
		return nil, refuse(230011, "The message is recalled.")
	}
	if in.InThread && s.c.NoThreads {
		return nil, refuse(230071, "The aggregated message does not support reply in thread.")
	}
	m := &message{chat: to.chat, parent: to.id, root: to.root, thread: to.thread}
	if m.root == "" {
		m.root = to.id
	}
	if in.InThread && m.thread == "" {
		m.thread = s.id("omt")
		to.thread = m.thread
	}
	return s.sent(in, m, s.chats[to.chat])
}

// sent stores a message of the bot, once for its uuid.
func (s *Server) sent(in outgoing, m *message, r *room) (any, *refusal) {
	if r.out {
		return nil, refuse(230002, "Bot/User can NOT be out of the chat.")
	}
	if in.UUID == "" || len(in.UUID) > 50 {
		s.complain("a message came with the uuid %q", in.UUID)
		return nil, refuse(230001, "invalid uuid")
	}
	if id, ok := s.uuids[in.UUID]; ok {
		return s.shownAs(s.messages[id]), nil
	}
	if no := s.acceptable(in.Kind, in.Content); no != nil {
		return nil, no
	}
	m.id, m.sender, m.kind, m.content, m.at, m.reactions = s.id("om"), BotID, in.Kind, in.Content, s.now(), map[string][]string{}
	s.uuids[in.UUID] = m.id
	s.messages[m.id] = m
	s.order = append(s.order, m)
	return s.shownAs(m), nil
}

func (s *Server) shownAs(m *message) map[string]any {
	return map[string]any{
		"message_id": m.id, "root_id": m.root, "parent_id": m.parent, "thread_id": m.thread, "chat_id": m.chat, "msg_type": m.kind,
		"create_time": millis(m.at), "body": map[string]string{"content": m.content},
	}
}

// Forget makes the platform forget every uuid, as it does after an hour.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uuids = map[string]string{}
}

// acceptable refuses messages that the platform cannot show; the caller holds the lock.
func (s *Server) acceptable(kind, content string) *refusal {
	if code := s.c.Refuses[kind]; code != 0 {
		return refuse(code, "the content of the kind %s is refused", kind)
	}
	most := 30 << 10
	if kind == "text" {
		most = 150 << 10
	}
	if len(content) > most {
		return refuse(230025, "The length of the message content reaches its limit.")
	}
	var in map[string]any
	if json.Unmarshal([]byte(content), &in) != nil {
		s.complain("the content is not JSON: %.200s", content)
		return refuse(230001, "content is not a string in json format")
	}
	known := false
	switch kind {
	case "text":
		said, _ := in["text"].(string)
		known = said != ""
	case "post":
		known = len(in) > 0
	case "image":
		key, _ := in["image_key"].(string)
		known = s.files[key].Kind == "image"
	case "file", "audio", "media":
		key, _ := in["file_key"].(string)
		known = s.files[key].Kind == "file"
	case "interactive":
		return s.acceptableCard(in)
	}
	if !known {
		s.complain("a message of the kind %q is malformed: %.200s", kind, content)
		return refuse(230001, "Your request contains an invalid request parameter.")
	}
	return nil
}

// mine returns a message of the bot that can be changed.
func (s *Server) mine(c call) (*message, *refusal) {
	m := s.messages[c.PathValue("id")]
	switch {
	case m == nil:
		return nil, refuse(230001, "invalid message_id")
	case m.gone:
		return nil, refuse(230011, "The message is recalled.")
	case m.sender != BotID:
		return nil, refuse(230050, "The message is invisible to the operator.")
	}
	return m, nil
}

func (s *Server) patch(c call) (any, *refusal) {
	m, no := s.mine(c)
	if no != nil {
		return nil, no
	}
	var in struct {
		Content string `json:"content"`
	}
	if !c.in(&in) || m.kind != "interactive" {
		return nil, refuse(230001, "Your request contains an invalid request parameter: the message is NOT a card.")
	}
	if no := m.tooOften(); no != nil {
		return nil, no
	}
	if !strings.Contains(m.content, `"update_multi":true`) {
		return nil, refuse(230099, "the card is not shared")
	}
	return nil, s.changed(m, m.kind, in.Content)
}

func (s *Server) put(c call) (any, *refusal) {
	m, no := s.mine(c)
	if no != nil {
		return nil, no
	}
	var in outgoing
	if !c.in(&in) || (in.Kind != "text" && in.Kind != "post") || in.Kind != m.kind {
		return nil, refuse(230054, "This operation is not supported for this message type.")
	}
	return nil, s.changed(m, in.Kind, in.Content)
}

func (s *Server) changed(m *message, kind, content string) *refusal {
	if no := s.acceptable(kind, content); no != nil {
		return no
	}
	m.kind, m.content = kind, content
	m.edits++
	return nil
}

func (s *Server) remove(c call) (any, *refusal) {
	m, no := s.mine(c)
	if no != nil {
		return nil, no
	}
	m.gone = true
	return nil, nil
}

func (s *Server) react(c call) (any, *refusal) {
	m := s.messages[c.PathValue("id")]
	if m == nil || m.gone {
		return nil, refuse(231003, "The message is not found, is recalled or is invisible.")
	}
	var in struct {
		Type struct {
			Emoji string `json:"emoji_type"`
		} `json:"reaction_type"`
	}
	if !c.in(&in) || in.Type.Emoji == "" || strings.ContainsAny(in.Type.Emoji, " :") {
		return nil, refuse(231001, "reaction type is invalid.")
	}
	if !slices.Contains(m.reactions[in.Type.Emoji], BotID) {
		m.reactions[in.Type.Emoji] = append(m.reactions[in.Type.Emoji], BotID)
	}
	return map[string]string{"reaction_id": "r-" + m.id + "-" + in.Type.Emoji}, nil
}

// read returns a message, with the messages forwarded in it.
func (s *Server) read(c call) (any, *refusal) {
	m := s.messages[c.PathValue("id")]
	if m == nil {
		return nil, refuse(230001, "invalid message_id")
	}
	as := readAs(c.URL.Query())
	items := []map[string]any{s.stored(m, "", as)}
	for _, f := range m.forwarded {
		items = append(items, s.stored(f, m.id, as))
	}
	return map[string]any{"items": items}, nil
}

// list returns the messages of a thread, or those of a chat since a time, with only the first messages of its threads.
func (s *Server) list(c call) (any, *refusal) {
	q := c.URL.Query()
	thread := q.Get("container_id_type") == "thread"
	since, _ := strconv.ParseInt(q.Get("start_time"), 10, 64) // none: all
	most, _ := strconv.Atoi(q.Get("page_size"))
	from, _ := strconv.Atoi(q.Get("page_token"))
	if thread && since > 0 || most < 1 || most > 50 || q.Get("sort_type") != "ByCreateTimeDesc" {
		s.complain("messages are listed by %s", c.URL.RawQuery)
		return nil, refuse(230001, "Your request contains an invalid request parameter.")
	}
	if r := s.chats[q.Get("container_id")]; !thread && (r == nil || r.out) {
		return nil, refuse(230002, "Bot/User can NOT be out of the chat.")
	}
	var items []map[string]any
	for _, m := range slices.Backward(s.order) {
		within := thread && m.thread == q.Get("container_id") || !thread && m.chat == q.Get("container_id") && (m.thread == "" || m.parent == "")
		if within && m.at.Unix() >= since {
			items = append(items, s.stored(m, "", readAs(q)))
		}
	}
	from = min(from, len(items))
	to := min(from+most, len(items))
	return map[string]any{"items": items[from:to], "has_more": to < len(items), "page_token": strconv.Itoa(to)}, nil
}

// reading is how messages are requested: cards as they were sent, and with the names of senders. The latter is with_sender_name and
// sender_name of oapi-sdk-go v3.12, service/im/v1/model.go (GetMessageReqBuilder, ListMessageReqBuilder, Sender); the platform's pages
// do not have them.
type reading struct{ raw, names bool }

func readAs(q url.Values) reading {
	return reading{raw: q.Get("card_msg_content_type") == "user_card_content", names: q.Get("with_sender_name") == "true"}
}

// stored returns a fetched message. Cards of the second version cannot be read, unless they are requested as they were sent.
func (s *Server) stored(m *message, upper string, as reading) map[string]any {
	sender := map[string]string{"id": m.sender, "id_type": "open_id", "sender_type": "user"}
	if m.sender == BotID {
		sender = map[string]string{"id": s.AppID, "id_type": "app_id", "sender_type": "app"}
	}
	if as.names {
		if i := slices.IndexFunc(s.people, func(p Person) bool { return p.OpenID == m.sender }); i >= 0 {
			sender["sender_name"] = s.people[i].Name
		}
	}
	content := m.content
	if m.kind == "interactive" {
		content = `{"title":"","elements":[[{"tag":"text","text":"请升级至最新版本客户端，以查看内容"}]]}`
		if as.raw {
			content = text(map[string]string{"user_dsl": m.content})
		}
	}
	if m.kind == "file" { // sent by its key alone, and read with its name
		var in map[string]string
		if json.Unmarshal([]byte(content), &in) == nil {
			in["file_name"] = s.files[in["file_key"]].Name
			content = text(in)
		}
	}
	if m.gone {
		content = "This message was recalled"
	}
	var mentions []map[string]string
	for _, one := range m.mentions {
		mentions = append(mentions, map[string]string{"key": one.Key, "id": one.Person.OpenID, "id_type": "open_id", "name": one.Person.Name})
	}
	return map[string]any{
		"message_id": m.id, "upper_message_id": upper, "msg_type": m.kind, "chat_id": m.chat, "thread_id": m.thread, "parent_id": m.parent, "deleted": m.gone,
		"sender": sender, "body": map[string]string{"content": content}, "mentions": mentions, "create_time": millis(m.at),
	}
}
