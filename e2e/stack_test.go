package e2e

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/localstack"
	"xbot/internal/store"
)

// stackFolders of a home are what its servers keep. Its ports are chosen anew.
var stackFolders = []string{"postgres", "secrets", "temporal"}

// stackTemplate is a home on which the servers have run once: a Postgres with the tables of the product and of Temporal. To
// make them takes as long as most tests do afterwards, to copy them a tenth of a second. TestMain makes the folder and removes it.
var stackTemplate string

var fillTemplate = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	stack, err := localstack.Start(ctx, localstack.Config{
		Home: stackTemplate, TemporalBinary: filepath.Join(bin, "xbot-temporal"), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	return errors.Join(store.Migrate(ctx, stack.Endpoints().DatabaseURL), stack.Stop(ctx))
})

// giveStack puts servers that have run once into a home that has none. A test that watches a first start does without.
func giveStack(t *testing.T, home string) {
	t.Helper()
	require.NoError(t, fillTemplate())
	require.NoError(t, os.MkdirAll(home, 0o700))
	for _, name := range stackFolders {
		out, err := exec.Command("cp", "-a", filepath.Join(stackTemplate, name), home).CombinedOutput() // with its owners
		require.NoError(t, err, "%s", out)
	}
}
