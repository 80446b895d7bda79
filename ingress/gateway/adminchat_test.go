package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/user/users"
)

// administers is a platform whose settings name a chat as the administrator's.
func administers(t *testing.T, document string, a chat.Address) *platform {
	t.Helper()
	b := bridged(t, document)
	a.Channel, a.ChatType = "feishu", chat.ChatDirect
	for _, g := range b.Gateways {
		g.AdminChat = a
	}
	return b
}

func (b *platform) isAdmin(peer string) bool {
	b.T.Helper()
	u, known, err := b.Store.Users.KnownPerson(b.T.Context(), "feishu", "", peer)
	require.NoError(b.T, err)
	return known && u.Admin
}

const allIn = `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groups: {"*": {}}}}}`

func TestAdminChat_WhoWritesThereIsTheAdministratorAndNobodyElse(t *testing.T) {
	b := administers(t, allIn, chat.Address{Peer: "ou_1"})
	out := b.Receive(ingresstest.DM("m1", "ou_1", "/pair"))
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Contains(t, out.Reply, "Nobody waits")
	owner, err := b.Store.Users.SessionOwner(t.Context(), out.Session)
	require.NoError(t, err)
	require.Equal(t, b.Admin.ID, owner.ID)

	out = b.Receive(ingresstest.DM("m2", "ou_2", "/pair"))
	require.NotContains(t, out.Reply, "Nobody waits", "another person of the same platform")
	require.False(t, b.isAdmin("ou_2"))
	other := ingresstest.DM("m3", "ou_1", "/pair")
	other.Account = "two"
	require.NotContains(t, b.Receive(other).Reply, "Nobody waits", "the same id at another bot")
	elsewhere := ingresstest.DM("m4", "ou_1", "/pair")
	elsewhere.Channel = "qq"
	require.NotContains(t, b.Receive(elsewhere).Reply, "Nobody waits", "the same id on another platform")
}

func TestAdminChat_ChangesNothingWhereNoneIsSet(t *testing.T) {
	b := bridged(t, allIn)
	b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.False(t, b.isAdmin("ou_1"))
}

func TestAdminChat_IsFoundByTheIDOfTheChat(t *testing.T) {
	b := administers(t, allIn, chat.Address{Chat: "oc_7"})
	e := ingresstest.DM("m1", "ou_1", "hello")
	e.Chat = "oc_7"
	b.Receive(e)
	require.True(t, b.isAdmin("ou_1"))
	e = ingresstest.DM("m2", "ou_2", "hello")
	e.Chat = "oc_8"
	b.Receive(e)
	b.Receive(ingresstest.DM("m3", "ou_3", "hello"))
	require.False(t, b.isAdmin("ou_2"))
	require.False(t, b.isAdmin("ou_3"), "a chat without an id")
}

func TestAdminChat_AGroupMakesNobodyAnAdministrator(t *testing.T) {
	for name, a := range map[string]chat.Address{"by the id of a chat": {Chat: "oc_1"}, "by the id of a person": {Peer: "oc_1"}} {
		t.Run(name, func(t *testing.T) {
			b := administers(t, allIn, a)
			e := ingresstest.InGroup("m1", "ou_2", "/pair")
			e.Mentioned = true
			require.NotContains(t, b.Receive(e).Reply, "Nobody waits")
			require.False(t, b.isAdmin("ou_2"))
		})
	}
}

func TestAdminChat_InGroupsOnlyThePersonIsTheAdministrator(t *testing.T) {
	b := administers(t, allIn, chat.Address{Peer: "ou_1"})
	first := ingresstest.InGroup("m0", "ou_1", "/pair")
	b.Receive(first)
	require.False(t, b.isAdmin("ou_1"), "not before they have written in the chat")
	b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.Contains(t, b.Receive(ingresstest.InGroup("m2", "ou_1", "/pair")).Reply, "Nobody waits")
	require.NotContains(t, b.Receive(ingresstest.InGroup("m3", "ou_2", "/pair")).Reply, "Nobody waits")
	require.False(t, b.isAdmin("ou_2"))
}

func TestAdminChat_IsLetInWhereOthersWaitForAnApproval(t *testing.T) {
	for name, document := range map[string]string{
		"pairing": `{channels: {feishu: {dmPolicy: "pairing"}}}`, "a list": `{channels: {feishu: {dmPolicy: "allowlist", allowFrom: ["ou_9"]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := administers(t, document, chat.Address{Peer: "ou_1"})
			require.Contains(t, b.Receive(ingresstest.DM("m1", "ou_1", "/pair")).Reply, "Nobody waits")
			require.Equal(t, gateway.ResultRefused, b.Receive(ingresstest.DM("m2", "ou_2", "/pair")).Result)
		})
	}
	b := administers(t, `{channels: {feishu: {dmPolicy: "disabled"}}}`, chat.Address{Peer: "ou_1"})
	require.Equal(t, gateway.ResultRefused, b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Result, "what is closed stays closed")
	require.False(t, b.isAdmin("ou_1"))
}

func TestAdminChat_TheConversationOfWhoWasSomebodyBeforeGoesOn(t *testing.T) {
	b := bridged(t, allIn)
	before := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	for _, g := range b.Gateways {
		g.AdminChat = chat.Address{Channel: "feishu", ChatType: chat.ChatDirect, Peer: "ou_1"}
	}
	after := b.Receive(ingresstest.DM("m2", "ou_1", "hello again"))
	require.Equal(t, before.Session, after.Session)
	again, err := b.Gateways[0].Receive(t.Context(), ingresstest.DM("m1", "ou_1", "hello"))
	require.NoError(t, err)
	require.Equal(t, gateway.ResultDuplicate, again.Result, "a message that is delivered once more is known")
	owner, err := b.Store.Users.SessionOwner(t.Context(), after.Session)
	require.NoError(t, err)
	require.Equal(t, b.Admin.ID, owner.ID)
}

func TestAdminChat_WhenTheSettingIsGoneSoAreTheRights(t *testing.T) {
	b := administers(t, allIn, chat.Address{Peer: "ou_1"})
	before := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.True(t, b.isAdmin("ou_1"))
	n, err := b.Store.Links.Depose(t.Context(), "feishu:ou_1")
	require.NoError(t, err)
	require.Zero(t, n, "the setting is the same")
	n, err = b.Store.Links.Depose(t.Context(), "feishu:ou_9")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	for _, g := range b.Gateways {
		g.AdminChat = chat.Address{}
	}
	after := b.Receive(ingresstest.DM("m2", "ou_1", "/pair"))
	require.False(t, b.isAdmin("ou_1"))
	require.NotContains(t, after.Reply, "Nobody waits")
	require.NotEqual(t, before.Session, after.Session, "the conversation stays the administrator's")
}

func TestAdminChat_WhoIsShutOutStaysOutAndAnotherAdministratorStaysThemselves(t *testing.T) {
	b := bridged(t, allIn)
	b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	b.Receive(ingresstest.DM("m2", "ou_2", "hello"))
	shut, _, err := b.Store.Users.KnownPerson(t.Context(), "feishu", "", "ou_1")
	require.NoError(t, err)
	require.NoError(t, b.Store.Users.Disable(t.Context(), shut.ID, &b.Admin.ID))
	second, _, err := b.Store.Users.KnownPerson(t.Context(), "feishu", "", "ou_2")
	require.NoError(t, err)
	require.NoError(t, b.Store.Users.SetRole(t.Context(), second.ID, users.RoleAdmin))
	name := func(peer string) {
		for _, g := range b.Gateways {
			g.AdminChat = chat.Address{Channel: "feishu", ChatType: chat.ChatDirect, Peer: peer}
		}
	}
	name("ou_1")
	require.Equal(t, gateway.ResultRefused, b.Receive(ingresstest.DM("m3", "ou_1", "/pair")).Result)
	name("ou_2")
	b.Receive(ingresstest.DM("m4", "ou_2", "hello"))
	now, _, err := b.Store.Users.KnownPerson(t.Context(), "feishu", "", "ou_2")
	require.NoError(t, err)
	require.Equal(t, second.ID, now.ID)
}

func TestAdminChat_TheSamePersonAtAnotherBotOfTheOwnerIsNotTheAdministrator(t *testing.T) {
	b := administers(t, allIn, chat.Address{Peer: "ou_1"})
	e := ingresstest.DM("m1", "ou_1", "hello")
	e.Sender.Union = "on_1"
	b.Receive(e)
	group := ingresstest.InGroup("m2", "ou_1", "/pair")
	group.Sender.Union = "on_1"
	b.Receive(group)
	e = ingresstest.DM("m3", "ou_other", "/pair")
	e.Account, e.Sender.Union = "two", "on_1"
	require.NotContains(t, b.Receive(e).Reply, "Nobody waits")
}

func TestAdminChat_AButtonThatSomebodyElsePressesMakesThemNothing(t *testing.T) {
	b := administers(t, `{channels: {feishu: {dmPolicy: "pairing"}}}`, chat.Address{Chat: "oc_7"})
	e := ingresstest.DM("m1", "ou_1", "do it")
	e.Chat = "oc_7"
	b.asks(e)
	require.Equal(t, "error", b.pressed(press("p1", "ou_2", chat.PressAllow)).Kind, "a card of that chat was passed on to them")
	require.False(t, b.isAdmin("ou_2"))
	require.Equal(t, "success", b.pressed(press("p2", "ou_1", chat.PressAllow)).Kind)
}
