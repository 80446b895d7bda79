package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/extension/oauth/oauthtest"
	"xbot/internal/extension/role"
	"xbot/internal/llm/llmtest"
	"xbot/internal/service"
)

// ofHers is in everything that alice has.
const ofHers = "heliotrope"

// hers makes a thing of alice's for every path with a parameter but {key}, and returns where it is.
func (b *bundle) hers() map[string]string {
	b.t.Helper()
	a, at := b.alice, map[string]string{}
	named := func(pattern string, id any) {
		before, _, _ := strings.Cut(pattern, "{")
		at[pattern] = before + fmt.Sprint(id)
	}
	var made struct{ ID int64 }
	a.put("/api/channels/napcat", object{"enabled": true, "settings": object{"mode": "reverse", "token": "first-secret"}}).is(http.StatusOK, nil)
	named("/api/channels/{channel}", "napcat")
	b.bridge(from("m1", "u1", "hello"))
	named("/api/bridge/{channel}", "matrix")
	var waiting account.PairingsBody
	a.get("/api/pairings").is(http.StatusOK, &waiting)
	named("/api/pairings/{code}", waiting.Pairings[0].Code)
	_, call := b.deferred()
	named("/api/hooks/deferred/{call_id}", call)
	a.post("/api/invites", object{"note": ofHers}).is(http.StatusCreated, &made)
	named("/api/invites/{id}", made.ID)
	named("/api/users/{id}", a.user.ID)

	named("/api/cron/{job}", a.job(object{"when": "@daily", "message": ofHers}).ID)
	a.put("/api/keys/image", object{"key": apiKey, "model": ofHers}).is(http.StatusOK, nil)
	named("/api/keys/{service}", "image")
	a.put("/api/mcp-servers/"+ofHers, object{"url": "https://" + ofHers + ".example/mcp", "headers": object{"Authorization": ofHers}, "enabled": false}).is(http.StatusOK, nil)
	named("/api/mcp-servers/{name}", ofHers)
	named("/api/mcp-projects/{id}", b.project(a.user.ID, "laptop", "/projects/"+ofHers, `{"mcpServers": {"`+ofHers+`": {"command": "true"}}}`))
	a.put("/api/oauth/providers/acme", acmeOAuth(oauthtest.New(b.t), object{"client_secret": ofHers})).is(http.StatusOK, nil)
	named("/api/oauth/providers/{provider}", "acme")
	b.connected(a.user.ID, "acme", ofHers)
	named("/api/oauth/accounts/{provider}", "acme")
	b.plugin(ofHers, object{"token": ofHers})
	named("/api/plugins/{plugin}", ofHers)
	a.put("/api/permissions/Shell", object{"rule": "deny"}).is(http.StatusOK, nil)
	a.put("/api/permissions/Shell", object{"rule": "deny", "pattern": ofHers}).is(http.StatusOK, nil)
	named("/api/permissions/{tool}", "Shell")
	a.put("/api/preferences/theme", object{"value": "dark"}).is(http.StatusOK, nil)
	named("/api/preferences/{name}", "theme")
	for i, content := range []string{ofHers, ofHers + "s", ofHers} {
		a.put("/api/profile", object{"content": content, "timezone": "", "revision": i}).is(http.StatusOK, nil)
		a.put("/api/prompts/memory", object{"content": content, "version": i}).is(http.StatusOK, nil)
	}
	named("/api/profile/versions/{version}", 1)
	named("/api/prompts/{section}", "memory")
	var own role.OwnRole
	a.post("/api/roles", scout(object{"name": ofHers})).is(http.StatusCreated, &own)
	named("/api/roles/{id}", own.ID)
	a.put("/api/roles/shared/coder", object{"enabled": false}).is(http.StatusNoContent, nil)
	named("/api/roles/shared/{name}", "coder")
	a.makes(ofHers)
	named("/api/runners/{name}", ofHers)
	entry, copied := a.published(ofHers)
	named("/api/registry/entries/{id}", entry)
	named("/api/registry/installs/{id}", copied)
	named("/api/registry/digests/{digest}", a.installs()[0].Digest)
	var subscribed chat.Subscription
	a.post("/api/subscriptions", acme(llmtest.New(b.t), object{"name": ofHers})).is(http.StatusCreated, &subscribed)
	named("/api/subscriptions/{id}", subscribed.ID)
	a.post("/api/tokens", object{"name": ofHers}).is(http.StatusCreated, &made)
	named("/api/tokens/{id}", made.ID)
	var called trigger.Made
	a.post("/api/triggers", object{"name": ofHers}).is(http.StatusCreated, &called)
	named("/api/triggers/{id}", called.Trigger.ID)
	of := a.service(object{"name": ofHers, "welcome_message": ofHers, "capabilities": []string{"humanchat"}})
	shown, by := a.serviceKey(of.ID)
	said := b.consumed(by, ofHers)
	named("/api/services/{id}", of.ID)
	at["/api/services/{id}/keys/{kid}"] = "/api/services/" + of.ID + "/keys/" + shown.ID
	at["/api/services/{id}/conversations/{cid}"] = "/api/services/" + of.ID + "/conversations/" + said.ID
	item, err := b.store.Services.ContactAdmin(b.t.Context(), service.Contact{Session: said.Session, Call: ofHers, Message: ofHers})
	require.NoError(b.t, err)
	named("/api/inbox/{id}", item.ID)
	a.put("/api/tracing/langfuse", object{"enabled": false, "endpoint": "https://" + ofHers + ".example", "public_key": ofHers, "secret": apiKey}).is(http.StatusOK, nil)
	named("/api/tracing/{target}", "langfuse")
	return at
}

// administrators are the beginnings of paths that are theirs alone.
var administrators = []string{"/api/channels/", "/api/bridge/", "/api/pairings/", "/api/hooks/", "/api/invites/", "/api/users/", "/api/oauth/providers/", "/api/plugins/", "/api/registry/digests/", "/api/services/", "/api/inbox/", "/api/tracing/"}

// namesakes are endpoints at which everybody has a thing of the same name. They answer about that of whoever asks.
var namesakes = map[string]int{
	"PUT /api/keys/{service}":                     http.StatusConflict, // there is none with revision 1
	"POST /api/keys/{service}/try":                http.StatusBadRequest,
	"POST /api/oauth/accounts/{provider}/connect": http.StatusOK, // an account of his own
	"PUT /api/permissions/{tool}":                 http.StatusOK,
	"PUT /api/preferences/{name}":                 http.StatusOK,
	"GET /api/prompts/{section}":                  http.StatusOK,
	"PUT /api/prompts/{section}":                  http.StatusConflict, // there is none of version 3
	"DELETE /api/prompts/{section}":               http.StatusOK,
	"GET /api/prompts/{section}/versions":         http.StatusOK,
	"PUT /api/roles/shared/{name}":                http.StatusNoContent,
}

// bodies are what the endpoints read before they look whose a thing is.
var bodies = map[string]object{
	"PUT /api/channels/{channel}":                     {"enabled": false, "settings": object{}},
	"PATCH /api/channels/{channel}":                   {"enabled": false},
	"POST /api/channels/{channel}/check":              {"settings": object{}},
	"POST /api/channels/{channel}/test":               {},
	"POST /api/bridge/{channel}/messages":             from("m1", "u1", "hi"),
	"PUT /api/bridge/{channel}/messages/{id}":         {"text": "x"},
	"POST /api/pairings/{code}":                       {"approve": true},
	"POST /api/hooks/deferred/{call_id}":              {"decision": "allow"},
	"PATCH /api/users/{id}":                           {"role": "member"},
	"POST /api/users/{id}/sign-in-link":               {"forget_password": true},
	"PUT /api/cron/{job}":                             {"when": "@daily", "message": "his", "revision": 1},
	"POST /api/cron/{job}/run":                        {"once": "a"},
	"PUT /api/keys/{service}":                         {"key": "sk-of-bob", "revision": 1},
	"POST /api/keys/{service}/try":                    {},
	"POST /api/mcp-projects/{id}/agree":               {"digest": "x"},
	"PUT /api/mcp-servers/{name}":                     {"command": "true", "enabled": false, "revision": 1},
	"PUT /api/oauth/providers/{provider}":             {"authorize_url": "https://his.example", "token_url": "https://his.example", "client_id": "his", "enabled": true, "revision": 1},
	"POST /api/oauth/accounts/{provider}/connect":     {},
	"POST /api/plugins/{plugin}/widgets/{widget}":     {"params": "his"},
	"PATCH /api/plugins/{plugin}":                     {"enabled": false, "settings": object{"token": "his"}},
	"PUT /api/permissions/{tool}":                     {"rule": "allow"},
	"PUT /api/preferences/{name}":                     {"value": "light"},
	"PUT /api/prompts/{section}":                      {"content": "his", "version": 3},
	"POST /api/prompts/{section}/rollback":            {"to": 1, "version": 3},
	"PATCH /api/prompts/{section}/versions/{version}": {"label": "his"},
	"PUT /api/roles/{id}":                             scout(object{"revision": 1, "prompt": "his"}),
	"PATCH /api/roles/{id}":                           {"enabled": false},
	"POST /api/roles/{id}/rollback":                   {"to": 1, "revision": 1},
	"PUT /api/roles/shared/{name}":                    {"enabled": true},
	"PATCH /api/registry/entries/{id}":                {"visibility": "everybody"},
	"POST /api/registry/installs/{id}/publish":        {"visibility": "everybody"},
	"PATCH /api/registry/installs/{id}":               {"enabled": false},
	"PATCH /api/inbox/{id}":                           {"status": "handled"},
	"POST /api/inbox/{id}/answer":                     {"text": "his", "client_message_id": "a"},
	"POST /api/services/{id}/conversations/{cid}/say": {"text": "his", "client_message_id": "a"},
	"PATCH /api/services/{id}":                        {"name": "his"},
	"POST /api/services/{id}/keys":                    {"name": "his"},
	"PUT /api/subscriptions/{id}":                     {"name": "his", "provider": "openai", "revision": 1},
	"PUT /api/triggers/{id}":                          {"name": "his", "off": true},
	"PUT /api/tracing/{target}":                       {"enabled": true, "revision": 1},
	"POST /api/tracing/{target}/test":                 {"enabled": true, "revision": 1},
}

// with is what a request has behind its path.
var with = map[string]string{
	"PUT /api/bridge/{channel}/messages/{id}":    "?sender=u1",
	"DELETE /api/bridge/{channel}/messages/{id}": "?sender=u1",

	"GET /api/registry/entries/{id}/versions/{version}/file": "?name=SKILL.md",
}

func TestAPI_NobodyReachesAnythingOfSomebodyElse(t *testing.T) {
	b := setup(t)
	hers := b.hers()
	before, tried := b.rows(), 0
	all := endpoints(t)
	slices.SortFunc(all, func(one, other [2]string) int { return strings.Compare(one[1]+one[0], other[1]+other[0]) })
	for _, e := range all {
		if !strings.Contains(e[1], "{") || strings.Contains(e[1], "{key}") || slices.Contains(public, e[1]) {
			continue // others need nothing of anybody's, or are in TestAPI_NobodyReachesASessionOfSomebodyElse
		}
		at := place(hers, e[1])
		require.NotEmpty(t, at, "%s %s has a parameter: make a thing of alice's for it in hers, so that this test tries to reach it", e[0], e[1])
		endpoint, body := e[0]+" "+e[1], any(nil)
		if given := bodies[endpoint]; given != nil {
			body = given
		}
		want, known := namesakes[endpoint]
		switch {
		case strings.Contains(e[1], "/widgets/"): // panels are for everybody, and this plugin has none
			want = http.StatusNotFound
		case slices.ContainsFunc(administrators, func(prefix string) bool { return strings.HasPrefix(e[1], prefix) }):
			want = http.StatusForbidden
		case !known:
			want = http.StatusNotFound
		}
		got := b.do(b.bob, e[0], at+with[endpoint], body)
		require.Equal(t, want, got.status, "%s: %s", endpoint, got.body)
		require.NotContains(t, string(got.body), ofHers+"\"", endpoint)
		require.NotContains(t, string(got.body), "alice", endpoint)
		tried++
	}
	require.Greater(t, tried, 45)
	require.Equal(t, before, b.rows(), "nothing happened to what is not bob's")
}

func TestAPI_NoListAndNoIDInABodyReachesWhatIsOfSomebodyElse(t *testing.T) {
	b := setup(t)
	hers := b.hers()
	_, version := b.alice.preferences()
	subscription, err := strconv.ParseInt(strings.TrimPrefix(hers["/api/subscriptions/{id}"], "/api/subscriptions/"), 10, 64)
	require.NoError(t, err)
	entry, err := strconv.ParseInt(strings.TrimPrefix(hers["/api/registry/entries/{id}"], "/api/registry/entries/"), 10, 64)
	require.NoError(t, err)
	ofRole, err := strconv.ParseInt(strings.TrimPrefix(hers["/api/roles/{id}"], "/api/roles/"), 10, 64)
	require.NoError(t, err)
	_, err = b.store.Users.Person(t.Context(), "napcat", "", "7", "Carol")
	require.NoError(t, err)
	before := b.rows()
	lists := 0
	for _, e := range endpoints(t) {
		if e[0] != http.MethodGet || strings.Contains(e[1], "{") {
			continue
		}
		for _, query := range []string{"", "?all=true", "?installation=true", "?q=helio"} {
			got := b.bob.get(e[1] + query)
			require.Less(t, got.status, http.StatusInternalServerError, e[1]+query)
			require.NotContains(t, string(got.body), ofHers, e[1]+query)
			require.NotContains(t, string(got.body), "alice", e[1]+query)
		}
		lists++
	}
	require.Greater(t, lists, 25)
	for endpoint, body := range map[string]object{
		"PUT /api/runners/active":         {"name": ofHers},
		"POST /api/preferences/rollback":  {"to": version, "version": version},
		"POST /api/profile/rollback":      {"to": 1, "version": 1},
		"POST /api/subscriptions/try":     {"id": subscription, "name": "his", "provider": "openai", "model": "llmtest"},
		"POST /api/subscriptions/offered": {"id": subscription, "name": "his", "provider": "openai"},
		"POST /api/registry/installs":     {"entry": entry},
		"POST /api/registry/roles":        {"role": ofRole},
		"PUT /api/me/turn-notices":        {"to": object{"channel": "napcat", "peer": "7"}, "after_seconds": 60},
	} {
		method, at, _ := strings.Cut(endpoint, " ")
		got := b.do(b.bob, method, at, body)
		require.Equal(t, http.StatusNotFound, got.status, "%s: %s", endpoint, got.body)
	}
	b.do(b.bob, http.MethodPut, "/api/runners/local/sandbox", object{"confine": "off"}).problem(http.StatusForbidden)
	require.Equal(t, before, b.rows(), "nothing happened to what is not bob's")
}

// place is the path of an endpoint to a thing, the nearest one that there is; empty: there is none.
func place(things map[string]string, path string) string {
	patterns := slices.SortedFunc(maps.Keys(things), func(one, other string) int { return len(other) - len(one) })
	for _, pattern := range patterns {
		at := things[pattern]
		if rest, ok := strings.CutPrefix(path, pattern); ok {
			return strings.NewReplacer("{version}", "1", "{widget}", "none", "{run}", "1", "{id}", "m1").Replace(at + rest)
		}
	}
	return ""
}

// rows are all rows of the database that are not bob's, and not about requests.
func (b *bundle) rows() map[string][]string {
	b.t.Helper()
	tables, err := b.pool.Query(b.t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`)
	require.NoError(b.t, err)
	defer tables.Close()
	var names []string
	for tables.Next() {
		var name string
		require.NoError(b.t, tables.Scan(&name))
		names = append(names, name)
	}
	require.Greater(b.t, len(names), 50)
	out := map[string][]string{}
	for _, name := range names {
		var data []byte
		query := fmt.Sprintf(`SELECT coalesce(json_agg(t::text ORDER BY t::text), '[]') FROM %s t WHERE coalesce(to_jsonb(t)->>'user_id', to_jsonb(t)->>'owner', '') <> $1`, name)
		require.NoError(b.t, b.pool.QueryRow(b.t.Context(), query, fmt.Sprint(b.bob.user.ID)).Scan(&data))
		var rows []string
		require.NoError(b.t, json.Unmarshal(data, &rows))
		out[name] = rows
	}
	return out
}
