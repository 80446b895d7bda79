package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/models"
	"xbot/ingress/api/settings"
	"xbot/internal/chat"
)

// inForce sets the policy of the installation.
func (b *bundle) inForce(text string) {
	b.t.Helper()
	_, err := b.store.Settings.SetPolicy(b.t.Context(), b.alice.user.ID, []byte(text))
	require.NoError(b.t, err)
}

const twoAgents = `{
	"models": [{"id": "x/small", "alias": ["fast"], "baseUrl": "http://127.0.0.1:1", "maxContext": 9000},
	           {"id": "x/keyed", "baseUrl": "http://127.0.0.1:1", "apiKeyEnv": "NO_SUCH_KEY"}],
	"agents": {"list": [{"id": "main", "default": true}, {"id": "clerk", "model": "fast", "workspace": "/srv/clerk"}]}
}`

func TestModels_ListsWhatConversationsCanChoose(t *testing.T) {
	b := setup(t)
	b.inForce(twoAgents)
	var got models.Catalogue
	b.bob.get("/api/models").is(http.StatusOK, &got)
	require.Equal(t, chat.ThinkLevels, got.Think)
	require.Len(t, got.Models, 3)
	require.Equal(t, models.Model{ID: "x/small", Alias: []string{"fast"}, MaxContext: 9000, MaxOutput: got.Models[1].MaxOutput, Available: new(true)}, got.Models[1])
	require.True(t, got.Models[0].Default)
	require.False(t, *got.Models[2].Available, "its key is missing")
	b.do(nil, http.MethodGet, "/api/models", nil).is(http.StatusUnauthorized, nil)
}

func TestAgents_ListsWhoAnswers(t *testing.T) {
	b := setup(t)
	var got settings.AgentsBody
	b.bob.get("/api/agents").is(http.StatusOK, &got)
	require.Equal(t, []settings.Agent{{ID: "main", Default: true}}, got.Agents, "without a policy")
	b.do(nil, http.MethodGet, "/api/agents", nil).is(http.StatusUnauthorized, nil)
}

func TestAgents_ListsThoseOfThePolicy(t *testing.T) {
	b := setup(t)
	b.inForce(twoAgents)
	var got settings.AgentsBody
	b.bob.get("/api/agents").is(http.StatusOK, &got)
	require.Equal(t, []settings.Agent{{ID: "main", Default: true}, {ID: "clerk", Model: "fast"}}, got.Agents)
}

func TestUpdateSession_SetsWhatAConversationDecidesForItself(t *testing.T) {
	b := setup(t)
	b.inForce(twoAgents)
	s := b.alice.session("agent:main:web:thread:s")
	var got chat.Session
	b.do(b.alice, http.MethodPatch, path(s.Key, ""), map[string]any{
		"model": "fast", "think": "high", "verbose": "full", "send": "off", "activation": "always", "queue": map[string]any{"mode": "collect", "cap": 5},
	}).is(http.StatusOK, &got)
	require.Equal(t, []string{"x/small", "high", "full", "off", "always"}, []string{got.Model, got.Think, got.Verbose, got.Send, got.Activation})
	require.Equal(t, chat.Queue{Mode: chat.QueueCollect, Cap: 5}, got.Queue)
	b.do(b.alice, http.MethodPatch, path(s.Key, ""), map[string]any{"title": "only this"}).is(http.StatusOK, &got)
	require.Equal(t, "x/small", got.Model, "what is not named stays")
	got = chat.Session{}
	b.do(b.alice, http.MethodPatch, path(s.Key, ""), map[string]any{"model": "", "think": "", "verbose": "", "send": "", "activation": "", "queue": map[string]any{}}).is(http.StatusOK, &got)
	require.Equal(t, chat.Session{}.Queue, got.Queue)
	require.Empty(t, got.Model+got.Think+got.Verbose+got.Send+got.Activation)
	for _, wrong := range []map[string]any{{"model": "nobody"}, {"model": "x"}, {"think": "hard"}, {"verbose": "loud"}, {"send": "maybe"}, {"activation": "never"}, {"queue": map[string]any{"mode": "jump"}}} {
		wrong["title"] = "must not be set"
		b.do(b.alice, http.MethodPatch, path(s.Key, ""), wrong).fails(t)
	}
	require.Equal(t, "only this", b.alice.session(s.Key).Title)
	b.do(b.bob, http.MethodPatch, path(s.Key, ""), map[string]any{"model": "fast"}).is(http.StatusNotFound, nil)
}

// fails requires that the request was refused as the sender's fault.
func (a answer) fails(t *testing.T) {
	t.Helper()
	require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, a.status, string(a.body))
}

func TestCreateSession_IsAnsweredByTheAgentThatIsAskedFor(t *testing.T) {
	b := setup(t)
	b.inForce(twoAgents)
	var got chat.Session
	b.alice.post("/api/sessions", map[string]any{"agent": "clerk"}).is(http.StatusCreated, &got)
	require.Equal(t, "clerk", got.Agent)
	require.Equal(t, "/srv/clerk", got.Cwd)
	require.Contains(t, string(got.Key), "agent:clerk:web:thread:")
	b.alice.post("/api/sessions", map[string]any{}).is(http.StatusCreated, &got)
	require.Equal(t, "main", got.Agent)
	require.Empty(t, got.Cwd)
	b.alice.post("/api/sessions", map[string]any{"agent": "nobody"}).fails(t)
	b.alice.post("/api/sessions", map[string]any{"agent": "clerk", "key": "agent:main:web:thread:k"}).fails(t)
}

func TestThink_HoldsForTheConversation(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:s")
	b.alice.say(s.Key, "1", "/think high").is(http.StatusAccepted, nil)
	require.Equal(t, "high", b.alice.session(s.Key).Think)
	b.alice.say(s.Key, "2", "/verbose full").is(http.StatusAccepted, nil)
	require.Equal(t, "full", b.alice.session(s.Key).Verbose)
	b.alice.say(s.Key, "3", "/think harder").is(http.StatusAccepted, nil)
	require.Equal(t, "high", b.alice.session(s.Key).Think)
	b.alice.say(s.Key, "4", "/think default").is(http.StatusAccepted, nil)
	require.Empty(t, b.alice.session(s.Key).Think)
}
