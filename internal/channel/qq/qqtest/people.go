package qqtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// Scenes, as Incoming and Message name them.
const (
	Direct      = "users"
	Group       = "groups"
	Guild       = "channels"
	GuildDirect = "dms"
)

// Intents of the scenes.
const (
	intentGuildAll    = 1 << 9
	intentGuildDirect = 1 << 12
	intentGroup       = 1 << 25
	intentInteraction = 1 << 26
	intentGuildPublic = 1 << 30
)

// GuildID is the guild of all channels.
const GuildID = "GUILD0"

// Incoming is a message of a person.
type Incoming struct {
	Scene   string
	Chat    string // group, channel, or guild of a private message; not used for Direct
	From    Person
	Text    string
	Mention bool
	Others  []Person // users mentioned besides the bot, as @name in the text
	Files   []File
	Answers string   // id of a message
	All     bool     // it mentions all users, as @全体成员 before the text
	Context []string // what others wrote in the group before, where the group sends that along (mention_and_context)
	At      time.Time
}

// File is a file that a user sends or sees.
type File struct {
	Kind  string // image, video, voice or file
	Name  string
	Data  []byte
	Words string // of a voice, as the platform has understood it
}

// Write lets a person write and returns the id of the message.
func (s *Server) Write(in Incoming) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("ROBOT1.0_%d_%s!", s.next(), random())
	if in.At.IsZero() {
		in.At = s.now()
	}
	chat := in.Chat
	if in.Scene == Direct {
		chat = in.From.ID
	}
	s.incoming[id] = &told{scene: in.Scene, chat: chat, at: s.now(), text: in.Text, from: in.From, files: in.Files}
	kind, intent := in.kind(s.config.Overhear)
	if kind == "" {
		return id // the bot does not get it
	}
	data, err := json.Marshal(s.payload(id, kind, in))
	if err != nil {
		panic(err) // maps of strings always encode
	}
	s.emit(event{kind: kind, id: kind + ":" + random(), about: id, intent: intent, data: data})
	return id
}

func (in Incoming) kind(overhear bool) (string, int) {
	switch in.Scene {
	case Direct:
		return "C2C_MESSAGE_CREATE", intentGroup
	case GuildDirect:
		return "DIRECT_MESSAGE_CREATE", intentGuildDirect
	case Guild:
		if in.Mention {
			return "AT_MESSAGE_CREATE", intentGuildPublic | intentGuildAll
		}
		return "MESSAGE_CREATE", intentGuildAll
	}
	switch {
	case overhear:
		return "GROUP_MESSAGE_CREATE", intentGroup
	case in.Mention:
		return "GROUP_AT_MESSAGE_CREATE", intentGroup
	}
	return "", 0
}

// payload returns the message as its event shows it; mu is held.
func (s *Server) payload(id, kind string, in Incoming) map[string]any {
	d := map[string]any{"id": id, "content": s.content(kind, in), "timestamp": in.At.Format(time.RFC3339)}
	switch in.Scene {
	case Direct:
		d["author"] = map[string]any{"id": in.From.ID, "user_openid": in.From.ID, "username": in.From.Name}
	case Group:
		d["author"] = map[string]any{"id": in.From.ID, "member_openid": in.From.ID, "username": in.From.Name}
		d["group_openid"] = in.Chat
	case Guild:
		d["author"] = map[string]any{"id": in.From.ID, "username": in.From.Name, "bot": false}
		d["guild_id"], d["channel_id"], d["seq"] = GuildID, in.Chat, s.next()
	case GuildDirect:
		d["author"] = map[string]any{"id": in.From.ID, "username": in.From.Name, "bot": false}
		d["guild_id"], d["channel_id"] = in.Chat, "C"+in.Chat
	}
	var mentions []map[string]any
	if in.Mention && kind != "GROUP_AT_MESSAGE_CREATE" {
		mentions = append(mentions, map[string]any{"id": s.config.Bot.ID, "username": s.config.Bot.Name, "bot": true, "is_you": true})
	}
	if in.All { // the shape of nonebot/adapter-qq, GroupMentionEveryone
		mentions = append(mentions, map[string]any{"scope": "all", "is_you": true, "username": "全体成员"})
	}
	for _, p := range in.Others {
		mentions = append(mentions, map[string]any{"id": p.ID, "member_openid": p.ID, "username": p.Name})
	}
	files := s.offers(in.Files)
	if mentions != nil {
		d["mentions"] = mentions
	}
	if files != nil {
		d["attachments"] = files
	}
	s.quote(d, in)
	return d
}

// content returns the text as the platform writes it, with the marks of mentioned users.
func (s *Server) content(kind string, in Incoming) string {
	mark := func(p Person) string {
		if in.Scene == Guild {
			return "<@!" + p.ID + ">"
		}
		return "<@" + p.ID + ">"
	}
	text := in.Text
	for _, p := range in.Others {
		text = strings.ReplaceAll(text, "@"+p.Name, mark(p))
	}
	switch {
	case kind == "GROUP_AT_MESSAGE_CREATE":
		return " " + text // the mention is cut, the space behind it stays
	case in.Mention:
		return mark(s.config.Bot) + " " + text
	case in.All:
		return "<qqbot-at-everyone /> " + text
	}
	return text
}

// offers puts files where the bot can fetch them; mu is held.
func (s *Server) offers(all []File) (out []map[string]any) {
	for _, f := range all {
		out = append(out, s.offered(f))
	}
	return out
}

// offered puts a file where the bot can fetch it; mu is held.
func (s *Server) offered(f File) map[string]any {
	name := fmt.Sprintf("%d-%s", s.next(), path.Base("/"+f.Name))
	s.files[name] = f
	types := map[string]string{"image": "image/png", "video": "video/mp4", "voice": "voice", "audio": "voice", "file": "file"}
	d := map[string]any{"content_type": types[f.Kind], "filename": f.Name, "size": len(f.Data), "url": s.url + "/files/" + url.PathEscape(name)}
	if types[f.Kind] == "voice" {
		d["voice_wav_url"], d["asr_refer_text"] = d["url"], f.Words
	}
	return d
}

// quote adds the message that is answered, and what was written before; mu is held. The author of a quoted message has no id
// (nonebot/adapter-qq, models/qq.py: QQReplyMessage, _ReplyAuthor).
func (s *Server) quote(d map[string]any, in Incoming) {
	elements := []map[string]any{}
	for _, said := range in.Context {
		elements = append(elements, map[string]any{
			"msg_idx": "REFIDX_" + random(), "content": said, "author": map[string]any{"username": "somebody", "bot": false}, "message_type": 0,
		})
	}
	ext := []string{"msg_idx=REFIDX_" + random()}
	if in.Answers != "" {
		text, author, files := s.said(in.Answers)
		if in.Scene == Guild || in.Scene == GuildDirect {
			d["message_reference"] = map[string]any{"message_id": in.Answers}
			return
		}
		d["message_type"] = 103
		ext = append(ext, "ref_msg_idx=REFIDX_"+in.Answers)
		elements = append(elements, map[string]any{"msg_idx": "REFIDX_" + in.Answers, "content": text, "author": author, "message_type": 0, "attachments": files})
	}
	if len(elements) > 0 {
		d["message_scene"] = map[string]any{"source": "default", "ext": ext}
		d["msg_elements"] = elements
	}
}

// said returns a message of a user or of the bot, as an element of another message shows it; mu is held.
func (s *Server) said(id string) (text string, author map[string]any, files []map[string]any) {
	if t, ok := s.incoming[id]; ok {
		return t.text, map[string]any{"username": t.from.Name, "bot": false}, s.offers(t.files)
	}
	for _, m := range s.messages {
		if m.ID == id {
			return m.Text, map[string]any{"username": s.config.Bot.Name, "bot": true}, nil
		}
	}
	return "", map[string]any{}, nil
}

// Recall takes a message of a user back. Only guilds notify the bot.
func (s *Server) Recall(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.incoming[id]
	if !ok || t.scene != Guild && t.scene != GuildDirect {
		return
	}
	kind, intent := "PUBLIC_MESSAGE_DELETE", intentGuildPublic|intentGuildAll
	m := map[string]any{"id": id, "author": map[string]any{"id": t.from.ID}, "guild_id": GuildID, "channel_id": t.chat}
	if t.scene == GuildDirect {
		kind, intent, m["guild_id"], m["channel_id"] = "DIRECT_MESSAGE_DELETE", intentGuildDirect, t.chat, "C"+t.chat
	}
	data, err := json.Marshal(map[string]any{"message": m, "op_user": map[string]any{"id": t.from.ID}})
	if err != nil {
		panic(err) // maps of strings always encode
	}
	s.emit(event{kind: kind, id: random(), intent: intent, data: data})
}

// Press presses a button of a message and returns the code that the bot has answered with within the time that clients
// wait; -1: none.
func (s *Server) Press(who Person, message, label string, patience time.Duration) int {
	s.mu.Lock()
	m, b := s.button(message, label)
	if m == nil {
		s.mu.Unlock()
		return -1
	}
	id := random()
	d := map[string]any{"id": id, "type": 11, "version": 1, "data": map[string]any{
		"type": 11, "resolved": map[string]any{"button_data": b.Data, "button_id": b.ID, "user_id": who.ID, "message_id": message},
	}}
	switch m.Scene {
	case Direct:
		d["scene"], d["chat_type"], d["user_openid"] = "c2c", 2, who.ID
	case Group:
		d["scene"], d["chat_type"], d["group_openid"], d["group_member_openid"] = "group", 1, m.Chat, who.ID
	default:
		d["scene"], d["chat_type"], d["guild_id"], d["channel_id"] = "guild", 0, GuildID, m.Chat
	}
	data, err := json.Marshal(d)
	if err != nil {
		panic(err) // maps of strings always encode
	}
	told := make(chan int, 1)
	s.presses[id] = told
	s.emit(event{kind: "INTERACTION_CREATE", id: "INTERACTION_CREATE:" + id, intent: intentInteraction, data: data})
	s.mu.Unlock()
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case code := <-told:
		return code
	case <-t.C:
		return -1
	}
}

// button finds a button that can be pressed, and greys its group; mu is held.
func (s *Server) button(message, label string) (*Message, Button) {
	for _, m := range s.messages {
		if m.ID != message {
			continue
		}
		for _, b := range m.Buttons {
			if b.Label == label && !m.Pressed {
				m.Pressed = true
				return m, b
			}
		}
	}
	return nil, Button{}
}

func (s *Server) settlePress(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Code *int `json:"code"`
	}
	err := json.NewDecoder(r.Body).Decode(&ask)
	s.mu.Lock()
	defer s.mu.Unlock()
	told, ok := s.presses[r.PathValue("id")]
	switch {
	case err != nil || ask.Code == nil || *ask.Code < 0 || *ask.Code > 5:
		s.breaks("an interaction was settled without a code")
		refuse(w, http.StatusBadRequest, 12002, "request invalid")
	case !ok:
		s.breaks("an interaction was settled that does not wait")
		refuse(w, http.StatusBadRequest, 630001, "invalid")
	default:
		select {
		case told <- *ask.Code:
		default: // the first answer counts
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *Server) giveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f, ok := s.files[r.PathValue("name")]
	s.mu.Unlock()
	if r.Header.Get("Authorization") != "" {
		s.mu.Lock()
		s.breaks("the token was shown to the store of files")
		s.mu.Unlock()
	}
	if !ok {
		http.Error(w, "expired", http.StatusNotFound)
		return
	}
	_, _ = w.Write(f.Data) // a disconnected client reads nothing
}

// Expire invalidates the links of all files.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.files)
}
