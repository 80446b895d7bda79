package guestfs

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// errCommands refuses commands: a command could reach files outside of the folders of the conversation.
var errCommands = fault.Errorf(fault.Denied, "no command runs in this conversation")

// Exec is refused.
func (*fileSystem) Exec(context.Context, sandbox.ExecRequest) (sandbox.ExecResult, error) {
	return sandbox.ExecResult{}, errCommands
}

// Start is refused.
func (*fileSystem) Start(context.Context, sandbox.StdioRequest) (sandbox.Process, error) {
	return nil, errCommands
}

// Talks is why no program is talked to, as sandbox.Talks asks.
func (*fileSystem) Talks() error { return errCommands }

// Kill does nothing: what runs on the runner is none of this conversation.
func (*fileSystem) Kill(context.Context, chat.CallID) error { return nil }

// Release does nothing.
func (*fileSystem) Release(context.Context, chat.CallID) error { return nil }

// Feed is refused.
func (*fileSystem) Feed(context.Context, chat.CallID, sandbox.Input) error { return errCommands }

// ReadOutput finds nothing.
func (*fileSystem) ReadOutput(context.Context, chat.CallID, int64, int64) (sandbox.FileData, error) {
	return sandbox.FileData{}, fault.Errorf(fault.NotFound, "there is no such command")
}
