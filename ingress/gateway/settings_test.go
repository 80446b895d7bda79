package gateway_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/demo"
	"xbot/internal/turn/policy"
	"xbot/internal/user/notices"
	"xbot/internal/user/preference"
	"xbot/internal/user/settings"
	"xbot/slash/account"
)

// withSettings is a platform whose people have settings; base is the address of the page.
func withSettings(t *testing.T, base string) (*platform, preference.Service) {
	t.Helper()
	b := bridged(t, ingresstest.GroupPolicy)
	desk := preference.Service{Memory: b.Store.Memory, Notices: b.Store.Notices, Settings: b.Store.Settings, Models: &catalogue.Live{Server: demo.Client{}, Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}}}
	for _, g := range b.Gateways {
		g.Preferences, g.Base = desk, base
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), account.SettingsCommand{Preferences: desk, Owners: b.Store.Users, CardChannel: gateway.CardChannel})...)
	}
	return b, desk
}

func TestSettings_ACardChangesThoseOfThePersonWhomItWasMadeForAndNobodyElses(t *testing.T) {
	b, desk := withSettings(t, "")
	out := b.Receive(ingresstest.DM("m1", "ou_1", "/settings"))
	require.Contains(t, out.Reply, "Choose on the card.")
	card := out.Card
	require.NotNil(t, card)
	require.Len(t, card.Fields, len(preference.Names()))
	require.Contains(t, card.Fields[0].Options, "Chinese")
	again, err := b.Gateways[1].Receive(t.Context(), ingresstest.DM("m1", "ou_1", "/settings"))
	require.NoError(t, err)
	require.Equal(t, card, again.Card, "a second delivery has the same card")

	press := func(event, who string, values map[string][]string) channel.Toast {
		return b.pressed(channel.Press{Channel: "feishu", Event: event, Sender: who, Chat: "oc_1", Message: "om_1", Question: card.ID, Button: chat.PressSend, Values: values})
	}
	require.Nil(t, b.Receive(ingresstest.DM("m2", "ou_2", "hello")).Card)
	refused := press("e1", "ou_2", map[string][]string{"theme": {"dark"}})
	require.Equal(t, "error", refused.Kind)
	require.Nil(t, refused.Card, "nor do they see what stands there")

	p := channel.Press{Channel: "feishu", Event: "e2", Sender: "ou_1", Chat: "oc_1", Message: "om_1", Question: card.ID, Button: chat.PressSend, Values: map[string][]string{
		"theme": {"dark"}, "language": {"German"}, "preset": {"root"}, "nothing": {"x"},
	}}
	toast := b.Gateways[0].Press(t.Context(), p)
	require.Equal(t, "success", toast.Kind)
	require.Equal(t, "Language of answers: German. Theme of the page: dark.", toast.Text)
	require.Equal(t, toast.Text, toast.Card.Text, "the card says what has changed")
	require.Equal(t, "Language of answers: German", toast.Card.Fields[0].Label)
	require.Equal(t, "Nothing was changed.", b.Gateways[1].Press(t.Context(), p).Text, "the same press again")

	owner, err := b.Store.Users.SessionOwner(t.Context(), out.Session)
	require.NoError(t, err)
	chosen, _, err := b.Store.Settings.Preferences(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, map[settings.UserSetting]string{settings.Theme: "dark", settings.Language: "de"}, chosen)
	versions, err := b.Store.Settings.PreferenceVersions(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Len(t, versions, 2)

	_, err = desk.Set(t.Context(), owner.ID, i18n.English, string(settings.Theme), "light")
	require.NoError(t, err)
	late := b.Gateways[1].Press(t.Context(), p)
	require.Equal(t, "warning", late.Kind, "the same press, long after")
	require.Equal(t, "Theme of the page: light", late.Card.Fields[slices.Index(preference.Names(), string(settings.Theme))].Label)
	p.Event, p.Question = "e3", late.Card.ID
	require.Equal(t, "Theme of the page: dark.", b.Gateways[1].Press(t.Context(), p).Text, "on the card of now")

	for i, id := range []string{"settings/", "settings/1", "settings/999999/en", "settings/x/y/z"} {
		toast := b.Gateways[0].Press(t.Context(), channel.Press{Channel: "feishu", Event: fmt.Sprint("f", i), Sender: "ou_1", Question: id, Button: chat.PressSend, Values: map[string][]string{"theme": {"light"}}})
		require.Equal(t, "error", toast.Kind, id)
	}
	e := ingresstest.InGroup("g0", "ou_1", "/settings")
	e.Mentioned = true
	require.Nil(t, b.Receive(e).Card, "a group is shown nobody's settings")
}

func TestSettings_TheCardOfAnAdministratorLeadsToTheLimitsOfTheInstallation(t *testing.T) {
	b, _ := withSettings(t, "https://xbot.example")
	out := b.Receive(ingresstest.DM("m1", "ou_1", "/settings"))
	require.Empty(t, out.Card.Text, "a member cannot change them")
	owner, err := b.Store.Users.SessionOwner(t.Context(), out.Session)
	require.NoError(t, err)
	_, err = b.Pool.Exec(t.Context(), "UPDATE users SET role = 'admin' WHERE id = $1", owner.ID)
	require.NoError(t, err)
	card := b.Receive(ingresstest.DM("m2", "ou_1", "/settings")).Card
	require.Equal(t, "[Limits of the installation](https://xbot.example/settings/limits)", card.Text)
	toast := b.Gateways[0].Press(t.Context(), channel.Press{Channel: "feishu", Event: "e1", Sender: "ou_1", Chat: "oc_1", Message: "om_1", Question: card.ID, Button: chat.PressSend, Values: map[string][]string{"theme": {"dark"}}})
	require.Equal(t, "Theme of the page: dark.\n\n"+card.Text, toast.Card.Text)
}

func TestSettings_LongTurnsAreToldOfInAChatThatACommandNames(t *testing.T) {
	b, _ := withSettings(t, "")
	owner, err := b.Store.Users.SessionOwner(t.Context(), b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session)
	require.NoError(t, err)
	chat := notices.DirectChat{Channel: "feishu", Peer: "ou_1"}
	require.NoError(t, b.Store.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "feishu", Enabled: true, Settings: map[string]string{}}, 0))
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/settings turn_notices feishu")).Reply, "Notices of long turns")
	told, err := b.Store.Notices.TurnNotices(t.Context(), owner.ID)
	require.NoError(t, err)
	require.Equal(t, notices.TurnNotices{To: &chat, Seconds: 60}, told)
}
