package api_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/settings"
	"xbot/internal/channel/accounts"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/secret"
)

type object = map[string]any

// channels lists what is configured, and checks that no secret stands in the answer.
func (b *bundle) channels(secrets ...string) []chat.ChannelAccount {
	b.t.Helper()
	got := b.alice.get("/api/channels")
	for _, s := range secrets {
		require.NotContains(b.t, string(got.body), s)
	}
	var list settings.ChannelList
	got.is(http.StatusOK, &list)
	return list.Accounts
}

func TestChannels_AreMadeChangedSwitchedAndRemoved(t *testing.T) {
	b := setup(t)
	var list settings.ChannelList
	b.alice.get("/api/channels").is(http.StatusOK, &list)
	require.Empty(t, list.Accounts)
	require.Equal(t, "feishu", list.Kinds[0].Name)
	require.Equal(t, "app_id", list.Kinds[0].Options[0].Name)
	require.True(t, list.Kinds[0].Options[1].Secret)

	var made chat.ChannelAccount
	b.alice.put("/api/channels/napcat?account=second", object{"enabled": true, "settings": object{"mode": "reverse", "token": "first-secret"}}).is(http.StatusOK, &made)
	require.Equal(t, chat.ChannelConnecting, made.State)
	require.Equal(t, map[string]string{"mode": "reverse"}, made.Settings)
	require.Equal(t, []string{"token"}, made.Secrets)
	require.Equal(t, "wss://xbot.example/channels/napcat/second", made.Address)
	require.Equal(t, "alice", made.ChangedBy)
	require.Len(t, b.channels("first-secret"), 1)

	change := object{"enabled": true, "settings": object{"mode": "reverse", "self_id": "10001"}, "revision": made.Revision}
	var changed chat.ChannelAccount
	b.alice.put("/api/channels/napcat?account=second", change).is(http.StatusOK, &changed)
	require.Equal(t, []string{"token"}, changed.Secrets, "a secret that is left out stays")
	require.NotEqual(t, made.Revision, changed.Revision)
	known, err := b.book.ChannelAccounts(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"mode": "reverse", "self_id": "10001", "token": "first-secret"}, known[0].Settings)

	require.Contains(t, b.alice.put("/api/channels/napcat?account=second", change).problem(http.StatusConflict), "meanwhile")
	require.Contains(t, b.alice.put("/api/channels/napcat?account=second", object{"enabled": true, "settings": object{"mode": "reverse", "token": "x"}}).problem(http.StatusConflict), "already")

	b.alice.patch("/api/channels/napcat?account=second", object{"enabled": false}).is(http.StatusOK, &changed)
	require.Equal(t, chat.ChannelOff, changed.State)
	b.alice.patch("/api/channels/napcat", object{"enabled": false}).problem(http.StatusNotFound)
	b.alice.delete("/api/channels/napcat?account=second").is(http.StatusNoContent, nil)
	b.alice.delete("/api/channels/napcat?account=second").problem(http.StatusNotFound)
	require.Empty(t, b.channels())
	b.alice.put("/api/channels/napcat?account=second", object{"enabled": true, "settings": object{"mode": "reverse", "token": "y"}}).is(http.StatusOK, &made)
	require.Greater(t, made.Revision, changed.Revision, "whoever has the older one open opens it anew")
}

func TestChannels_AreCheckedWithoutBeingSaved(t *testing.T) {
	b := setup(t)
	faults := func(path string, body any) []chat.ChannelFault {
		var got settings.ChannelFaults
		b.alice.post(path, body).is(http.StatusOK, &got)
		return got.Faults
	}
	require.Empty(t, faults("/api/channels/napcat/check", object{"settings": object{"url": "ws://127.0.0.1:3001"}}))
	got := faults("/api/channels/feishu/check?account=Default", object{"settings": object{"app_id": "cli 1", "mode": "carrier pigeon", "colour": "red"}})
	byOption := map[string]string{}
	for _, f := range got {
		byOption[f.Option] += f.Kind
	}
	require.Equal(t, map[string]string{"account": "form", "app_secret": "missing", "mode": "choice", "app_id": "form", "": "unknown"}, byOption)
	require.Contains(t, faults("/api/channels/feishu/check", object{"settings": object{"app_id": "cli_1", "app_secret": "s", "mode": "webhook"}})[0].Text, "verification_token is missing")

	refusal := b.alice.put("/api/channels/napcat", object{"enabled": true, "settings": object{"url": "gopher://x"}})
	require.Contains(t, refusal.problem(http.StatusUnprocessableEntity), "url must begin with ws://")
	require.Contains(t, string(refusal.body), "body.settings.url")
	b.alice.post("/api/channels/smoke/check", object{"settings": object{}}).problem(http.StatusNotFound)
	require.Empty(t, b.channels())
}

func TestChannels_AreForAdministratorsOnly(t *testing.T) {
	b := setup(t)
	for _, c := range []struct{ method, path string }{
		{http.MethodGet, "/api/channels"}, {http.MethodPut, "/api/channels/napcat"}, {http.MethodPatch, "/api/channels/napcat"},
		{http.MethodDelete, "/api/channels/napcat"}, {http.MethodPost, "/api/channels/napcat/check"}, {http.MethodPost, "/api/channels/napcat/test"},
	} {
		var body any
		if c.method != http.MethodGet && c.method != http.MethodDelete {
			body = object{"enabled": true, "settings": object{}}
		}
		if strings.HasSuffix(c.path, "/check") {
			body = object{"settings": object{}}
		}
		if strings.HasSuffix(c.path, "/test") {
			body = object{}
		}
		if c.method == http.MethodPatch {
			body = object{"enabled": true}
		}
		b.do(nil, c.method, c.path, body).problem(http.StatusUnauthorized)
		b.do(b.bob, c.method, c.path, body).problem(http.StatusForbidden)
	}
}

func TestChannels_TheEnvironmentStandsAbove(t *testing.T) {
	b := setup(t)
	b.book.Env = map[string]string{"NAPCAT_URL": "ws://127.0.0.1:1", "NAPCAT_TOKEN": "of-the-environment"}
	require.NoError(t, b.book.TakeEnvironment(t.Context(), slog.New(slog.DiscardHandler)))
	require.NoError(t, b.book.TakeEnvironment(t.Context(), slog.New(slog.DiscardHandler)))
	all := b.channels("of-the-environment")
	require.Equal(t, []string{"NAPCAT_URL", "NAPCAT_TOKEN"}, all[0].Environment)
	require.Empty(t, all[0].ChangedBy)
	said := b.alice.put("/api/channels/napcat", object{"enabled": true, "settings": object{}, "revision": all[0].Revision}).problem(http.StatusForbidden)
	require.Contains(t, said, "NAPCAT_URL, NAPCAT_TOKEN")
	b.alice.patch("/api/channels/napcat", object{"enabled": false}).problem(http.StatusForbidden)
	b.alice.delete("/api/channels/napcat").problem(http.StatusForbidden)
	b.alice.put("/api/channels/napcat?account=other", object{"enabled": true, "settings": object{"url": "ws://127.0.0.1:1"}}).is(http.StatusOK, nil)

	b.book.Env = map[string]string{"FEISHU_APP_ID": "no app"}
	require.NoError(t, b.book.TakeEnvironment(t.Context(), slog.New(slog.DiscardHandler)), "what is wrong is told in the list")
	require.Len(t, b.channels(), 3)
	require.Empty(t, b.channels()[1].Environment, "nothing sets it any more")
}

func TestChannels_OneWithoutReadableSecretsHurtsNoOther(t *testing.T) {
	b := setup(t)
	for _, name := range []string{"one", "two"} {
		b.alice.put("/api/channels/napcat?account="+name, object{"enabled": true, "settings": object{"mode": "reverse", "token": "secret"}}).is(http.StatusOK, nil)
	}
	other := &accounts.Store{Channels: b.store.Channels, Key: secret.Key{2}, Drivers: b.book.Drivers}
	require.NoError(t, other.Channels.DeleteChannelAccount(t.Context(), "napcat", "two"))
	require.NoError(t, other.Save(t.Context(), accounts.Draft{Channel: "napcat", Account: "two", Enabled: true, Settings: map[string]string{"mode": "reverse", "token": "x"}}, b.alice.user.ID))
	known, err := b.book.ChannelAccounts(t.Context())
	require.NoError(t, err)
	require.NoError(t, known[0].Fault)
	require.ErrorContains(t, known[1].Fault, "set them again")
	require.Len(t, b.channels(), 2)
}

func (b *bundle) findings(path, to string) (bool, map[string]chat.ChannelFinding) {
	b.t.Helper()
	var got settings.ChannelTest
	b.alice.post(path, object{"to": to}).is(http.StatusOK, &got)
	out := map[string]chat.ChannelFinding{}
	for _, f := range got.Findings {
		out[f.Step] = f
	}
	return got.Passed, out
}

func TestChannels_ATestTriesCredentialsConnectionAndAMessage(t *testing.T) {
	b := setup(t)
	p, err := onebottest.New(onebottest.Options{Token: "right"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	p.AddPerson("20007", "Carol")
	save := func(account, token string) {
		b.alice.put("/api/channels/napcat?account="+account, object{"enabled": true, "settings": object{"url": p.URL(), "token": token}}).is(http.StatusOK, nil)
	}
	save("wrong", "no-token-of-it")
	require.NoError(t, b.store.Channels.ReportChannel(t.Context(), "napcat", "wrong", false, time.Time{}, 0, "NapCat refuses the token"))
	passed, found := b.findings("/api/channels/napcat/test?account=wrong", "")
	require.False(t, passed)
	require.Equal(t, chat.TestFailed, found[chat.TestCredentials].State)
	require.Contains(t, found[chat.TestCredentials].Text, "token")
	require.Equal(t, "NapCat refuses the token", found[chat.TestConnection].Text)
	require.Equal(t, chat.TestUntested, found[chat.TestMessage].State)

	save("right", "right")
	_, err = b.store.Channels.HoldChannel(t.Context(), "napcat", "right", "here", time.Minute)
	require.NoError(t, err)
	require.NoError(t, b.store.Channels.ReportChannel(t.Context(), "napcat", "right", true, time.Time{}, 0, ""))
	passed, found = b.findings("/api/channels/napcat/test?account=right", "20007")
	require.True(t, passed, "%v", found)
	require.Contains(t, found[chat.TestCredentials].What, "10001")
	require.Equal(t, chat.TestUntested, found[chat.TestEvents].State)
	require.Equal(t, chat.TestOK, found[chat.TestMessage].State)
	said := p.OfBot(onebottest.Person("20007"))
	require.Len(t, said, 1)
	require.Contains(t, p.Read(said[0]), "a test of xbot")

	b.alice.post("/api/channels/napcat/test?account=right", object{"to": "last"}).problem(http.StatusBadRequest)
	b.alice.post("/api/channels/napcat/test?account=right", object{"to": "moon:1"}).problem(http.StatusBadRequest)
	b.alice.post("/api/channels/napcat/test?account=none", object{}).problem(http.StatusNotFound)

	b.alice.patch("/api/channels/napcat?account=right", object{"enabled": false}).is(http.StatusOK, nil)
	passed, found = b.findings("/api/channels/napcat/test?account=right", "20007")
	require.True(t, passed, "credentials are tried also where it is switched off")
	require.Equal(t, chat.TestUntested, found[chat.TestConnection].State)
	require.Len(t, p.OfBot(onebottest.Person("20007")), 1, "nothing is sent by a channel that is off")
}

func (p *person) patch(path string, body any) answer {
	p.t.Helper()
	return p.do(p, http.MethodPatch, path, body)
}
