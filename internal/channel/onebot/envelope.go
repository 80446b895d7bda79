package onebot

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
)

// Bounds of an envelope.
const (
	maxName  = 200    // bytes of a name
	maxRead  = 60_000 // bytes of a text; only forwarded messages get there
	maxQuote = 2_000  // bytes of a quoted text
	maxFiles = 20     // attachments
	nameWait = 5 * time.Second
)

// bare returns the envelope of an event without its content.
func (in *intake) bare(ctx context.Context, e *event) chat.Envelope {
	kind, where := e.chatOf()
	out := chat.Envelope{
		Source: chat.Source{Channel: Name, Account: in.name, ChatType: kind, Chat: where},
		Sender: chat.Peer{ID: string(e.UserID), Name: in.senderName(ctx, e)}, SentAt: e.Time.Time(),
	}
	out.Seq, _ = strconv.ParseInt(string(e.RealSeq), 10, 64) // 0 if there is none
	if kind == chat.ChatGroup {
		out.Subject = in.groupName(ctx, e)
	}
	return out
}

// envelope turns a message into an envelope. It returns none for a message without content.
func (in *intake) envelope(ctx context.Context, e *event) (chat.Envelope, bool) {
	out := in.bare(ctx, e)
	out.ID = messageID(e.place(), e.MessageID, e.Time)
	in.met.put(e.place(), e.MessageID, metEntry{id: out.ID, sender: out.Sender.Name})
	segments := wire.ParseMessage(e.Message)
	if in.announcedFile(e, segments) {
		return out, false
	}
	r := &reader{account: in.account, group: string(e.GroupID), mentions: e.group(), messages: maxForwarded}
	r.read(ctx, segments, 0)
	out.Text, out.Mentioned, out.Mentions, out.Attachments = r.text(), r.mentioned, r.others, r.files
	if r.reply != "" {
		in.quote(ctx, e, r, &out)
	}
	return out, out.Text != "" || out.Mentioned || out.Quote != nil || len(out.Attachments) > 0
}

// announcedFile reports whether a message is a file in a group that a notice has announced already.
func (in *intake) announcedFile(e *event, segments []wire.Segment) bool {
	if !e.group() || len(segments) != 1 || segments[0].Type != "file" {
		return false
	}
	d := segments[0].Data
	return in.met.twin(fileKey(e, cmp.Or(d["name"], d["file"]), strconv.FormatInt(d.Size(), 10)), e.Time.Time(), false)
}

// quote adds the message that this one answers to, with its files.
func (in *intake) quote(ctx context.Context, e *event, r *reader, out *chat.Envelope) {
	if known, ok := in.met.get(e.place(), r.reply); ok {
		out.Parent, out.Answers = known.id, known.self
	}
	m, err := in.message(ctx, r.reply)
	if err != nil { // too old for NapCat; newer versions send the text along
		out.Quote = &chat.Quote{Text: cmp.Or(cut(clean(r.replied), maxQuote), chat.Unread)}
		return
	}
	if m.Time > 0 {
		out.Parent = messageID(e.place(), r.reply, m.Time)
	}
	by := cmp.Or(m.Sender.UserID, m.UserID)
	out.Answers = by != "" && by == in.who()
	q := &reader{account: in.account, group: string(e.GroupID), mentions: e.group(), messages: maxForwarded}
	q.read(ctx, wire.ParseMessage(m.Message), 1)
	said := q.text()
	if said == "" && len(q.files) > 0 {
		said = placeholder(q.files[0])
	}
	out.Quote = &chat.Quote{
		Sender: chat.Peer{ID: string(by), Name: cleanName(cmp.Or(m.Sender.Card, m.Sender.Nickname))},
		Text:   cut(said, maxQuote),
	}
	out.Attachments = append(out.Attachments, chat.Quoted(cmp.Or(out.Parent, string(r.reply)), q.files)...)
}

// senderName returns the name of the sender, in a group the name there.
func (a *account) senderName(ctx context.Context, e *event) string {
	name := cleanName(cmp.Or(strings.TrimSpace(e.Sender.Card), e.Sender.Nickname))
	if !e.group() {
		return name
	}
	if name == "" {
		return a.member(ctx, string(e.GroupID), e.UserID)
	}
	a.named("m/"+string(e.GroupID)+"/"+string(e.UserID), name)
	return name
}

// member returns the name of a member in a group, empty if it is unknown.
func (a *account) member(ctx context.Context, group string, user wire.Number) string {
	return a.lookup(ctx, "m/"+group+"/"+string(user), "get_group_member_info", params{"group_id": wire.Number(group).Param(), "user_id": user.Param(), "no_cache": false}, "card", "nickname")
}

// groupName returns the name of a group, empty if it is unknown. Newer versions of NapCat send it with every message.
func (a *account) groupName(ctx context.Context, e *event) string {
	key := "g/" + string(e.GroupID)
	if e.GroupName != "" {
		name := cleanName(e.GroupName)
		a.named(key, name)
		return name
	}
	return a.lookup(ctx, key, "get_group_info", params{"group_id": e.GroupID.Param(), "no_cache": false}, "group_name")
}

// lookup returns the name remembered under a key, else the first of these fields in the answer to an action. An error counts as no name: the
// number then identifies the member or the group.
func (a *account) lookup(ctx context.Context, key, action string, p params, fields ...string) string {
	if name, ok := a.names.Get(key); ok {
		return name
	}
	ctx, cancel := context.WithTimeout(ctx, nameWait)
	defer cancel()
	var got map[string]wire.Text
	name := ""
	if a.ask(ctx, action, p, &got) == nil {
		for _, field := range fields {
			name = cmp.Or(name, cleanName(string(got[field])))
		}
	}
	a.named(key, name)
	return name
}

// clean removes characters that no text may hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 0 || r == utf8.RuneError {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// cleanName makes one short line of a name: users put marks of direction and line breaks into theirs.
func cleanName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, s)
	return cut(strings.TrimSpace(s), maxName)
}

// cut shortens a text to a number of bytes, at the end of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:most-len("…")]
	for s != "" && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return strings.ToValidUTF8(s, "") + "…"
}
