package activitiestest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/tool/tooltest"
)

// Owner is whose conversation it is.
const Owner = chat.UserID(7)

// ProjectFolder is where a conversation works: in the folder project of a workspace.
type ProjectFolder struct {
	Sandbox *tooltest.Box
	BoxErr  error
	T       *testing.T
}

// Session returns a conversation in the folder project.
func (b *ProjectFolder) Session(context.Context, chat.SessionKey) (chat.Session, chat.UserID, error) {
	return chat.Session{Folder: chat.Folder{Cwd: b.Sandbox.Workspace() + "/project"}}, Owner, nil
}

// Box returns the sandbox of the owner, or the error that was set.
func (b *ProjectFolder) Box(_ context.Context, user chat.UserID, _ string) (sandbox.Sandbox, error) {
	require.Equal(b.T, Owner, user)
	return b.Sandbox, b.BoxErr
}
