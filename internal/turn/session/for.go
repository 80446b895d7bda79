package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// For returns the conversation that a message belongs to. Groups and channels have one each, and one for each of their threads;
// direct messages follow session.dmScope. A person named by identityLinks has the same conversation on all of their channels under each of
// the per-* scopes. With scope global everything is one conversation.
func For(p *policy.Policy, e chat.Envelope, agent string) chat.SessionKey {
	return keyFor(p, e, agent).String()
}

func keyFor(p *policy.Policy, e chat.Envelope, agent string) Key {
	k := Key{Agent: cmp.Or(agent, DefaultAgent), Channel: e.Channel}
	if p.Session.Scope == policy.ScopeGlobal {
		return k.main(p)
	}
	switch e.ChatType {
	case chat.ChatCron:
		return Key{Kind: KindCron, ID: e.Chat}
	case chat.ChatHook:
		return Key{Kind: KindHook, ID: e.Chat}
	case chat.ChatDirect, "":
		return k.direct(p, e)
	case chat.ChatChannel:
		k.Kind = KindChannel
	default:
		k.Kind = KindGroup
	}
	k.ID, k.Thread = e.Chat, e.Thread
	k.Topic = e.Thread != "" && hasTopics(e.Channel)
	return k
}

// Work returns the key of the work session that a message began in its group or direct chat. It is a separate conversation under every scope.
func Work(p *policy.Policy, e chat.Envelope, agent, seed string) chat.SessionKey {
	k := keyFor(p, e, agent)
	if k.Kind == KindMain {
		k = Key{Agent: k.Agent, Channel: e.Channel, Kind: KindGroup, ID: e.Chat}
		if e.ChatType == chat.ChatDirect || e.ChatType == "" {
			k.Kind, k.ID = KindDM, cmp.Or(e.Sender.ID, e.Chat)
		}
	}
	k.Thread, k.Topic = seed, false
	return k.String()
}

// Numbered returns the key of the nth conversation of a direct chat; the first has no number.
func Numbered(key chat.SessionKey, n int) chat.SessionKey {
	k, err := Parse(key)
	if err != nil || n < 2 || k.Kind != KindDM {
		return key
	}
	k.ID += "~" + strconv.Itoa(n)
	return k.String()
}

func (k Key) main(p *policy.Policy) Key {
	k.Channel, k.Kind = "", KindMain
	if p.Session.MainKey != defaultMain {
		k.ID = p.Session.MainKey
	}
	return k
}

// direct returns the key of direct messages.
func (k Key) direct(p *policy.Policy, e chat.Envelope) Key {
	if p.Session.DMScope == policy.DMMain {
		return k.main(p)
	}
	k.Kind, k.ID = KindDM, cmp.Or(e.Sender.ID, e.Chat)
	if person, linked := p.Person(e); linked {
		k.Channel, k.ID = "", person
		return k
	}
	switch p.Session.DMScope {
	case policy.DMPerPeer:
		k.Channel, k.ID = "", unlike(p, k.ID)
	case policy.DMPerAccountChannel:
		k.Account = cmp.Or(e.Account, DefaultAccount)
	}
	return k
}

// strangerMark begins ids that could be taken for the name of a linked person, which has no colon.
const strangerMark = "id:"

// unlike prevents an id of a platform from being taken for the name that identityLinks give to another person.
func unlike(p *policy.Policy, id string) string {
	_, taken := p.Session.IdentityLinks[id]
	if taken || strings.HasPrefix(id, strangerMark) {
		return strangerMark + id
	}
	return id
}

// hasTopics reports whether the threads of a channel are topics of a forum.
func hasTopics(channel string) bool { return slices.Contains([]string{"telegram"}, channel) }
