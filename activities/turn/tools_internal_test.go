package turn

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/tool"
)

// late is a context that was cancelled, of which whoever waits for it has not heard yet.
type late struct{ context.Context }

func (late) Done() <-chan struct{} { return nil }

// handsOver is a tool whose command goes on, and an output that nobody reads.
type handsOver struct{}

func (handsOver) Spec() tool.Spec { return tool.Spec{Name: "Shell"} }

func (handsOver) Summary(string) string { return "" }

func (handsOver) Run(context.Context, tool.Call) (chat.ToolResult, error) {
	return chat.ToolResult{Content: "goes on", Background: &chat.Background{Command: "make"}}, nil
}

func (handsOver) OpenOutput(chat.Call) activities.Output { return handsOver{} }

func (handsOver) Print(string) {}

func (handsOver) Close() {}

func TestAttempt_AStopAfterTheEndOfTheToolLosesNoTask(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(temporal.NewCanceledError())
	tools := &Tools{Outputs: handsOver{}}
	result, err := tools.attempt(late{ctx}, handsOver{}, chat.Call{ToolCall: chat.ToolCall{Name: "Shell", Class: chat.ClassExec}}, nil, false)
	require.NoError(t, err)
	require.NotNil(t, result.Background, "its command was not killed, so somebody has to follow it")
}
