package slash_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/demo"
	"xbot/internal/turn/policy"
	"xbot/internal/user/preference"
	"xbot/internal/user/settings"
	"xbot/slash/account"
)

func TestSettingsCommand_ListsAndChangesThoseOfWhoeverWritesWhereNobodyElseReads(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	desk := preference.Service{Memory: b.Store.Memory, Notices: b.Store.Notices, Settings: b.Store.Settings, Models: &catalogue.Live{Server: demo.Client{}, Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}}}
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), account.SettingsCommand{Preferences: desk, Owners: b.Store.Users, Base: "https://xbot.example"})...)
	}
	n := 0
	say := func(who, text string) string {
		n++
		out := b.Receive(ingresstest.DM(fmt.Sprint(who, n), who, text))
		require.Equal(t, gateway.ResultAnswered, out.Result, text)
		return out.Reply
	}
	key := b.Receive(ingresstest.DM("hello", "ou_1", "hello")).Session
	list := say("ou_1", "/settings")
	for _, name := range preference.Names() {
		require.Contains(t, list, "(`"+name+"`)")
	}
	require.Contains(t, list, "/settings NAME VALUE")
	require.Contains(t, list, "https://xbot.example/settings")
	require.Contains(t, say("ou_1", "/settings theme"), "`/settings theme dark`")
	require.Contains(t, say("ou_1", "/settings set theme dark"), "Theme of the page: dark.")
	require.Contains(t, say("ou_1", "/settings theme pink"), "auto, light, dark, default")
	require.Contains(t, say("ou_1", "/settings colour"), "There is no setting")
	require.Contains(t, say("ou_1", "/settings memory off"), "off")
	require.Contains(t, say("ou_1", "/settings language zh"), "中文")
	require.Contains(t, say("ou_1", "/settings"), "你的设置", "it is in force at once")
	require.NotContains(t, say("ou_2", "/settings"), "dark", "it is of one person")

	e := ingresstest.InGroup("g0", "ou_1", "/settings")
	e.Mentioned = true
	reply := b.Receive(e).Reply
	require.NotContains(t, reply, "(`theme`)", "a group is not told")

	owner, err := b.Store.Users.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	chosen, _, err := b.Store.Settings.Preferences(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, map[settings.UserSetting]string{settings.Theme: "dark", settings.Memory: "off", settings.Language: "zh"}, chosen)
	changes, err := b.Store.Settings.PreferenceVersions(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, owner.Name, changes[0].ChangedBy)
}
