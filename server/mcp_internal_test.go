package server

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/turn/policy"
)

// document is a policy; nil: the database is away.
type document struct{ *policy.Policy }

func (d document) Get(context.Context) (*policy.Policy, error) {
	if d.Policy == nil {
		return nil, fault.Errorf(fault.Unavailable, "the database is away")
	}
	return d.Policy, nil
}

func (d document) With(ctx context.Context, _ int64) (*policy.Policy, error) { return d.Get(ctx) }

func TestKeyVariables_AreThoseOfTheModelsOfThePolicyAndOfServicesOfTools(t *testing.T) {
	got, err := keyVariables{document{&policy.Policy{Models: []policy.Model{{ID: "a/b", APIKeyEnv: "ANTHROPIC_KEY"}, {ID: "demo/demo"}}}}}.KeyVariables(t.Context())
	require.NoError(t, err)
	require.Subset(t, got, []string{"ANTHROPIC_KEY", "TAVILY_API_KEY", "CLOUDSWAY_SEARCH_KEY", "IMAGE_API_KEY"})
	require.NotContains(t, got, "")
	_, err = keyVariables{document{}}.KeyVariables(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}
