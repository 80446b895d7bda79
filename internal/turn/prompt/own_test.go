package prompt_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/fault"
	"xbot/internal/tool/agent"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/prompt"
)

// owned is what person 1 has of their own.
type owned struct {
	prompts chat.OwnPrompts
	roles   role.UserRoles
}

func (o *owned) OwnPrompts(context.Context, chat.UserID) (chat.OwnPrompts, error) {
	return o.prompts, nil
}

func (o *owned) RolesOf(_ context.Context, user chat.UserID) (role.UserRoles, error) {
	if user != 1 {
		return role.UserRoles{}, nil
	}
	return o.roles, nil
}

func (w *world) having(o *owned) {
	w.parts.Own, w.parts.Roles = o, o
	w.tools = w.tools.With(agent.New(nil, nil))
	w.pipeline = prompt.Standard(w.parts)
}

func TestOwn_APromptStandsInThePlaceOfTheTemplateOrBehindIt(t *testing.T) {
	w, o := newWorld(t), &owned{}
	w.put("prompt.md", "The house speaks.")
	w.having(o)
	require.Contains(t, w.system(), "The house speaks.")
	o.prompts.Sections = map[string]chat.OwnPrompt{chat.PromptSystem: {Content: `Call me {{.User}}{{if .Has "Read"}}, reader{{end}}{{if and .Admin (not .Language)}} never{{else}}.{{end}}`}}
	require.True(t, strings.HasPrefix(w.system(), "Call me alice, reader."))
	require.NotContains(t, w.system(), "The house speaks.")
	o.prompts.Sections[chat.PromptSystem] = chat.OwnPrompt{Content: "And I.", Beside: true}
	require.True(t, strings.HasPrefix(w.system(), "The house speaks.\n\nAnd I.\n\n"))

	w.scene.Group = true
	require.NotContains(t, w.system(), "And I.", "in a group nobody's own counts")
	w.scene.Group = false
	w.parts.Profiles = always(agentprofile.Profile{Role: &chat.Profile{Prompt: "You look."}})
	w.having(o)
	require.NotContains(t, w.system(), "And I.", "a subagent has its role")
}

func TestOwn_OfTheLanguageOfTemplatesVariablesAndConditionsAreTaken(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"", "plain { }", "{{/* a */}}x", "{{.Tools}}", "{{if .Admin}}a{{else if .User}}b{{else}}c{{end}}", `{{if or (.Has "a") (not .Admin)}}x{{end}}`} {
		require.NoError(t, prompt.CheckSystem(good), good)
	}
	for _, bad := range []string{
		"{{", "{{.Nobody}}", "{{.User.Name}}", "{{range .Tools}}a{{end}}", "{{range 1000000000}}a{{end}}", `{{printf "%1000000000d" 1}}`, "{{$a := .User}}", "{{.User | len}}",
		`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, "{{with .User}}a{{end}}", `{{if eq .User "a"}}a{{end}}`, "{{if not}}{{end}}", `{{.Has "a"}}`, `{{if .Has}}{{end}}`,
		"{{if .Has .User}}{{end}}", "{{if .Admin}}{{range .Tools}}{{end}}{{end}}", "{{if .Admin}}{{else}}{{html .User}}{{end}}", "{{if not .Admin .Admin}}{{end}}", `{{"a"}}`,
	} {
		require.Equal(t, fault.Invalid, fault.KindOf(prompt.CheckSystem(bad)), bad)
	}
	require.Equal(t, fault.TooLarge, fault.KindOf(prompt.CheckSystem(strings.Repeat("字", prompt.MaxOwnSystem+1))))
	require.NoError(t, prompt.CheckSystem(strings.Repeat("字", prompt.MaxOwnSystem)))
}

func TestOwn_WordsOfACapabilityCountAtTheNextTurnAndWhatTheyHeadStays(t *testing.T) {
	w, o := newWorld(t), &owned{}
	w.notes = "likes tea"
	w.having(o)
	before := w.system()
	require.Contains(t, before, "It may be out of date.\n\nlikes tea")
	require.Contains(t, before, "Roles for SubAgent.\n\n- coder")
	w.notes = "likes coffee"
	o.prompts.Sections = map[string]chat.OwnPrompt{"memory": {Content: "# Known"}, "agents": {Content: "# Staff"}, "channel_web": {Content: "A page."}, "soul": {Content: "# Nowhere"}}
	now := w.system()
	require.Contains(t, now, "# Known\n\nlikes tea", "what is remembered is fixed for the conversation")
	require.Contains(t, now, "# Staff\n\n- coder")
	require.Contains(t, now, "A page.")
	require.NotContains(t, now, "# Nowhere", "there is no such section here")
	o.prompts.Sections = nil
	require.Equal(t, before, w.system())
}

func TestCapabilities_AreTheSectionsThatThereAre(t *testing.T) {
	w := newWorld(t)
	w.notes = "x"
	w.having(&owned{})
	text := w.system()
	for _, c := range prompt.Capabilities {
		require.NotEmpty(t, c.Default, c.Key)
		found, ok := prompt.FindCapability(c.Key)
		require.True(t, ok)
		require.Equal(t, c, found)
		if c.Key == "memory" || c.Key == "agents" || c.Key == "channel_web" {
			require.Contains(t, text, c.Default)
		}
	}
	_, ok := prompt.FindCapability(chat.PromptSystem)
	require.False(t, ok)
}

func TestRoles_OfThePersonStandBetweenTheServersAndTheProjects(t *testing.T) {
	w, o := newWorld(t), &owned{}
	const head = "---\ndescription: "
	w.put("agents/explorer.md", head+"of the server\n---\n")
	w.put("agents/ours.md", head+"of the server\n---\n")
	w.box.Put(t, ".xbot/agents/ours.md", head+"of the workspace\n---\n")
	own := func(name string) role.OwnRole {
		return role.OwnRole{RoleDefinition: role.RoleDefinition{Name: name, Description: "mine", Prompt: "p", Enabled: true, Tools: []string{"Read"}}}
	}
	o.roles = role.UserRoles{Roles: []role.OwnRole{own("Explorer"), own("ours"), own("mine")}, Switches: []role.Switch{{Key: "coder"}}}
	roles := prompt.Roles{Home: w.parts.Home, Sandboxes: w.parts.Sandboxes, Own: o}
	found, err := roles.Find(t.Context(), w.scene)
	require.NoError(t, err)
	for name, want := range map[string]string{"explorer": "mine", "mine": "mine", "ours": "of the workspace"} {
		r, ok := role.Find(found.Roles, name)
		require.True(t, ok, name)
		require.Equal(t, want, r.Description, name)
	}
	_, ok := role.Find(found.Roles, "coder")
	require.False(t, ok, "it is switched off")

	o.roles.Roles[0].Enabled = false
	found, err = roles.Find(t.Context(), w.scene)
	require.NoError(t, err)
	r, _ := role.Find(found.Roles, "explorer")
	require.Equal(t, "of the server", r.Description, "one that is switched off takes nobody's place")
	w.scene.User = 2
	found, err = roles.Find(t.Context(), w.scene)
	require.NoError(t, err)
	_, ok = role.Find(found.Roles, "mine")
	require.False(t, ok, "others do not have it")
}

func TestAgents_ThePersonsRolesAreListedAnewWhenTheyChange(t *testing.T) {
	w, o := newWorld(t), &owned{}
	w.having(o)
	before := w.system()
	o.roles.Roles = []role.OwnRole{{RoleDefinition: role.RoleDefinition{Name: "mine", Description: "does it", Prompt: "p", Enabled: true}}}
	require.Equal(t, before, w.system(), "nothing says that they are others")
	o.prompts.Roles = "1.1"
	require.Contains(t, w.system(), "- mine: does it")
	o.roles.Roles[0].Enabled, o.prompts.Roles = false, "1.2"
	require.Equal(t, before, w.system())
}
