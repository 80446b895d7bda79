package gateway

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/session"
)

// channelForm matches the names of channels.
var channelForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// ownChannels are the channels on which users sign in: no platform speaks for them there.
var ownChannels = []string{"web", "cli", "api", "openai", "openai-user"}

const (
	// maxEnvelopeID bounds every id of an envelope, in bytes.
	maxEnvelopeID = 256
	// maxEnvelopeName bounds every name of an envelope, in bytes.
	maxEnvelopeName = 512
)

// validate checks an envelope and fills in omitted fields. Older clients write group:<id> for the id of a group.
func validate(e chat.Envelope, now time.Time) (chat.Envelope, error) {
	if id, ok := strings.CutPrefix(e.Chat, "group:"); ok && (e.ChatType == "" || e.ChatType == chat.ChatGroup) {
		e.ChatType, e.Chat = chat.ChatGroup, id
	}
	if e.ChatType == "" {
		e.ChatType = chat.ChatDirect
	}
	if e.Account == session.DefaultAccount {
		e.Account = "" // they are the same bot
	}
	if e.SentAt.IsZero() || e.SentAt.After(now) {
		e.SentAt = now
	}
	if !channelForm.MatchString(e.Channel) || slices.Contains(ownChannels, e.Channel) {
		return e, fault.Errorf(fault.Invalid, "a channel is named by at most 32 lower-case letters, digits, - and _; %s are the server's own", strings.Join(ownChannels, ", "))
	}
	switch e.ChatType {
	case chat.ChatDirect:
	case chat.ChatGroup, chat.ChatChannel:
		if e.Chat == "" {
			return e, fault.Errorf(fault.Invalid, "chat must be the id of the %s", e.ChatType)
		}
	default:
		return e, fault.Errorf(fault.Invalid, "chat_type must be direct, group or channel; a thread is given with its chat")
	}
	return e, checkEnvelope(e)
}

func checkEnvelope(e chat.Envelope) error {
	switch {
	case e.ID == "":
		return fault.Errorf(fault.Invalid, "id must be the platform's id of the message")
	case e.Sender.ID == "":
		return fault.Errorf(fault.Invalid, "sender.id must be the platform's id of who wrote")
	}
	before, after := contextOf(e)
	if size := len(before) + len(e.Text) + len(after); size > intake.MaxTextBytes {
		return fault.Errorf(fault.TooLarge, "the message has %d bytes; at most %d are accepted", size, intake.MaxTextBytes)
	}
	for name, id := range map[string]string{
		"id": e.ID, "account": e.Account, "chat": e.Chat, "thread": e.Thread, "root": e.Root, "parent": e.Parent, "sender.id": e.Sender.ID,
		"sender.union_id": e.Sender.Union, "sender.member_id": e.Sender.Member,
	} {
		if len(id) > maxEnvelopeID || chat.Clean(id) != id {
			return fault.Errorf(fault.Invalid, "%s must have at most %d bytes of UTF-8 without NUL", name, maxEnvelopeID)
		}
	}
	for name, text := range map[string]string{"sender.name": e.Sender.Name, "subject": e.Subject, "room": e.Room, "space": e.Space} {
		if len(text) > maxEnvelopeName || chat.Clean(text) != text {
			return fault.Errorf(fault.Invalid, "%s must have at most %d bytes of UTF-8 without NUL", name, maxEnvelopeName)
		}
	}
	return nil
}
