package accounts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/accounts"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/channel/feishu"
	"xbot/internal/channel/onebot"
	"xbot/internal/channel/qq"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
)

// withBots is the settings of an installation with these bots, CHANNEL or CHANNEL/ACCOUNT.
func withBots(t *testing.T, bots ...[2]string) *accounts.Store {
	t.Helper()
	rows := store.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate), store.Options{})
	for _, b := range bots {
		require.NoError(t, rows.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: b[0], Account: b[1], Enabled: true, Settings: map[string]string{}}, 0))
	}
	return &accounts.Store{Channels: rows.Channels, Drivers: []channel.Driver{feishu.Driver(), qq.Driver(), onebot.Driver()}}
}

func TestOperatorChats_AreReadInEveryFormThatIsMeant(t *testing.T) {
	t.Parallel()
	one, two := withBots(t, [2]string{"napcat", ""}), withBots(t, [2]string{"napcat", ""}, [2]string{"feishu", "work"})
	direct, group := chat.ChatDirect, chat.ChatGroup
	person := chat.Address{ChatType: direct, Channel: "napcat", Peer: "10001"}
	for _, c := range []struct {
		of            *accounts.Store
		said          accounts.Chats
		admin, notify chat.Address
	}{
		{one, accounts.Chats{}, chat.Address{}, chat.Address{}},
		{one, accounts.Chats{Admin: "10001"}, person, person},
		{one, accounts.Chats{Admin: " napcat:10001 "}, person, person},
		{one, accounts.Chats{Notify: "10001"}, person, person},
		{one, accounts.Chats{Admin: "none", Notify: "10001"}, chat.Address{}, person},
		{one, accounts.Chats{Admin: "10001", Notify: "none"}, person, chat.Address{}},
		{one, accounts.Chats{Notify: "group:20001"}, chat.Address{}, chat.Address{ChatType: group, Channel: "napcat", Chat: "20001"}},
		{one, accounts.Chats{Admin: "10001", Notify: "napcat:group:20001"}, person, chat.Address{ChatType: group, Channel: "napcat", Chat: "20001"}},
		{two, accounts.Chats{Admin: "10001", Channel: "napcat"}, person, person},
		{
			two, accounts.Chats{Admin: "feishu:ou_7d8", Notify: "feishu:oc_4e7"},
			chat.Address{ChatType: direct, Channel: "feishu", Account: "work", Peer: "ou_7d8"}, chat.Address{ChatType: direct, Channel: "feishu", Account: "work", Chat: "oc_4e7"},
		},
		{
			two, accounts.Chats{Admin: "feishu/default:oc_4e7", Notify: "none"},
			chat.Address{ChatType: direct, Channel: "feishu", Chat: "oc_4e7"}, chat.Address{},
		},
		{
			two, accounts.Chats{Admin: "qq/second:E4F4", Notify: "none"},
			chat.Address{ChatType: direct, Channel: "qq", Account: "second", Peer: "E4F4"}, chat.Address{},
		},
	} {
		got, err := c.of.OperatorChats(t.Context(), c.said)
		require.NoError(t, err, "%+v", c.said)
		require.Equal(t, c.admin, got.Admin, "%+v", c.said)
		require.Equal(t, c.notify, got.Notify, "%+v", c.said)
	}
}

func TestOperatorChats_WhatCannotBeMeantIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	none, one, two := withBots(t), withBots(t, [2]string{"napcat", ""}), withBots(t, [2]string{"napcat", ""}, [2]string{"qq", ""})
	for _, c := range []struct {
		of   *accounts.Store
		said accounts.Chats
		say  string
	}{
		{none, accounts.Chats{Admin: "10001"}, "ADMIN_CHAT_ID is \"10001\", which names no platform, and 0 bots are configured"},
		{two, accounts.Chats{Notify: "10001"}, "as in napcat:10001, or set STARTUP_NOTIFY_CHANNEL"},
		{one, accounts.Chats{Admin: "telegram:10001"}, "there is no platform \"telegram\"; write one of feishu, qq, napcat"},
		{one, accounts.Chats{Admin: "10001", Channel: "telegram"}, "there is no platform \"telegram\""},
		{one, accounts.Chats{Admin: "napcat:group:20001"}, "ADMIN_CHAT_ID names a group"},
		{one, accounts.Chats{Admin: "group:20001"}, "ADMIN_CHAT_ID names a group"},
		{one, accounts.Chats{Admin: "napcat:"}, "is no chat of napcat"},
		{one, accounts.Chats{Admin: "napcat:007"}, "is no chat of napcat"},
		{one, accounts.Chats{Admin: "napcat:10001\n10002"}, "is no chat of napcat"},
		{one, accounts.Chats{Admin: "napcat:*"}, "is no chat of napcat"},
		{one, accounts.Chats{Admin: "feishu:10001"}, "is no chat of feishu; write feishu:ou_"},
		{one, accounts.Chats{Notify: "feishu:group:ou_1"}, "is no chat of feishu"},
		{one, accounts.Chats{Notify: "qq:group:"}, "is no chat of qq"},
	} {
		got, err := c.of.OperatorChats(t.Context(), c.said)
		require.True(t, fault.Is(err, fault.Invalid), "%+v: %v", c.said, err)
		require.ErrorContains(t, err, c.say)
		require.Zero(t, got)
	}
}
