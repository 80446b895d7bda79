package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

func TestModels_ACodingAgentIsAskedAsThePolicySays(t *testing.T) {
	t.Parallel()
	p, _, err := policy.Parse([]byte(`{models: [{id: "codex/default", dialect: "codex", agent: {sandbox: "read-only", approvals: "untrusted", addDirs: ["/srv"], promptPrefix: "Be brief."}}]}`))
	require.NoError(t, err)
	require.True(t, p.Models[0].IsAgent())
	require.Equal(t, &policy.CodingAgent{Sandbox: "read-only", Approvals: "untrusted", AddDirs: []string{"/srv"}, PromptPrefix: "Be brief."}, p.Models[0].Agent)
	for document, says := range map[string]string{
		`{models: [{id: "a/b", dialect: "openai", agent: {effort: "high"}}]}`:           "it is for the dialects",
		`{models: [{id: "a/b", dialect: "codex", agent: {sandbox: "none"}}]}`:           "sandbox",
		`{models: [{id: "a/b", dialect: "codex", agent: {approvals: "always"}}]}`:       "approvals",
		`{models: [{id: "a/b", dialect: "codex", agent: {addDirs: ["srv"]}}]}`:          "write the whole path",
		`{models: [{id: "a/b", dialect: "codex", baseUrl: "https://x.example/v1"}]}`:    "leave baseUrl and apiKeyEnv out",
		`{models: [{id: "a/b", dialect: "codex", agent: {command: "/bin/codex\nrm"}}]}`: "the path of one program",
	} {
		_, _, err := policy.Parse([]byte(document))
		require.ErrorContains(t, err, says, document)
	}
}
