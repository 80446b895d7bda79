package runner

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
	"xbot/runner/wire"
)

// hidden are the paths that a policy hides, in its order.
func hidden(p confine.Policy) []string {
	out := make([]string, len(p.Hide))
	for i, h := range p.Hide {
		out[i] = h.Path
	}
	return out
}

func TestPlugin_WithoutFilesSeesNothingOfPeople(t *testing.T) {
	home, work, denied := t.TempDir(), t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(home, link))
	t.Setenv("HOME", link)
	d := &daemon{policy: confine.Policy{Write: []string{work, "/not/there"}, Hide: []confine.Hidden{{Path: denied}}}}
	p, err := d.pluginPolicy(wire.PluginStart{}, "/code", "/data")
	require.NoError(t, err)
	require.Subset(t, hidden(p), []string{home, work, denied}, "what is hidden is what links lead to")
	require.NotContains(t, hidden(p), "/not/there")
	require.True(t, slices.IsSorted(hidden(p)), "what holds others comes first")
	for _, place := range []string{"/home", "/root", "/srv", "/mnt", "/media"} {
		if real, err := filepath.EvalSymlinks(place); err == nil {
			require.Contains(t, hidden(p), real)
		}
	}
	known, err := user.Current()
	require.NoError(t, err)
	if real, err := filepath.EvalSymlinks(known.HomeDir); err == nil && real != "/" {
		require.Contains(t, hidden(p), real, "also where HOME says something else")
	}
	require.Equal(t, []string{"/data"}, p.Write)
	require.Equal(t, []string{"/code", "/data"}, p.Show)

	p, err = d.pluginPolicy(wire.PluginStart{Files: true}, "/code", "/data")
	require.NoError(t, err)
	require.Equal(t, []string{denied}, hidden(p), "with the permission it sees what commands see")
	require.Equal(t, []string{"/data"}, p.Write, "and writes no more than without")
}

func TestPlugin_WithoutFilesIsRefusedWhereAllIsOfPeople(t *testing.T) {
	d := &daemon{policy: confine.Policy{Write: []string{"/"}}}
	_, err := d.pluginPolicy(wire.PluginStart{}, "/code", "/data")
	require.ErrorContains(t, err, "/ is all of this machine")
	_, err = d.pluginPolicy(wire.PluginStart{Files: true}, "/code", "/data")
	require.NoError(t, err)
	t.Setenv("HOME", "/")
	_, err = (&daemon{}).pluginPolicy(wire.PluginStart{}, "/code", "/data")
	require.True(t, err != nil && strings.Contains(err.Error(), "all of this machine"), "%v", err)
}
