package onebot

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// uploadSpeed is the speed of a slow line of NapCat, in bytes a second: a send may take as much longer for a file.
const uploadSpeed = 128 << 10

// timeWait bounds the question for a message's time after it was sent.
const timeWait = 5 * time.Second

// Send sends one message. It is not idempotent: after an uncertain error the history shows the outcome (Find).
func (a *account) Send(ctx context.Context, to channel.Address, m channel.Message) (channel.Sent, error) {
	parts, err := a.compose(to, m)
	if err != nil {
		return channel.Sent{}, err
	}
	place, err := placeOf(to)
	if err != nil {
		return channel.Sent{}, err
	}
	action, p := target(to)
	p["message"] = parts
	if !a.pace.waited(time.Now()) {
		if err := a.pace.wait(ctx); err != nil {
			return channel.Sent{}, err
		}
	}
	var sent channel.Sent
	err = a.with(ctx, func(c *conn) error {
		sent, err = a.send(ctx, c, action, p, place, sendTime(m))
		return err
	})
	if fault.Is(err, fault.RateLimited) {
		a.pace.slow()
	}
	return sent, err
}

// sendTime returns how long a message may take.
func sendTime(m channel.Message) time.Duration {
	if m.File == nil {
		return sendWait
	}
	return sendWait + time.Duration(len(m.File.Data)/uploadSpeed)*time.Second
}

// Pace waits for the turn of the next message, if there is a connection or can be one.
func (a *account) Pace(ctx context.Context) error {
	if a.linked() == nil && a.dial == nil {
		return errNotLinked
	}
	if err := a.pace.wait(ctx); err != nil {
		return err
	}
	a.pace.grant(time.Now().Add(grantHolds))
	return nil
}

func (a *account) send(ctx context.Context, c *conn, action string, p params, place string, limit time.Duration) (channel.Sent, error) {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	got, err := c.do(within, action, p, nil)
	if err != nil {
		return channel.Sent{}, err
	}
	if err := got.Refused(action, true); err != nil {
		return channel.Sent{}, err
	}
	var data struct {
		MessageID wire.Number `json:"message_id"`
	}
	if json.Unmarshal(got.Data, &data) != nil || data.MessageID == "" || data.MessageID == "0" {
		return channel.Sent{At: time.Now()}, nil // it was sent, but has no id
	}
	at := a.sentAt(ctx, c, data.MessageID)
	id := messageID(place, data.MessageID, wire.Seconds(at.Unix()))
	a.met.put(place, data.MessageID, metEntry{id: id, self: true})
	return channel.Sent{ID: id, At: at}, nil
}

// sentAt asks for the time of a message, which is part of its id; if NapCat gives none, it is the local time.
func (a *account) sentAt(ctx context.Context, c *conn, id wire.Number) time.Time {
	ctx, cancel := context.WithTimeout(ctx, timeWait)
	defer cancel()
	var m event
	if err := c.ask(ctx, "get_msg", params{"message_id": id.Param()}, &m); err != nil || m.Time == 0 {
		return time.Now().Truncate(time.Second)
	}
	return m.Time.Time()
}

// placeOf names the chat of a place as event.place does.
func placeOf(to channel.Address) (string, error) {
	switch {
	case to.ChatType == chat.ChatGroup && wire.NumberForm.MatchString(to.Chat):
		return "g" + to.Chat, nil
	case to.ChatType == chat.ChatDirect && wire.NumberForm.MatchString(to.Peer):
		return "p" + to.Peer, nil
	}
	return "", fault.Errorf(fault.Invalid, "NapCat writes to groups and people by their QQ numbers; this place has none")
}

// target returns the action that writes to a place, and its parameters but the message.
func target(to channel.Address) (string, params) {
	if to.ChatType == chat.ChatGroup {
		return "send_group_msg", params{"group_id": to.Chat}
	}
	p := params{"user_id": to.Peer}
	if group, ok := strings.CutPrefix(to.Chat, via); ok {
		p["group_id"] = group
	}
	return "send_private_msg", p
}

// compose makes segments of a message.
func (a *account) compose(to channel.Address, m channel.Message) ([]wire.Segment, error) {
	var parts []wire.Segment
	if ref, ok := parseID(to.ReplyTo); ok && !m.Follows && (m.File == nil || kindOf(m.File) == "image") {
		parts = append(parts, wire.Segment{Type: "reply", Data: wire.Attributes{"id": string(ref.id)}}) // other files are alone in a message
	}
	switch {
	case m.File != nil:
		f, err := upload(m.File)
		return append(parts, f), err
	case m.Card != nil:
		return spoken(parts, to, format.Question(m.Card), m.Mentions)
	case strings.TrimSpace(m.Text) != "":
		return spoken(parts, to, format.Plain(m.Text), m.Mentions)
	}
	return nil, fault.Errorf(fault.Invalid, "there is nothing in the message")
}

// spoken adds a text, unless QQ would cut it.
func spoken(parts []wire.Segment, to channel.Address, t string, mentions map[string]string) ([]wire.Segment, error) {
	if n := utf8.RuneCountInString(t); n > maxShown {
		return nil, fault.Errorf(fault.TooLarge, "the text has %d characters; QQ shows %d of a message, so split it", n, maxShown)
	}
	return append(parts, splitMentions(to, t, mentions)...), nil
}

// splitMentions splits a text at the names that it mentions. In direct chats there is no other user to mention.
func splitMentions(to channel.Address, t string, mentions map[string]string) []wire.Segment {
	t = strings.ReplaceAll(t, stop, "")
	if to.ChatType == chat.ChatGroup {
		t = format.Mentions(channel.Plain, t, mentions, func(id, name string) string {
			if !wire.NumberForm.MatchString(id) {
				return "@" + name
			}
			return stop + id + stop
		})
	}
	var out []wire.Segment
	for i, part := range strings.Split(t, stop) {
		switch {
		case i%2 == 1:
			out = append(out, wire.Segment{Type: "at", Data: wire.Attributes{"qq": part}})
		case part != "":
			out = append(out, wire.Segment{Type: "text", Data: wire.Attributes{"text": part}})
		}
	}
	return out
}

// stop encloses the numbers of mentioned users while a text is split; no message may hold it.
const stop = "\x00"

// kindOf returns the segment that shows a file best. A format that QQ does not show is a file.
func kindOf(f *channel.File) string {
	kind, _, _ := strings.Cut(strings.ToLower(f.Type), ";")
	switch strings.TrimSpace(kind) {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
		return "image"
	case "audio/amr", "audio/silk", "audio/ogg", "audio/opus":
		return "record"
	case "video/mp4":
		return "video"
	}
	return "file"
}

func upload(f *channel.File) (wire.Segment, error) {
	switch {
	case len(f.Data) == 0:
		return wire.Segment{}, fault.Errorf(fault.Invalid, "%s is empty; QQ takes no empty files", cmp.Or(f.Name, "the file"))
	case len(f.Data) > maxFile:
		return wire.Segment{}, fault.Errorf(fault.TooLarge, "%s has %d bytes; NapCat takes at most %d", cmp.Or(f.Name, "the file"), len(f.Data), maxFile)
	}
	name := path.Base("/" + strings.ReplaceAll(f.Name, `\`, "/"))
	if name == "/" {
		name = "file"
	}
	return wire.Segment{Type: kindOf(f), Data: wire.Attributes{"file": "base64://" + base64.StdEncoding.EncodeToString(f.Data), "name": name}}, nil
}

// pace enforces the pause between messages of this process.
type pace struct {
	mu     sync.Mutex
	pause  time.Duration
	next   time.Time
	grants []time.Time // until when messages that have waited may leave
}

// grantHolds is how long a message that has waited may take to leave: its sender records it first. A later one is taken for lost
// with its process.
const grantHolds = 15 * time.Second

func (p *pace) grant(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grants = append(p.grants, until)
}

// waited reports whether a message has waited before, and uses up its grant.
func (p *pace) waited(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.grants) > 0 {
		until := p.grants[0]
		p.grants = p.grants[1:]
		if now.Before(until) {
			return true
		}
	}
	return false
}

// slowDown is how long nothing is sent after QQ has asked for fewer messages.
const slowDown = 10 * time.Second

func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	now := time.Now()
	at := now
	if p.next.After(at) {
		at = p.next
	}
	p.next = at.Add(p.pause)
	p.mu.Unlock()
	if d := at.Sub(now); d > 0 && !channel.Rest(ctx, d) {
		return fault.Errorf(fault.Unavailable, "wait for the turn to send: %w", context.Cause(ctx))
	}
	return nil
}

func (p *pace) slow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := time.Now().Add(slowDown); at.After(p.next) && p.pause > 0 {
		p.next = at
	}
}
