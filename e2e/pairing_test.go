package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// bridge delivers a message of a platform.
func (s *server) bridge(e chat.Envelope) apiclient.Outcome {
	s.t.Helper()
	out, err := deliver(s.t.Context(), s.client, e)
	require.NoError(s.t, err)
	return out
}

// deliver hands over what the bridge of a platform would.
func deliver(ctx context.Context, client *apiclient.Client, e chat.Envelope) (apiclient.Outcome, error) {
	return client.BridgeMessage(ctx, e.Channel, apiclient.BridgeMessage{
		Account: e.Account, ID: e.ID, ChatType: e.ChatType, Chat: e.Chat, Thread: e.Thread, Root: e.Root, Parent: e.Parent,
		Sender: apiclient.BridgePeer{ID: e.Sender.ID, Name: e.Sender.Name}, Subject: e.Subject, Room: e.Room, Space: e.Space,
		SentAt: e.SentAt, Seq: e.Seq, Text: e.Text, Mentioned: e.Mentioned, Answers: e.Answers,
	})
}

// answered waits for the end of the turn of what was delivered, and returns the answer.
func (s *server) answered(out apiclient.Outcome) string {
	s.t.Helper()
	k := &talk{server: s, key: out.Session}
	require.Equal(s.t, chat.TurnDone, k.untilEnded(time.Minute, out.InboxID).State)
	messages := k.transcript().Messages
	return messages[len(messages)-1].Content
}

func direct(id, peer, text string) chat.Envelope {
	return chat.Envelope{Source: chat.Source{Channel: "matrix", ChatType: chat.ChatDirect}, ID: id, Sender: chat.Peer{ID: peer, Name: "Carol"}, Text: text}
}

func TestPairing_AnUnknownPersonIsLetInAndAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	refused := s.bridge(direct("m1", "@carol", "say secret"))
	require.Equal(t, "refused", refused.Outcome)
	code := regexp.MustCompile(`[A-HJ-NP-Z2-9]{8}`).FindString(refused.Reply)
	require.NotEmpty(t, code)
	require.Contains(t, s.operated("pairing", "list"), code)

	s.crash()
	s.boot()
	require.Equal(t, refused, s.bridge(direct("m1", "@carol", "say secret")), "the same code after a restart")
	require.Contains(t, s.operated("pairing", "approve", strings.ToLower(code)), "Carol may write direct messages on matrix")
	out := s.bridge(direct("m2", "@carol", "say welcome"))
	require.Equal(t, "accepted", out.Outcome)
	require.Equal(t, "An administrator has given you access.", out.Reply)
	require.Equal(t, "welcome", s.answered(out))
	require.Equal(t, "duplicate", s.bridge(direct("m2", "@carol", "say welcome")).Outcome)
	require.Contains(t, s.operated("pairing", "list"), "Nobody waits")
	said, err := s.operate("pairing", "refuse", code)
	require.Error(t, err)
	require.Contains(t, said, "The code")
	for _, m := range (&talk{server: s, key: out.Session}).transcript().Messages {
		require.NotContains(t, m.Content, "secret", "what was refused is not kept")
	}
}

// TestBridge_TheExampleOfTheDocuments runs what docs/channels/bridge.md shows, as it stands there.
func TestBridge_TheExampleOfTheDocuments(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	doc, err := os.ReadFile(filepath.Join("..", "docs", "channels", "bridge.md"))
	require.NoError(t, err)
	example := regexp.MustCompile("(?s)```bash\n(# A bridge.*?)```").FindStringSubmatch(string(doc))
	require.NotEmpty(t, example)
	s := newServer(t)
	s.inForce(`{channels: {matrix: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	endpoint, err := s.Endpoint(t.Context())
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", example[1])
	cmd.Env = append(os.Environ(), "XBOT_SERVER="+endpoint.URL, "XBOT_TOKEN="+endpoint.Token)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `"content": *"hello"`, string(out))
}
