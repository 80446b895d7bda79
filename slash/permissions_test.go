package slash_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/policy"
	"xbot/internal/user/settings"
	"xbot/slash/conversation"
)

func TestPermissionsCommand_ShowsAndChoosesWhatToolsMayDoHere(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	command := conversation.Permissions{Conversations: b.Store.Conversations, Permissions: b.Store.Permissions, Authorizers: permission.Authorizers{}}
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), command)...)
	}
	key := b.Receive(ingresstest.DM("m0", "ou_1", "hello")).Session
	owner, err := b.Store.Users.SessionOwner(t.Context(), key)
	require.NoError(t, err)
	say := func(id, text string) string { return b.Receive(ingresstest.DM(id, "ou_1", text)).Reply }
	require.Equal(t, "As in all conversations: **ask**. You are asked before a command runs, and before anything is changed or sent.", say("m1", "/permissions"))
	require.Contains(t, say("m2", "/permissions perhaps"), "Write `/permissions`")
	require.Contains(t, say("m3", "/permissions read-only"), "In this conversation: **read_only**. Tools read and search.")
	require.NoError(t, b.Store.Settings.SetUserSetting(t.Context(), owner.ID, settings.Preset, "ask"))
	require.NoError(t, b.Store.Permissions.SetPermission(t.Context(), owner.ID, chat.ToolRule{Tool: "Shell", Pattern: "git status", Rule: chat.RuleAllow}))
	require.Equal(t, "As in all conversations: **ask**. You are asked before a command runs, and before anything is changed or sent.\n\nThese rules come first:\n- allow Shell `git status`",
		say("m4", "/permissions default"))
}

func TestPermissionsCommand_OfAGroupIsForAdministrators(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	command := conversation.Permissions{Conversations: b.Store.Conversations, Permissions: b.Store.Permissions, Authorizers: permission.Authorizers{}}
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), command)...)
	}
	got := b.Receive(ingresstest.InGroup("m1", "ou_1", "/permissions auto"))
	permits, err := b.Store.Permissions.UserPermissions(t.Context(), got.Session)
	require.NoError(t, err)
	require.Empty(t, permits.Here, "what tools may do in a group is not its members' to choose")
}

// inForce is the policy in force.
type inForce struct{ *policy.Policy }

func (d inForce) Get(context.Context) (*policy.Policy, error) { return d.Policy, nil }

func TestPermissionsCommand_SaysWhatTheSceneLeavesOfAChoice(t *testing.T) {
	const scene = `{ channels: { feishu: { dmPolicy: "open", allowFrom: ["*"], privateScenes: { chat: { enabled: true, permissions: "ask" } } } } }`
	p, _, err := policy.Parse([]byte(scene))
	require.NoError(t, err)
	b := bridged(t, scene)
	command := conversation.Permissions{Conversations: b.Store.Conversations, Permissions: b.Store.Permissions, Authorizers: permission.Authorizers{Policies: inForce{p}}}
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), command)...)
	}
	b.Receive(ingresstest.DM("m0", "ou_1", "hello"))
	require.Contains(t, b.Receive(ingresstest.DM("m1", "ou_1", "/permissions auto")).Reply, "In this conversation: **ask**.", "nobody widens what a scene allows")
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/permissions read_only")).Reply, "In this conversation: **read_only**.")
}
