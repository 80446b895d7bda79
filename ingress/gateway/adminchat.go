package gateway

import (
	"cmp"
	"context"

	"xbot/internal/user/links"
	"xbot/internal/user/users"
)

// inAdminChat reports whether a message was written in the direct chat that the settings name as the administrator's. A group is never
// one, even with its id: there any member could write.
func (m *inboundRequest) inAdminChat() bool {
	a := m.AdminChat
	if a.Channel == "" || !m.direct() || m.e.Channel != a.Channel || m.e.Account != a.Account {
		return false
	}
	if a.Peer != "" {
		return m.e.Sender.ID == a.Peer
	}
	return a.Chat != "" && m.e.Chat == a.Chat
}

// appoint makes the writer in it the first administrator, unless they are one, or disabled.
func (m *inboundRequest) appoint(ctx context.Context) (users.User, error) {
	who, made, err := m.Stores.Links.Appoint(ctx, links.Appointment{Channel: m.e.Channel, Account: m.e.Account, Peer: m.e.Sender.ID, Chat: m.AdminChat.Setting()})
	if made {
		m.Log.Info("the chat that the settings name is the administrator's", "chat", m.AdminChat.Setting(), "who", cmp.Or(m.e.Sender.Name, m.e.Sender.ID), "user", who.Name)
	}
	return who, err
}
