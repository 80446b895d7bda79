package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/models"
	"xbot/internal/chat"
)

func (p *person) toolKeys() models.ToolKeys {
	p.t.Helper()
	var got models.ToolKeys
	a := p.get("/api/keys")
	a.is(http.StatusOK, &got)
	require.NotContains(p.t, string(a.body), apiKey)
	return got
}

func TestToolKeys_OfTheInstallationAreSetByAdministratorsAndUsedForAll(t *testing.T) {
	b := setup(t)
	require.Equal(t, models.ToolService{Service: "tavily", Source: "environment"}, b.bob.toolKeys().Services[0])
	var made chat.ToolKey
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"shared": true, "key": apiKey, "model": "m"}).is(http.StatusOK, &made)
	require.Equal(t, "…1234", made.KeyHint)
	require.Equal(t, "alice", made.ChangedBy)
	require.True(t, made.Shared)
	require.Len(t, b.alice.toolKeys().Keys, 1)

	require.Empty(t, b.bob.toolKeys().Keys, "a member sees none of the installation's")
	require.Equal(t, models.ToolService{Service: "image", Source: "installation", Providers: []string{"openai", "gemini", "dashscope"}}, b.bob.toolKeys().Services[3])
	b.do(b.bob, http.MethodPut, "/api/keys/image", map[string]any{"shared": true, "key": "k", "revision": 1}).problem(http.StatusForbidden)
	b.bob.post("/api/keys/image/try", map[string]any{"shared": true}).problem(http.StatusForbidden)
	b.bob.delete("/api/keys/image?shared=true").problem(http.StatusForbidden)
	b.bob.delete("/api/keys/image").problem(http.StatusNotFound)
	require.NotContains(t, b.log.String(), apiKey)

	b.alice.delete("/api/keys/image?shared=true").is(http.StatusNoContent, nil)
	require.Empty(t, b.bob.toolKeys().Services[3].Source)
}

func TestToolKeys_SomebodyElsesLookLikeNone(t *testing.T) {
	b := setup(t)
	b.do(b.bob, http.MethodPut, "/api/keys/image", map[string]any{"key": apiKey}).is(http.StatusOK, nil)
	require.Equal(t, "own", b.bob.toolKeys().Services[3].Source)
	require.Empty(t, b.alice.toolKeys().Keys, "nor does an administrator see it")
	require.Empty(t, b.alice.toolKeys().Services[3].Source)
	b.alice.delete("/api/keys/image").problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"revision": 1}).problem(http.StatusBadRequest)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"key": "k", "revision": 1}).problem(http.StatusConflict)
	b.alice.post("/api/keys/image/try", map[string]any{}).problem(http.StatusBadRequest)
}

func TestToolKeys_BadInputIsRefusedAndAChangeIsOfOneRevision(t *testing.T) {
	b := setup(t)
	b.do(b.alice, http.MethodPut, "/api/keys/nothing", map[string]any{"key": "k"}).problem(http.StatusUnprocessableEntity)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"key": "k", "base_url": "file:///etc/passwd"}).problem(http.StatusBadRequest)
	b.do(b.alice, http.MethodPut, "/api/keys/searxng", map[string]any{}).problem(http.StatusBadRequest)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"key": "k"}).is(http.StatusOK, nil)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"key": "k"}).problem(http.StatusConflict)
	b.do(b.alice, http.MethodPut, "/api/keys/image", map[string]any{"revision": 1, "model": "m"}).is(http.StatusOK, nil)
}

func TestToolKeys_AreTriedBeforeTheyAreSaved(t *testing.T) {
	b := setup(t)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[]}`)) }))
	t.Cleanup(service.Close)
	var tried models.ToolKeyTried
	b.alice.post("/api/keys/transcription/try", map[string]any{"shared": true, "key": "k", "base_url": service.URL}).is(http.StatusOK, &tried)
	require.True(t, tried.Passed, tried.Problem)
	b.bob.post("/api/keys/transcription/try", map[string]any{"key": "k", "base_url": service.URL}).is(http.StatusOK, &tried)
	require.Contains(t, tried.Problem, "not an address on the public internet", "what a member writes does not lead into the server's network")
	require.Empty(t, b.alice.toolKeys().Keys)
}

func TestToolKeys_HaveAProviderAndAPrice(t *testing.T) {
	b := setup(t)
	var made chat.ToolKey
	b.do(b.bob, http.MethodPut, "/api/keys/speech", map[string]any{"key": "k", "provider": "elevenlabs", "price": 120}).is(http.StatusOK, &made)
	require.Equal(t, "elevenlabs", made.Provider)
	require.EqualValues(t, 120, *made.Price)
	b.do(b.bob, http.MethodPut, "/api/keys/speech", map[string]any{"key": "k", "provider": "gemini", "revision": 1}).problem(http.StatusBadRequest)
	b.do(b.bob, http.MethodPut, "/api/keys/video", map[string]any{"key": "k"}).problem(http.StatusBadRequest)
	b.do(b.bob, http.MethodPut, "/api/keys/image", map[string]any{"key": "k", "price": -1}).problem(http.StatusUnprocessableEntity)
}
