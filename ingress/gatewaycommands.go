package ingress

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/secret"
	"xbot/internal/session"
	"xbot/internal/store"
)

// inherit is what people write where the policy is to decide again.
const inherit = "inherit"

// Commands returns /pair, /link, /send, /activation and /session.
func (g *Gateway) Commands() []Command {
	return []Command{
		{Name: "session", Usage: "[list|use KEY|new NAME|default]", Help: i18n.HelpSession, Group: GroupConversation, Run: g.sessionCommand},
		{Name: "send", Usage: "[on|off|inherit]", Help: i18n.HelpSend, Group: GroupQueue, Who: Owner, Run: g.sendCommand},
		{Name: "activation", Usage: "[mention|always|inherit]", Help: i18n.HelpActivation, Group: GroupQueue, Who: Owner, Run: g.activationCommand},
		{Name: "link", Usage: "[CODE]", Help: i18n.HelpLink, Group: GroupYou, Run: g.linkCommand},
		{Name: "pair", Usage: "[list|approve CODE|refuse CODE]", Help: i18n.HelpPair, Group: GroupServer, Who: Admin, Run: g.pairCommand},
	}
}

// pairCommand is /pair.
func (g *Gateway) pairCommand(ctx context.Context, in Inbound, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0 || len(words) == 1 && words[0] == "list":
		return g.sayPairings(ctx, in.Lang)
	case len(words) < 2 || words[0] != "approve" && words[0] != "refuse":
		return "", i18n.Fault(fault.Invalid, i18n.PairUsage)
	}
	approve := words[0] == "approve"
	p, err := g.Store.EndPairing(ctx, strings.Join(words[1:], ""), approve, in.User)
	if err != nil {
		return "", err
	}
	say := i18n.PairRefused
	if approve {
		say = i18n.PairApproved
	}
	return i18n.Say(in.Lang, say, markdown.Quoted(called(p)), markdown.Quoted(p.Channel)), nil
}

func called(p store.Pairing) string {
	if p.Name == "" {
		return p.Peer
	}
	return p.Name + " (" + p.Peer + ")"
}

func (g *Gateway) sayPairings(ctx context.Context, lang i18n.Lang) (string, error) {
	all, err := g.Store.Pairings(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return i18n.Say(lang, i18n.PairNone), nil
	}
	lines := make([]string, len(all))
	for i, p := range all {
		left := int(math.Ceil(time.Until(p.ExpiresAt).Minutes()))
		lines[i] = "* " + i18n.Say(lang, i18n.PairWaits, p.Code, markdown.Quoted(called(p)), markdown.Quoted(p.Channel), max(left, 1))
	}
	return strings.Join(lines, "\n"), nil
}

// linkCommand is /link. The code stands in the transcript of whoever asked for it, who is alone there, and is worth
// nothing once it was used or is ten minutes old.
func (g *Gateway) linkCommand(ctx context.Context, in Inbound, args string) (string, error) {
	s, owner, err := g.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if s.ChatType != chat.ChatDirect || owner != in.User {
		return "", i18n.Fault(fault.Invalid, i18n.LinkGroup)
	}
	if args == "" {
		code, err := g.NewLink(ctx, in.User, in.Session)
		if err != nil {
			return "", err
		}
		return i18n.Say(in.Lang, i18n.LinkCode, code), nil
	}
	if in.Peer.ID == "" {
		return "", i18n.Fault(fault.Invalid, i18n.LinkHere)
	}
	got, err := g.Store.UseLinkCode(ctx, store.Link{
		Hash: secret.HashToken(store.ReadCode(args)), User: in.User, Channel: in.Channel, Account: in.Account,
		Peer: in.Peer.ID, Name: in.Peer.Name, Lang: in.Lang,
	})
	switch {
	case err != nil:
		return "", err
	case got.Again:
		return i18n.Say(in.Lang, i18n.LinkAgain), nil
	}
	return i18n.Say(in.Lang, i18n.LinkDone, got.To.Name, got.Moved), nil
}

// NewLink returns a code by which a user shows on another channel who they are. The session is told who used it.
func (g *Gateway) NewLink(ctx context.Context, user chat.UserID, key chat.SessionKey) (string, error) {
	code := store.NewCode()
	return code, g.Store.NewLinkCode(ctx, user, key, secret.HashToken(code))
}

// sendCommand is /send.
func (g *Gateway) sendCommand(ctx context.Context, in Inbound, args string) (string, error) {
	switch args = strings.ToLower(args); args {
	case "":
		s, _, err := g.Store.Session(ctx, in.Session)
		if s.Send == "" {
			return i18n.Say(in.Lang, i18n.SendAuto), err
		}
		return i18n.Say(in.Lang, i18n.SendSet, s.Send), err
	case "on", "off":
		return i18n.Say(in.Lang, i18n.SendSet, args), g.Store.SetSessionSend(ctx, in.Session, args)
	case inherit:
		return i18n.Say(in.Lang, i18n.SendAuto), g.Store.SetSessionSend(ctx, in.Session, "")
	}
	return "", i18n.Fault(fault.Invalid, i18n.SendUsage)
}

// activationCommand is /activation.
func (g *Gateway) activationCommand(ctx context.Context, in Inbound, args string) (string, error) {
	s, _, err := g.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if s.ChatType == chat.ChatDirect {
		return i18n.Say(in.Lang, i18n.ActivationDirect), nil
	}
	switch args = strings.ToLower(args); args {
	case "":
		if s.Activation == "" {
			return i18n.Say(in.Lang, i18n.ActivationAuto), nil
		}
		return i18n.Say(in.Lang, i18n.ActivationSet, s.Activation), nil
	case session.ActivationMention, session.ActivationAlways:
		return i18n.Say(in.Lang, i18n.ActivationSet, args), g.Store.SetSessionActivation(ctx, in.Session, args)
	case inherit:
		return i18n.Say(in.Lang, i18n.ActivationAuto), g.Store.SetSessionActivation(ctx, in.Session, "")
	}
	return "", i18n.Fault(fault.Invalid, i18n.ActivationUsage)
}

const (
	maxSessions = 20 // how many conversations /session list names
	maxShownKey = 80 // of a key that is none, in characters
)

// sessionCommand is /session.
func (g *Gateway) sessionCommand(ctx context.Context, in Inbound, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0:
		return i18n.Say(in.Lang, i18n.SessionIs, in.Session), nil
	case len(words) == 1 && words[0] == "list":
		return g.saySessions(ctx, in)
	case len(words) == 1 && words[0] == "default":
		return g.bind(ctx, in, "", i18n.SessionBack)
	case len(words) == 2 && words[0] == "use":
		return g.useSession(ctx, in, chat.SessionKey(words[1]))
	case len(words) == 2 && words[0] == "new":
		return g.newSession(ctx, in, words[1])
	}
	return "", i18n.Fault(fault.Invalid, i18n.SessionUsage)
}

func (g *Gateway) saySessions(ctx context.Context, in Inbound) (string, error) {
	owner, err := g.Store.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	all, err := g.Store.Mine(ctx, owner.ID, maxSessions)
	if err != nil {
		return "", err
	}
	if guest(owner, in) {
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

// useSession has the chat continue a conversation of the same user: of a group, one of the group.
func (g *Gateway) useSession(ctx context.Context, in Inbound, key chat.SessionKey) (string, error) {
	k, err := session.Legacy(key, session.DefaultAgent, in.Channel)
	if err != nil { // what is no key is nobody's conversation
		return "", i18n.Fault(fault.NotFound, i18n.SessionUnknown, chat.FirstWords(string(key), maxShownKey))
	}
	key = k.String()
	home, err := g.Store.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	owner, err := g.Store.SessionOwner(ctx, key)
	if fault.Is(err, fault.NotFound) || err == nil && owner.ID != home.ID {
		return "", i18n.Fault(fault.NotFound, i18n.SessionUnknown, key)
	}
	if err != nil {
		return "", err
	}
	return g.bind(ctx, in, key, i18n.SessionUsed)
}

// newSession has the chat begin another conversation beside its own. A second run finds the one that the first has made.
func (g *Gateway) newSession(ctx context.Context, in Inbound, name string) (string, error) {
	if len(name) > 64 {
		return "", i18n.Fault(fault.Invalid, i18n.SessionUsage)
	}
	now, owner, err := g.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if err := g.mayBind(ctx, in); err != nil {
		return "", err
	}
	k, err := session.Parse(in.Place)
	if err != nil {
		return "", err
	}
	if k.Kind == session.KindMain {
		k = session.Key{Agent: k.Agent, Channel: in.Channel, Kind: session.KindThread, ID: fmt.Sprintf("%d:%s", owner, name)}
	} else {
		k.Thread, k.Topic = strings.Trim(k.Thread+"/"+name, "/"), false
	}
	made := store.NewSession{Key: k.String(), Owner: owner, Channel: now.Channel, Title: name, Agent: now.Agent, ChatType: now.ChatType, Scene: now.Scene, Origin: now.Origin}
	if _, err := g.Store.CreateSession(ctx, made); err != nil {
		return "", err
	}
	other, err := g.Store.SessionOwner(ctx, made.Key)
	if err == nil && other.ID != owner {
		err = i18n.Fault(fault.Conflict, i18n.SessionUnknown, made.Key)
	}
	if err != nil {
		return "", err
	}
	return g.bind(ctx, in, made.Key, i18n.SessionMade)
}

// mayBind says why somebody may not choose which conversation the chat of a message continues: in a group, and in a chat
// that shares the conversation of another person, that is for administrators.
func (g *Gateway) mayBind(ctx context.Context, in Inbound) error {
	if in.Place == "" {
		return i18n.Fault(fault.Invalid, i18n.SessionNoChat)
	}
	owner, err := g.Store.SessionOwner(ctx, in.Session)
	if err != nil || owner.ID == in.User {
		return err
	}
	user, err := g.Store.UserByID(ctx, in.User)
	if err == nil && !user.Admin {
		err = i18n.Fault(fault.Denied, i18n.SessionOther)
	}
	return err
}

// bind has the chat of a message continue a conversation; an empty key: its own.
func (g *Gateway) bind(ctx context.Context, in Inbound, key chat.SessionKey, say i18n.ID) (string, error) {
	if err := g.mayBind(ctx, in); err != nil {
		return "", err
	}
	alias := boundPrefix + string(in.Place)
	if key == "" || key == in.Place {
		return i18n.Say(in.Lang, i18n.SessionBack), g.Store.DropAlias(ctx, alias)
	}
	return i18n.Say(in.Lang, say, key), g.Store.SetAlias(ctx, alias, key)
}
