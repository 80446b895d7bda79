package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/agents"
	"xbot/internal/chat"
	"xbot/internal/turn/prompt"
)

func (p *person) prompts() map[string]agents.Prompt {
	p.t.Helper()
	var got agents.PromptsBody
	p.get("/api/prompts").is(http.StatusOK, &got)
	require.Equal(p.t, "system", got.Prompts[0].Section)
	out := map[string]agents.Prompt{}
	for _, one := range got.Prompts {
		out[one.Section] = one
	}
	return out
}

func TestPrompts_HaveVersionsThatComeBack(t *testing.T) {
	b := setup(t)
	require.NoError(t, os.WriteFile(filepath.Join(b.home, "prompt.md"), []byte("The house, for {{.User}}."), 0o600))
	const at = "/api/prompts/system"
	require.Equal(t, agents.Prompt{Section: "system", Value: "The house, for {{.User}}.", Default: "The house, for {{.User}}."}, b.bob.prompts()["system"])
	var now agents.Prompt
	b.do(b.bob, http.MethodPut, at, map[string]any{"content": "Call me {{.User}}.\r\n", "note": "first", "version": 0}).is(http.StatusOK, &now)
	require.Equal(t, "Call me {{.User}}.", now.Value)
	require.True(t, now.Custom)
	require.Equal(t, "bob", now.ChangedBy)
	b.do(b.bob, http.MethodPut, at, map[string]any{"content": "Else.", "version": 0}).problem(http.StatusConflict)
	b.do(b.bob, http.MethodPut, at, map[string]any{"content": "Else.", "beside": true, "label": "short", "version": 1}).is(http.StatusOK, &now)
	require.True(t, now.Beside)
	b.bob.delete(at+"?version=2").is(http.StatusOK, &now)
	require.False(t, now.Custom)
	require.Equal(t, "The house, for {{.User}}.", now.Value)

	var list agents.PromptVersionsBody
	b.bob.get(at+"/versions").is(http.StatusOK, &list)
	require.Equal(t, []string{"v3", "short", "v1"}, []string{list.Versions[0].Label, list.Versions[1].Label, list.Versions[2].Label})
	require.Empty(t, list.Versions[1].Content)
	var one chat.PromptVersion
	b.bob.get(at+"/versions/1").is(http.StatusOK, &one)
	require.Equal(t, "Call me {{.User}}.", one.Content)
	require.Equal(t, "first", one.Note)
	b.do(b.bob, http.MethodPatch, at+"/versions/1", map[string]any{"label": "good\none"}).is(http.StatusOK, &one)
	require.Equal(t, "good one", one.Label)
	require.Equal(t, "first", one.Note)
	b.bob.post(at+"/rollback", map[string]any{"to": 1, "version": 2}).problem(http.StatusConflict)
	b.bob.post(at+"/rollback", map[string]any{"to": 1, "version": 3}).is(http.StatusOK, &now)
	require.Equal(t, "Call me {{.User}}.", now.Value)
	require.Equal(t, 4, now.Version)
	b.bob.delete(at + "/versions/4").problem(http.StatusConflict)
	b.bob.delete(at+"/versions/2").is(http.StatusNoContent, nil)
	b.bob.get(at + "/versions/2").problem(http.StatusNotFound)

	require.False(t, b.alice.prompts()["system"].Custom, "it is his alone")
	b.alice.get(at + "/versions/1").problem(http.StatusNotFound)
	b.alice.post(at+"/rollback", map[string]any{"to": 1, "version": 4}).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPatch, at+"/versions/1", map[string]any{"label": "hers"}).problem(http.StatusNotFound)
	b.alice.delete(at + "/versions/1").problem(http.StatusNotFound)
}

func TestPrompts_OfCapabilitiesAreKeptWhereTheyDifferAndReset(t *testing.T) {
	b := setup(t)
	all := b.bob.prompts()
	require.Len(t, all, len(prompt.Capabilities)+1)
	require.Equal(t, all["memory"].Default, all["memory"].Value)
	var now agents.Prompt
	b.do(b.bob, http.MethodPut, "/api/prompts/memory", map[string]any{"content": "# Known", "beside": true, "version": 0}).is(http.StatusOK, &now)
	require.Equal(t, "# Known", now.Value)
	require.False(t, now.Beside, "that is for the system prompt")
	require.Equal(t, all["memory"].Default, now.Default)
	b.bob.delete("/api/prompts/memory").is(http.StatusOK, &now)
	require.False(t, now.Custom)
	b.bob.delete("/api/prompts/skills").is(http.StatusOK, &now)
	require.Zero(t, now.Version, "there was nothing to reset")
}

func TestPrompts_RefuseWhatIsNone(t *testing.T) {
	b := setup(t)
	put := func(section, content string) answer {
		return b.do(b.bob, http.MethodPut, "/api/prompts/"+section, map[string]any{"content": content, "version": 0})
	}
	require.Contains(t, put("system", "{{range 1000000000}}x{{end}}").problem(http.StatusBadRequest), "not possible here")
	put("system", " \x00 ").problem(http.StatusBadRequest)
	put("system", "").problem(http.StatusUnprocessableEntity)
	put("system", strings.Repeat("x", 20_001)).problem(http.StatusUnprocessableEntity)
	put("memory", strings.Repeat("x", 4_001)).problem(http.StatusRequestEntityTooLarge)
	put("nothing", "x").problem(http.StatusNotFound)
	put("memory", "{{ is nothing here").is(http.StatusOK, nil)
	b.bob.get("/api/prompts/nothing").problem(http.StatusNotFound)
	b.bob.get("/api/prompts/nothing/versions").problem(http.StatusNotFound)
	b.bob.delete("/api/prompts/nothing").problem(http.StatusNotFound)
	b.bob.get("/api/prompts/system/versions/0").problem(http.StatusUnprocessableEntity)
}
