package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
	"xbot/internal/user/users"
)

// inbound returns the message as intake gets it.
func (m *inboundRequest) inbound() intake.Message {
	in := intake.Message{
		NewRow: engine.NewRow{
			Session: m.key, User: m.user.ID, Channel: m.e.Channel, Account: m.e.Account, PlatformID: platformID(m.e), Text: m.text,
			SentAt: m.e.SentAt, Seq: m.e.Seq, Queue: m.session.Queue, To: m.to(), Files: m.e.Attachments,
		},
		UserName: m.user.Name, Wrote: m.wrote, Peer: m.e.Sender, ChatSession: m.chatSession, ChatType: m.chatType(),
	}
	if !m.direct() && m.hints {
		in.Sender = senderName(m.e)
	}
	if !m.direct() && session.HearsAll(m.c, m.e.Chat, m.scene, m.session.Activation) {
		in.Options.Named = session.Named(m.c, m.e)
		in.Aside = !in.Options.Named
	}
	if !m.wordless {
		in.Before, in.After = contextOf(m.e)
	}
	return in
}

// to returns the destination of the answer: as an answer to the message, in its thread or in one that the scene has opened.
func (m *inboundRequest) to() *chat.Address {
	names := map[string]string{}
	for _, who := range append([]chat.Peer{m.e.Sender}, m.e.Mentions...) {
		if who.ID != "" && who.Name != "" {
			names[who.ID] = users.CleanName(who.Name)
		}
	}
	return &chat.Address{
		ChatType: m.e.ChatType, Chat: m.e.Chat, Peer: m.e.Sender.ID, Thread: m.e.Thread, ReplyTo: m.e.ID,
		InThread: !m.direct() && m.settings.CreateThread, Names: names,
	}
}

func (m *inboundRequest) direct() bool { return m.e.ChatType == chat.ChatDirect }

// senderName returns the name of a sender where several users write.
func senderName(e chat.Envelope) string {
	return cmp.Or(users.CleanName(e.Sender.Name), users.CleanName(e.Sender.ID))
}

// platformID returns the id of a message among those of its sender. In groups the id of the chat is part of it: some
// platforms count the messages of each chat.
func platformID(e chat.Envelope) string {
	id := e.ID
	if e.ChatType != chat.ChatDirect {
		id = e.Chat + "/" + e.ID
	}
	if len(id) > intake.MaxIDBytes {
		sum := sha256.Sum256([]byte(id))
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	return id
}
