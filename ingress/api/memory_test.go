package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/memory"
	"xbot/internal/chat"
	"xbot/internal/memory/view"
)

func TestMemory_IsShownFoundChangedAndForgottenByItsPersonAlone(t *testing.T) {
	b := setup(t)
	require.NoError(t, b.store.Memory.SetMemory(t.Context(), b.alice.user.ID, "main", "likes.md", "- alice likes tea\n- alice likes walks"))
	require.NoError(t, b.store.Memory.SetMemory(t.Context(), b.alice.user.ID, "ops", "servers.md", "alice has two"))
	require.NoError(t, b.store.Memory.SetMemory(t.Context(), b.bob.user.ID, "main", "likes.md", "bob likes coffee"))

	var look view.Look
	b.alice.get("/api/memory").is(http.StatusOK, &look)
	require.Len(t, look.Items, 1)
	require.Equal(t, []string{"main", "ops"}, look.Names)
	b.alice.get("/api/memory?agent=ops").is(http.StatusOK, &look)
	require.Equal(t, "alice has two", look.Items[0].Content)
	b.alice.get("/api/memory").is(http.StatusOK, &look)
	var found memory.RememberedBody
	b.alice.get("/api/memory/search?q=TEA").is(http.StatusOK, &found)
	require.Len(t, found.Items, 1)
	for _, q := range []string{"coffee", "bob", "likes"} {
		require.NotContains(t, string(b.alice.get("/api/memory/search?q="+q).body), "coffee")
	}
	for _, path := range []string{"/api/memory", "/api/memory/export", "/api/memory/search?q=likes", "/api/memory/entries?kind=log", "/api/memory?agent=ops"} {
		require.NotContains(t, string(b.bob.get(path).body), "alice", path)
		b.do(nil, http.MethodGet, path, nil).problem(http.StatusUnauthorized)
	}
	require.Contains(t, string(b.alice.get("/api/memory/export").body), "alice likes walks")

	edit := map[string]string{"id": "note/likes.md", "was": look.Items[0].Content, "content": "- alice likes tea\n- alice likes rivers"}
	b.do(b.bob, http.MethodPut, "/api/memory", edit).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPut, "/api/memory", edit).is(http.StatusNoContent, nil)
	b.do(b.alice, http.MethodPut, "/api/memory", edit).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPut, "/api/memory", map[string]string{"id": "note/../x", "was": "", "content": "x"}).problem(http.StatusBadRequest)

	b.alice.get("/api/memory/search?exact=true&q="+url.QueryEscape("likes rivers")).is(http.StatusOK, &found)
	require.Len(t, found.Items, 1)
	require.True(t, found.Items[0].Line)
	forget := map[string]any{"items": found.Items}
	b.bob.post("/api/memory/forget", forget).is(http.StatusNoContent, nil) // no line of bob's is the same
	b.alice.post("/api/memory/forget", forget).is(http.StatusNoContent, nil)
	b.alice.get("/api/memory").is(http.StatusOK, &look)
	require.Equal(t, "- alice likes tea", look.Items[0].Content)
	b.alice.post("/api/memory/forget", map[string]any{"items": []chat.Remembered{}}).problem(http.StatusUnprocessableEntity)
	b.alice.get("/api/memory/search?q=" + strings.Repeat("x", 501)).problem(http.StatusUnprocessableEntity)
	notes, err := b.store.Memory.Memories(t.Context(), b.bob.user.ID, "main")
	require.NoError(t, err)
	require.Equal(t, "bob likes coffee", notes[0].Content)
}
