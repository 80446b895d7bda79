package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
)

// public asks the server without a login.
func (s *server) public(path string) (status int, body string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	require.NoError(s.t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, string(data)
}

func TestShare_IsReadByWhoeverHasTheLinkOverAKillUntilItIsRevokedAndHidesWhatToolsSaw(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	ctx := t.Context()
	k.done(k.shell("echo sealed-$((40+2))"), "say planted the list")
	link, err := k.client.CreateShare(ctx, k.key, 7)
	require.NoError(t, err)
	token := strings.TrimPrefix(link.Link, "/shared/")
	k.done("say said later")

	shown := func() (out apiclient.SharedBody) {
		t.Helper()
		status, body := k.public("/api/shared/" + token)
		require.Equal(t, http.StatusOK, status, body)
		require.NotContains(t, body, "sealed-42", "the output of a tool")
		require.NotContains(t, body, "said later")
		require.NoError(t, json.Unmarshal([]byte(body), &out))
		return out
	}
	before := shown()
	require.Len(t, before.Messages, 3)
	require.Equal(t, []string{"Shell"}, before.Messages[1].Tools)
	require.Equal(t, "planted the list", before.Messages[2].Text)
	status, page := k.public(link.Link)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "noindex")

	k.crash()
	k.boot()
	require.Equal(t, before, shown())
	require.Equal(t, 1, one[int](t, k.database(), `SELECT count(*)::int FROM shares WHERE token_hash = sha256($1::text::bytea)`, token), "its hash alone is stored")
	require.NotContains(t, k.out.String(), token)

	_, unknown := k.public("/api/shared/" + strings.Repeat("x", len(token)))
	require.NoError(t, k.client.RevokeShare(ctx, k.key, link.ID))
	status, body := k.public("/api/shared/" + token)
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, unknown, body)
}

func TestShare_TheTerminalPrintsALinkThatIsReadUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done("say planted the list")
	share := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(bin, "xbot-cli"), append([]string{"share"}, args...)...)
		command.Env = append(os.Environ(), "XBOT_HOME="+k.home, "XBOT_SERVER=", "XBOT_TOKEN=")
		out, err := command.Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	link := share("--days", "1", string(k.key))
	require.Regexp(t, "^"+k.url+`/shared/[\w-]{43}$`, link)
	read := "/api" + strings.TrimPrefix(link, k.url)
	status, body := k.public(read)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "planted the list")
	for _, m := range k.transcript().Messages {
		require.NotContains(t, m.Content, "/shared/")
	}
	id, _, _ := strings.Cut(share("--list", string(k.key)), " ")
	share("--revoke", id, string(k.key))
	status, _ = k.public(read)
	require.Equal(t, http.StatusNotFound, status)
}
