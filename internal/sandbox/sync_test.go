package sandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// greedy is a runner that asks for a file of its choice, and keeps what it is sent.
type greedy struct {
	wants string
	sent  strings.Builder
}

func (g *greedy) Ready(context.Context) (wire.Info, error) { return wire.Info{Workspace: "/w"}, nil }

func (g *greedy) Call(_ context.Context, req wire.Request, _ func(wire.Push) error) (wire.Response, error) {
	if req.Op != wire.OpSync {
		g.sent.Write(req.Body)
		return wire.Response{}, errors.New("that was enough")
	}
	frame, err := wire.NewFrame(0, wire.TypeResult, wire.SyncPlan{Root: "/w/.xbot/skills", Want: []string{g.wants}})
	return wire.Response{Body: frame.Body}, err
}

func TestSyncFolder_SendsNoFileThatItDidNotList(t *testing.T) {
	t.Parallel()
	for _, wants := range []string{".git/config", "link", "../outside", "none"} {
		t.Run(wants, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			skills := filepath.Join(dir, "skills")
			require.NoError(t, os.MkdirAll(filepath.Join(skills, ".git"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(skills, "SKILL.md"), []byte("how to"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(skills, ".git", "config"), []byte("token"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "outside"), []byte("token"), 0o600))
			require.NoError(t, os.Symlink("../outside", filepath.Join(skills, "link")))
			g := &greedy{wants: wants}
			err := sandbox.SyncFolder(t.Context(), sandbox.NewRunner("r", g, sandbox.RunnerConfig{}), "skills", os.DirFS(skills))
			require.Empty(t, g.sent.String(), "what stays out of the copy must not leave the server")
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
		})
	}
}
