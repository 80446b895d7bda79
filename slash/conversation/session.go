package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/session"
	"xbot/internal/turn/slashcommand"
)

const (
	maxSessions = 20 // how many conversations /session list names
	maxShownKey = 80 // of a key that is none, in characters
)

// Session is /session: which conversation a chat continues, or which thread its coding agent.
type Session struct {
	Conversations Conversations
	Routing       Routing
	Users         Users
	Answering     Answering
	Threads       Threads // nil: there are no coding agents
	Places        Places
}

var (
	_ slashcommand.Runner   = Session{}
	_ slashcommand.Preparer = Session{}
)

// Spec describes the command.
func (Session) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "session", Usage: "[list|use KEY|new NAME|default|THREAD [TEXT…]]", Help: i18n.HelpSession, Group: slashcommand.GroupConversation}
}

// Run names the conversation, or has the chat continue another one.
func (c Session) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return i18n.Say(in.Lang, i18n.SessionIs, in.Session), nil
	case len(words) == 1 && words[0] == "list":
		return c.list(ctx, in)
	case len(words) == 1 && words[0] == "default":
		return c.bind(ctx, in, "", i18n.SessionBack)
	case len(words) == 2 && words[0] == "use":
		return c.use(ctx, in, chat.SessionKey(words[1]))
	case len(words) == 2 && words[0] == "new":
		return c.begin(ctx, in, words[1])
	case len(words) == 1:
		return c.resume(ctx, in, words[0])
	}
	return "", i18n.Fault(fault.Invalid, i18n.SessionUsage)
}

func (c Session) list(ctx context.Context, in slashcommand.Request) (string, error) {
	owner, err := c.Users.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	all, err := c.Routing.Mine(ctx, owner.ID, maxSessions)
	if err != nil {
		return "", err
	}
	if in.SharesConversation(owner.ID, owner.Group) {
		all = slices.DeleteFunc(all, func(s chat.Session) bool { return s.Key != in.Session })
	}
	lines := make([]string, len(all))
	for i, s := range all {
		lines[i] = strings.Join(append([]string{"*", markdown.Quoted(string(s.Key))}, strings.Fields(s.Title)...), " ")
		if s.Key == in.Session {
			lines[i] += " ←"
		}
	}
	return strings.Join(lines, "\n"), nil
}

// use has the chat continue a conversation of the same user: of a group, one of the group.
func (c Session) use(ctx context.Context, in slashcommand.Request, key chat.SessionKey) (string, error) {
	k, err := session.Legacy(key, session.DefaultAgent, in.Channel)
	if err != nil { // no conversation has an invalid key
		return "", i18n.Fault(fault.NotFound, i18n.SessionUnknown, chat.FirstWords(string(key), maxShownKey))
	}
	key = k.String()
	home, err := c.Users.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	owner, err := c.Users.SessionOwner(ctx, key)
	if fault.Is(err, fault.NotFound) || err == nil && owner.ID != home.ID {
		return "", i18n.Fault(fault.NotFound, i18n.SessionUnknown, key)
	}
	if err != nil {
		return "", err
	}
	return c.bind(ctx, in, key, i18n.SessionUsed)
}

// begin has the chat begin an additional conversation. A second run finds the one that the first has made.
func (c Session) begin(ctx context.Context, in slashcommand.Request, name string) (string, error) {
	if len(name) > 64 {
		return "", i18n.Fault(fault.Invalid, i18n.SessionUsage)
	}
	now, owner, err := c.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if err := c.mayBind(ctx, in); err != nil {
		return "", err
	}
	k, err := session.Parse(in.Chat)
	if err != nil {
		return "", err
	}
	if k.Kind == session.KindMain {
		k = session.Key{Agent: k.Agent, Channel: in.Channel, Kind: session.KindThread, ID: fmt.Sprintf("%d:%s", owner, name)}
	} else {
		k.Thread, k.Topic = strings.Trim(k.Thread+"/"+name, "/"), false
	}
	made := conversation.NewSession{Key: k.String(), Owner: owner, Channel: now.Channel, Title: name, Agent: now.Agent, ChatType: now.ChatType, Scene: now.Scene, Origin: now.Origin}
	if _, err := c.Conversations.CreateSession(ctx, made); err != nil {
		return "", err
	}
	other, err := c.Users.SessionOwner(ctx, made.Key)
	if err == nil && other.ID != owner {
		err = i18n.Fault(fault.Conflict, i18n.SessionUnknown, made.Key)
	}
	if err != nil {
		return "", err
	}
	return c.bind(ctx, in, made.Key, i18n.SessionMade)
}

// mayBind returns why a user may not choose which conversation the chat of a message continues: in a group, and in a
// chat that shares the conversation of another user, that is for administrators.
func (c Session) mayBind(ctx context.Context, in slashcommand.Request) error {
	if in.Chat == "" {
		return i18n.Fault(fault.Invalid, i18n.SessionNoChat)
	}
	owner, err := c.Users.SessionOwner(ctx, in.Session)
	if err != nil || owner.ID == in.User {
		return err
	}
	user, err := c.Users.UserByID(ctx, in.User)
	if err == nil && !user.Admin {
		err = i18n.Fault(fault.Denied, i18n.SessionOther)
	}
	return err
}

// bind has the chat of a message continue a conversation; an empty key: its own.
func (c Session) bind(ctx context.Context, in slashcommand.Request, key chat.SessionKey, say i18n.ID) (string, error) {
	if err := c.mayBind(ctx, in); err != nil {
		return "", err
	}
	alias := session.BoundAlias(in.Chat)
	if key == "" || key == in.Chat {
		return i18n.Say(in.Lang, i18n.SessionBack), c.Routing.DropAlias(ctx, alias)
	}
	return i18n.Say(in.Lang, say, key), c.Routing.SetAlias(ctx, alias, key)
}
