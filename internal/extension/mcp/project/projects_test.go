package project_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/mcp/project"
	"xbot/internal/sandbox"
	"xbot/internal/tool/toolset"
)

func TestClose_EndsALookThatWaitsForARunner(t *testing.T) {
	box := &silentBox{asked: make(chan struct{}), ended: make(chan error, 1)}
	p := &project.Projects{Folders: noRows{}, MCPServers: noRows{}, Sandboxes: box, Log: slog.New(slog.DiscardHandler)}
	at := toolset.Place{Session: "agent:main:web:direct:1", User: 7}
	servers, err := p.InForce(t.Context(), at)
	require.NoError(t, err)
	require.Empty(t, servers)
	<-box.asked
	_, err = p.InForce(t.Context(), at) // one that waits until the folder may be looked at again
	require.NoError(t, err)
	p.Close()
	require.ErrorIs(t, <-box.ended, context.Canceled, "the look ended by its own limit of time")
}

// noRows know no project, and let each conversation work on its person's runner.
type noRows struct{ project.MCPServers }

func (noRows) MCPProjects(context.Context, chat.UserID) ([]mcpstore.SeenProject, error) {
	return nil, nil
}

func (noRows) HookExecTarget(context.Context, chat.SessionKey) (hook.ExecTarget, error) {
	return hook.ExecTarget{User: 7}, nil
}

// silentBox is a runner that never answers.
type silentBox struct {
	sandbox.Sandbox

	asked chan struct{}
	ended chan error
}

func (b *silentBox) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) { return b, nil }
func (*silentBox) Name() string                                                        { return "gone" }
func (*silentBox) Workspace() string                                                   { return "/w" }

func (b *silentBox) ReadFile(ctx context.Context, _ string, _, _ int64) (sandbox.FileData, error) {
	close(b.asked)
	<-ctx.Done()
	b.ended <- ctx.Err()
	return sandbox.FileData{}, ctx.Err()
}
