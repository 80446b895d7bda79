package modelcall_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	memoryport "xbot/internal/memory"
	"xbot/internal/memory/flat"
	"xbot/internal/sandbox"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
)

// Seen is the place of every session.
func (b *fixture) Seen(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	return b.Box(ctx, user, runner)
}

// prompts are those of the product, of a process that has just begun.
func (b *fixture) prompts(home string) *modelcall.SystemPrompts {
	log := slog.New(slog.DiscardHandler)
	return &modelcall.SystemPrompts{
		Scenes: b.Store.Turns, Tools: b.Model.Tools, Log: log,
		Pipeline: b.pipelineOf(home, nil),
	}
}

func (b *fixture) pipelineOf(home string, who prompt.Profiles) *prompt.Pipeline {
	return prompt.Standard(prompt.Parts{
		Template: prompt.NewTemplate(filepath.Join(home, "prompt.md"), slog.New(slog.DiscardHandler)), Home: home, Sandboxes: b, Authorizers: b.Model.Authorizers,
		Memory: agentprofile.Memories{Profiles: b.notes().Profiles, Providers: map[string]memoryport.Provider{memoryport.Flat: flat.Provider{Store: b.Store.Memory}}}, Profiles: who,
	})
}

// sessionOf makes a session that an agent answers in.
func (b *fixture) sessionOf(key chat.SessionKey, owner chat.UserID, agent string) {
	b.T.Helper()
	_, err := b.Conversations.CreateSession(b.T.Context(), conversation.NewSession{Key: key, Owner: owner, Channel: "web", Agent: agent})
	require.NoError(b.T, err)
}

// next begins another turn of the session.
func (b *fixture) next(n string) chat.Step {
	b.T.Helper()
	running, _, err := b.Conversations.Session(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	if running.Running != "" {
		_, err = b.Turns.FinishTurn(b.T.Context(), activitiestest.Key, running.Running, chat.TurnDone, "")
		require.NoError(b.T, err)
	}
	_, user, err := b.Conversations.Session(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	_, err = b.Turns.Accept(b.T.Context(), engine.NewRow{Session: activitiestest.Key, User: user, Channel: "web", PlatformID: n, Text: "hello"})
	require.NoError(b.T, err)
	_, ok, err := b.Turns.Claim(b.T.Context(), activitiestest.Key, chat.TurnID(n), "run-"+n, 0)
	require.NoError(b.T, err)
	require.True(b.T, ok)
	return chat.Step{Session: activitiestest.Key, Turn: chat.TurnID(n)}
}

func TestSystemPrompts_AreTheSameBytesFromTurnToTurn(t *testing.T) {
	b, home := setup(t), t.TempDir()
	b.Sandbox.Put(t, "AGENTS.md", "Project rule 1.")
	_, user, err := b.Conversations.Session(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	require.NoError(t, b.Memory.SetMemory(t.Context(), user, "main", "a.md", "likes tea"))
	system := func(p modelcall.Prompts, step chat.Step) string {
		t.Helper()
		text, _, err := p.System(t.Context(), step)
		require.NoError(t, err)
		return text
	}
	p := b.prompts(home)
	first := system(p, b.next("turn-0"))
	require.Contains(t, first, "Project rule 1.")
	require.Contains(t, first, "likes tea")
	for _, n := range []string{"turn-1", "turn-2", "turn-3", "turn-4"} {
		require.NoError(t, b.Memory.SetMemory(t.Context(), user, "main", "b.md", "written in "+n))
		b.Sandbox.Put(t, "AGENTS.md", "Project rule of "+n)
		require.Equal(t, first, system(b.prompts(home), b.next(n)), "in another process, too")
	}

	step := b.next("turn-5")
	stored, _, err := b.Conversations.AddControl(t.Context(), activitiestest.Key, chat.Control{
		Kind: chat.ControlCompact, Message: 1, Compaction: &chat.Compaction{Summary: "s", Trigger: chat.TriggerManual, Method: chat.CompactedByRule},
	})
	require.NoError(t, err)
	_, err = b.Pool.Exec(t.Context(), "UPDATE sessions SET compaction_id = $1 WHERE key = $2", stored.ID, activitiestest.Key)
	require.NoError(t, err)
	compacted := system(p, step)
	require.Contains(t, compacted, "Project rule of turn-4")
	require.Contains(t, compacted, "written in turn-4")

	b.Sandbox.Put(t, "sub/AGENTS.md", "Rule of the folder.")
	require.NoError(t, b.Conversations.SetCwd(t.Context(), activitiestest.Key, b.Sandbox.Name(), filepath.Join(b.Sandbox.Workspace(), "sub")))
	require.Contains(t, system(p, b.next("turn-6")), "Rule of the folder.")
}

func TestSystemPrompts_AreFrozenForTheirTurn(t *testing.T) {
	b, home := setup(t), t.TempDir()
	step := b.next("turn-0")
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(home, "prompt.md"), []byte(text), 0o600))
	}
	write("One.")
	p := b.prompts(home)
	first, _, err := p.System(t.Context(), step)
	require.NoError(t, err)
	require.Contains(t, first, "One.")

	write("Number two.")
	step.N = 1
	for _, prompts := range []modelcall.Prompts{p, b.prompts(home)} {
		again, _, err := prompts.System(t.Context(), step)
		require.NoError(t, err)
		require.Equal(t, first, again, "in a later step and in another process")
	}
	next, _, err := p.System(t.Context(), b.next("turn-1"))
	require.NoError(t, err)
	require.Contains(t, next, "Number two.", "a changed template shows in the next turn")
}

func TestSystemPrompts_ReachTheModel(t *testing.T) {
	b, home := setup(t, "say hello"), t.TempDir()
	b.Sandbox.Put(t, "AGENTS.md", "Call everybody captain.")
	b.Model.Prompts = b.prompts(home)
	_, err := b.Generate(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.Server.Requests()[0].System, "Call everybody captain.")
	var kept string
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT p.body FROM turns t JOIN prompts p ON p.hash = t.system_hash WHERE t.id = $1", activitiestest.Turn).Scan(&kept))
	require.Equal(t, b.Server.Requests()[0].System, kept)
}

func TestSystemPrompts_DoNotWaitForARunnerThatIsAway(t *testing.T) {
	b, home := setup(t), t.TempDir()
	b.Sandbox.Put(t, "AGENTS.md", "Project rule.")
	b.SandboxErr = activitiestest.ErrDetach
	p := b.prompts(home)
	text, _, err := p.System(t.Context(), b.next("turn-0"))
	require.NoError(t, err)
	require.NotContains(t, text, "Project rule.")
	b.SandboxErr = nil
	text, _, err = p.System(t.Context(), b.next("turn-1"))
	require.NoError(t, err)
	require.Contains(t, text, "Project rule.", "the next turn asks again")
}

// notes are those that the agents of sessions keep.
func (b *fixture) notes() agentprofile.Notes {
	return agentprofile.Notes{Store: b.Store.Memory, Profiles: &agentprofile.Resolver{
		Subagents: b.Store.Agents, Settings: b.Store.Settings, Policies: &policy.Live{Services: b.Store.Services, Settings: b.Store.Settings}, Log: slog.New(slog.DiscardHandler),
	}}
}
