package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/apiclient"
	"xbot/internal/chat"
)

// echo is a service that refuses every request and says what it was sent, as careless services do.
func echo(t *testing.T) string {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // what came is enough
		said, _ := json.Marshal(r.Header)                    // cannot fail
		http.Error(w, "refused: "+r.URL.String()+" "+string(said)+" "+string(body), http.StatusUnauthorized)
	}))
	t.Cleanup(service.Close)
	return service.URL + "/v1"
}

// secrets makes secrets, one of each kind, and keeps them.
type secrets map[string]string

func (x secrets) made(kind string) string {
	x[kind] = "sk-" + strings.ReplaceAll(kind, " ", "-") + "-90210-and-nobody-else"
	return x[kind]
}

func TestSecrets_OfEveryKindAreInNoDatabaseHistoryLogErrorEventOrExport(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	url, ctx, kept := echo(t), t.Context(), secrets{}
	var said strings.Builder // all that the server answers
	tells := func(v any, err error) {
		t.Helper()
		text, broken := json.Marshal(v)
		require.NoError(t, broken)
		said.Write(text)
		if err != nil {
			said.WriteString(err.Error())
		}
	}

	for _, provider := range []string{chat.ProviderOpenAI, chat.ProviderAnthropic} {
		for shared, name := range map[bool]string{true: "all-" + provider, false: "my-" + provider} {
			draft := apiclient.SubscriptionDraft{Shared: shared, Name: name, Provider: provider, BaseURL: url, Key: kept.made("subscription " + name), Models: []chat.SubscribedModel{{ID: "scripted"}}}
			tried, err := s.client.TrySubscription(ctx, apiclient.TrialBody{Shared: shared, Name: name, Provider: provider, BaseURL: url, Key: draft.Key, Model: "scripted"})
			require.False(t, tried.Passed)
			tells(tried, err)
			made, err := s.client.CreateSubscription(ctx, draft)
			require.NoError(t, err)
			tells(made, nil)
		}
	}
	services, err := s.client.ListToolKeys(ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(services.Services), 8)
	for _, service := range services.Services {
		for shared, whose := range map[bool]string{true: "all", false: "mine"} {
			draft := apiclient.ToolKeyDraft{Shared: shared, Key: kept.made(service.Service + " " + whose), BaseURL: url}
			tells(s.client.TryToolKey(ctx, service.Service, draft))
			made, err := s.client.SetToolKey(ctx, service.Service, draft)
			require.NoError(t, err)
			tells(made, nil)
		}
	}
	tells(s.client.SetChannel(ctx, "napcat", apiclient.SetChannelParams{}, apiclient.ChannelChange{Enabled: true, Settings: map[string]string{"url": "ws" + strings.TrimPrefix(url, "http"), "token": kept.made("napcat")}}))
	tells(s.client.TestChannel(ctx, "napcat", apiclient.TestChannelParams{}, ""))
	feishu := map[string]string{"app_id": "cli_a", "domain": strings.TrimSuffix(url, "/v1"), "app_secret": kept.made("feishu"), "encrypt_key": kept.made("feishu encrypt key"), "verification_token": kept.made("feishu verification")}
	tells(s.client.SetChannel(ctx, "feishu", apiclient.SetChannelParams{}, apiclient.ChannelChange{Enabled: true, Settings: feishu}))
	tells(s.client.TestChannel(ctx, "feishu", apiclient.TestChannelParams{}, ""))

	called := s.newTrigger(chat.TriggerDraft{Name: "build"})
	kept["trigger"] = called.Secret
	require.Equal(t, http.StatusAccepted, s.call(called, called.Secret, "1", `{"done":true}`, time.Now()))
	token, err := s.client.CreateToken(ctx, apiclient.CreateTokenRequest{Name: "scripts"})
	require.NoError(t, err)
	kept["API token"] = token.Token
	runner, err := s.client.CreateRunner(ctx, "laptop")
	require.NoError(t, err)
	kept["runner token"] = runner.Token
	invited, err := s.client.CreateInvite(ctx, apiclient.CreateInviteRequest{Note: "Lena"})
	require.NoError(t, err)
	kept["invitation"] = invited.Link[strings.LastIndexAny(invited.Link, "=/")+1:]

	k := s.newTalk()
	k.send("/set-llm typed base_url=" + url + " api_key=" + kept.made("typed key") + " models=large")
	k.untilNotice(time.Minute, "Saved")
	k.send("/llm typed/large")
	k.untilNotice(time.Minute, "answers you")
	require.Equal(t, chat.TurnFailed, k.untilEnded(time.Minute, k.send("say in vain")).State)
	shared, err := s.client.CreateShare(ctx, k.key, 7)
	require.NoError(t, err)
	kept["share link"] = strings.TrimPrefix(shared.Link, "/shared/")

	tells(s.client.ListSubscriptions(ctx))
	tells(s.client.ListToolKeys(ctx))
	tells(s.client.ListChannels(ctx))
	tells(s.client.ListTriggers(ctx))
	tells(s.client.ListTokens(ctx))
	tells(s.client.ListRunners(ctx))
	tells(s.client.ListInvites(ctx))
	tells(s.client.ListShares(ctx, k.key))
	_, err = s.client.ExportSession(ctx, k.key, apiclient.ExportSessionParams{Format: "jsonl"}, &said)
	require.NoError(t, err)
	for u := range k.client.Watch(ctx, k.key, 0) {
		if u.Event == nil {
			continue
		}
		said.Write(u.Event.Data)
		if strings.Contains(string(u.Event.Data), string(chat.TurnFailed)) {
			break
		}
	}
	s.crash()
	s.boot()
	require.GreaterOrEqual(t, len(kept), 4+2*8+4+6)
	for kind, secret := range kept {
		require.NotContains(t, said.String(), secret, kind)
		s.nowhere(secret)
	}
}
