package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// mcpCall is a call of a tool by a program that speaks the Model Context Protocol.
type mcpCall struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
}

// mcpSaid is what the program was told.
type mcpSaid struct {
	Tools   []string
	Told    []string
	Answers []struct {
		Session     chat.SessionKey
		Message     chat.InboxID
		Duplicate   bool
		State, Text string
	}
}

// official calls tools with the protocol's own client, which is a program of Node.js.
func (s *server) official(token string, calls ...mcpCall) (out mcpSaid) {
	s.t.Helper()
	args := []string{"test/mcp.mjs"}
	for _, c := range calls {
		text, err := json.Marshal(c)
		require.NoError(s.t, err)
		args = append(args, string(text))
	}
	program := exec.CommandContext(s.t.Context(), "node", args...)
	program.Dir = filepath.Join("..", "web")
	program.Env = append(os.Environ(), "XBOT_TEST_URL="+s.url+"/mcp", "XBOT_TEST_TOKEN="+token)
	program.Stderr = s.t.Output()
	said, err := program.Output()
	require.NoError(s.t, err, "%s", said)
	require.NoError(s.t, json.Unmarshal(said, &out), "%s", said)
	return out
}

func TestMCPServer_AMessageOfTheOfficialClientIsAnsweredOnceAcrossAKill(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	made, err := s.client.CreateToken(t.Context(), apiclient.CreateTokenRequest{Name: "program", Scope: "chat"})
	require.NoError(t, err)
	send := mcpCall{"send_message", map[string]any{"text": "stream 60 100ms", "client_id": "once", "wait": 0}}
	before := s.official(made.Token, send)
	require.ElementsMatch(t, []string{"list_sessions", "send_message", "read_answer", "read_messages"}, before.Tools)
	sent := before.Answers[0]
	require.Contains(t, []string{"queued", "running"}, sent.State)

	k := &talk{server: s, key: sent.Session}
	s.crash()
	s.boot()
	send.Arguments["wait"] = 300
	read := map[string]any{"session": sent.Session}
	after := s.official(made.Token, send, mcpCall{"read_answer", read}, mcpCall{"read_messages", read}, mcpCall{"list_sessions", nil})
	require.NotEmpty(t, after.Told, "it hears of the wait")
	for _, answer := range after.Answers[:2] {
		require.Equal(t, sent.Session, answer.Session)
		require.Equal(t, "done", answer.State)
		require.Len(t, strings.Fields(answer.Text), 60)
	}
	require.True(t, after.Answers[0].Duplicate, "it is the message that was sent before the kill")
	require.Equal(t, sent.Message, after.Answers[0].Message)
	require.Len(t, k.answers(), 1)
	k.wellFormed()
}
