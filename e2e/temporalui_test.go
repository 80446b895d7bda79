package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/workflows"
)

// page is what the page knows of who has signed in.
type page struct {
	TemporalUI string `json:"temporal_ui"`
}

// administrator signs in with a link that an operator asks for, and reads what the page is told.
func (s *server) administrator(link string) (*browser, page) {
	s.t.Helper()
	b := s.browser()
	require.Equal(s.t, http.StatusOK, s.signIn(b, link), link)
	var me page
	require.NoError(s.t, json.Unmarshal([]byte(s.ask(b, http.MethodGet, "/api/me", nil)), &me))
	return b, me
}

func TestTemporalUI_OfSeparateProcessesWorksBehindTheLoginAlone(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	turn := p.untilEnded(time.Minute, p.send("say hello"))
	run := "api/v1/namespaces/" + p.servers.Temporal.Namespace + "/workflows/" + strings.ReplaceAll(workflows.TurnID(p.key), "/", "%2F")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+p.servers.Temporal.UIAddress+"/temporal/"+run, nil)
	require.NoError(t, err)
	direct, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, direct.Body.Close())
	require.Equal(t, http.StatusUnauthorized, direct.StatusCode, "the UI itself wants the token")

	link := newProcess(t, "xbot", p.ingress.env, "login-link")
	link.start()
	<-link.done
	said := strings.Fields(link.out.String())
	require.NotEmpty(t, said)
	admin, me := p.administrator(said[len(said)-1])
	require.Contains(t, p.ask(admin, http.MethodGet, me.TemporalUI+run, nil), turn.RunID)
	for _, path := range []string{"/temporal/" + run, me.TemporalUI + run} {
		status, body := p.get(http.MethodGet, path, nil)
		require.Equal(t, http.StatusUnauthorized, status, path)
		require.NotContains(t, body, turn.RunID)
	}
	require.NotContains(t, p.ask(admin, http.MethodGet, me.TemporalUI, nil), p.servers.Temporal.UIToken, "a browser never learns the token")
}

func TestTemporalUI_SaysSoWhereTheTokenIsMissing(t *testing.T) {
	t.Parallel()
	p := newParts(t, "XBOT_TEMPORAL_UI_TOKEN=wrong")
	link := newProcess(t, "xbot", p.ingress.env, "login-link")
	link.start()
	<-link.done
	said := strings.Fields(link.out.String())
	admin, me := p.administrator(said[len(said)-1])
	require.Equal(t, http.StatusUnauthorized, p.post(admin, me.TemporalUI+"api/v1/namespaces", nil), "the ingress lets the administrator through, and the UI refuses")
}
