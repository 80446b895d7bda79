package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
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
	url, ctx, kept := echo(t), t.Context(), secrets{}
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1", "LLM_BASE_URL="+url, "LLM_API_KEY="+kept.made("key of the environment"))
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
	for shared, name := range map[bool]string{true: "all", false: "mine"} {
		for kind, draft := range map[string]apiclient.MCPServerDraft{
			"header":   {URL: url, Headers: map[string]string{"Authorization": "Bearer " + kept.made("header of MCP server "+name)}},
			"variable": {Command: "sh", Args: []string{"-c", "echo $KEY; echo $KEY >&2; exit 1"}, Env: map[string]string{"KEY": kept.made("variable of MCP server " + name)}},
		} {
			draft.Shared, draft.Enabled = shared, true
			made, err := s.client.SetMCPServer(ctx, kind, draft)
			require.NoError(t, err)
			require.NotEmpty(t, made.Problem)
			tells(made, nil)
		}
	}
	tells(s.client.ListMCPServers(ctx))
	tells(s.client.SetOauthProvider(ctx, "acme", apiclient.OAuthProviderDraft{
		AuthorizeURL: url + "/authorize", TokenURL: url + "/token", ClientID: "xbot", ClientSecret: kept.made("OAuth client"), Enabled: true,
	}))
	tells(s.client.ListOauthProviders(ctx))
	tells(s.strays(kept))
	tells(s.client.SetChannel(ctx, "napcat", apiclient.SetChannelParams{}, apiclient.ChannelChange{Enabled: true, Settings: map[string]string{"url": "ws" + strings.TrimPrefix(url, "http"), "token": kept.made("napcat")}}))
	tells(s.client.TestChannel(ctx, "napcat", apiclient.TestChannelParams{}, ""))
	feishu := map[string]string{"app_id": "cli_a", "domain": strings.TrimSuffix(url, "/v1"), "app_secret": kept.made("feishu"), "encrypt_key": kept.made("feishu encrypt key"), "verification_token": kept.made("feishu verification")}
	tells(s.client.SetChannel(ctx, "feishu", apiclient.SetChannelParams{}, apiclient.ChannelChange{Enabled: true, Settings: feishu}))
	tells(s.client.TestChannel(ctx, "feishu", apiclient.TestChannelParams{}, ""))

	qq := map[string]string{"app_id": "102000000", "api_url": url, "token_url": url, "app_secret": kept.made("qq")}
	tells(s.client.SetChannel(ctx, "qq", apiclient.SetChannelParams{}, apiclient.ChannelChange{Enabled: true, Settings: qq}))
	tells(s.client.TestChannel(ctx, "qq", apiclient.TestChannelParams{}, ""))

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

	link, err := s.operate("login-link")
	require.NoError(t, err, link)
	kept["sign-in link"] = link[strings.LastIndexAny(link, "=/")+1:]
	page := s.browser()
	require.Equal(t, http.StatusOK, s.signIn(page, link))
	require.Equal(t, http.StatusNoContent, s.post(page, "/api/me/password", map[string]string{"password": kept.made("password")}))
	require.Equal(t, http.StatusOK, s.post(page, "/api/login", map[string]string{"username": "admin", "password": kept["password"]}))
	wrong := kept.made("mistyped password")
	require.Equal(t, http.StatusUnauthorized, s.post(page, "/api/login", map[string]string{"username": "admin", "password": wrong}))

	k := s.newTalk()
	require.Equal(t, chat.TurnFailed, k.untilEnded(time.Minute, k.send("say with the key of the environment")).State)
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
	for _, command := range []string{"doctor", "status", "config", "logs", "inbox", "sessions"} {
		said.WriteString(s.prints(command))
	}
	said.WriteString(s.metrics())
	s.crash()
	s.boot()
	require.GreaterOrEqual(t, len(kept), 4+2*8+4+4+6+5)
	for kind, secret := range kept {
		require.NotContains(t, said.String(), secret, kind)
		s.nowhere(secret)
	}
}

// prints is what a command of the operator prints, with the settings of the server in its environment.
func (s *server) prints(command ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(bin, "xbot"), command...)
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); !failed { // doctor finds that the model refuses the key
		require.NoError(s.t, err)
	}
	require.NotEmpty(s.t, out, command)
	return string(out)
}

// metrics are the server's, as an administrator's scraper reads them.
func (s *server) metrics() string {
	s.t.Helper()
	at, err := s.Endpoint(s.t.Context())
	require.NoError(s.t, err)
	status, body := s.get(http.MethodGet, "/metrics", http.Header{"Authorization": {"Bearer " + at.Token}})
	require.Equal(s.t, http.StatusOK, status, body)
	require.Contains(s.t, body, "xbot_")
	return body
}
