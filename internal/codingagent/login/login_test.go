package login_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/codingagent/agents"
	"xbot/internal/codingagent/agenttest"
	"xbot/internal/codingagent/login"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

func TestMain(m *testing.M) { runnerstest.Main(m) }

func TestCheck_TellsWhoIsLoggedInFromWhoIsNotAndFromWhatIsNotThere(t *testing.T) {
	t.Parallel()
	programs := agenttest.Install(t)
	server := runnerstest.NewServer(t, nil)
	runner := server.StartRunner("local", runnerstest.DaemonConfig{Env: []string{"PATH=" + programs + ":/usr/bin:/bin"}})
	box := server.Direct("local", sandbox.RunnerConfig{})
	for _, name := range agents.Names() {
		require.NoError(t, login.Check(t.Context(), box, name, ""), name)
		require.NoError(t, login.Check(t.Context(), box, name, filepath.Join(programs, name)), name)
		err := login.Check(t.Context(), box, name, "/nowhere/it's/"+name)
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", name, err)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(runner.Workspace, ".fakeagent"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(runner.Workspace, ".fakeagent", "logged-out"), nil, 0o600))
	for _, name := range agents.Names() {
		err := login.Check(t.Context(), box, name, "")
		if name == "kimi" {
			require.NoError(t, err)
			require.Equal(t, "kimi is there; whether somebody is logged in shows in a turn alone", login.State(name, err))
			continue
		}
		require.Equal(t, err.Error(), login.State(name, err))
		require.Equal(t, "somebody is logged in", login.State(name, nil))
		require.True(t, fault.Is(err, fault.Denied), "%s: %v", name, err)
		require.ErrorContains(t, err, name)
	}
}
