package platform

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

const (
	// maxText limits the text of a user's message, in bytes.
	maxText = 256 << 10
	// maxName limits names, in characters.
	maxName = 200
	// maxKey limits the key of a file in the plugin, in bytes.
	maxKey = 2048
)

// accountRequest is a request of a plugin about an account.
type accountRequest struct {
	accountRef

	Message   incomingMessage `json:"message"`
	Connected bool            `json:"connected"` // channels/status
	Error     string          `json:"error"`
}

// incomingMessage is a message of a user.
type incomingMessage struct {
	ID        string        `json:"id"`
	Type      chat.ChatType `json:"type"` // direct or group
	Chat      string        `json:"chat"`
	Subject   string        `json:"subject"` // name of the group
	Thread    string        `json:"thread"`
	Sender    identity      `json:"sender"`
	Text      string        `json:"text"`
	Mentioned bool          `json:"mentioned"` // the bot is
	Answers   bool          `json:"answers"`   // it answers to a message of the bot
	ReplyTo   string        `json:"reply_to"`
	SentAt    time.Time     `json:"sent_at"`
	Seq       int64         `json:"seq"`
	Files     []file        `json:"files"`
}

type file struct {
	Kind string `json:"kind"` // image, audio, video or file
	Key  string `json:"key"`
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes
}

// Serve implements bridge.Peer: it answers once the message of a user is committed.
func (h *Hub) Serve(ctx context.Context, from bridge.Line, method string, params json.RawMessage) (any, error) {
	var in accountRequest
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, fault.Errorf(fault.Invalid, "the params of %s have not the form that they have to have", method)
	}
	s := h.session(address{in.Channel, in.Account})
	if s == nil || s.line != from {
		return nil, fault.Errorf(fault.Denied, "the account %s is not open in this process", tool.OneLine(channel.Name(in.Channel, in.Account), maxName))
	}
	if !slices.Contains([]string{"channels/status", "channels/receive", "channels/edited", "channels/recalled"}, method) {
		return nil, fault.Errorf(fault.NotFound, "there is no such method")
	}
	if err := s.pace.Wait(ctx); err != nil {
		return nil, fault.Limited(time.Second, "there are more messages than there is time for")
	}
	if method == "channels/status" {
		s.status(in)
		return struct{}{}, nil
	}
	e, err := s.envelope(in.Message)
	if err != nil {
		return nil, err
	}
	switch method {
	case "channels/edited":
		err = s.receiver.Edited(ctx, e)
	case "channels/recalled":
		err = s.receiver.Recalled(ctx, e)
	default:
		err = s.receiver.Receive(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	s.reporter.Report(channel.Status{Connected: true, Event: time.Now(), Lag: max(0, time.Since(e.SentAt))})
	return struct{}{}, nil
}

// status reports the status of the account that the plugin sends.
func (s *session) status(in accountRequest) {
	status := channel.Status{Connected: in.Connected}
	if !in.Connected {
		status.Err = errors.New(s.line.Clean(tool.OneLine("the plugin "+s.line.Plugin()+" says: "+line(in.Error), 2*maxName)))
	}
	s.report(status)
}

// envelope converts a message to the form of xbot. It returns Invalid if no platform of this form can have sent it.
func (s *session) envelope(m incomingMessage) (chat.Envelope, error) {
	ids := s.channel.IDs
	switch {
	case !plugin.IsName(m.ID):
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.id has to be 1 to %d bytes without control characters", plugin.MaxID)
	case !plugin.IsID(ids.Person, m.Sender.ID):
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.sender.id has not the form of ids.person")
	case m.Type == chat.ChatGroup && !plugin.IsID(ids.Group, m.Chat):
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.chat has not the form of ids.group")
	case m.Type == chat.ChatDirect && m.Chat != "" && !plugin.IsID(ids.Direct, m.Chat):
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.chat has not the form of ids.direct")
	case m.Type != chat.ChatGroup && m.Type != chat.ChatDirect:
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.type has to be direct or group")
	case m.Thread != "" && !plugin.IsName(m.Thread), m.ReplyTo != "" && !plugin.IsName(m.ReplyTo):
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.thread and message.reply_to have at most %d bytes without control characters", plugin.MaxID)
	case len(m.Text) > maxText || strings.ContainsRune(m.Text, 0):
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "message.text has at most %d bytes and no NUL", maxText)
	case len(m.Files) > chat.MaxAttachments:
		return chat.Envelope{}, fault.Errorf(fault.Invalid, "a message has at most %d files", chat.MaxAttachments)
	}
	now := time.Now()
	if m.SentAt.IsZero() || m.SentAt.After(now) || m.SentAt.Year() < 2000 {
		m.SentAt = now
	}
	e := chat.Envelope{
		ID: m.ID, Source: chat.Source{Channel: s.channel.Name, Account: s.account, ChatType: m.Type, Chat: m.Chat, Thread: m.Thread, Subject: line(m.Subject)},
		Parent: m.ReplyTo, Sender: chat.Peer{ID: m.Sender.ID, Name: line(m.Sender.Name)}, SentAt: m.SentAt, Seq: m.Seq, Text: m.Text,
		Mentioned: m.Mentioned && m.Type == chat.ChatGroup, Answers: m.Answers,
	}
	for _, f := range m.Files {
		if !slices.Contains([]string{"image", "audio", "video", "file"}, f.Kind) || f.Key == "" || len(f.Key) > maxKey || f.Size < 0 {
			return chat.Envelope{}, fault.Errorf(fault.Invalid, "a file has a kind (image, audio, video, file) and a key of at most %d bytes", maxKey)
		}
		if strings.ContainsFunc(f.Key, func(r rune) bool { return r < ' ' }) {
			return chat.Envelope{}, fault.Errorf(fault.Invalid, "the key of a file has a control character")
		}
		e.Attachments = append(e.Attachments, chat.Attachment{Kind: f.Kind, Key: f.Key, Name: line(f.Name), Size: f.Size})
	}
	return e, nil
}

// line returns a text of a plugin as a short line.
func line(text string) string {
	text = strings.TrimSpace(tool.OneLine(tool.Clean([]byte(text)), maxName))
	if !utf8.ValidString(text) {
		return ""
	}
	return text
}
