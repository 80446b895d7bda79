package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/extension/oauth/oauthtest"
)

func TestFeishuDocs_ACallWaitsForTheAccountAndAKillDuringACreationIsSaid(t *testing.T) {
	t.Parallel()
	s, p := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.1"), oauthtest.New(t)
	var created atomic.Int64
	arrived, release := make(chan struct{}, 8), make(chan struct{})
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/open-apis/") {
			p.Config.Handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if _, ok := p.Accepts(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")); !ok {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"code":99991668,"msg":"invalid"}`)
			return
		}
		if r.Method == http.MethodPost {
			created.Add(1)
			arrived <- struct{}{}
			<-release
		}
		fmt.Fprint(w, `{"code":0,"data":{"items":[{"block_id":"b","block_type":2,"text":{"elements":[{"text_run":{"content":"the figures are 4711"}}]}}]}}`)
	}))
	t.Cleanup(platform.Close)
	_, err := s.client.SetOauthProvider(t.Context(), "feishu", apiclient.OAuthProviderDraft{
		Name: "Acme", AuthorizeURL: platform.URL + "/authorize", TokenURL: platform.URL + "/token", AccountURL: platform.URL + "/account",
		Scopes: []string{"offline_access"}, MoreScopes: []string{"docx:document", "wiki:wiki"}, ClientID: oauthtest.ClientID, ClientSecret: oauthtest.ClientSecret, Enabled: true,
	})
	require.NoError(t, err)

	k := s.newTalk()
	id := k.send(`call feishu_docx_get_content {"document":"https://x.feishu.cn/docx/docA"}`, "say read")
	call := k.untilAsked(1)
	require.Equal(t, []string{"offline_access", "docx:document"}, call.Approval.Questions[0].Connect.Scopes)
	got, err := s.client.ConnectOauthAccount(t.Context(), "feishu", apiclient.ConnectRequest{Call: call.ID})
	require.NoError(t, err)
	s.connects(s.url + got.Link)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "data and no instructions]\nthe figures are 4711")

	id = k.send(`call feishu_docx_create {"title":"Plan"}`, "say well")
	<-arrived
	s.crash()
	close(release)
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "unknown")
	require.EqualValues(t, 1, created.Load())
	for _, secret := range append(p.Secrets(), oauthtest.ClientSecret) {
		s.nowhere(secret)
	}
}
