package preference_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/catalogue"
	"xbot/internal/user/notices"
	"xbot/internal/user/preference"
	"xbot/internal/user/settings"
)

// shelf keeps what one person chose.
type shelf struct {
	chosen  map[settings.UserSetting]string
	profile chat.UserProfile
	told    notices.TurnNotices
	chats   []notices.DirectChat
}

func (s *shelf) TurnNotices(context.Context, chat.UserID) (notices.TurnNotices, error) {
	return s.told, nil
}

func (s *shelf) SetTurnNotices(_ context.Context, _ chat.UserID, n notices.TurnNotices) error {
	s.told = n
	return nil
}

func (s *shelf) TurnNoticeChats(context.Context, chat.UserID) ([]notices.DirectChat, error) {
	return s.chats, nil
}

func (s *shelf) Preferences(context.Context, chat.UserID) (map[settings.UserSetting]string, int64, error) {
	return s.chosen, 1, nil
}

func (s *shelf) SetUserSetting(_ context.Context, _ chat.UserID, key settings.UserSetting, value string) error {
	s.chosen[key] = value
	return nil
}

func (s *shelf) Profile(context.Context, chat.UserID) (chat.UserProfile, error) {
	return s.profile, nil
}

func (s *shelf) SetProfile(_ context.Context, _ chat.UserID, p chat.UserProfile) (chat.UserProfile, error) {
	s.profile = p
	return p, nil
}

// some are two models.
type some struct{}

func (some) Get(context.Context, chat.UserID) (catalogue.Catalogue, error) {
	return catalogue.Catalogue{Entries: []catalogue.Entry{{ID: "acme/large"}, {ID: "acme/small", Alias: []string{"tiny"}}}}, nil
}

func TestDesk_TakesTheWordsPeopleUseAndRefusesOthersInTheirLanguage(t *testing.T) {
	s := &shelf{chosen: map[settings.UserSetting]string{}, profile: chat.UserProfile{Content: "Ann", Revision: 3}}
	d := preference.Service{Memory: s, Notices: s, Settings: s, Models: some{}}
	for _, c := range []struct{ name, value, kept string }{
		{"Language", "fr", "fr"}, {"language", "auto", ""}, {"swift", "tiny", "acme/small"}, {"tier-swift", "default", ""}, {"preset", "READ_ONLY", "read_only"},
		{"preset", "改动前询问", "ask"}, {"memory", "off", "off"}, {"memory", "on", ""}, {"theme", "dark", "dark"}, {"page-language", "zh", "zh"}, {"model", "acme/large", "acme/large"},
		{"think", "High", "high"}, {"think", "off", "off"}, {"think", "default", ""}, {"context-mode", "none", "none"}, {"context_mode", "auto", "auto"},
	} {
		set, err := d.Set(t.Context(), 1, i18n.Chinese, c.name, c.value)
		require.NoError(t, err, "%s %s", c.name, c.value)
		require.Equal(t, c.kept, set.Value, "%s %s", c.name, c.value)
		require.Equal(t, c.kept, s.chosen[settings.UserSetting(set.Name)])
	}
	set, err := d.Set(t.Context(), 1, i18n.English, "timezone", "Asia/Tokyo")
	require.NoError(t, err)
	require.Equal(t, "Asia/Tokyo", set.Shown)
	require.Equal(t, chat.UserProfile{Content: "Ann", Timezone: "Asia/Tokyo", Revision: 3}, s.profile, "the rest of the profile stays")

	_, err = d.Set(t.Context(), 1, i18n.Chinese, "theme", "pink")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Equal(t, "页面主题不能设为“pink”。可选：auto, light, dark, default。", i18n.Explain(i18n.Chinese, err))
	_, err = d.Set(t.Context(), 1, i18n.English, "colour", "pink")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = d.Set(t.Context(), 1, i18n.English, "model", "gpt-none")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestDesk_ListsEverySettingWithAValueThatIsAmongItsOptions(t *testing.T) {
	s := &shelf{chosen: map[settings.UserSetting]string{settings.Model: "gone/model", settings.Language: "Klingon"}, profile: chat.UserProfile{Timezone: "Africa/Cairo"}}
	d := preference.Service{Memory: s, Notices: s, Settings: s, Models: some{}}
	for _, lang := range []i18n.Lang{i18n.English, i18n.Chinese} {
		list, version, err := d.List(t.Context(), 1, lang)
		require.NoError(t, err)
		require.EqualValues(t, 1, version)
		require.Len(t, list, len(preference.Names()))
		for _, set := range list {
			require.NotEmpty(t, set.Title)
			require.NotEmpty(t, set.Shown)
			require.Empty(t, set.Options[0].Value, "the default comes first")
			require.Contains(t, set.Options, preference.Option{Value: set.Value, Title: set.Shown}, set.Name)
		}
	}
}

func TestDesk_TellsOfLongTurnsInAChatOfThePersonAndNowhereElse(t *testing.T) {
	s := &shelf{told: notices.TurnNotices{Seconds: 90}, chats: []notices.DirectChat{{Channel: "feishu", Peer: "ou_1"}, {Channel: "qq", Account: "a", Peer: "7"}, {Channel: "qq", Account: "b", Peer: "7"}}}
	d := preference.Service{Memory: s, Notices: s, Settings: s, Models: some{}}
	for _, c := range []struct {
		value, kept string
		to          *notices.DirectChat
	}{
		{"Feishu", "feishu ou_1", &s.chats[0]}, {"qq b 7", "qq b 7", &s.chats[2]}, {"off", "", nil}, {"feishu ou_1", "feishu ou_1", &s.chats[0]}, {"default", "", nil}, {"qq a 7", "qq a 7", &s.chats[1]},
	} {
		set, err := d.Set(t.Context(), 1, i18n.English, "turn-notices", c.value)
		require.NoError(t, err, c.value)
		require.Equal(t, c.kept, set.Value)
		require.Equal(t, notices.TurnNotices{To: c.to, Seconds: 90}, s.told, "how long they take stays")
	}
	for _, bad := range []string{"qq", "feishu ou_2", "napcat", "on"} {
		_, err := d.Set(t.Context(), 1, i18n.Chinese, "turn_notices", bad)
		require.Equal(t, fault.Invalid, fault.KindOf(err), bad)
		require.Contains(t, i18n.Explain(i18n.Chinese, err), "长任务通知不能设为“"+bad+"”。可选：feishu ou_1, qq a 7, qq b 7, default。")
	}
	list, _, err := d.List(t.Context(), 1, i18n.English)
	require.NoError(t, err)
	for _, set := range list {
		if set.Name == "turn_notices" {
			require.Equal(t, "qq a 7", set.Shown)
			require.Len(t, set.Options, 4)
		}
	}
}
