package session_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

func scoped(scope string) *policy.Policy {
	return &policy.Policy{Session: policy.Session{DMScope: scope, IdentityLinks: map[string][]string{"alice": {"telegram:1", "feishu:ou_a"}}}}
}

func direct(channel, account, peer string) chat.Envelope {
	return chat.Envelope{Source: chat.Source{Channel: channel, Account: account, ChatType: chat.ChatDirect, Chat: "chat of " + peer}, Sender: chat.Peer{ID: peer}}
}

func TestFor_DirectMessagesFollowTheScope(t *testing.T) {
	for _, c := range []struct {
		scope string
		e     chat.Envelope
		want  chat.SessionKey
	}{
		{"", direct("feishu", "", "ou_x"), "agent:ops:feishu:dm:ou_x"},
		{"per-channel-peer", direct("feishu", "app2", "ou_x"), "agent:ops:feishu:dm:ou_x"},
		{"per-peer", direct("feishu", "", "ou_x"), "agent:ops:dm:ou_x"},
		{"per-account-channel-peer", direct("feishu", "", "ou_x"), "agent:ops:feishu:default:dm:ou_x"},
		{"per-account-channel-peer", direct("feishu", "app2", "ou_x"), "agent:ops:feishu:app2:dm:ou_x"},
		{"main", direct("feishu", "", "ou_x"), "agent:ops:main"},
		{"main", direct("telegram", "", "1"), "agent:ops:main"},
		{"", direct("telegram", "", "1"), "agent:ops:dm:alice"},
		{"per-peer", direct("feishu", "", "ou_a"), "agent:ops:dm:alice"},
		{"per-account-channel-peer", direct("feishu", "app2", "ou_a"), "agent:ops:dm:alice"},
		{"per-peer", direct("irc", "", "alice"), "agent:ops:dm:id%3Aalice"},
		{"per-peer", direct("irc", "", "id:alice"), "agent:ops:dm:id%3Aid%3Aalice"},
	} {
		require.Equal(t, c.want, session.For(scoped(c.scope), c.e, "ops"), "%s %v", c.scope, c.e)
	}
}

func TestFor_PlacesHaveConversationsOfTheirOwn(t *testing.T) {
	p := &policy.Policy{Session: policy.Session{DMScope: policy.DMMain}}
	for _, c := range []struct {
		e    chat.Envelope
		want chat.SessionKey
	}{
		{chat.Envelope{Source: chat.Source{Channel: "qq", ChatType: chat.ChatGroup, Chat: "9"}}, "agent:main:qq:group:9"},
		{chat.Envelope{Source: chat.Source{Channel: "slack", ChatType: chat.ChatChannel, Chat: "C1"}}, "agent:main:slack:channel:C1"},
		{chat.Envelope{Source: chat.Source{Channel: "slack", ChatType: chat.ChatChannel, Chat: "C1", Thread: "17.5"}}, "agent:main:slack:channel:C1:thread:17.5"},
		{chat.Envelope{Source: chat.Source{Channel: "telegram", ChatType: chat.ChatGroup, Chat: "-100", Thread: "5"}}, "agent:main:telegram:group:-100:topic:5"},
		{chat.Envelope{Source: chat.Source{Channel: "feishu", ChatType: chat.ChatThread, Chat: "oc_1", Thread: "omt_2"}}, "agent:main:feishu:group:oc_1:thread:omt_2"},
		{chat.Envelope{Source: chat.Source{Channel: "feishu", ChatType: chat.ChatCron, Chat: "daily"}}, "cron:daily"},
		{chat.Envelope{Source: chat.Source{Channel: "feishu", ChatType: chat.ChatHook, Chat: "0d"}}, "hook:0d"},
	} {
		require.Equal(t, c.want, session.For(p, c.e, ""))
	}
}

func TestFor_OneConversationForAllIsSaid(t *testing.T) {
	p := &policy.Policy{Session: policy.Session{Scope: policy.ScopeGlobal, MainKey: "home"}}
	for _, e := range []chat.Envelope{direct("qq", "", "1"), {Source: chat.Source{Channel: "qq", ChatType: chat.ChatGroup, Chat: "9"}}} {
		require.Equal(t, chat.SessionKey("agent:main:home"), session.For(p, e, ""))
	}
}

func TestWork_HasAConversationOfItsOwnUnderEveryScope(t *testing.T) {
	group := chat.Envelope{Source: chat.Source{Channel: "feishu", ChatType: chat.ChatGroup, Chat: "oc_1", Thread: "omt_2"}, Sender: chat.Peer{ID: "ou_x"}}
	require.Equal(t, chat.SessionKey("agent:main:feishu:group:oc_1:thread:om_7"), session.Work(&policy.Policy{}, group, "", "om_7"))
	require.Equal(t, chat.SessionKey("agent:main:feishu:dm:ou_x:thread:om_7"), session.Work(&policy.Policy{}, direct("feishu", "", "ou_x"), "", "om_7"))
	require.Equal(t, chat.SessionKey("agent:main:feishu:dm:ou_x:thread:om_7"), session.Work(scoped(policy.DMMain), direct("feishu", "", "ou_x"), "", "om_7"))
	global := &policy.Policy{Session: policy.Session{Scope: policy.ScopeGlobal}}
	require.Equal(t, chat.SessionKey("agent:main:feishu:group:oc_1:thread:om_7"), session.Work(global, group, "", "om_7"))
}

// Under the scopes that keep people apart, two people share a key only where the scope says that they are one: per-peer
// takes the id for the person, the others the id on a channel, or on one bot of it. A linked person is one everywhere.
func TestFor_DifferentPeopleNeverShareAConversation(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"alice", "bob", "id:alice", "id:id:alice", "1", "dm", "default", "main", "feishu", "~", "a:b", "a%3Ab"}),
		rapid.StringMatching(`[a-z:%~]{1,5}`), rapid.StringN(1, 300, 600),
	)
	channels := rapid.SampledFrom([]string{"feishu", "telegram", "qq", "dm", "default"})
	accounts := rapid.SampledFrom([]string{"", "default", "app2", "dm", "feishu"})
	rapid.Check(t, func(t *rapid.T) {
		links := map[string][]string{}
		for _, name := range []string{"alice", "bob"} {
			links[name] = []string{channels.Draw(t, "channel") + ":" + word.Draw(t, "link") + name}
		}
		p := &policy.Policy{Session: policy.Session{IdentityLinks: links}}
		someone := func() chat.Envelope {
			e := direct(channels.Draw(t, "channel"), accounts.Draw(t, "account"), word.Draw(t, "peer"))
			if rapid.Bool().Draw(t, "linked") {
				e.Channel, e.Sender.ID = cut(links[rapid.SampledFrom([]string{"alice", "bob"}).Draw(t, "who")][0])
			}
			return e
		}
		a, b := someone(), someone()
		for _, scope := range []string{policy.DMPerPeer, policy.DMPerChannelPeer, policy.DMPerAccountChannel} {
			p.Session.DMScope = scope
			same := person(p, scope, a) == person(p, scope, b)
			require.Equal(t, same, session.For(p, a, "main") == session.For(p, b, "main"), "%s: %v and %v", scope, a, b)
		}
		p.Session.DMScope = policy.DMMain
		require.Equal(t, session.For(p, a, "main"), session.For(p, b, "main"))
	})
}

func cut(link string) (channel, id string) {
	for i := range link {
		if link[i] == ':' {
			return link[:i], link[i+1:]
		}
	}
	return link, ""
}

// person is who a scope takes somebody for.
func person(p *policy.Policy, scope string, e chat.Envelope) [4]string {
	if name, linked := p.Person(e); linked {
		return [4]string{"linked", name}
	}
	account := e.Account
	if account == "" {
		account = session.DefaultAccount
	}
	switch scope {
	case policy.DMPerPeer:
		return [4]string{"id", e.Sender.ID}
	case policy.DMPerChannelPeer:
		return [4]string{"id", e.Sender.ID, e.Channel}
	}
	return [4]string{"id", e.Sender.ID, e.Channel, account}
}
