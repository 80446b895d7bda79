package e2e

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"xbot/internal/chat"
	"xbot/internal/host/localstack"
)

// get asks for a path of the server with the given headers and returns the status and the body.
func (s *server) get(method, path string, header http.Header) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, nil)
	require.NoError(s.t, err)
	maps.Copy(req.Header, header)
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(s.t, err)
	defer resp.Body.Close() // read only
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	require.NoError(s.t, err)
	return resp.StatusCode, string(body)
}

func TestSecurity_LoopbackIsNotAuthentication(t *testing.T) {
	t.Parallel()
	s := diskServerWithStack(t)

	t.Run("every endpoint but health, login, invitations, shared conversations and the document asks for a login", func(t *testing.T) {
		_, document := s.get(http.MethodGet, "/api/openapi.json", nil)
		var doc struct {
			Paths map[string]map[string]json.RawMessage `json:"paths"`
		}
		require.NoError(t, json.Unmarshal([]byte(document), &doc))
		require.Greater(t, len(doc.Paths), 8)
		for path, methods := range doc.Paths {
			if path == "/api/login" || path == "/api/login/link" || path == "/api/join" || path == "/api/shared/{token}" { // they ask for a password, an invitation, a link
				continue
			}
			for method := range methods {
				status, body := s.get(strings.ToUpper(method), strings.NewReplacer("{key}", "agent:main:main", "{id}", "1").Replace(path), nil)
				require.Equal(t, http.StatusUnauthorized, status, "%s %s: %s", method, path, body)
			}
		}
		for _, path := range []string{"/temporal/", "/temporal/api/v1/namespaces", "/metrics", "/api/nothing", "/api/sessions/agent:main:main/ws", "/internal/runners/local"} {
			status, _ := s.get(http.MethodGet, path, nil)
			require.Equal(t, http.StatusUnauthorized, status, path)
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			status, _ := s.get(http.MethodGet, path, nil)
			require.Equal(t, http.StatusOK, status, path)
		}
	})

	t.Run("a wrong token is refused", func(t *testing.T) {
		status, _ := s.get(http.MethodGet, "/api/me", http.Header{"Authorization": {"Bearer wrong"}})
		require.Equal(t, http.StatusUnauthorized, status)
	})

	t.Run("a foreign host name is refused", func(t *testing.T) {
		status, _ := s.get(http.MethodGet, "/", http.Header{"Host": {"evil.example"}})
		require.Equal(t, http.StatusForbidden, status)
	})

	e, err := localstack.Read(s.home)
	require.NoError(t, err)
	t.Run("Temporal asks for a client certificate", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := client.DialContext(ctx, client.Options{HostPort: e.Temporal.Address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
		require.Error(t, err)
	})
	t.Run("the Temporal UI answers only the ingress", func(t *testing.T) {
		resp, err := http.Get("http://" + e.Temporal.UIAddress + "/temporal/")
		require.NoError(t, err)
		defer resp.Body.Close() // read only
		require.GreaterOrEqual(t, resp.StatusCode, 400)
		endpoint, err := s.Endpoint(t.Context())
		require.NoError(t, err)
		status, body := s.get(http.MethodGet, "/temporal/", http.Header{"Authorization": {"Bearer " + endpoint.Token}})
		require.Equal(t, http.StatusOK, status, "an administrator reaches it behind the login")
		require.Contains(t, strings.ToLower(body), "<html")
	})
	t.Run("Postgres listens on a private socket and asks for a password", func(t *testing.T) {
		config, err := pgx.ParseConfig(e.DatabaseURL)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(config.Host, "/"), "a Unix socket")
		info, err := os.Stat(config.Host)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o007, "others can reach the socket's folder")
		config.Password = "wrong"
		_, err = pgx.ConnectConfig(t.Context(), config)
		require.Error(t, err)
		if l, err := net.Listen("tcp", "127.0.0.1:5432"); err == nil {
			require.NoError(t, l.Close())
		}
	})
	t.Run("secrets are for their owner alone", func(t *testing.T) {
		for _, name := range []string{"secret.key", "run/serve.json", "run/runner-local.token"} {
			info, err := os.Stat(filepath.Join(s.home, name))
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
		}
	})
	t.Run("tools reach none of the files that open these doors", func(t *testing.T) {
		k := s.newTalk()
		id := k.send(
			k.shell("cat %s/secret.key %s/run/serve.json; ls %s; echo status $?", s.home, s.home, s.home),
			`call Read {"path":"`+s.home+`/secret.key"}`, `call Grep {"pattern":"token","path":"`+s.home+`"}`,
			`call FileCreate {"path":"`+s.home+`/planted","content":"x"}`, "say tried")
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		key, err := os.ReadFile(filepath.Join(s.home, "secret.key"))
		require.NoError(t, err)
		endpoint, err := s.Endpoint(t.Context())
		require.NoError(t, err)
		for _, c := range lastCalls(k) {
			require.NotContains(t, c.Result, strings.TrimSpace(string(key)), c.Name)
			require.NotContains(t, c.Result, endpoint.Token, c.Name)
		}
		require.NoFileExists(t, filepath.Join(s.home, "planted"))
	})
}

func TestSecurity_TheSignInLinkWorksOnceAndSetsAPassword(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	_, link, ok := strings.Cut(s.out.String(), "#token=")
	require.True(t, ok, s.out.String())
	token, _, _ := strings.Cut(link, " ")
	login := func(body string) *http.Response {
		resp, err := http.Post(s.url+"/api/login", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		t.Cleanup(func() { _ = resp.Body.Close() }) // read only
		return resp
	}
	first := login(`{"token":"` + token + `"}`)
	require.Equal(t, http.StatusOK, first.StatusCode)
	cookie := first.Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.Equal(t, http.StatusForbidden, login(`{"token":"`+token+`"}`).StatusCode)

	var in struct {
		PageKey string `json:"page_key"`
	}
	require.NoError(t, json.NewDecoder(first.Body).Decode(&in))
	header := http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}, "X-Xbot-Page": {in.PageKey}, "Content-Type": {"application/json"}}
	req, err := http.NewRequest(http.MethodPost, s.url+"/api/me/password", strings.NewReader(`{"password":"long enough to keep"}`))
	require.NoError(t, err)
	req.Header = header.Clone()
	req.Header.Set("Origin", "http://evil.example")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusForbidden, resp.StatusCode, "another site's request with our cookie")

	req, err = http.NewRequest(http.MethodPost, s.url+"/api/me/password", strings.NewReader(`{"password":"long enough to keep"}`))
	require.NoError(t, err)
	req.Header = header
	resp, err = http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusNoContent, resp.StatusCode)
	require.Equal(t, http.StatusOK, login(`{"username":"admin","password":"long enough to keep"}`).StatusCode)
	require.Equal(t, http.StatusUnauthorized, login(`{"username":"admin","password":"not this one, sorry"}`).StatusCode)
}

func TestSecurity_AnEnvFileOfTheWorkingFolderIsNotBelieved(t *testing.T) {
	t.Parallel()
	s := prepareGiven(t, diskHome(t))
	cloned := t.TempDir()
	evil := filepath.Join(cloned, ".env")
	require.NoError(t, os.WriteFile(evil, []byte("XBOT_CONFINE=off\nLLM_BASE_URL=http://127.0.0.1:9\n"), 0o600))
	named := filepath.Join(cloned, "named.env")
	require.NoError(t, os.WriteFile(named, []byte("LLM_BASE_URL="+s.model.BaseURL()+"\nLLM_API_KEY=sk-named-secret\n"), 0o600))
	s.env = slices.DeleteFunc(s.env, func(v string) bool {
		return strings.HasPrefix(v, "LLM_BASE_URL=") || strings.HasPrefix(v, "LLM_API_KEY=")
	})
	s.env = append(s.env, "XBOT_WRITABLE="+cloned)
	s.via, s.args = []string{"sh", "-c", `cd "$0" && exec "$@"`, cloned}, []string{"--env-file", "named.env", "serve"}
	s.boot()

	k := s.newTalk()
	id := k.send(k.shell("cat %s; echo status $?", named), `call Read {"path":"`+named+`"}`, "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State, "the model of the named file answers")
	for _, c := range lastCalls(k) {
		require.NotContains(t, c.Result, "sk-named-secret", c.Name)
	}
	runner, err := os.ReadFile(filepath.Join(s.home, "logs", "runner-local.log"))
	require.NoError(t, err)
	require.NotContains(t, string(runner), "switched off")
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), evil), "it is mentioned once")
	require.Contains(t, string(log), "--env-file")
}

func TestSecurity_AServerOnAnotherPortCanDoNothingWithTheLogin(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	link, err := s.operate("login-link")
	require.NoError(t, err, link)
	page := s.browser()
	require.Equal(t, http.StatusOK, s.signIn(page, link))
	received := make(chan string, 1)
	preview := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { received <- r.Header.Get("Cookie") }))
	defer preview.Close()
	visit, err := page.Get(preview.URL)
	require.NoError(t, err)
	require.NoError(t, visit.Body.Close())
	stolen := http.Header{"Cookie": {<-received}, "Origin": {s.url}, "Sec-Fetch-Site": {"same-origin"}}
	require.Contains(t, stolen.Get("Cookie"), "xbot_session=", "a browser sends it to every port of the host")
	for _, path := range []string{"/api/me", "/api/sessions", "/api/tokens", "/metrics", "/temporal/", "/temporal/api/v1/namespaces", "/temporal/k/x/", "/api/sessions/agent:main:main/ws"} {
		status, body := s.get(http.MethodGet, path, stolen)
		require.Equal(t, http.StatusUnauthorized, status, "%s: %s", path, body)
	}
	for _, path := range []string{"/api/sessions", "/api/tokens", "/api/me/password", "/api/passes", "/api/logout"} {
		status, _ := s.get(http.MethodPost, path, stolen)
		require.Equal(t, http.StatusUnauthorized, status, path)
	}

	own := stolen.Clone()
	own.Set("X-Xbot-Page", page.pageKey)
	status, body := s.get(http.MethodGet, "/api/me", own)
	require.Equal(t, http.StatusOK, status, body)
	var me struct {
		TemporalUI string `json:"temporal_ui"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &me))
	own = stolen.Clone()
	own.Set("Accept", "text/html")
	status, body = s.get(http.MethodGet, me.TemporalUI, own)
	require.Equal(t, http.StatusOK, status)
	base := strings.TrimSuffix(me.TemporalUI, "/")
	require.Contains(t, body, `base: "`+base+`"`, "the UI of Temporal finds itself there")
	require.NotContains(t, body, `"/temporal/_app`)
	status, body = s.get(http.MethodGet, base+"/api/v1/namespaces", stolen)
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, body, "namespaceInfo")
}
