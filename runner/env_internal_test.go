package runner

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandEnv_HoldsNothingButWhatIsOnTheList(t *testing.T) {
	for _, name := range []string{
		"XBOT_HOME", "XBOT_RUNNER_TOKEN", "XBOT_ENCRYPTION_KEY", "LLM_API_KEY", "TEMPORAL_API_KEY", "PGPASSWORD", "PGHOST", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY",
		"SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "LD_PRELOAD", "BASH_ENV", "ENV", "GIT_SSH_COMMAND",
	} {
		t.Setenv(name, "sk-test-secret")
	}
	t.Setenv("LC_TIME", "C")
	allowed := append([]string{"TERM", "LC_TIME"}, passed...)
	for _, pair := range commandEnv() {
		name, value, _ := strings.Cut(pair, "=")
		require.NotEqual(t, "sk-test-secret", value, name)
		if !strings.HasPrefix(name, "LC_") {
			require.Contains(t, allowed, name)
		}
	}
	require.Contains(t, commandEnv(), "LC_TIME=C")
}
