package prompt_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/find"
	"xbot/internal/turn/tokens"
)

// served is a tool that an MCP server might bring.
type served string

func (s served) Spec() tool.Spec {
	return tool.Spec{Name: string(s), Group: "github", Optional: true, Class: chat.ClassOnce, Description: "Does something with a repository that takes a while to tell."}
}

func (served) Summary(string) string { return "" }

func (served) Run(context.Context, tool.Call) (chat.ToolResult, error) { return chat.ToolResult{}, nil }

func TestOptional_NamesToolsThatAreNotShownAndKeepsToItsRoom(t *testing.T) {
	w := newWorld(t)
	w.tools = w.tools.With(find.New(nil, nil), served("mcp_github_create_issue"))
	w.scene.Permits.Own = chat.PresetAsk
	parts := w.assemble().Parts
	require.Contains(t, parts["16_tools"], "- github: mcp_github_create_issue (Does something with a repository that takes a while to tell)")
	for n := range 300 {
		w.tools = w.tools.With(served(fmt.Sprintf("mcp_github_tool_%d", n)))
	}
	parts = w.assemble().Parts
	require.Less(t, tokens.Count(parts["16_tools"]), 560)
	require.Contains(t, parts["16_tools"], "more")
}

func TestOptional_WithoutTheToolThatFindsThemNamesNothing(t *testing.T) {
	w := newWorld(t)
	w.tools = w.tools.With(served("mcp_github_create_issue"))
	require.NotContains(t, w.assemble().Parts, "16_tools")
}
