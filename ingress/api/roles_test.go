package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/agents"
	"xbot/internal/extension/role"
)

// scout is a draft of a role.
func scout(more map[string]any) map[string]any {
	d := map[string]any{"name": "scout", "description": "Looks around.", "prompt": "You look.", "tools": []string{"Shell"}, "enabled": true}
	maps.Copy(d, more)
	return d
}

func (p *person) roles() map[string]agents.ListedRole {
	p.t.Helper()
	var got agents.RolesBody
	p.get("/api/roles").is(http.StatusOK, &got)
	out := map[string]agents.ListedRole{}
	for _, r := range got.Roles {
		out[r.Source+" "+r.Name] = r
	}
	return out
}

func TestRoles_APersonMakesChangesSwitchesAndTakesThemBack(t *testing.T) {
	b := setup(t)
	var made role.OwnRole
	b.bob.post("/api/roles", scout(map[string]any{"tools": []string{" Shell ", "Shell"}, "description": "Looks\naround."})).is(http.StatusCreated, &made)
	require.Equal(t, []string{"Shell"}, made.Tools)
	require.Equal(t, "Looks around.", made.Description)
	require.Equal(t, "bob", made.ChangedBy)
	at := fmt.Sprint("/api/roles/", made.ID)
	b.bob.get(at).is(http.StatusOK, &made)
	b.bob.post("/api/roles", scout(map[string]any{"name": "Scout"})).problem(http.StatusConflict)

	b.do(b.bob, http.MethodPut, at, scout(map[string]any{"prompt": "You look twice.", "revision": 1})).is(http.StatusOK, &made)
	require.EqualValues(t, 2, made.Revision)
	b.do(b.bob, http.MethodPut, at, scout(map[string]any{"prompt": "Else.", "revision": 1})).problem(http.StatusConflict)
	b.do(b.bob, http.MethodPatch, at, map[string]any{"enabled": false}).is(http.StatusOK, &made)
	require.False(t, b.bob.roles()["own scout"].Enabled)
	var versions agents.RoleVersionsBody
	b.bob.get(at+"/versions").is(http.StatusOK, &versions)
	require.Len(t, versions.Versions, 3)
	b.bob.post(at+"/rollback", map[string]any{"to": 1, "revision": 2}).problem(http.StatusConflict)
	b.bob.post(at+"/rollback", map[string]any{"to": 1, "revision": 3}).is(http.StatusOK, &made)
	require.Equal(t, "You look.", made.Prompt)
	require.True(t, made.Enabled)

	file := b.bob.get(at + "/file")
	require.Equal(t, http.StatusOK, file.status)
	require.Contains(t, file.header.Get("Content-Disposition"), "scout.md")
	r, err := role.Parse(file.body, "other")
	require.NoError(t, err)
	require.Equal(t, role.Role{Name: "scout", Description: "Looks around.", Tools: []string{"Shell"}, Prompt: "You look."}, r)
	b.bob.delete(at).is(http.StatusNoContent, nil)
	b.bob.get(at).problem(http.StatusNotFound)
}

func TestRoles_OfTheProgramAndTheInstallationAreSwitchedOffForOneselfAndNotDeleted(t *testing.T) {
	b := setup(t)
	require.NoError(t, os.MkdirAll(filepath.Join(b.home, "agents"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(b.home, "agents", "house.md"), []byte("---\ndescription: of the house\ntier: swift\n---\nServe."), 0o600))
	b.do(b.bob, http.MethodPut, "/api/roles/shared/Coder", map[string]any{"enabled": false}).is(http.StatusNoContent, nil)
	b.do(b.bob, http.MethodPut, "/api/roles/shared/house", map[string]any{"enabled": false}).is(http.StatusNoContent, nil)
	b.do(b.bob, http.MethodPut, "/api/roles/shared/nobody", map[string]any{"enabled": false}).problem(http.StatusNotFound)
	his, hers := b.bob.roles(), b.alice.roles()
	require.False(t, his["program coder"].Enabled)
	require.Equal(t, "bob", his["program coder"].ChangedBy)
	require.False(t, his["installation house"].Enabled)
	require.Equal(t, "swift", his["installation house"].Model)
	require.Equal(t, []string{"*"}, his["installation house"].Tools)
	require.True(t, hers["program coder"].Enabled, "others still have it")
	b.do(b.bob, http.MethodPut, "/api/roles/shared/coder", map[string]any{"enabled": true}).is(http.StatusNoContent, nil)
	require.True(t, b.bob.roles()["program coder"].Enabled)

	b.bob.post("/api/roles", scout(map[string]any{"name": "coder"})).is(http.StatusCreated, nil)
	require.True(t, b.bob.roles()["program coder"].Replaced)
}

func TestRoles_OfSomebodyElseLookLikeNone(t *testing.T) {
	b := setup(t)
	var made role.OwnRole
	b.bob.post("/api/roles", scout(nil)).is(http.StatusCreated, &made)
	at := fmt.Sprint("/api/roles/", made.ID)
	require.NotContains(t, b.alice.roles(), "own scout", "an administrator's list has none of other people")
	for _, suffix := range []string{"", "/file", "/versions"} {
		b.alice.get(at + suffix).problem(http.StatusNotFound)
	}
	b.do(b.alice, http.MethodPut, at, scout(map[string]any{"revision": 1})).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPatch, at, map[string]any{"enabled": false}).problem(http.StatusNotFound)
	b.alice.post(at+"/rollback", map[string]any{"to": 1, "revision": 1}).problem(http.StatusNotFound)
	b.alice.delete(at).problem(http.StatusNotFound)
	require.Contains(t, b.bob.roles(), "own scout")
}

func TestRoles_TheOneThatReadsConversationsIsListedWhereThePolicyHasIt(t *testing.T) {
	for rules, listed := range map[string]bool{`{}`: false, `{"memory": {"subagent": true}}`: true, `{"agents": {"list": [{"id": "ops", "memorySwitches": {"subagent": true}}]}}`: true} {
		t.Run(rules, func(t *testing.T) {
			b := setup(t)
			b.inForce(rules)
			role, is := b.bob.roles()["program memory"]
			require.Equal(t, listed, is)
			require.Equal(t, listed, role.Enabled)
		})
	}
}

func TestRoles_RefuseWhatIsNone(t *testing.T) {
	b := setup(t)
	for what, c := range map[string]struct {
		more   map[string]any
		status int
	}{
		"a name with a path":     {map[string]any{"name": "../x"}, 400},
		"no name":                {map[string]any{"name": ""}, 400},
		"no description":         {map[string]any{"description": " "}, 400},
		"no instructions":        {map[string]any{"prompt": ""}, 400},
		"a tool that is none":    {map[string]any{"tools": []string{"Nothing"}}, 400},
		"a pattern":              {map[string]any{"tools": []string{"Sh*"}}, 400},
		"a tool of people alone": {map[string]any{"tools": []string{"logs"}}, 400},
		"a model that is none":   {map[string]any{"model": "nobody/knows"}, 400},
		"a long prompt":          {map[string]any{"prompt": strings.Repeat("x", 20_001)}, 422},
		"a body that is huge":    {map[string]any{"prompt": strings.Repeat("x", 300_000)}, 413},
		"many tools":             {map[string]any{"tools": make([]string, 201)}, 422},
	} {
		require.NotPanics(t, func() { b.bob.post("/api/roles", scout(c.more)).problem(c.status) }, what)
	}
	b.bob.post("/api/roles", scout(map[string]any{"model": "swift"})).is(http.StatusCreated, nil)
	b.bob.post("/api/roles", scout(map[string]any{"name": "two", "model": "demo"})).is(http.StatusCreated, nil)
	require.Len(t, b.bob.roles(), len(role.Builtin())-1+2, "without the one that reads conversations")
}
