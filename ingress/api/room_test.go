package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/policy"
)

// little is a policy under which people have little.
type little struct{}

func (little) Get(context.Context) (*policy.Policy, error) {
	return &policy.Policy{Limits: policy.Limits{Person: policy.PersonLimits{Sessions: 1, Runners: 1, Tokens: 2}}}, nil
}

func TestRoom_WhoHasAsManyAsTheyMayIsToldWhatMakesRoom(t *testing.T) {
	b := setupUnder(t, little{})
	mine := b.bob.session("agent:main:web:thread:first")

	require.Contains(t, b.bob.post("/api/sessions", map[string]any{}).problem(http.StatusConflict), "give one up")
	b.bob.post("/api/sessions", map[string]any{"key": mine.Key}).is(http.StatusCreated, nil)
	b.alice.post("/api/sessions", map[string]any{}).is(http.StatusCreated, nil)

	b.bob.post("/api/tokens", map[string]any{"name": "second"}).is(http.StatusCreated, nil)
	require.Contains(t, b.bob.post("/api/tokens", map[string]any{"name": "third"}).problem(http.StatusConflict), "limits.person.tokens")
	b.bob.post("/api/runners", map[string]any{"name": "laptop"}).is(http.StatusCreated, nil)
	require.Contains(t, b.bob.post("/api/runners", map[string]any{"name": "second"}).problem(http.StatusConflict), "you have 1 runners")
}
