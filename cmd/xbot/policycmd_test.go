package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// TestPolicyCheck_NeedsNoServer is not parallel: it owns the environment.
func TestPolicyCheck_NeedsNoServer(t *testing.T) {
	t.Setenv("XBOT_HOME", filepath.Join(t.TempDir(), "nothing"))
	check := func(text string) error {
		file := filepath.Join(t.TempDir(), "policy.json5")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return policyCheckCmd{File: file}.Run(t.Context())
	}
	require.NoError(t, check(`{ session: { scope: "global" } } // a comment`))
	err := check(`{ session: { scope: "globl", dmScope: 5 } }`)
	require.True(t, fault.Is(err, fault.Invalid), err)
	require.ErrorContains(t, err, "nothing was changed")
	require.True(t, fault.Is(policyCheckCmd{File: "missing.json5"}.Run(t.Context()), fault.NotFound))
}
