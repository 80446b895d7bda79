package escapetest

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nobody is an account without rights that every system has.
const nobody = 65534

// probeVariable holds the path of the probe for tests that run as an ordinary user: they cannot build it.
const probeVariable = "XBOT_TEST_PROBE"

// AsOrdinaryUser runs the calling test binary once more as an ordinary user, if it runs as root.
func AsOrdinaryUser(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("it is one already")
	}
	dir, err := os.MkdirTemp("", "xb")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	program := filepath.Join(dir, "test")
	copyProgram(t, os.Args[0], program)
	temporary := filepath.Join(dir, "tmp")
	require.NoError(t, os.Mkdir(temporary, 0o700))
	require.NoError(t, os.Chown(temporary, nobody, nobody))
	probe := Probe(t, dir)
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=10m")
	cmd.Dir = temporary
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + temporary, "TMPDIR=" + temporary, probeVariable + "=" + probe}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS")
	t.Log(string(out))
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	source, err := os.Open(from)
	require.NoError(t, err)
	defer source.Close() // it was only read
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(target, source)
	require.NoError(t, err)
	require.NoError(t, target.Close())
}
