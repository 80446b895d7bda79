package choice_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm/choice"
	"xbot/internal/turn/policy"
)

// tiers are what a person chose.
type tiers map[string]string

func (t tiers) TierModels(context.Context, chat.UserID) (map[string]string, error) { return t, nil }

func TestSwift_IsThePersonsFastestModelElseThatOfTheConversation(t *testing.T) {
	t.Parallel()
	models := []policy.Model{{ID: "a/here", BaseURL: "http://127.0.0.1:9"}, {ID: "a/small", BaseURL: "http://127.0.0.1:9"}, {ID: "a/mine", BaseURL: "http://127.0.0.1:9"}}
	for name, c := range map[string]struct {
		policy string
		person tiers
		want   string
	}{
		"nobody says":              {"", nil, "a/here"},
		"the policy":               {"a/small", nil, "a/small"},
		"the person":               {"a/small", tiers{"swift": "a/mine"}, "a/mine"},
		"one that is not there":    {"a/gone", nil, "a/here"},
		"never a stronger than it": {"", tiers{"balance": "a/mine"}, "a/here"},
	} {
		h := &home{server: true, wish: chat.ModelCriteria{Model: "a/here"}}
		swift := choice.Swift{Choice: listing(h, &policy.Policy{Models: models, Tiers: policy.Tiers{Swift: c.policy}}), Tiers: c.person}
		client, err := swift.For(t.Context(), key)
		require.NoError(t, err, name)
		require.Equal(t, c.want, client.Model(), name)
	}
}
