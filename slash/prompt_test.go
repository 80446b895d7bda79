package slash_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	memoryport "xbot/internal/memory"
	"xbot/internal/memory/flat"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/tool/memory"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
	"xbot/internal/user/settings"
	"xbot/slash/account"
	slashcontext "xbot/slash/context"
)

// viewer looks at prompts of a server without runners.
func (b *bundle) viewer(home string) prompt.Viewer {
	return prompt.Viewer{Scenes: b.Store.Turns, Tools: toolset.Fixed(memory.NewWrite(b.notes())), Pipeline: prompt.Standard(prompt.Parts{
		Template: prompt.NewTemplate(filepath.Join(home, "prompt.md"), slog.New(slog.DiscardHandler)), Home: home, Memory: agentprofile.Memories{Profiles: b.notes().Profiles, Providers: map[string]memoryport.Provider{memoryport.Flat: flat.Provider{Store: b.Store.Memory}}},
		Sandboxes: resolver.New(resolver.Config{Choices: b.Store.Runners, Router: sandbox.NewRouter(sandbox.RouterConfig{})}),
	})}
}

func (b *bundle) order(id, text string) string {
	b.T.Helper()
	_, err := b.Dispatch.Message(b.T.Context(), b.Inbound(ingresstest.Key, id, text))
	require.NoError(b.T, err)
	all := b.Transcript(ingresstest.Key).Messages
	last := all[len(all)-1]
	require.Equal(b.T, chat.RoleNotice, last.Role)
	return last.Content
}

func TestPrompt_ShowsWhatAModelWouldBeTold(t *testing.T) {
	b, home := setup(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte("Mind the ```` fence."), 0o600))
	require.NoError(t, b.Memory.SetMemory(t.Context(), b.User.ID, "main", "a.md", "likes tea"))
	b.Dispatch.Commands = ingresstest.Commands(b.Store, slashcontext.Prompt{Viewer: b.viewer(home)}, account.Language{Settings: b.Store.Settings})

	said := b.order("1", "/prompt what is this?")
	for _, part := range []string{
		"| `00_base` | ", "| `04_global_context` | ", "| `20_memory` | ", "| tools: 1 | ", "You are xbot", "Mind the ```` fence.", "likes tea", "]\nwhat is this?\n`````",
	} {
		require.Contains(t, said, part)
	}
	_, claimed, err := b.Turns.Claim(t.Context(), ingresstest.Key, "t1", "run", 0)
	require.NoError(t, err)
	require.False(t, claimed, "no turn begins")
	scene, err := b.Turns.Scene(t.Context(), ingresstest.Key, "")
	require.NoError(t, err)
	require.Empty(t, scene.Held, "a look keeps nothing")
}

func TestLanguage_IsAPartOfThePrompt(t *testing.T) {
	b := setup(t)
	b.Dispatch.Commands = ingresstest.Commands(b.Store, slashcontext.Prompt{Viewer: b.viewer(t.TempDir())}, account.Language{Settings: b.Store.Settings})
	require.Equal(t, i18n.Say(i18n.English, i18n.LanguageAuto), b.order("1", "/language"))
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.LanguageIs, "中文"), b.order("2", "/language zh"), "in the new one at once")
	require.Contains(t, b.order("3", "/prompt"), "The person chose Chinese")
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.LanguageUsage), b.order("4", "/language **"))
	require.Equal(t, i18n.Say(i18n.Chinese, i18n.LanguageIs, "中文"), b.order("5", "/language"), "what it was")
	b.order("6", "/language auto")
	chosen, err := b.Settings.UserSetting(t.Context(), b.User.ID, settings.Language)
	require.NoError(t, err)
	require.Empty(t, chosen)
}

// notes are those that the agents of sessions keep.
func (b *bundle) notes() agentprofile.Notes {
	return agentprofile.Notes{Store: b.Store.Memory, Profiles: &agentprofile.Resolver{
		Subagents: b.Store.Agents, Settings: b.Store.Settings, Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}, Log: slog.New(slog.DiscardHandler),
	}}
}
