package hostrunner

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/sandbox/runners"
	"xbot/runner/wire"
)

// knownRunners is a store that lists runners, and tells an administrator something once.
type knownRunners struct {
	Runners
	all     []runners.Runner
	notices *[]string
	told    map[chat.NoticeKey]bool
}

func (k knownRunners) NotifyAdministrator(_ context.Context, of chat.NoticeKey, say func(i18n.Lang) string) (bool, error) {
	if k.told[of] || !of.Once {
		return false, nil
	}
	k.told[of] = true
	*k.notices = append(*k.notices, say(i18n.English))
	return true, nil
}

func (k knownRunners) RunnersOf(context.Context, chat.UserID, bool) ([]runners.Runner, error) {
	return k.all, nil
}

func TestWorkspace_OfAFreshInstallationIsAFolderOfItsOwn(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for name, known := range map[string][]runners.Runner{
		"no runner":                      nil,
		"one that has never connected":   {{Name: "local"}},
		"one that worked elsewhere":      {{Name: "local", Info: &wire.Info{Workspace: "/srv"}}},
		"another one in the home folder": {{Name: "laptop", Info: &wire.Info{Workspace: home}}},
	} {
		h := &Host{Runners: knownRunners{all: known}, Log: slog.New(slog.DiscardHandler), Home: filepath.Join(home, ".xbot")}
		dir, err := h.workspace(t.Context(), 1)
		require.NoError(t, err, name)
		require.Equal(t, filepath.Join(home, "xbot"), dir, name)
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
}

func TestWorkspace_OfAnInstallationThatWorkedInTheHomeFolderStaysAndAnAdministratorIsToldOnce(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	link := filepath.Join(t.TempDir(), "home")
	require.NoError(t, os.Symlink(home, link))
	for _, workspace := range []string{home, link} {
		var log bytes.Buffer
		var notices []string
		known := knownRunners{all: []runners.Runner{{Name: "local", Info: &wire.Info{Workspace: workspace}}}, notices: &notices, told: map[chat.NoticeKey]bool{}}
		h := &Host{Notices: known, Runners: known, Log: slog.New(slog.NewTextHandler(&log, nil)), Home: filepath.Join(home, ".xbot")}
		for range 3 {
			dir, err := h.workspace(t.Context(), 1)
			require.NoError(t, err)
			require.Equal(t, home, dir)
		}
		require.Equal(t, 1, strings.Count(log.String(), "your whole home folder"), log.String())
		require.Len(t, notices, 1)
		require.Contains(t, notices[0], "they read, change and delete every file there")
		require.Contains(t, notices[0], "`XBOT_WORKSPACE="+filepath.Join(home, "xbot")+"`")
		require.NoDirExists(t, filepath.Join(home, "xbot"))
	}
}

func TestWorkspace_HoldsNeitherTheProgramNorItsData(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, data := range []string{filepath.Join(home, "xbot"), filepath.Join(home, "xbot", "data")} {
		h := &Host{Runners: knownRunners{}, Log: slog.New(slog.DiscardHandler), Home: data}
		dir, err := h.workspace(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(home, "xbot-workspace"), dir)
	}
	_, err := (&Host{Runners: knownRunners{}, Log: slog.New(slog.DiscardHandler), Home: home}).workspace(t.Context(), 1)
	require.ErrorContains(t, err, "set XBOT_WORKSPACE to a folder elsewhere")
}
