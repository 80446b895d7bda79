package sandbox

import (
	"context"
	"io"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Narrow confines a sandbox: commands run confined, writes of files are refused where it is read-only, and no process is
// started to talk to, since such processes are shared by all conversations of a user. Without a confinement it is the sandbox itself.
func Narrow(box Sandbox, walls chat.Confinement) Sandbox {
	if walls == (chat.Confinement{}) {
		return box
	}
	return confinedSandbox{Sandbox: box, walls: walls}
}

// Wide returns the sandbox without the confinement and variables of a conversation, for what the server itself writes there.
func Wide(box Sandbox) Sandbox {
	if n, ok := box.(confinedSandbox); ok {
		box = n.Sandbox
	}
	if f, ok := box.(environmentSandbox); ok {
		box = f.Sandbox
	}
	return box
}

// Talks is Denied where no process may be started, or talked to, in a sandbox.
func Talks(box Sandbox) error {
	n, ok := box.(confinedSandbox)
	if ok {
		box = n.Sandbox
	}
	if silent, is := box.(interface{ Talks() error }); is {
		return silent.Talks()
	}
	if ok {
		return fault.Errorf(fault.Denied, "programs that are talked to, such as MCP servers and coding agents, do not run in this conversation: the policy narrows what commands may do here")
	}
	return nil
}

// confinedSandbox is a confined Sandbox.
type confinedSandbox struct {
	Sandbox

	walls chat.Confinement
}

var (
	_ Sandbox = confinedSandbox{}
	_ Feeder  = confinedSandbox{}
)

// writes is Denied where no file may be changed.
func (n confinedSandbox) writes() error {
	if n.walls.ReadOnly {
		return fault.Errorf(fault.Denied, "files cannot be changed in this conversation: the policy makes them read-only here")
	}
	return nil
}

// Exec runs the command confined.
func (n confinedSandbox) Exec(ctx context.Context, req ExecRequest) (ExecResult, error) {
	req.Confinement.ReadOnly = req.Confinement.ReadOnly || n.walls.ReadOnly
	req.Confinement.Offline = req.Confinement.Offline || n.walls.Offline
	return n.Sandbox.Exec(ctx, req)
}

// Feed writes to a command.
func (n confinedSandbox) Feed(ctx context.Context, id chat.CallID, in Input) error {
	feeder, ok := n.Sandbox.(Feeder)
	if !ok {
		return fault.Errorf(fault.Invalid, "runner %s writes to no commands", n.Name())
	}
	return feeder.Feed(ctx, id, in)
}

// Start is refused.
func (n confinedSandbox) Start(context.Context, StdioRequest) (Process, error) { return nil, Talks(n) }

// WriteFile is refused where files are read-only.
func (n confinedSandbox) WriteFile(ctx context.Context, path string, data []byte, mode WriteMode) error {
	if err := n.writes(); err != nil {
		return err
	}
	return n.Sandbox.WriteFile(ctx, path, data, mode)
}

// MkdirAll is refused where files are read-only.
func (n confinedSandbox) MkdirAll(ctx context.Context, path string) error {
	if err := n.writes(); err != nil {
		return err
	}
	return n.Sandbox.MkdirAll(ctx, path)
}

// Remove is refused where files are read-only.
func (n confinedSandbox) Remove(ctx context.Context, path string) error {
	if err := n.writes(); err != nil {
		return err
	}
	return n.Sandbox.Remove(ctx, path)
}

// RemoveAll is refused where files are read-only.
func (n confinedSandbox) RemoveAll(ctx context.Context, path string) error {
	if err := n.writes(); err != nil {
		return err
	}
	return n.Sandbox.RemoveAll(ctx, path)
}

// Move is refused where files are read-only.
func (n confinedSandbox) Move(ctx context.Context, from, to string) error {
	if err := n.writes(); err != nil {
		return err
	}
	return n.Sandbox.Move(ctx, from, to)
}

// Upload is refused where files are read-only, before anything is read.
func (n confinedSandbox) Upload(ctx context.Context, path string, from io.Reader, mode WriteMode) (int64, error) {
	if err := n.writes(); err != nil {
		return 0, err
	}
	return n.Sandbox.Upload(ctx, path, from, mode)
}

// Edit is refused where files are read-only.
func (n confinedSandbox) Edit(ctx context.Context, e Edit) (int64, error) {
	if err := n.writes(); err != nil {
		return 0, err
	}
	return n.Sandbox.Edit(ctx, e)
}
