package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

func TestEnv_IsCheckedAndHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	_, notes, err := policy.Parse([]byte(`{agents: {list: [{id: "a", env: {REGION: "eu", API_TOKEN: "see"}}]}, runners: {secrets: ["local", "docker", "alice/build"]}}`))
	require.NoError(t, err)
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "API_TOKEN")
	for _, bad := range []string{
		`env: {PATH: "/x"}`, `env: {Ld_Preload: "x"}`, `env: {XBOT_SESSION: "x"}`, `env: {"A B": "x"}`, `env: {A: 1}`, `env: {A: "ghp_0123456789012345678901234"}`,
	} {
		_, _, err := policy.Parse([]byte(`{agents: {list: [{id: "a", ` + bad + `}]}}`))
		require.Error(t, err, bad)
	}
	for _, bad := range []string{"laptop", "/x", "x/", "a/b/c"} {
		_, _, err := policy.Parse([]byte(`{runners: {secrets: ["` + bad + `"]}}`))
		require.Error(t, err, bad)
	}
}
