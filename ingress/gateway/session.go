package gateway

import (
	"cmp"
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/policy"
	"xbot/internal/user/users"
)

// ensureSession creates the conversation with its owner if it does not exist, and records where it takes place.
func (m *inboundRequest) ensureSession(ctx context.Context) (err error) {
	if m.addressed && (!m.known || !m.noted) {
		m.user, err = m.Stores.Users.Meet(ctx, m.e.Channel, m.e.Account, m.e.Sender)
		if err != nil {
			return err
		}
	}
	if !m.exists {
		if err := m.create(ctx); err != nil {
			return err
		}
	}
	if len(m.aliases) > 0 {
		if err := m.Stores.Routing.AddAliases(ctx, m.key, m.aliases...); err != nil {
			return err
		}
	}
	runner := m.runner()
	if !m.exists && runner == "" || !m.addressed || m.session.Origin == m.origin() && m.session.Scene == m.scene && m.session.Runner == runner {
		return nil
	}
	return m.Stores.Routing.SetOrigin(ctx, m.key, m.origin(), m.scene, runner)
}

// runner returns where the conversation works by its scene. One of another channel, which /session bound the chat to, keeps its runner.
func (m *inboundRequest) runner() string {
	if m.exists && m.session.Channel != m.e.Channel {
		return m.session.Runner
	}
	return m.settings.Runner
}

func (m *inboundRequest) create(ctx context.Context) error {
	owner, err := m.ownerOf(ctx)
	if err != nil {
		return err
	}
	made, err := m.Stores.Conversations.CreateSession(ctx, conversation.NewSession{
		Key: m.key, Owner: owner.ID, Channel: m.e.Channel, Agent: m.agent, ChatType: m.chatType(), Scene: m.scene, Origin: m.origin(),
		Cwd: m.p.Agent(m.agent).Workspace, Arriving: true,
	})
	if err != nil || made {
		return err
	}
	now, err := m.Stores.Users.SessionOwner(ctx, m.key)
	if err == nil && now.ID != owner.ID {
		err = fault.Errorf(fault.Unavailable, "somebody else made the conversation %s at the same instant", m.key)
	}
	return err
}

// ownerOf returns the owner of a new conversation: the user, or in a group the group.
func (m *inboundRequest) ownerOf(ctx context.Context) (users.User, error) {
	switch {
	case m.p.Session.Scope == policy.ScopeGlobal && m.scene != sceneWork:
		return m.Stores.Users.GroupUser(ctx, "*", chat.ChatGroup, m.agent)
	case m.direct():
		return m.user, nil
	}
	return m.Stores.Users.GroupUser(ctx, m.e.Channel, m.e.ChatType, m.e.Chat)
}

// chatType returns the chat type of the conversation: a thread of a group has a separate one.
func (m *inboundRequest) chatType() chat.ChatType {
	if !m.direct() && (m.e.Thread != "" || m.scene == sceneWork) {
		return chat.ChatThread
	}
	return m.e.ChatType
}

// origin returns where the conversation takes place.
func (m *inboundRequest) origin() chat.Origin {
	e := m.e
	o := chat.Origin{
		Provider: e.Channel, From: e.Sender.ID, To: m.chat(), Account: e.Account, Thread: e.Thread,
		Name: users.CleanName(e.Sender.Name), Subject: e.Subject, Room: e.Room, Space: e.Space,
	}
	if m.direct() {
		o.Label = cmp.Or(o.Name, e.Sender.ID)
		return o
	}
	o.Label = cmp.Or(users.CleanName(e.Subject), users.CleanName(e.Room), fmt.Sprintf("%s %s", e.ChatType, e.Chat))
	if e.Thread != "" {
		o.Label += " · " + e.Thread
	}
	return o
}
