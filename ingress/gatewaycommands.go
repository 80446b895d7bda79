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
	"xbot/internal/phrase"
	"xbot/internal/secret"
	"xbot/internal/session"
	"xbot/internal/store"
)

// inherit is what people write where the policy is to decide again.
const inherit = "inherit"

// Commands returns /pair, /link, /send, /activation and /session.
func (g *Gateway) Commands() []Command {
	return []Command{
		{Name: "session", Usage: "[list|use KEY|new NAME|default]", Help: phrase.HelpSession, Group: GroupConversation, Run: g.sessionCommand},
		{Name: "send", Usage: "[on|off|inherit]", Help: phrase.HelpSend, Group: GroupQueue, Who: Owner, Run: g.sendCommand},
		{Name: "activation", Usage: "[mention|always|inherit]", Help: phrase.HelpActivation, Group: GroupQueue, Who: Owner, Run: g.activationCommand},
		{Name: "link", Usage: "[CODE]", Help: phrase.HelpLink, Group: GroupYou, Run: g.linkCommand},
		{Name: "pair", Usage: "[list|approve CODE|refuse CODE]", Help: phrase.HelpPair, Group: GroupServer, Who: Admin, Run: g.pairCommand},
	}
}

// pairCommand is /pair.
func (g *Gateway) pairCommand(ctx context.Context, in Inbound, args string) (string, error) {
	words := strings.Fields(args)
	switch {
	case len(words) == 0 || len(words) == 1 && words[0] == "list":
		return g.sayPairings(ctx, in.Lang)
	case len(words) < 2 || words[0] != "approve" && words[0] != "refuse":
		return "", phrase.Fault(fault.Invalid, phrase.PairUsage)
	}
	approve := words[0] == "approve"
	p, err := g.Store.EndPairing(ctx, strings.Join(words[1:], ""), approve, in.User)
	if err != nil {
		return "", err
	}
	say := phrase.PairRefused
	if approve {
		say = phrase.PairApproved
	}
	return phrase.Say(in.Lang, say, quoted(called(p)), quoted(p.Channel)), nil
}

func called(p store.Pairing) string {
	if p.Name == "" {
		return p.Peer
	}
	return p.Name + " (" + p.Peer + ")"
}

func (g *Gateway) sayPairings(ctx context.Context, lang phrase.Lang) (string, error) {
	all, err := g.Store.Pairings(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return phrase.Say(lang, phrase.PairNone), nil
	}
	lines := make([]string, len(all))
	for i, p := range all {
		left := int(math.Ceil(time.Until(p.ExpiresAt).Minutes()))
		lines[i] = "* " + phrase.Say(lang, phrase.PairWaits, p.Code, quoted(called(p)), quoted(p.Channel), max(left, 1))
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
		return "", phrase.Fault(fault.Invalid, phrase.LinkGroup)
	}
	if args == "" {
		code, err := g.NewLink(ctx, in.User, in.Session)
		if err != nil {
			return "", err
		}
		return phrase.Say(in.Lang, phrase.LinkCode, code), nil
	}
	if in.Peer.ID == "" {
		return "", phrase.Fault(fault.Invalid, phrase.LinkHere)
	}
	got, err := g.Store.UseLinkCode(ctx, store.Link{
		Hash: secret.HashToken(store.ReadCode(args)), User: in.User, Channel: in.Channel, Account: in.Account,
		Peer: in.Peer.ID, Name: in.Peer.Name, Lang: in.Lang,
	})
	switch {
	case err != nil:
		return "", err
	case got.Again:
		return phrase.Say(in.Lang, phrase.LinkAgain), nil
	}
	return phrase.Say(in.Lang, phrase.LinkDone, got.To.Name, got.Moved), nil
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
			return phrase.Say(in.Lang, phrase.SendAuto), err
		}
		return phrase.Say(in.Lang, phrase.SendSet, s.Send), err
	case "on", "off":
		return phrase.Say(in.Lang, phrase.SendSet, args), g.Store.SetSessionSend(ctx, in.Session, args)
	case inherit:
		return phrase.Say(in.Lang, phrase.SendAuto), g.Store.SetSessionSend(ctx, in.Session, "")
	}
	return "", phrase.Fault(fault.Invalid, phrase.SendUsage)
}

// activationCommand is /activation.
func (g *Gateway) activationCommand(ctx context.Context, in Inbound, args string) (string, error) {
	s, _, err := g.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if s.ChatType == chat.ChatDirect {
		return phrase.Say(in.Lang, phrase.ActivationDirect), nil
	}
	switch args = strings.ToLower(args); args {
	case "":
		if s.Activation == "" {
			return phrase.Say(in.Lang, phrase.ActivationAuto), nil
		}
		return phrase.Say(in.Lang, phrase.ActivationSet, s.Activation), nil
	case session.ActivationMention, session.ActivationAlways:
		return phrase.Say(in.Lang, phrase.ActivationSet, args), g.Store.SetSessionActivation(ctx, in.Session, args)
	case inherit:
		return phrase.Say(in.Lang, phrase.ActivationAuto), g.Store.SetSessionActivation(ctx, in.Session, "")
	}
	return "", phrase.Fault(fault.Invalid, phrase.ActivationUsage)
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
		return phrase.Say(in.Lang, phrase.SessionIs, in.Session), nil
	case len(words) == 1 && words[0] == "list":
		return g.saySessions(ctx, in)
	case len(words) == 1 && words[0] == "default":
		return g.bind(ctx, in, "", phrase.SessionBack)
	case len(words) == 2 && words[0] == "use":
		return g.useSession(ctx, in, chat.SessionKey(words[1]))
	case len(words) == 2 && words[0] == "new":
		return g.newSession(ctx, in, words[1])
	}
	return "", phrase.Fault(fault.Invalid, phrase.SessionUsage)
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
		lines[i] = strings.Join(append([]string{"*", quoted(string(s.Key))}, strings.Fields(s.Title)...), " ")
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
		return "", phrase.Fault(fault.NotFound, phrase.SessionUnknown, chat.FirstWords(string(key), maxShownKey))
	}
	key = k.String()
	home, err := g.Store.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	owner, err := g.Store.SessionOwner(ctx, key)
	if fault.Is(err, fault.NotFound) || err == nil && owner.ID != home.ID {
		return "", phrase.Fault(fault.NotFound, phrase.SessionUnknown, key)
	}
	if err != nil {
		return "", err
	}
	return g.bind(ctx, in, key, phrase.SessionUsed)
}

// newSession has the chat begin another conversation beside its own. A second run finds the one that the first has made.
func (g *Gateway) newSession(ctx context.Context, in Inbound, name string) (string, error) {
	if len(name) > 64 {
		return "", phrase.Fault(fault.Invalid, phrase.SessionUsage)
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
		err = phrase.Fault(fault.Conflict, phrase.SessionUnknown, made.Key)
	}
	if err != nil {
		return "", err
	}
	return g.bind(ctx, in, made.Key, phrase.SessionMade)
}

// mayBind says why somebody may not choose which conversation the chat of a message continues: in a group, and in a chat
// that shares the conversation of another person, that is for administrators.
func (g *Gateway) mayBind(ctx context.Context, in Inbound) error {
	if in.Place == "" {
		return phrase.Fault(fault.Invalid, phrase.SessionNoChat)
	}
	owner, err := g.Store.SessionOwner(ctx, in.Session)
	if err != nil || owner.ID == in.User {
		return err
	}
	user, err := g.Store.UserByID(ctx, in.User)
	if err == nil && !user.Admin {
		err = phrase.Fault(fault.Denied, phrase.SessionOther)
	}
	return err
}

// bind has the chat of a message continue a conversation; an empty key: its own.
func (g *Gateway) bind(ctx context.Context, in Inbound, key chat.SessionKey, say phrase.ID) (string, error) {
	if err := g.mayBind(ctx, in); err != nil {
		return "", err
	}
	alias := boundPrefix + string(in.Place)
	if key == "" || key == in.Place {
		return phrase.Say(in.Lang, phrase.SessionBack), g.Store.DropAlias(ctx, alias)
	}
	return phrase.Say(in.Lang, say, key), g.Store.SetAlias(ctx, alias, key)
}
