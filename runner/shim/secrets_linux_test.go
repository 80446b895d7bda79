package shim_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/job"
	"xbot/runner/wire"
)

const sealedValue = "ghs_0123456789abcdef"

func (b *bench) startSealed(command string, input bool) *job.Job {
	b.Helper()
	j, err := b.store.Attach(job.Spec{
		ID: "a", Hash: job.HashOf(command, ""), Command: command, Dir: "/", Input: input, Timeout: time.Minute,
		Env:     []string{"PATH=" + os.Getenv("PATH"), "TOKEN=plain", "OTHER=kept"},
		Secrets: []wire.Secret{{Name: "TOKEN", Value: sealedValue}},
	})
	require.NoError(b.T, err)
	return j
}

// requireNowhere fails where a file of the store holds the value.
func (b *bench) requireNowhere(value string) {
	b.Helper()
	require.NoError(b.T, filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // the shim has renamed it
			return nil
		}
		require.NotContains(b.T, string(data), value, path)
		return err
	}))
}

func TestShim_GivesTheCommandItsSecretsAndHidesThemInWhatItWrites(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.startSealed(`echo "${#TOKEN} $OTHER $TOKEN"; echo "$TOKEN" >&2; printf 'ghs_0123'; sleep 0.1; printf '456789abcdef\n'; echo go; tr '\0' '\n' </proc/$PPID/environ; cat /proc/$PPID/cmdline | tr '\0' ' '`, false)
	b.waitOutput(j, "go")
	b.requireNowhere(sealedValue)
	b.end(j)
	b.requireNowhere(sealedValue)
	require.Contains(t, b.output(j), "20 kept [hidden: TOKEN]\n[hidden: TOKEN]\n[hidden: TOKEN]\ngo\n")
}

func TestShim_HidesSecretsInTheErrorsOfACommandWithInput(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.startSealed(`printf '{"v":"%s"}\n' "$TOKEN"; echo "$TOKEN" >&2`, true)
	status := b.end(j)
	require.Equal(t, `{"v":"[hidden: TOKEN]"}`+"\n", b.output(j))
	require.Equal(t, "[hidden: TOKEN]\n", string(status.Errors))
	b.requireNowhere(sealedValue)
}

func TestShim_ShowsTheBeginningOfASecretThatIsNone(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.startSealed(`printf 'ghs_0123'`, false)
	b.end(j)
	require.Equal(t, "ghs_0123", b.output(j))
}
