package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/config"
)

var napcat = chat.ChannelKind{Name: "napcat", Options: []chat.ChannelOption{
	{Name: "url", Env: "NAPCAT_URL"}, {Name: "token", Env: "NAPCAT_TOKEN", Secret: true}, {Name: "self_id"},
}}

func TestChannelTable_SaysHowEachStands(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	require.NoError(t, channelTable(&out, []chat.ChannelAccount{
		{Channel: "feishu", State: chat.ChannelConnected, ConnectedAt: new(now.Add(-time.Hour)), EventAt: new(now.Add(-5 * time.Second)), LagMS: new(int64(180)), ChannelLoad: chat.ChannelLoad{Waiting: 2, OldestS: 70}, Environment: []string{"FEISHU_APP_ID"}},
		{Channel: "napcat", Account: "second", State: chat.ChannelFaulty, Error: "NapCat refuses the token", ChangedBy: "mara"},
		{Channel: "napcat", State: chat.ChannelConnected, ChannelLoad: chat.ChannelLoad{Signs: 12, SignsBudget: 240}},
		{Channel: "napcat", Account: "third", State: chat.ChannelConnected, ChannelLoad: chat.ChannelLoad{Signs: 243, SignsBudget: 240}},
		{Channel: "qq", State: chat.ChannelConnected, ChannelLoad: chat.ChannelLoad{Waiting: 1, OldestS: 60, Held: "the quota\nis used up"}},
	}, now))
	rows := strings.Split(out.String(), "\n")
	require.Equal(t, strings.Fields("feishu connected 1h 5s ago 180ms 2 for 1m - environment -"), strings.Fields(rows[1]))
	require.Equal(t, strings.Fields("napcat/second faulty - - - 0 - mara NapCat refuses the token"), strings.Fields(rows[2]))
	require.Equal(t, strings.Fields("napcat connected - - - 0 12/240 - -"), strings.Fields(rows[3]))
	require.Equal(t, strings.Fields("qq connected - - - 1 for 1m - - messages wait: the quota is used up"), strings.Fields(rows[5]))
	require.Equal(t, strings.Fields("napcat/third connected - - - 0 240/240 +3 - -"), strings.Fields(rows[4]), "what was refused is beside it")
}

func TestChannelsSet_TakesSecretsFromAnywhereButTheArguments(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"NAPCAT_URL": "ws://env", "NAPCAT_TOKEN": "env-secret"}[name]
	}
	c := channelsSetCmd{Values: []string{"url=ws://argument"}, Stdin: true, FromEnv: true}
	got, err := c.given(napcat, env, strings.NewReader("# NapCat\n\n token = stdin-secret=\nself_id=\n"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"url": "ws://argument", "token": "stdin-secret=", "self_id": ""}, got)

	_, err = channelsSetCmd{Values: []string{"token=seen-by-all"}}.given(napcat, env, strings.NewReader(""))
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "NAPCAT_TOKEN")
	require.NotContains(t, err.Error(), "seen-by-all")
	_, err = channelsSetCmd{Stdin: true}.given(napcat, env, strings.NewReader("url=ws://x\nmy-secret"))
	require.ErrorContains(t, err, "line 2")
	require.NotContains(t, err.Error(), "my-secret")
}

func TestChannelsSet_LeavesWhatIsNotNamed(t *testing.T) {
	now := chat.ChannelAccount{Enabled: false, Revision: 7, Settings: map[string]string{"url": "ws://old", "self_id": "10001"}, Secrets: []string{"token"}}
	got := changeOf(napcat, now, map[string]string{"url": "ws://new", "token": ""})
	require.Equal(t, map[string]string{"url": "ws://new", "self_id": "10001", "token": ""}, got.Settings)
	require.Equal(t, []string{"token"}, got.Forget, "an empty secret is taken away")
	require.Equal(t, int64(7), got.Revision)
	require.False(t, got.Enabled)
}

func TestSayFindings_NamesWhatIsMissingAndWhatWasNotTested(t *testing.T) {
	var out strings.Builder
	sayFindings(&out, []chat.ChannelFinding{
		{Step: chat.TestSettings, State: chat.TestOK},
		{Step: chat.TestCredentials, State: chat.TestOK, What: "xbot (ou_1)"},
		{Step: chat.TestPermission, State: chat.TestMissing, What: "im:resource", Text: "Add it."},
		{Step: chat.TestMessage, State: chat.TestUntested, Text: "no message was sent"},
	})
	require.Equal(t, "✓ settings    ok\n✓ credentials xbot (ou_1)\n✗ permission  im:resource is missing: Add it.\n- message     not tested: no message was sent\n", out.String())
}

func TestChannelSettings_NeverShowAValue(t *testing.T) {
	all := channelSettings(map[string]string{"NAPCAT_TOKEN": "secret", "FEISHU_APP_ID": "cli_1"})
	byName := map[string]config.Setting{}
	for _, s := range all {
		byName[s.Name] = s
		require.Contains(t, []string{"", "set"}, s.Value)
	}
	require.Equal(t, "set", byName["NAPCAT_TOKEN"].Value)
	require.Empty(t, byName["NAPCAT_URL"].Value)
}
