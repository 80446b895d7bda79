package subagents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/limits"
	"xbot/internal/tool"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/subagents"
)

// person has what somebody chose, in a conversation of theirs.
type person struct {
	tiers map[string]string
	wish  chat.ModelCriteria
}

func (person) Session(context.Context, chat.SessionKey) (chat.Session, chat.UserID, error) {
	return chat.Session{}, 7, nil
}
func (person) SubagentProfile(context.Context, chat.SessionKey) (*chat.Profile, error) {
	return nil, nil
}
func (p person) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	return p.wish, nil
}
func (p person) TierModels(context.Context, chat.UserID) (map[string]string, error) {
	return p.tiers, nil
}

// written is a policy that does not change.
type written string

func (w written) PolicyAfter(context.Context, int64) (int64, []byte, error) { return 1, []byte(w), nil }

func (written) ServicesAfter(context.Context, int64) (int64, []policy.Agent, error) {
	return 0, nil, nil
}

func TestMake_ATierIsThePersonsModelThenThePolicysThenThatOfTheNextTier(t *testing.T) {
	t.Parallel()
	const models = `"models": [{"id": "a/large"}, {"id": "a/middle"}, {"id": "a/small"}, {"id": "a/mine"}]`
	for name, c := range map[string]struct {
		policy string
		tiers  map[string]string
		role   role.Role
		tier   string
		want   string
	}{
		"nobody says":                       {models, nil, role.Role{Tier: role.Swift}, "", "a/here"},
		"the policy":                        {models + `, "tiers": {"swift": "a/small"}`, nil, role.Role{Tier: role.Swift}, "", "a/small"},
		"the person before the policy":      {models + `, "tiers": {"swift": "a/small"}`, map[string]string{"swift": "a/mine"}, role.Role{Tier: role.Swift}, "", "a/mine"},
		"the next tier":                     {models + `, "tiers": {"balance": "a/middle", "swift": "a/small"}`, nil, role.Role{Tier: role.Vanguard}, "", "a/middle"},
		"never a stronger one":              {models + `, "tiers": {"vanguard": "a/large"}`, nil, role.Role{Tier: role.Swift}, "", "a/here"},
		"the model of the role":             {models + `, "tiers": {"swift": "a/small"}`, nil, role.Role{Tier: role.Swift, Model: "a/large"}, "", "a/large"},
		"the call's tier before the role's": {models + `, "tiers": {"swift": "a/small"}`, nil, role.Role{Model: "a/large"}, role.Swift, "a/small"},
		"one that is not there":             {models, map[string]string{"swift": "b/gone"}, role.Role{Tier: role.Swift}, "", "a/here"},
	} {
		rules := &policy.Live{Services: written("{" + c.policy + "}"), Settings: written("{" + c.policy + "}")}
		roles := subagents.Roles{
			Agents: person{c.tiers, chat.ModelCriteria{User: 7, Model: "a/here"}}, Conversations: person{c.tiers, chat.ModelCriteria{User: 7, Model: "a/here"}}, Settings: person{c.tiers, chat.ModelCriteria{User: 7, Model: "a/here"}}, Policies: rules,
			Models: &catalogue.Live{Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: rules},
		}
		got, err := roles.Make(t.Context(), tool.Call{}, c.role, c.tier)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got.Model, name)
	}
}
