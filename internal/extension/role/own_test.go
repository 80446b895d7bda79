package role_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/role"
	"xbot/internal/fault"
)

func TestDefinition_HasTheListedToolsAndNoOthers(t *testing.T) {
	t.Parallel()
	d := role.RoleDefinition{Name: "a", Description: "d", Prompt: "p", Tools: []string{"Read", "memory_list"}}
	require.Equal(t, role.Role{Name: "a", Description: "d", Prompt: "p", Tools: d.Tools, Memory: true, Own: true}, d.Role())
	d.Tools = []string{"SubAgent", "SendMessage", "list_conversations"}
	r := d.Role()
	require.True(t, r.SpawnAgent && r.SendMessage && r.Conversations && !r.Memory)
	d.Tools, d.Model = nil, "swift"
	r = d.Role()
	require.Equal(t, []string{"none"}, r.Tools, "an empty list would be all of them")
	require.Equal(t, role.Swift, r.Tier)
	require.Empty(t, r.Model)
	d.Tools = []string{role.AllTools}
	require.Empty(t, d.Role().Tools)
	require.True(t, d.Role().SpawnAgent)
}

func TestDefinition_AsAFileIsTheSameRole(t *testing.T) {
	t.Parallel()
	for _, d := range []role.RoleDefinition{
		{Name: "scout", Description: `looks: "around" # - [x]`, Prompt: "You look.\n\n---\nTwice.\n```yaml\n---\n```", Tools: []string{"Grep", "Read"}, Model: "acme/m:free"},
		{Name: "true", Description: "- 'a", Prompt: "p", Tools: []string{role.AllTools}, Model: "balance"},
		{Name: "侦察员", Description: strings.Repeat("长", 300), Prompt: "p", Tools: []string{}},
		{Name: "42", Description: "|", Prompt: "p", Tools: []string{"SubAgent", "soul_read"}},
	} {
		d = d.Clean()
		file, err := d.Role().File()
		require.NoError(t, err)
		again, err := role.Parse(file, "other")
		require.NoError(t, err, string(file))
		want := d.Role()
		want.Own = false
		require.Equal(t, want, again, string(file))
	}
}

func TestDefinition_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	good := role.RoleDefinition{Name: "a", Description: "d", Prompt: "p", Tools: []string{"Read"}}
	require.NoError(t, good.Check([]string{"Read"}))
	for want, change := range map[string]func(*role.RoleDefinition){
		"is none":                func(d *role.RoleDefinition) { d.Name = "../a" },
		"at most 40":             func(d *role.RoleDefinition) { d.Name = strings.Repeat("a", 41) },
		"description is missing": func(d *role.RoleDefinition) { d.Description = " " },
		"instructions are miss":  func(d *role.RoleDefinition) { d.Prompt = "\x00 " },
		"more than 300":          func(d *role.RoleDefinition) { d.Description = strings.Repeat("d", 301) },
		"more than 20000":        func(d *role.RoleDefinition) { d.Prompt = strings.Repeat("d", 20001) },
		`no tool "Shell"`:        func(d *role.RoleDefinition) { d.Tools = []string{"Shell"} },
		`no tool "*"`:            func(d *role.RoleDefinition) { d.Tools = []string{"*", "Read"} },
		"more than 200 tools":    func(d *role.RoleDefinition) { d.Tools = strings.Fields(many(201)) },
		"no name of a model":     func(d *role.RoleDefinition) { d.Model = "a\nb" },
	} {
		d := good
		change(&d)
		err := d.Clean().Check([]string{"Read"})
		require.ErrorContains(t, err, want)
		require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err))
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" t" + strings.Repeat("x", i))
	}
	return b.String()
}

func TestKept_WhatIsSwitchedOffIsNoRoleOfTheProgram(t *testing.T) {
	t.Parallel()
	k := role.UserRoles{
		Switches: []role.Switch{{Key: "coder"}, {Key: "planner", Enabled: true}},
		Roles:    []role.OwnRole{{RoleDefinition: role.RoleDefinition{Name: "mine", Enabled: true}}, {RoleDefinition: role.RoleDefinition{Name: "off"}}},
	}
	left := k.Without(role.Builtin())
	require.Len(t, left, len(role.Builtin())-1)
	_, ok := role.Find(left, "Coder")
	require.False(t, ok)
	require.Len(t, k.InForce(), 1)
	require.Equal(t, "mine", k.InForce()[0].Name)
}
