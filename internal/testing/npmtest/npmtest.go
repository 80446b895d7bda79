// Package npmtest installs pinned npm packages for tests.
package npmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Install installs the packages of package.json and package-lock.json in files into a cache of this machine, and returns the folder that has
// their node_modules. Name names them in the cache; flags are more flags of "npm ci". The test is skipped if the registry cannot be reached,
// and outside of CI if npm cannot be run.
func Install(t *testing.T, files fs.FS, name string, flags ...string) string {
	t.Helper()
	lock, err := fs.ReadFile(files, "package-lock.json")
	require.NoError(t, err)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	sum := sha256.Sum256(lock)
	home := filepath.Join(cache, "xbot-test", name+"-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(home); err == nil {
		return home
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(home), 0o755))
	fresh, err := os.MkdirTemp(filepath.Dir(home), "installing-")
	require.NoError(t, err)
	defer os.RemoveAll(fresh) //nolint:errcheck // the rest of it is in a cache
	require.NoError(t, os.Chmod(fresh, 0o755))
	for _, file := range []string{"package.json", "package-lock.json"} {
		data, err := fs.ReadFile(files, file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(fresh, file), data, 0o600))
	}
	install := exec.CommandContext(t.Context(), "npm", append([]string{"ci", "--no-audit", "--no-fund", "--loglevel=error"}, flags...)...)
	install.Dir = fresh
	if out, err := install.CombinedOutput(); err != nil {
		if unreachable.Match(out) || os.Getenv("CI") == "" {
			t.Skipf("%s cannot be installed, which needs Node.js, npm and its registry: %v: %s", name, err, out)
		}
		require.NoError(t, err, string(out))
	}
	if err := os.Rename(fresh, home); err != nil {
		require.DirExists(t, home, "no other process was faster: %v", err)
	}
	return home
}

// unreachable matches what npm prints where its registry cannot be reached.
var unreachable = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT`)
