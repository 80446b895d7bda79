package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

func TestRotation_KilledAtAWriteOfEachKindGoesOnAndEverythingOpens(t *testing.T) {
	t.Parallel()
	model, image := keyed(t, sharedKey), guarded(t, ownKey)
	s := newServer(t, "LLM_BASE_URL=", "LLM_MODEL=", "LLM_API_KEY=", "XBOT_HTTP_ALLOW=127.0.0.1", "XBOT_TEMPORAL_CODEC=on")
	s.subscribe("acme", model, sharedKey)
	_, err := s.client.SetToolKey(t.Context(), "image", apiclient.ToolKeyDraft{Shared: true, Key: ownKey, BaseURL: image})
	require.NoError(t, err)
	_, err = s.client.SetChannel(t.Context(), "napcat", apiclient.SetChannelParams{}, apiclient.ChannelChange{Settings: map[string]string{"url": "ws://127.0.0.1:1", "token": mistyped}})
	require.NoError(t, err)
	s.offers("fruits", newShop(t, ownKey), true)
	called := s.newTrigger(chat.TriggerDraft{Name: "ci"})
	opens := func(delivery string) {
		t.Helper()
		tried, err := s.client.TryToolKey(t.Context(), "image", apiclient.ToolKeyDraft{Shared: true, BaseURL: image, Revision: 1})
		require.NoError(t, err)
		require.True(t, tried.Passed, "%s: %s", delivery, tried.Problem)
		asked, err := s.client.RefreshMCPServer(t.Context(), "fruits", apiclient.RefreshMCPServerParams{Shared: true})
		require.NoError(t, err)
		require.Empty(t, asked.Problem, delivery)
		require.Equal(t, http.StatusAccepted, s.call(called, called.Secret, strings.ReplaceAll(delivery, " ", "-"), "{}", time.Now()), delivery)
	}
	keys := func() []string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(s.home, "secret.key"))
		require.NoError(t, err)
		return strings.Fields(string(text))
	}
	old := keys()
	require.Len(t, old, 1)

	for _, write := range [][]string{
		{"BEFORE UPDATE ON sealing_keys", "NEW.retired_at IS NOT NULL"},
		{"BEFORE UPDATE ON channel_accounts", "NEW.secrets IS DISTINCT FROM OLD.secrets"},
		{"BEFORE UPDATE ON mcp_servers", "NEW.secrets IS DISTINCT FROM OLD.secrets"},
		{"BEFORE UPDATE ON payload_keys", "true"},
		{"BEFORE UPDATE ON llm_subscriptions", "true"},
		{"BEFORE UPDATE ON tool_keys", "true"},
		{"BEFORE UPDATE ON triggers", "NEW.secret IS DISTINCT FROM OLD.secret"},
	} {
		held := s.held(write[0], write[1])
		rotation := newProcess(t, "xbot", s.environment(), "key", "rotate")
		rotation.start()
		held.waits(1)
		rotation.kill()
		held.release()
		require.Equal(t, old[0], keys()[1], "%s: both keys are kept", write[0])
		opens(write[0])
	}
	s.crash()
	s.boot()
	opens("with both keys")
	require.Regexp(t, `new key; 6 secrets`, s.operated("key", "rotate"))
	require.Len(t, keys(), 1)
	require.NotEqual(t, old, keys())
	s.crash()
	s.boot()
	opens("with the new key")
	asked, k := model.Count(), s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say hello")).State)
	require.Greater(t, model.Count(), asked)
}
