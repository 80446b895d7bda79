package activitiestest

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

// Narrow is a sandbox whose commands in the session of tests run offline. It notes what it is asked to run.
type Narrow struct {
	sandbox.Sandbox

	Asked []sandbox.ExecRequest
}

// Confinement returns those of a conversation.
func (n *Narrow) Confinement(_ context.Context, key chat.SessionKey) (chat.Confinement, string, error) {
	return chat.Confinement{Offline: key == Key}, "", nil
}

// Box returns the sandbox of every runner.
func (n *Narrow) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) { return n, nil }

// Exec notes the command and runs it.
func (n *Narrow) Exec(ctx context.Context, req sandbox.ExecRequest) (sandbox.ExecResult, error) {
	n.Asked = append(n.Asked, req)
	return n.Sandbox.Exec(ctx, req)
}
