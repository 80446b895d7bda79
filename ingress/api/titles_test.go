package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
)

func TestTitles_AreMadeByAModelUntilAPersonWantsNone(t *testing.T) {
	b := setup(t)
	var got account.TitleChoice
	b.alice.get("/api/titles").is(http.StatusOK, &got)
	require.True(t, got.Model)
	b.do(b.alice, http.MethodPut, "/api/titles", map[string]any{"model": false}).is(http.StatusOK, &got)
	require.False(t, got.Model)
	b.alice.get("/api/titles").is(http.StatusOK, &got)
	require.False(t, got.Model)
	b.bob.get("/api/titles").is(http.StatusOK, &got)
	require.True(t, got.Model, "it is a choice of one person")
	b.do(b.alice, http.MethodPut, "/api/titles", map[string]any{"model": true}).is(http.StatusOK, &got)
	b.alice.get("/api/titles").is(http.StatusOK, &got)
	require.True(t, got.Model)
	b.do(b.alice, http.MethodPut, "/api/titles", map[string]any{"model": "perhaps"}).problem(http.StatusUnprocessableEntity)
	b.do(b.alice, http.MethodPut, "/api/titles", map[string]any{}).problem(http.StatusUnprocessableEntity)
	b.do(nil, http.MethodPut, "/api/titles", map[string]any{"model": false}).problem(http.StatusUnauthorized)
}
