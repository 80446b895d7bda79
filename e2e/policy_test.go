package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPolicy_AnOperatorChecksSetsAndFollowsIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	require.Contains(t, s.operated("policy", "show"), "{}")
	require.Equal(t, "There is no policy yet; the defaults hold.", s.operated("policy", "history"))

	file := filepath.Join(t.TempDir(), "policy.json5")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(`{session: {dmscope: "main"}, limits: {turns: "2"}}`)
	for _, verb := range []string{"check", "set"} {
		said, err := s.operate("policy", verb, file)
		require.Error(t, err)
		require.Contains(t, said, "error: session.dmscope: is not known; did you mean dmScope?")
		require.Contains(t, said, "error: limits.turns: a number is expected, not a text")
	}

	write(`{session: {dmScope: "main"}} // one of us`)
	require.Contains(t, s.operated("policy", "set", "--from", "0", file), "Version 1 is in force.")
	said, err := s.operate("policy", "set", "--from", "0", file)
	require.Error(t, err)
	require.Contains(t, said, "the policy was changed meanwhile: version 1 is in force")
	require.Contains(t, s.operated("policy", "show"), `"dmScope": "main"`)
	require.Contains(t, s.operated("policy", "check", file), "note: session.dmScope: main: everybody")

	s.crash()
	s.boot()
	require.Contains(t, s.operated("policy", "set", file), "Version 2 is in force.")
	require.Len(t, strings.Split(s.operated("policy", "history"), "\n"), 3)
}
