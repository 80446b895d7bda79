package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"xbot/internal/chat"
)

// everything is all that Temporal holds of all runs, as bytes.
func (s *server) everything() string {
	s.t.Helper()
	var all bytes.Buffer
	c := s.temporal()
	list, err := c.ListWorkflow(s.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000})
	require.NoError(s.t, err)
	for _, run := range list.GetExecutions() {
		raw, err := proto.Marshal(run)
		require.NoError(s.t, err)
		all.Write(raw)
		raw, err = proto.Marshal(s.history(run.GetExecution().GetWorkflowId(), run.GetExecution().GetRunId()))
		require.NoError(s.t, err)
		all.Write(raw)
		described, err := c.DescribeWorkflowExecution(s.t.Context(), run.GetExecution().GetWorkflowId(), run.GetExecution().GetRunId())
		require.NoError(s.t, err)
		raw, err = proto.Marshal(described)
		require.NoError(s.t, err)
		all.Write(raw)
	}
	return all.String()
}

// spill has everything done that has words of people and of commands in it.
func (k *talk) spill(word string) {
	k.t.Helper()
	k.untilEnded(time.Minute, k.send("# "+word+" message", k.shell("echo Authorization: Bearer %s >> %s", word, k.file("out")), `call Grep {"pattern":"`+word+`"}`, "say "+word))
	k.untilEnded(time.Minute, k.send(k.background("echo %s; sleep 2", word), "say started"))
	k.untilAnnounced(time.Minute)
	k.send("!echo " + word)
	k.until(time.Minute, "the answer of the command", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && strings.Contains(string(e.Data), "exit")
	})
}

func TestTemporal_SummariesOffHoldsNoWordOfAnything(t *testing.T) {
	t.Parallel()
	k := newServer(t, "XBOT_TEMPORAL_SUMMARIES=off").newTalk()
	k.spill("zanzibar")
	require.NotContains(t, k.everything(), "zanzibar")
}

func TestTemporal_TheCodecHidesHistoriesAndTheLoginShowsThem(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send(k.shell("%s", k.untilFile("stopped")), "say before")
	k.untilTool(time.Minute, chat.CallRunning)
	s.stop()
	k.touch("stopped")
	s.env = append(s.env, "XBOT_TEMPORAL_CODEC=on")
	s.boot() // the run began without the codec
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	k = s.newTalk()
	k.spill("zanzibar")
	require.NotContains(t, s.everything(), "zanzibar")
	require.Contains(t, s.everything(), "binary/encrypted")

	said, err := s.operate("key", "rotate")
	require.NoError(t, err, said)
	s.stop()
	s.env = append(s.env, "XBOT_TEMPORAL_CODEC=off")
	s.boot()
	list, err := s.temporal().ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1, Query: "WorkflowType = 'Turn' AND XbotSession = '" + string(k.key) + "'"})
	require.NoError(t, err)
	h := s.history(list.GetExecutions()[0].GetExecution().GetWorkflowId(), list.GetExecutions()[0].GetExecution().GetRunId())
	started := h.GetEvents()[0]
	raw, err := protojson.Marshal(started.GetWorkflowExecutionStartedEventAttributes().GetInput())
	require.NoError(t, err)

	link, err := s.operate("login-link")
	require.NoError(t, err, link)
	admin := s.browser()
	require.Equal(t, http.StatusOK, s.signIn(admin, link))
	require.Equal(t, http.StatusUnauthorized, s.post(s.browser(), "/temporal/codec/decode", json.RawMessage(raw)))
	var me struct {
		TemporalUI string `json:"temporal_ui"`
	}
	require.NoError(t, json.Unmarshal([]byte(s.ask(admin, http.MethodGet, "/api/me", nil)), &me))
	text := s.ask(admin, http.MethodPost, me.TemporalUI+"codec/decode", raw)
	var decoded struct{ Payloads []struct{ Data string } }
	require.NoError(t, json.Unmarshal([]byte(text), &decoded), text)
	plain, err := base64.StdEncoding.DecodeString(decoded.Payloads[0].Data)
	require.NoError(t, err)
	require.Contains(t, string(plain), string(k.key))
	require.Contains(t, s.ask(admin, http.MethodGet, me.TemporalUI+"api/v1/settings", nil), s.url+me.TemporalUI+"codec")
}

// ask makes a request as a browser does and returns the body of the answer, which must be good.
func (s *server) ask(c *browser, method, path string, body []byte) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", s.url)
	req.Header.Set("X-Xbot-Page", c.pageKey)
	response, err := c.Do(req)
	require.NoError(s.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, response.StatusCode, string(text))
	return string(text)
}
