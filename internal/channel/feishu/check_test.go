package feishu_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/fault"
)

func TestCheck_AnAppWithEverythingHasNoProblemsAndNothingIsChanged(t *testing.T) {
	w := newWorld(t, feishutest.Config{})
	me, problems, err := w.account.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, channel.Identity{ID: feishutest.BotID, Name: feishutest.BotName}, me)
	for _, chat := range []string{w.group, w.Direct(ann)} {
		require.Empty(t, w.Shown(chat, ""))
	}
}

func TestCheck_NamesEveryPermissionThatIsMissingAndWhereItIsTicked(t *testing.T) {
	message := "/open-apis/im/v1/messages/om_"
	for path, want := range map[string]struct{ what, named string }{
		"GET /open-apis/bot/v3/info":                                      {"bot:info", "bot:info"},
		"GET " + message:                                                  {"im:message:readonly", "im:message or im:message:readonly"},
		"POST /open-apis/im/v1/messages":                                  {"im:message:send_as_bot", "im:message:send_as_bot"},
		"PATCH " + message:                                                {"im:message:update", "im:message:update"},
		"GET /open-apis/im/v1/chats":                                      {"im:chat:readonly", "im:chat:readonly"},
		"GET /open-apis/contact/v3/users":                                 {"contact:user.base:readonly", "contact:contact.base:readonly or contact:user.base:readonly"},
		"PUT /open-apis/cardkit/v1/cards/0/elements":                      {"cardkit:card:write", "cardkit:card:write"},
		"POST " + message + "000000000000000000000000000000000/reactions": {"im:message.reactions:write_only", "im:message.reactions:write_only"},
	} {
		t.Run(want.what, func(t *testing.T) {
			scopes := strings.Split(want.named, " or ")
			w := newWorld(t, feishutest.Config{Lacks: map[string][]string{path: scopes}})
			_, problems, err := w.account.Check(t.Context())
			require.NoError(t, err)
			i := slices.IndexFunc(problems, func(p channel.Problem) bool { return p.What == want.what })
			require.GreaterOrEqual(t, i, 0, "%+v", problems)
			require.Equal(t, "Add "+want.named+" at open.feishu.cn, the app, Permissions & Scopes, and publish a version.", problems[i].Do)
		})
	}
}

func TestCheck_NamesThePermissionsForEventsThatTheListLacks(t *testing.T) {
	direct, group := "im:message.p2p_msg:readonly", "im:message.group_at_msg:readonly"
	for name, c := range map[string]struct{ granted, missing []string }{
		"neither":                   {granted: []string{"im:resource"}, missing: []string{direct, group}},
		"the names of today":        {granted: []string{direct, group}},
		"older names":               {granted: []string{"im:message.p2p_msg", "im:message.group_at_msg"}},
		"all messages of groups":    {granted: []string{direct, "im:message.group_msg"}},
		"groups alone":              {granted: []string{group}, missing: []string{direct}},
		"the app may not list them": {},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, feishutest.Config{Granted: c.granted})
			_, problems, err := w.account.Check(t.Context())
			require.NoError(t, err)
			var missing []string
			for _, p := range problems {
				missing = append(missing, p.What)
				require.Equal(t, "Add "+p.What+" at open.feishu.cn, the app, Permissions & Scopes, and publish a version.", p.Do)
			}
			require.Equal(t, c.missing, missing)
		})
	}
}

func TestCheck_AnAppWithoutABotIsToldWhereItIsAdded(t *testing.T) {
	w := newWorld(t, feishutest.Config{NoBot: true})
	_, problems, err := w.account.Check(t.Context())
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "bot", problems[0].What)
	require.Contains(t, problems[0].Do, "Add Features, Bot")
}

func TestCheck_TriesTheSecretAlsoWhereATokenIsStillGood(t *testing.T) {
	const token = "POST /open-apis/auth/v3/tenant_access_token/internal"
	w := newWorld(t, feishutest.Config{})
	for n := range 3 {
		_, _, err := w.account.Check(t.Context())
		require.NoError(t, err)
		require.Equal(t, n+1, w.Calls(token))
	}
	_, _, err := w.open(t, "app_secret", "wrong").Check(t.Context())
	require.True(t, fault.Is(err, fault.Denied))
	require.NotContains(t, err.Error(), w.Secret)
}

func TestRun_ARefusalOfSomethingBetweenDoesNotEndIt(t *testing.T) {
	w := newWorld(t, feishutest.Config{}, "mode", "webhook")
	w.client.Transport = &between{RoundTripper: w.client.Transport, times: 2}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.account.Run(ctx, w.inbox, w.inbox) }()
	require.Eventually(t, func() bool {
		all := w.statuses()
		return len(all) == 3 && all[2].Connected
	}, soon, tick)
	cancel()
	require.NoError(t, <-done)
	said := w.statuses()[0].Err.Error()
	require.Equal(t, "Feishu gives no access token now: HTTP 403, code 0", said, "no log id where there is none")
}

// between stands before the platform and answers the first calls itself.
type between struct {
	http.RoundTripper
	times int
}

func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.times == 0 {
		return b.RoundTripper.RoundTrip(r)
	}
	b.times--
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>sign in to the network</html>")), Request: r}, nil
}
