package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestLogs_ShowWhatWasLoggedAlsoBeforeAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.newTrigger(chat.TriggerDraft{Name: "ci"})
	const payload = "what-only-the-caller-knows"
	require.Equal(t, http.StatusAccepted, s.call(m, m.Secret, "d-1", payload, time.Now()))
	s.crash()
	s.boot()
	shown := s.operated("logs", "trigger", "called")
	require.Contains(t, shown, "logs of serve on ")
	require.Contains(t, shown, "INFO  serve trigger called")
	all := s.operated("logs", "--lines", "1000")
	for _, hidden := range []string{payload, m.Secret, "sk-test-secret"} {
		require.NotContains(t, all, hidden)
	}
	require.NotContains(t, s.operated("logs", "--level", "error"), "trigger called")
}
