package secret_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/secret"
)

func TestLoad_MakesOneKeyHoweverManyProcessesStartAtOnce(t *testing.T) {
	home := t.TempDir()
	keys := make([]secret.Key, 8)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			key, err := secret.Load(home, "")
			if err == nil {
				keys[i] = key
			}
		})
	}
	wg.Wait()
	for _, k := range keys {
		require.Equal(t, keys[0], k)
	}
	require.NotEqual(t, secret.Key{}, keys[0])
	info, err := os.Stat(filepath.Join(home, "secret.key"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestLoad_RefusesAKeyOfTheWrongSize(t *testing.T) {
	_, err := secret.Load(t.TempDir(), "c2hvcnQ=")
	require.ErrorContains(t, err, "XBOT_ENCRYPTION_KEY must be 32 bytes")
}

func TestSeal_IsReadOnlyByTheSameKey(t *testing.T) {
	key, err := secret.Load(t.TempDir(), "")
	require.NoError(t, err)
	other, err := secret.Load(t.TempDir(), "")
	require.NoError(t, err)
	sealed := key.Seal([]byte("sk-123"))
	require.False(t, bytes.Contains(sealed, []byte("sk-123")))
	plain, err := key.Open(sealed)
	require.NoError(t, err)
	require.Equal(t, "sk-123", string(plain))
	_, err = other.Open(sealed)
	require.ErrorContains(t, err, "cannot be read with this key")
	require.NotEqual(t, key.Derive("a"), key.Derive("b"))
}
