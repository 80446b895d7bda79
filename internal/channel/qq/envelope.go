package qq

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"mime"
	"path"
	"regexp"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
)

// envelope reads the event of a message. It returns false if there is nothing for a receiver in it.
func (a *Account) envelope(event string, raw json.RawMessage) (chat.Envelope, bool) {
	var m message
	if channel.Decode(raw, &m) != nil || clean(m.ID) == "" || m.Author.Bot {
		return chat.Envelope{}, false // bots do not talk to bots: two of them would never end
	}
	e := chat.Envelope{ID: clean(m.ID), Source: chat.Source{Channel: Name, Account: a.name}, Seq: m.Seq.int(), SentAt: moment(m.Timestamp)}
	if !place(&e, event, m) {
		return chat.Envelope{}, false
	}
	e.Sender.Name = clean(m.Author.Name)
	e.Mentioned = e.ChatType == chat.ChatDirect || event == "GROUP_AT_MESSAGE_CREATE" || event == "AT_MESSAGE_CREATE"
	for _, p := range m.Mentions {
		if a.is(p) {
			e.Mentioned = true
		} else if p.Scope == everybody {
			continue // it does not address the bot in particular
		} else if id := p.id(); id != "" && !p.Bot {
			e.Mentions = append(e.Mentions, chat.Peer{ID: clean(id), Name: clean(p.Name)})
		}
	}
	e.Text = a.text(m)
	e.Attachments = attachments(m.Attachments)
	a.quote(&e, m)
	return e, true
}

// place fills in the chat and the sender of a message. Ids of users differ between direct chats, groups and guilds.
func place(e *chat.Envelope, event string, m message) bool {
	switch event {
	case "C2C_MESSAGE_CREATE":
		e.ChatType, e.Sender.ID = chat.ChatDirect, clean(cmp.Or(m.Author.User, m.Author.ID))
		e.Chat = e.Sender.ID
	case "GROUP_AT_MESSAGE_CREATE", "GROUP_MESSAGE_CREATE":
		e.ChatType, e.Chat, e.Sender.ID = chat.ChatGroup, clean(m.Group), clean(cmp.Or(m.Author.Member, m.Author.ID))
	case "DIRECT_MESSAGE_CREATE", "DIRECT_MESSAGE_DELETE":
		e.ChatType, e.Chat, e.Sender.ID = chat.ChatDirect, guildDirectMark+clean(m.Guild), clean(m.Author.ID)
		e.Room, e.Space = clean(m.Channel), clean(m.Guild)
		return m.Guild != "" && e.Sender.ID != ""
	default:
		e.ChatType, e.Chat, e.Sender.ID = chat.ChatChannel, clean(m.Channel), clean(m.Author.ID)
		e.Room, e.Space = clean(m.Channel), clean(m.Guild)
	}
	return e.Chat != "" && e.Sender.ID != ""
}

// id returns the id that a user has in the place of the mention.
func (p person) id() string { return cmp.Or(p.Member, p.User, p.ID) }

// everybody is the scope of a mention of all.
const everybody = "all"

// is reports whether p is the bot.
func (a *Account) is(p person) bool {
	if p.Scope == everybody {
		return false
	}
	self := a.self.Load()
	return p.You || self != nil && self.ID != "" && p.ID == self.ID
}

// wrote reports whether the bot is the author of a quoted message, who may have no more than a name.
func (a *Account) wrote(p person) bool {
	self := a.self.Load()
	return a.is(p) || p.Bot && p.id() == "" && self != nil && self.Name != "" && p.Name == self.Name
}

var (
	// mark is a user mentioned in a text: <@ID> or <qqbot-at-user id="ID" /> in groups, <@!ID> in guilds.
	mark = regexp.MustCompile(`<@!?([^<>\s]+)>|<qqbot-at-user\s+id="([^"<>]+)"\s*/>`)
	// allMark is a mention of all in a text.
	allMark = regexp.MustCompile(`<qqbot-at-everyone\s*/>`)
	// face is an emoji of QQ. ext is JSON in Base64 that has its name.
	face = regexp.MustCompile(`<faceType=\d+,\s*faceId="[^"]*",\s*ext="([^"]*)">`)
)

// text returns the message text without the mention of the bot, with names for mentions, names for emoji, and the words of
// voice messages as QQ has understood them.
func (a *Account) text(m message) string {
	names := map[string]string{}
	for _, p := range m.Mentions {
		for _, id := range []string{p.ID, p.User, p.Member} {
			if id == "" {
				continue
			}
			if names[id] = "@" + p.Name; a.is(p) || p.Name == "" {
				names[id] = ""
			}
		}
	}
	if self := a.self.Load(); self != nil && self.ID != "" {
		names[self.ID] = ""
	}
	text := mark.ReplaceAllStringFunc(m.Content, func(found string) string {
		ids := mark.FindStringSubmatch(found)
		name, known := names[ids[1]+ids[2]] // one of them
		if !known {
			return found
		}
		return name
	})
	text = allMark.ReplaceAllString(text, "@全体成员")
	text = face.ReplaceAllStringFunc(text, func(found string) string { return faceName(face.FindStringSubmatch(found)[1]) })
	if m.Guild != "" {
		text = html.UnescapeString(text) // guilds write <, > and & as entities
	}
	if text = strings.TrimSpace(clean(text)); text == "" && m.Card != nil {
		text = strings.TrimSpace(clean(m.Card.Prompt))
	}
	for _, f := range m.Attachments {
		if said := strings.TrimSpace(clean(f.Said)); said != "" {
			text = strings.TrimSpace(text + "\n" + said)
		}
	}
	return text
}

func faceName(ext string) string {
	raw, err := base64.StdEncoding.DecodeString(ext)
	var named struct {
		Text string `json:"text"`
	}
	if err != nil || json.Unmarshal(raw, &named) != nil || named.Text == "" {
		return ""
	}
	return "[" + strings.Trim(named.Text, "[]/") + "]"
}

// quote adds the message that is answered, with its files. In groups and direct chats QQ sends its content along, not its id:
// the number it gives is a separate one, which answers carry as well. Guilds send an id alone, which bots may not look up.
func (a *Account) quote(e *chat.Envelope, m message) {
	e.Parent = clean(m.Reference.ID)
	for _, x := range m.Scene.Ext {
		if id, ok := strings.CutPrefix(x, "ref_msg_idx="); ok && e.Parent == "" {
			e.Parent = clean(id)
		}
	}
	q, found := m.quoted(e.Parent)
	if !found {
		if e.Parent != "" {
			e.Quote = &chat.Quote{Text: chat.Unread}
		}
		return
	}
	text := q.Content
	if text == "" && q.Card != nil {
		text = q.Card.Prompt
	}
	text = a.text(message{Content: text, Attachments: q.Attachments, Mentions: m.Mentions})
	e.Answers = a.wrote(q.Author)
	files := attachments(q.Attachments)
	if text == "" && len(files) == 0 {
		text = chat.Unread // such as a forwarded conversation
	}
	if text != "" {
		e.Quote = &chat.Quote{Sender: chat.Peer{ID: clean(q.Author.id()), Name: clean(q.Author.Name)}, Text: text}
	}
	e.Attachments = append(e.Attachments, chat.Quoted(cmp.Or(e.Parent, "unknown"), files)...)
}

// typeQuote is the message_type of a message that quotes another one.
const typeQuote = 103

// quoted returns the element that is answered: the one with the number that the message refers to. Elements without numbers are the quoted
// message if the message is a quote; all others were written in the group before (mention_and_context).
func (m message) quoted(number string) (element, bool) {
	for _, q := range m.Elements {
		if q.Index != "" && clean(q.Index) == number {
			return q, true
		}
	}
	if len(m.Elements) > 0 && m.Elements[0].Index == "" && (number != "" || m.Type.int() == typeQuote) {
		return m.Elements[0], true
	}
	return element{}, false
}

// attachment is a file in a message.
type attachment struct {
	Type string `json:"content_type"`
	Name string `json:"filename"`
	Size loose  `json:"size"`
	URL  string `json:"url"`
	Wave string `json:"voice_wav_url"`  // the voice as WAV; URL has it as SILK
	Said string `json:"asr_refer_text"` // the voice as text
}

func attachments(files []attachment) []chat.Attachment {
	var all []chat.Attachment
	for _, f := range files {
		at := cmp.Or(f.Wave, f.URL)
		if at == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(at, "//"); ok {
			at = "https://" + rest
		} else if !strings.Contains(at, "://") {
			at = "https://" + at // guilds leave the scheme out
		}
		all = append(all, chat.Attachment{Kind: f.kind(), Key: clean(at), Name: baseName(f.Name), Size: max(0, f.Size.int())})
	}
	return all
}

// baseName returns the name of a file, without folders of its sender.
func baseName(name string) string {
	name = clean(name)
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

func (f attachment) kind() string {
	main, _, _ := strings.Cut(f.Type, "/")
	if main == "" {
		main, _, _ = strings.Cut(mime.TypeByExtension(path.Ext(f.Name)), "/")
	}
	switch main {
	case "image", "video", "audio":
		return main
	case "voice":
		return "audio"
	}
	return "file"
}

// moment reads the platform's time; zero when it is none.
func moment(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// clean drops what no database takes: NUL, and bytes that are not UTF-8.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// recalled reads the event of a message that was taken back. Only guilds send it.
func (a *Account) recalled(event string, raw json.RawMessage) (chat.Envelope, bool) {
	var d struct {
		Message message `json:"message"`
	}
	if channel.Decode(raw, &d) != nil || clean(d.Message.ID) == "" || d.Message.Author.Bot {
		return chat.Envelope{}, false
	}
	e := chat.Envelope{ID: clean(d.Message.ID), Source: chat.Source{Channel: Name, Account: a.name}}
	ok := place(&e, event, d.Message)
	return e, ok
}
