package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/models"
	"xbot/internal/chat"
	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/subscription"
)

const apiKey = "sk-secret-of-acme-1234"

// acme is a draft of a subscription at a scripted provider.
func acme(script *llmtest.Server, more map[string]any) map[string]any {
	d := map[string]any{"name": "acme", "provider": "openai", "base_url": script.BaseURL(), "key": apiKey, "models": []any{map[string]any{"id": "llmtest", "alias": []string{"quick"}}}}
	maps.Copy(d, more)
	return d
}

func (p *person) subscriptions() []chat.Subscription {
	p.t.Helper()
	var got models.SubscriptionsBody
	p.get("/api/subscriptions").is(http.StatusOK, &got)
	return got.Subscriptions
}

func TestSubscriptions_OfTheInstallationAreForAdministratorsAndTheirModelsForAll(t *testing.T) {
	b, script := setup(t), llmtest.New(t)
	var made chat.Subscription
	b.alice.post("/api/subscriptions", acme(script, map[string]any{"shared": true})).is(http.StatusCreated, &made)
	require.True(t, made.Shared)
	require.Equal(t, "…1234", made.KeyHint)
	require.Equal(t, "alice", made.ChangedBy)
	require.NotContains(t, string(b.alice.get("/api/subscriptions").body), apiKey)
	require.Len(t, b.alice.subscriptions(), 1)

	require.Empty(t, b.bob.subscriptions())
	b.bob.post("/api/subscriptions", acme(script, map[string]any{"shared": true})).problem(http.StatusForbidden)
	at := fmt.Sprint("/api/subscriptions/", made.ID)
	b.do(b.bob, http.MethodPut, at, acme(script, map[string]any{"shared": true, "revision": 1})).problem(http.StatusForbidden)
	b.do(b.bob, http.MethodPut, at, acme(script, map[string]any{"revision": 1})).problem(http.StatusConflict)
	b.do(b.bob, http.MethodPut, at, acme(script, map[string]any{"revision": 1, "key": ""})).problem(http.StatusNotFound)
	b.bob.delete(at).problem(http.StatusNotFound)
	b.bob.post("/api/subscriptions/try", acme(script, map[string]any{"id": made.ID, "key": "", "model": "llmtest"})).problem(http.StatusNotFound)
	b.bob.post("/api/subscriptions/offered", acme(script, map[string]any{"id": made.ID, "key": ""})).problem(http.StatusNotFound)
	require.Zero(t, script.Count())

	var me struct {
		Model string
		Demo  bool
	}
	b.bob.get("/api/me").is(http.StatusOK, &me)
	require.Equal(t, "acme/llmtest", me.Model)
	require.False(t, me.Demo)
	var listed models.Catalogue
	b.bob.get("/api/models").is(http.StatusOK, &listed)
	require.Equal(t, "acme", listed.Models[1].Subscription)
	require.False(t, listed.Models[1].Own)
	require.True(t, *listed.Models[1].Available)

	b.alice.delete(at).is(http.StatusNoContent, nil)
	b.bob.get("/api/me").is(http.StatusOK, &me)
	require.True(t, me.Demo)
}

func TestSubscriptions_SomebodyElsesLookLikeNone(t *testing.T) {
	b, script := setup(t), llmtest.New(t)
	var made chat.Subscription
	b.bob.post("/api/subscriptions", acme(script, nil)).is(http.StatusCreated, &made)
	at := fmt.Sprint("/api/subscriptions/", made.ID)
	require.Empty(t, b.alice.subscriptions(), "an administrator's list has none of other people")
	b.alice.delete(at).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPut, at, acme(script, map[string]any{"revision": 1, "key": ""})).problem(http.StatusNotFound)
	b.alice.post("/api/subscriptions/try", acme(script, map[string]any{"id": made.ID, "key": "", "model": "llmtest"})).problem(http.StatusNotFound)
	var listed models.Catalogue
	b.alice.get("/api/models").is(http.StatusOK, &listed)
	require.Len(t, listed.Models, 1)
	s := b.alice.session("agent:main:web:thread:hers")
	require.Contains(t, b.do(b.alice, http.MethodPatch, path(s.Key, ""), map[string]any{"model": "acme/llmtest"}).problem(http.StatusBadRequest), "no model")
	b.do(b.alice, http.MethodPatch, "/api/models/choice", map[string]any{"model": "acme/llmtest"}).problem(http.StatusBadRequest)
	own := b.bob.session("agent:main:web:thread:his")
	b.do(b.bob, http.MethodPatch, path(own.Key, ""), map[string]any{"model": "quick"}).is(http.StatusOK, nil)
}

func TestSubscriptions_AChangeKeepsTheKeyAndIsOfOneRevision(t *testing.T) {
	b, script := setup(t), llmtest.New(t)
	var made chat.Subscription
	b.alice.post("/api/subscriptions", acme(script, map[string]any{"shared": true})).is(http.StatusCreated, &made)
	at := fmt.Sprint("/api/subscriptions/", made.ID)
	change := acme(script, map[string]any{"shared": true, "key": "", "revision": made.Revision, "disabled": true})
	b.do(b.alice, http.MethodPut, at, change).is(http.StatusOK, &made)
	require.Equal(t, "…1234", made.KeyHint)
	require.False(t, made.Enabled)
	b.do(b.alice, http.MethodPut, at, change).problem(http.StatusConflict)
	change["revision"], change["base_url"] = made.Revision, "https://elsewhere.example/v1"
	require.Contains(t, b.do(b.alice, http.MethodPut, at, change).problem(http.StatusBadRequest), "enter the key for it")
	require.Contains(t, b.alice.post("/api/subscriptions", acme(script, map[string]any{"shared": true})).problem(http.StatusConflict), "already")
}

func TestSubscriptions_AreTriedAndAskedForTheirModelsBeforeTheyAreSaved(t *testing.T) {
	b, script := setup(t), llmtest.New(t)
	var tried subscription.Tried
	b.alice.post("/api/subscriptions/try", acme(script, map[string]any{"shared": true, "model": "llmtest"})).is(http.StatusOK, &tried)
	require.True(t, tried.Passed, tried.Problem)
	var offered subscription.Offered
	b.alice.post("/api/subscriptions/offered", acme(script, map[string]any{"shared": true})).is(http.StatusOK, &offered)
	require.Equal(t, "llmtest", offered.Models[0].ID)
	require.Empty(t, b.alice.subscriptions())

	b.bob.post("/api/subscriptions/try", acme(script, map[string]any{"model": "llmtest"})).is(http.StatusOK, &tried)
	require.Contains(t, tried.Problem, "not an address on the public internet", "what a member writes does not lead into the server's network")
	b.alice.post("/api/subscriptions/try", acme(script, map[string]any{"base_url": "nowhere", "model": "m"})).problem(http.StatusBadRequest)
	require.NotContains(t, b.log.String(), apiKey)
}

func TestModelChoice_IsThePersonsOwnAndChecked(t *testing.T) {
	b, script := setup(t), llmtest.New(t)
	b.bob.post("/api/subscriptions", acme(script, nil)).is(http.StatusCreated, nil)
	var got models.Choice
	b.bob.get("/api/models/choice").is(http.StatusOK, &got)
	require.Equal(t, models.Choice{Usual: "demo/demo", Tiers: map[string]string{"vanguard": "", "balance": "", "swift": ""}}, got)
	b.do(b.bob, http.MethodPatch, "/api/models/choice", map[string]any{"model": "quick", "swift": "demo"}).is(http.StatusOK, &got)
	require.Equal(t, "acme/llmtest", got.Model)
	require.Equal(t, "acme/llmtest", got.Usual)
	require.Equal(t, "demo/demo", got.Tiers["swift"])
	b.do(b.bob, http.MethodPatch, "/api/models/choice", map[string]any{"model": "", "vanguard": "nobody"}).problem(http.StatusBadRequest)
	b.bob.get("/api/models/choice").is(http.StatusOK, &got)
	require.Equal(t, "acme/llmtest", got.Model, "nothing of a change that is refused")
	b.alice.get("/api/models/choice").is(http.StatusOK, &got)
	require.Empty(t, got.Model)
}
