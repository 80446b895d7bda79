package secret_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/secret"
)

// changesKeys names the folder in which this program, run anew, changes keys until it is killed.
const changesKeys = "XBOT_TEST_CHANGES_KEYS"

// changeKey changes the key and says how far it is, then waits for its end.
func changeKey(t *testing.T, home string) {
	ring, err := secret.OpenKeyring(home, "")
	require.NoError(t, err)
	fmt.Println("ready")
	require.NoError(t, ring.Begin())
	fmt.Println("begun")
	require.NoError(t, ring.End())
	_, _ = io.Copy(io.Discard, os.Stdin) // which stays open
}

func TestKeyring_AKillInAChangeLeavesAWholeFileAndNoOther(t *testing.T) {
	if home := os.Getenv(changesKeys); home != "" {
		changeKey(t, home)
		return
	}
	home := t.TempDir()
	for kills := range 20 {
		ring, err := secret.OpenKeyring(home, "")
		require.NoError(t, err)
		before := ring.Keys()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), changesKeys+"="+home)
		_, err = cmd.StdinPipe()
		require.NoError(t, err)
		said, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(said)
		for range 1 + kills%2 { // it is killed in the write that begins the change, or in the one that ends it
			require.True(t, lines.Scan())
		}
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())

		after, err := secret.OpenKeyring(home, "")
		require.NoError(t, err, "the file is whole")
		switch keys := after.Keys(); len(keys) {
		case 1: // before the change, or behind it
		case 2:
			require.Equal(t, before[len(before)-1], keys[1], "the one before opens what it sealed")
		default:
			require.Fail(t, "the file holds other keys", "%d", len(keys))
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, ".secret-1"), []byte("half a"), 0o600))
	ring, err := secret.OpenKeyring(home, "")
	require.NoError(t, err)
	require.NoError(t, ring.Begin())
	require.NoError(t, ring.End())
	left, err := filepath.Glob(filepath.Join(home, "*"))
	require.NoError(t, err)
	hidden, err := filepath.Glob(filepath.Join(home, ".*"))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(home, "secret.key")}, append(left, hidden...), "no old key lies in a file of a change that was killed")
}
