package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestProfile_IsOfWhoeverAsksAndOverwritesNothingUnseen(t *testing.T) {
	b := setup(t)
	var p chat.UserProfile
	b.alice.get("/api/profile").is(http.StatusOK, &p)
	require.Equal(t, chat.UserProfile{}, p)
	b.do(b.alice, http.MethodPut, "/api/profile", map[string]any{"content": "Ann", "timezone": "Asia/Shanghai", "revision": 0}).is(http.StatusOK, &p)
	require.Equal(t, 1, p.Revision)
	b.do(b.alice, http.MethodPut, "/api/profile", map[string]any{"content": "somebody else", "timezone": "", "revision": 0}).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPut, "/api/profile", map[string]any{"content": "Ann", "timezone": "Mars/Olympus", "revision": 1}).problem(http.StatusBadRequest)
	b.do(b.alice, http.MethodPut, "/api/profile", map[string]any{"content": strings.Repeat("x", 2001), "timezone": "", "revision": 1}).problem(http.StatusUnprocessableEntity)
	b.do(nil, http.MethodPut, "/api/profile", map[string]any{"content": "x", "timezone": "", "revision": 1}).problem(http.StatusUnauthorized)
	b.do(nil, http.MethodGet, "/api/profile", nil).problem(http.StatusUnauthorized)
	require.NotContains(t, string(b.bob.get("/api/profile").body), "Ann")
	b.alice.get("/api/profile").is(http.StatusOK, &p)
	require.Equal(t, "Ann", p.Content)
}
