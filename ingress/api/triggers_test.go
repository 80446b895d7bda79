package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/automation"
	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
)

func TestTriggers_AreTheirOwnersAlone(t *testing.T) {
	b := setup(t)
	b.do(nil, http.MethodGet, "/api/triggers", nil).problem(http.StatusUnauthorized)
	var made trigger.Made
	b.bob.post("/api/triggers", map[string]any{"name": "  ci\n  build ", "template": "Look at {{.EventType}}"}).is(http.StatusCreated, &made)
	require.Equal(t, "ci build", made.Trigger.Name)
	require.Equal(t, chat.TriggerGeneric, made.Trigger.Source)
	require.Equal(t, 60, made.Trigger.PerMinute)
	require.False(t, made.Trigger.Off)
	require.Equal(t, chat.SessionKey("hook:"+made.Trigger.ID), made.Trigger.Session)
	require.Len(t, made.Secret, 64)
	require.Contains(t, made.Example, made.Trigger.URL)
	b.bob.post("/api/triggers", map[string]any{"name": "ci build"}).problem(http.StatusConflict)

	at := "/api/triggers/" + made.Trigger.ID
	var list automation.TriggerList
	b.bob.get("/api/triggers").is(http.StatusOK, &list)
	require.Len(t, list.Triggers, 1)
	b.alice.get("/api/triggers").is(http.StatusOK, &list)
	require.Empty(t, list.Triggers)
	for method, path := range map[string]string{http.MethodPut: at, http.MethodDelete: at, http.MethodPost: at + "/secret", http.MethodGet: at + "/fires"} {
		var body any
		if method == http.MethodPut {
			body = map[string]any{"name": "x"}
		}
		b.do(b.alice, method, path, body).problem(http.StatusNotFound)
	}

	var changed chat.Trigger
	b.do(b.bob, http.MethodPut, at, map[string]any{"name": "deploy", "off": true, "per_minute": 5, "one_shot": true}).is(http.StatusOK, &changed)
	require.Equal(t, "deploy", changed.Name)
	require.True(t, changed.Off)
	require.Empty(t, changed.Template)
	var renewed trigger.Made
	b.bob.post(at+"/secret", nil).is(http.StatusOK, &renewed)
	require.NotEqual(t, made.Secret, renewed.Secret)
	body := string(b.bob.get("/api/triggers").body)
	require.NotContains(t, body, made.Secret)
	require.NotContains(t, body, renewed.Secret)
	var fires automation.FireList
	b.bob.get(at+"/fires").is(http.StatusOK, &fires)
	require.Empty(t, fires.Fires)
	b.bob.delete(at).is(http.StatusNoContent, nil)
	b.bob.delete(at).problem(http.StatusNotFound)
}

func TestTriggers_SayWhatIsWrongWithADraft(t *testing.T) {
	b := setup(t)
	s := b.bob.session("agent:main:web:thread:bobs")
	for said, draft := range map[string]map[string]any{
		"needs a name":      {"name": " "},
		"cannot be read":    {"name": "x", "template": "{{.Payload"},
		"which it may not":  {"name": "x", "template": "{{printf `%d` 1}}"},
		"is on no platform": {"name": "x", "answer_in": string(s.Key)},
	} {
		require.Contains(t, b.bob.post("/api/triggers", draft).problem(http.StatusBadRequest), said)
	}
	b.alice.post("/api/triggers", map[string]any{"name": "x", "session": string(s.Key)}).problem(http.StatusNotFound)
	b.bob.post("/api/triggers", map[string]any{"name": strings.Repeat("x", 61)}).problem(http.StatusUnprocessableEntity)
	b.bob.post("/api/triggers", map[string]any{"name": "x", "source": "bitbucket"}).problem(http.StatusUnprocessableEntity)

	var made trigger.Made
	b.bob.post("/api/triggers", map[string]any{"name": "x", "session": string(s.Key), "source": "github"}).is(http.StatusCreated, &made)
	require.Equal(t, s.Key, made.Trigger.Session)
	require.Contains(t, b.do(b.bob, http.MethodPut, "/api/triggers/"+made.Trigger.ID, map[string]any{"name": "x", "source": "gitlab"}).problem(http.StatusBadRequest), "cannot be changed")
}
