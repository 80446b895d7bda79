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

func TestAgentSockets_AreFoundInEachFormOfAnAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		want        []string
	}{
		{"SSH_AUTH_SOCK", "/tmp/a b/agent.1", []string{"/tmp/a b/agent.1"}},
		{"SSH_AUTH_SOCK", "agent", nil},
		{"DOCKER_HOST", "unix:///run/docker.sock", []string{"/run/docker.sock"}},
		{"DOCKER_HOST", "tcp://127.0.0.1:2375", nil},
		{"CONTAINER_HOST", "unix:/run/podman/podman.sock", []string{"/run/podman/podman.sock"}},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1/bus", []string{"/run/user/1/bus"}},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/a,guid=1", []string{"/a"}},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:guid=1,path=/a", []string{"/a"}},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:guid=1,path=/a%20b%2fc", []string{"/a b/c"}},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:abstract=/a,guid=1;unix:path=/b;tcp:host=127.0.0.1,port=1;unix:path=/c", []string{"/b", "/c"}},
		{"DBUS_SESSION_BUS_ADDRESS", "unix:runtime=yes", []string{"/run/user/7/bus"}},
		{"DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/x/../y", []string{"/y"}},
		{"TMUX", "/tmp/tmux-0/default,123,0", []string{"/tmp/tmux-0/default"}},
		{"PULSE_SERVER", "unix:/run/pulse", []string{"/run/pulse"}},
		{"KITTY_LISTEN_ON", "unix:@kitty", nil},
		{"OTHER", "/a", nil},
		{"SSH_AUTH_SOCK", "", nil},
	} {
		got := agentSockets(func(name string) string {
			return map[string]string{c.name: c.value, "XDG_RUNTIME_DIR": "/run/user/7"}[name]
		})
		require.Equal(t, c.want, got, "%s=%s", c.name, c.value)
	}
}
