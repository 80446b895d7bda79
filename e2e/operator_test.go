package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// operate runs xbot with a command of operators against the server's data folder.
func (s *server) operate(arguments ...string) (string, error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(bin, "xbot"), arguments...)
	cmd.Env = s.environment()
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// environment is that of the server's operators.
func (s *server) environment() []string {
	env := append(os.Environ(), "XBOT_HOME="+s.home)
	if s.given != nil {
		env = append(env, settings(*s.given)...)
	}
	return env
}

// browser is a client with cookies, and with what the page keeps.
type browser struct {
	http.Client
	pageKey string
}

func (s *server) browser() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	return &browser{Client: http.Client{Jar: jar}}
}

// post sends JSON and returns the status.
func (s *server) post(c *browser, path string, body any) int {
	s.t.Helper()
	data, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, bytes.NewReader(data))
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", s.url)
	req.Header.Set("X-Xbot-Page", c.pageKey)
	response, err := c.Do(req)
	require.NoError(s.t, err)
	if path == "/api/login" && response.StatusCode == http.StatusOK {
		var in struct {
			PageKey string `json:"page_key"`
		}
		require.NoError(s.t, json.NewDecoder(response.Body).Decode(&in))
		c.pageKey = in.PageKey
	}
	require.NoError(s.t, response.Body.Close())
	return response.StatusCode
}

// signIn opens a sign-in link as the page does.
func (s *server) signIn(c *browser, link string) int {
	s.t.Helper()
	u, err := url.Parse(link)
	require.NoError(s.t, err)
	token := u.Fragment[strings.LastIndexAny(u.Fragment, "=/")+1:]
	return s.post(c, "/api/login", map[string]string{"token": token})
}

func TestOperator_AForgottenPasswordIsTakenAway(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	link, err := s.operate("login-link")
	require.NoError(t, err, link)
	old := s.browser()
	require.Equal(t, http.StatusOK, s.signIn(old, link))
	require.Equal(t, http.StatusForbidden, s.signIn(s.browser(), link), "a link works once")
	require.Equal(t, http.StatusNoContent, s.post(old, "/api/me/password", map[string]string{"password": "first password"}))

	link, err = s.operate("login-link")
	require.NoError(t, err, link)
	fresh := s.browser()
	require.Equal(t, http.StatusOK, s.signIn(fresh, link))
	require.Equal(t, http.StatusForbidden, s.post(fresh, "/api/me/password", map[string]string{"password": "second password"}),
		"a link alone does not change a password")

	link, err = s.operate("login-link", "--forget-password")
	require.NoError(t, err, link)
	said, link, ok := strings.Cut(link, "\n")
	require.True(t, ok, said)
	require.Contains(t, said, "access tokens of admin remain valid; --revoke-tokens revokes them")
	require.Equal(t, http.StatusUnauthorized, s.post(old, "/api/me/password", map[string]string{"password": "x"}), "its browsers are signed out")
	require.Equal(t, http.StatusOK, s.signIn(fresh, link))
	require.Equal(t, http.StatusNoContent, s.post(fresh, "/api/me/password", map[string]string{"password": "second password"}))
	login := map[string]string{"username": "admin", "password": "second password"}
	require.Equal(t, http.StatusOK, s.post(s.browser(), "/api/login", login))
}

func TestOperator_MakesListsAndRevokesTokens(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	token, err := s.operate("token", "create", "script")
	require.NoError(t, err, token)
	token = token[strings.LastIndexAny(token, " \n")+1:]
	ask := func() int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/me", nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	require.Equal(t, http.StatusOK, ask())

	list, err := s.operate("token", "list")
	require.NoError(t, err, list)
	require.NotContains(t, list, token)
	id := regexp.MustCompile(`(?m)^\s*(\d+)\s.*script`).FindStringSubmatch(list)
	require.NotNil(t, id, list)
	said, err := s.operate("token", "revoke", id[1])
	require.NoError(t, err, said)
	require.Equal(t, http.StatusUnauthorized, ask())
}

func TestOperator_DoctorTellsASoundServerFromAStoppedOne(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	said, err := s.operate("doctor")
	require.NoError(t, err, said)
	for _, part := range []string{"Postgres", "Temporal", "✓ decoders", "web search"} {
		require.Contains(t, said, part)
	}
	s.stop()
	said, err = s.operate("doctor")
	require.Error(t, err, said)
}
