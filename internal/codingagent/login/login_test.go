package login_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
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
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(runner.Workspace, name) // the home folder of its commands
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, name := range agents.Names() {
		for _, program := range []string{"", filepath.Join(programs, name)} {
			found, err := login.Check(t.Context(), box, login.Agent{Name: name, Program: program})
			require.NoError(t, err, name)
			if name == "kimi" {
				require.Equal(t, "kimi is there; whether somebody is logged in shows in a turn alone", found)
			} else {
				require.Equal(t, "somebody is logged in", found)
			}
		}
		_, err := login.Check(t.Context(), box, login.Agent{Name: name, Program: "/nowhere/it's/" + name, Answered: time.Now()})
		require.True(t, fault.Is(err, fault.NotFound), "%s: %v", name, err)
	}
	put(".fakeagent/logged-out", "")
	for _, name := range []string{"codex", "claude", "opencode"} {
		_, err := login.Check(t.Context(), box, login.Agent{Name: name})
		require.True(t, fault.Is(err, fault.Denied), "%s: %v", name, err)
		require.ErrorContains(t, err, "nobody is logged in to "+name)
		found, err := login.Check(t.Context(), box, login.Agent{Name: name, Answered: time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local)})
		require.NoError(t, err, "a turn that was answered is the better proof")
		require.Equal(t, name+" finds no log-in of its own; it last answered at 2026-01-02 03:04", found)
	}

	put(".codex/config.toml", "# model_provider = \"none\"\nmodel = \"gpt\"\n")
	_, err := login.Check(t.Context(), box, login.Agent{Name: "codex"})
	require.True(t, fault.Is(err, fault.Denied), "%v", err)
	put(".codex/config.toml", "model = \"local\"\nmodel_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://127.0.0.1/v1\"\n")
	put(".config/opencode/opencode.json", `{"model": "mine/local", "provider": {"mine": {"npm": "@ai-sdk/openai-compatible"}}}`)
	for _, name := range []string{"codex", "opencode"} {
		found, err := login.Check(t.Context(), box, login.Agent{Name: name})
		require.NoError(t, err, name)
		require.Contains(t, found, "its configuration names a provider")
	}
}

// slow is a runner whose commands do not end in time.
type slow struct {
	end sandbox.ExecResult
	err error
}

func (s slow) Exec(context.Context, sandbox.ExecRequest) (sandbox.ExecResult, error) {
	return s.end, s.err
}
func (slow) Release(context.Context, chat.CallID) error { return nil }

func TestCheck_ThatDoesNotEndInTimeIsNoFaultOfTheAgent(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		box   slow
		fault bool
	}{
		"the command timed out":        {t.Context(), slow{end: sandbox.ExecResult{State: sandbox.ExecTimedOut}}, false},
		"the command was killed":       {t.Context(), slow{end: sandbox.ExecResult{State: sandbox.ExecKilled}}, false},
		"the time of the caller is up": {over, slow{err: context.DeadlineExceeded}, false},
		"the runner refuses":           {t.Context(), slow{err: errors.New("refused")}, true},
	} {
		for _, agent := range agents.Names() {
			found, err := login.Check(c.ctx, c.box, login.Agent{Name: agent})
			if c.fault {
				require.Error(t, err, name)
				continue
			}
			require.NoError(t, err, name)
			require.Equal(t, agent+" did not say in time whether somebody is logged in", found, name)
		}
	}
}
