package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/llm/usage"
	conversationrows "xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
	slashcontext "xbot/slash/context"
	"xbot/slash/conversation"
)

// A platform that counts the messages of each chat gives those of two people the same ids.
func TestReceive_WorkOfOnePersonIsNotReachedByAnswersOfAnother(t *testing.T) {
	b := bridged(t, `{session: {dmScope: "per-peer"}, channels: {
		telegram: {dmPolicy: "open", allowFrom: ["*"], privateScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#work"}}},
		matrix: {dmPolicy: "open", allowFrom: ["*"], privateScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#work"}}},
	}}`)
	on := func(channel, id, peer, text string) chat.Envelope {
		e := ingresstest.DM(id, peer, text)
		e.Channel = channel
		return e
	}
	work := b.Receive(on("telegram", "5", "u1", "#work write my will"))
	reply := on("telegram", "6", "u2", "what did it say?")
	reply.Root = "5"
	require.NotEqual(t, work.Session, b.Receive(reply).Session)
	reply.Sender.ID, reply.ID = "u1", "7"
	require.Equal(t, work.Session, b.Receive(reply).Session)

	same := b.Receive(on("matrix", "5", "u1", "#work read it to me"))
	require.NotEqual(t, work.Session, same.Session, "somebody else who has the same id elsewhere")
	mine, err := b.Store.Users.SessionOwner(t.Context(), work.Session)
	require.NoError(t, err)
	theirs, err := b.Store.Users.SessionOwner(t.Context(), same.Session)
	require.NoError(t, err)
	require.NotEqual(t, mine.ID, theirs.ID)
}

func TestReceive_WhoSharesAConversationSeesNoOtherOfItsOwner(t *testing.T) {
	b := bridged(t, `{session: {dmScope: "main"}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), conversation.Search{Search: b.Store.Search, Turns: b.Store.Turns, Users: b.Store.Users})...)
	}
	shared := b.Receive(ingresstest.DM("m1", "ou_1", "the shared pancake"))
	owner, err := b.Store.Users.SessionOwner(t.Context(), shared.Session)
	require.NoError(t, err)
	const own = chat.SessionKey("agent:main:web:thread:own")
	_, err = b.Store.Conversations.CreateSession(t.Context(), conversationrows.NewSession{Key: own, Owner: owner.ID, Channel: "web", Title: "diary"})
	require.NoError(t, err)
	_, err = b.Store.Turns.Accept(t.Context(), engine.Inbound{Session: own, User: owner.ID, Channel: "web", PlatformID: "w1", Text: "my secret pancake"})
	require.NoError(t, err)
	for _, key := range []chat.SessionKey{shared.Session, own} {
		_, ok, err := b.Store.Turns.Claim(t.Context(), key, chat.TurnID("t-"+key), "r", 0)
		require.NoError(t, err)
		require.True(t, ok)
	}
	ask := func(id, peer, text string) string {
		out := b.Receive(ingresstest.DM(id, peer, text))
		require.Equal(t, shared.Session, out.Session)
		return out.Reply
	}
	require.Contains(t, ask("m2", "ou_1", "/search pancake"), "secret", "it is theirs")
	require.Contains(t, ask("m3", "ou_1", "/session list"), string(own))
	found := ask("n1", "ou_2", "/search pancake")
	require.Contains(t, found, "shared pancake")
	require.NotContains(t, found, "secret")
	_, err = b.Pool.Exec(t.Context(), "UPDATE messages SET created_at = '2026-01-01T12:00:00Z'")
	require.NoError(t, err)
	_, err = b.Store.Memory.SetProfile(t.Context(), owner.ID, chat.UserProfile{Timezone: "Pacific/Kiritimati"})
	require.NoError(t, err)
	require.Contains(t, ask("m4", "ou_1", "/search pancake"), "2026-01-02", "as who asks reads it: 14 hours ahead of UTC")
	require.Contains(t, ask("n4", "ou_2", "/search pancake"), "2026-01-01")
	listed := ask("n2", "ou_2", "/session list")
	require.Contains(t, listed, string(shared.Session))
	require.NotContains(t, listed, string(own))
	ask("n3", "ou_2", "/session new hidden")
	mine, err := b.Store.Routing.Mine(t.Context(), owner.ID, 10)
	require.NoError(t, err)
	require.Len(t, mine, 2, "nobody makes conversations for somebody else")
}

func TestReceive_AMessageTakenBackTakesAllThatCameOfIt(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), conversation.New{}, conversation.Reset{})...)
	}
	out := b.Receive(ingresstest.DM("m1", "ou_1", "/new tell me a joke"))
	require.Equal(t, gateway.ResultAccepted, out.Result)
	queued := func() (texts []string) {
		page, err := b.Store.Conversations.Messages(t.Context(), out.Session, conversationrows.Page{Limit: 10})
		require.NoError(t, err)
		for _, q := range page.Queued {
			texts = append(texts, q.Text)
		}
		return texts
	}
	require.Equal(t, []string{"/new", "tell me a joke"}, queued())
	changed, err := b.Gateways[1].Edit(t.Context(), ingresstest.DM("m1", "ou_1", "/new tell me a story"))
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, []string{"/new", "tell me a story"}, queued())
	changed, err = b.Gateways[1].Recall(t.Context(), ingresstest.DM("m1", "ou_1", ""))
	require.NoError(t, err)
	require.True(t, changed)
	require.Empty(t, queued())
}

func TestReceive_ALinkIsKnownAgainHoweverItWasTyped(t *testing.T) {
	for name, typed := range map[string]string{"upper case": "/LINK ", "a Chinese slash": "／link "} {
		t.Run(name, func(t *testing.T) {
			b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}}}`)
			code := codeIn(b.Receive(ingresstest.DM("m1", "ou_1", "/link")).Reply)
			e := ingresstest.DM("m2", "u2", typed+code)
			e.Channel = "qq"
			require.Contains(t, b.Receive(e).Reply, "Name of ou_1")
		})
	}
}

func TestReceive_AMessageIsKnownAgainAfterThePolicyLinkedItsSender(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	before := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	_, err := b.Store.Users.CreateUser(t.Context(), "robert", users.RoleMember)
	require.NoError(t, err)
	b.SetPolicy(`{session: {identityLinks: {robert: ["feishu:ou_1"]}}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	after, err := b.Gateways[0].Receive(t.Context(), ingresstest.DM("m1", "ou_1", "hello"))
	require.NoError(t, err)
	require.Equal(t, gateway.ResultDuplicate, after.Result)
	require.Equal(t, before.Session, after.Session)
	require.Equal(t, chat.SessionKey("agent:main:dm:robert"), b.Receive(ingresstest.DM("m2", "ou_1", "hello")).Session)
}

func TestUsage_InAGroupIsOfTheGroup(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), slashcontext.Usage{Usage: b.Store.Usage, Media: b.Store.Media, Users: b.Store.Users, Prices: usage.Prices{}})...)
	}
	person := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	use := func(key chat.SessionKey, tokens int) {
		require.NoError(t, b.Store.Usage.BookUsage(t.Context(), key, "demo/m", 1, chat.Usage{PromptTokens: tokens}))
	}
	use(person.Session, 7777)
	e := ingresstest.InGroup("g1", "ou_1", "/usage")
	e.Mentioned = true
	out := b.Receive(e)
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.NotContains(t, out.Reply, "7777")
	use(out.Session, 4242)
	e.ID = "g2"
	require.Contains(t, b.Receive(e).Reply, "4242")
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/usage")).Reply, "7777")
}
