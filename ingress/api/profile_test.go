package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
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

func TestProfile_HasVersionsThatComeBack(t *testing.T) {
	b := setup(t)
	const at = "/api/profile/versions"
	var list account.ProfileVersionsBody
	b.bob.get(at).is(http.StatusOK, &list)
	require.Equal(t, []chat.ProfileVersion{}, list.Versions)
	var now chat.UserProfile
	for i, content := range []string{"Bob", "Bobby", ""} {
		b.do(b.bob, http.MethodPut, "/api/profile", map[string]any{"content": content, "timezone": []string{"Asia/Shanghai", "", ""}[i], "revision": i}).is(http.StatusOK, &now)
	}
	b.bob.get(at).is(http.StatusOK, &list)
	require.Equal(t, []int{3, 2, 1}, []int{list.Versions[0].Version, list.Versions[1].Version, list.Versions[2].Version})
	require.Equal(t, "bob", list.Versions[2].ChangedBy)
	require.Equal(t, 5, list.Versions[1].Characters)
	require.Empty(t, list.Versions[1].Content, "lists are short")
	var one chat.ProfileVersion
	b.bob.get(at+"/1").is(http.StatusOK, &one)
	require.Equal(t, "Bob", one.Content)
	b.bob.post("/api/profile/rollback", map[string]any{"to": 1, "version": 2}).problem(http.StatusConflict)
	b.bob.post("/api/profile/rollback", map[string]any{"to": 1, "version": 3}).is(http.StatusOK, &now)
	require.Equal(t, "Bob", now.Content)
	require.Equal(t, "Asia/Shanghai", now.Timezone)
	require.Equal(t, 4, now.Revision, "it is the newest one")
	b.bob.delete(at + "/4").problem(http.StatusConflict)
	b.bob.delete(at+"/2").is(http.StatusNoContent, nil)
	b.bob.get(at + "/2").problem(http.StatusNotFound)

	b.bob.post("/api/profile/rollback", map[string]any{"to": 9, "version": 4}).problem(http.StatusNotFound)
	b.bob.post("/api/profile/rollback", map[string]any{"to": 0, "version": 4}).problem(http.StatusUnprocessableEntity)
	b.bob.get(at + "/-1").problem(http.StatusUnprocessableEntity)
	b.bob.get(at + "/99999999999999999999").problem(http.StatusUnprocessableEntity)
	b.alice.get(at).is(http.StatusOK, &list)
	require.Empty(t, list.Versions, "an administrator has no other one's")
	b.alice.get(at + "/1").problem(http.StatusNotFound)
	b.alice.delete(at + "/1").problem(http.StatusNotFound)
	b.alice.post("/api/profile/rollback", map[string]any{"to": 1, "version": 4}).problem(http.StatusNotFound)
	b.do(nil, http.MethodGet, at, nil).problem(http.StatusUnauthorized)
	b.do(nil, http.MethodGet, at+"/1", nil).problem(http.StatusUnauthorized)
	b.do(nil, http.MethodDelete, at+"/1", nil).problem(http.StatusUnauthorized)
	b.do(nil, http.MethodPost, "/api/profile/rollback", map[string]any{"to": 1, "version": 4}).problem(http.StatusUnauthorized)
}
