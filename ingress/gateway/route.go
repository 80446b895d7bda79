package gateway

import (
	"cmp"
	"context"
	"iter"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
	"xbot/internal/user/users"
)

// Scenes of sessions.
const (
	sceneChat = "chat"
	sceneWork = "work"
)

// destination is the conversation that a request belongs to.
type destination struct {
	agent       string
	chatSession chat.SessionKey // the conversation of the chat itself
	key         chat.SessionKey // the one that it continues: that of the chat, unless /session bound it to another

	user  users.User // the sender
	known bool       // they have a user already; it is in user
	noted bool       // and all that the platform reports of their identity is stored

	session chat.Session // as it was when the message arrived; zero where it has to be made
	exists  bool

	text      string // without what addressed the bot
	addressed bool
	begins    bool // it begins a work session
	hints     bool // the model learns who speaks
	scene     string
	settings  policy.Scene
	aliases   []string // by which the conversation is to be found
}

// route decides where the message belongs and whether the bot is meant. Nothing is stored.
func (m *inboundRequest) route(ctx context.Context) error {
	m.agent, m.hints = m.p.AgentFor(m.e), true
	if err := m.findUser(ctx); err != nil {
		return err
	}
	if err := m.findSent(ctx); err != nil {
		return err
	}
	names, err := m.aliasesOf(ctx)
	if err != nil {
		return err
	}
	v := session.Scene(m.c, m.e, func(alias string) (chat.SessionKey, bool) {
		key, ok := names[alias]
		return key, ok
	})
	m.text, m.settings = v.Text, v.Scene
	if m.sent != nil && v.Route != session.RouteNone { // it is no work of the agent's
		v.Route = session.RouteChat
	}
	switch v.Route {
	case session.RouteWork, session.RouteNewWork:
		m.addressed, m.scene, m.hints, m.aliases = true, sceneWork, v.Hints, v.Aliases
		m.begins = v.Route == session.RouteNewWork
		if m.chatSession = v.Key; m.begins {
			if m.chatSession, err = m.own(ctx, func(p *policy.Policy) chat.SessionKey { return session.Work(p, m.e, m.agent, v.Seed) }); err != nil {
				return err
			}
		}
		m.addressed = !m.isForeignCommand(ctx)
		return m.followBinding(ctx)
	case session.RouteChat:
		m.scene, m.hints = sceneChat, v.Hints
	}
	if m.chatSession, err = m.own(ctx, func(p *policy.Policy) chat.SessionKey { return session.For(p, m.e, m.agent) }); err != nil {
		return err
	}
	if err := m.followBinding(ctx); err != nil {
		return err
	}
	m.decideAddressed(v)
	m.addressed = m.addressed && !m.isForeignCommand(ctx)
	return nil
}

// isForeignCommand reports whether a group message is an unknown command that does not name the bot: then it is for another
// bot.
func (m *inboundRequest) isForeignCommand(ctx context.Context) bool {
	return !m.direct() && session.IsCommand(m.e.Text) && !session.Named(m.c, m.e) && !m.Dispatch.Commands.There(ctx, m.e.Text)
}

// decideAddressed decides whether a message addresses the bot, if the scene router leaves that open: /activation of the
// conversation overrides the policy.
func (m *inboundRequest) decideAddressed(v session.SceneVerdict) {
	activation := ""
	if !m.direct() {
		activation = m.session.Activation
	}
	switch {
	case v.Route == session.RouteNone:
		m.text, m.addressed = session.Addressed(m.c, m.e, activation)
	case v.Route == session.RouteChat:
		m.addressed = true
		if activation == session.ActivationMention && !session.IsCommand(m.text) {
			_, m.addressed = session.Addressed(m.c, m.e, activation)
		}
	}
}

// findUser looks up the sender. One who never had access has no user yet.
func (m *inboundRequest) findUser(ctx context.Context) (err error) {
	if m.writes && m.inAdminChat() {
		m.user, err = m.appoint(ctx)
		m.known, m.noted = err == nil, true
		return err
	}
	if name, linked := m.p.Person(m.e); linked {
		m.user, err = m.Stores.Links.Linked(ctx, name, m.e.Channel, m.e.Account, m.e.Sender.ID)
		m.known, m.noted = err == nil, true
		if fault.Is(err, fault.Conflict) { // the policy has changed within this second
			return m.findUserAgain(ctx)
		}
		return err
	}
	who, err := m.Stores.Users.Recognize(ctx, m.e.Channel, m.e.Account, m.e.Sender)
	m.user, m.known, m.noted = who.User, who.Known, who.Noted
	return err
}

// findUserAgain is findUser under the newest policy.
func (m *inboundRequest) findUserAgain(ctx context.Context) error {
	m.Policies.Refresh()
	p, err := m.Policies.Get(ctx)
	if err != nil {
		return err
	}
	if p == m.p {
		return fault.Errorf(fault.Unavailable, "the policy that lists the sender has changed and cannot be read")
	}
	m.p, m.c = p, p.Channel(m.e.Channel, m.e.Account)
	return m.findUser(ctx)
}

// aliasesOf looks up the names under which a work session may know the message.
func (m *inboundRequest) aliasesOf(ctx context.Context) (map[string]chat.SessionKey, error) {
	found := map[string]chat.SessionKey{}
	if !m.scenes().Work.Enabled {
		return found, nil
	}
	var names []string
	if m.e.Thread != "" {
		names = append(names, session.ThreadAlias(m.e, m.e.Thread))
	}
	for _, id := range []string{m.e.Root, m.e.Parent} {
		if id != "" {
			names = append(names, session.MessageAlias(m.e, id))
		}
	}
	for _, name := range names {
		key, ok, err := m.Stores.Routing.Alias(ctx, name)
		if err != nil {
			return nil, err
		}
		if _, _, inbox := service.InboxOf(key); ok && !inbox {
			found[name] = key
		}
	}
	// A reply to an unknown message is in a thread of that message, and a message of another user is not part of this work.
	if len(found) == 0 && m.e.Thread != "" && m.e.Root == "" && m.known {
		key, ok, err := m.Stores.Routing.Working(ctx, m.e.Channel, m.e.Account, m.chat(), m.user.ID)
		if err != nil {
			return nil, err
		}
		if ok {
			found[session.ActiveAlias(m.e)] = key
		}
	}
	return found, nil
}

func (m *inboundRequest) scenes() policy.Scenes {
	if m.direct() {
		return m.c.PrivateScenes
	}
	return m.c.GroupScenes
}

// chat returns the destination of answers.
func (m *inboundRequest) chat() string { return cmp.Or(m.e.Chat, m.e.Sender.ID) }

// maxNumbered bounds the conversations that one id of a platform has had as different users.
const maxNumbered = 20

// own returns the conversation of the chat itself, whose key follows from the policy. A direct message never reaches a conversation of
// another user, except where the policy allows it: with scope global, which has no owner, and with dmScope main if its owner is no
// administrator, since a scope must not share an administrator's rights. Neither shares work sessions.
func (m *inboundRequest) own(ctx context.Context, named func(*policy.Policy) chat.SessionKey) (chat.SessionKey, error) {
	first := m.apart(named(m.p))
	if !m.direct() {
		return first, nil
	}
	for key := range m.keys(first, named) {
		owner, err := m.Stores.Users.SessionOwner(ctx, key)
		if err == nil && !m.known { // another delivery of their first message may have made both just now
			err = m.findUser(ctx)
		}
		switch {
		case fault.Is(err, fault.NotFound) || err == nil && m.known && owner.ID == m.user.ID:
			return key, nil
		case err != nil:
			return "", err
		case m.scene != sceneWork && (owner.Group || key == first && m.p.Session.DMScope == policy.DMMain && !owner.Admin):
			return key, nil
		}
		m.Log.Debug("a direct message does not join somebody else's conversation", "session", key)
	}
	return "", fault.Errorf(fault.Denied, "the conversation of this chat belongs to somebody else")
}

// keys returns the names that the conversation of a direct chat may have, in order: that of the policy, those of narrower scopes, that of
// the chat without identityLinks, and numbered ones, for an id that belongs to another user than before.
func (m *inboundRequest) keys(first chat.SessionKey, named func(*policy.Policy) chat.SessionKey) iter.Seq[chat.SessionKey] {
	return func(yield func(chat.SessionKey) bool) {
		if !yield(first) {
			return
		}
		narrow := *m.p
		for _, scope := range []string{policy.DMPerChannelPeer, policy.DMPerAccountChannel} {
			if narrow.Session.DMScope = scope; !yield(named(&narrow)) {
				return
			}
		}
		narrow.Session.IdentityLinks = nil
		last := named(&narrow)
		for n := range maxNumbered {
			if !yield(session.Numbered(last, n+1)) {
				return
			}
		}
	}
}

// apart gives each of several bots in a group a separate conversation: they differ in persona, rules and in the
// messages that they get.
func (m *inboundRequest) apart(key chat.SessionKey) chat.SessionKey {
	if m.direct() || m.e.Account == "" {
		return key
	}
	k, err := session.Parse(key)
	if err != nil || k.Kind != session.KindGroup && k.Kind != session.KindChannel {
		return key
	}
	k.Account = m.e.Account
	return k.String()
}

// followBinding reads the conversation to which /session bound the chat, as long as that belongs to the same user.
func (m *inboundRequest) followBinding(ctx context.Context) error {
	m.key = m.chatSession
	own, home, err := m.Stores.Conversations.Session(ctx, m.chatSession)
	if fault.Is(err, fault.NotFound) {
		return nil // a new conversation has no binding
	}
	if err != nil {
		return err
	}
	m.session, m.exists = own, true
	bound, ok, err := m.Stores.Routing.Alias(ctx, session.BoundAlias(m.chatSession))
	if err != nil || !ok {
		return err
	}
	other, owner, err := m.Stores.Conversations.Session(ctx, bound)
	if err == nil && owner == home {
		m.key, m.session = bound, other
	}
	return err
}
