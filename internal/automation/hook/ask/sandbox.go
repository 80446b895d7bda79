package ask

import (
	"context"
	"io"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// SandboxFinder finds where the commands of a conversation run, and their working folder.
type SandboxFinder interface {
	FindSandbox(ctx context.Context, key chat.SessionKey) (box sandbox.Sandbox, dir string, err error)
}

// Sandbox runs commands where the tools of the conversation run, with their rights and their clean environment. The payload is their
// standard input.
type Sandbox struct {
	Finder SandboxFinder
	// Host is the sandbox of the server's host. It runs the commands of the administrator for conversations without a runner; nil: they fail.
	Host sandbox.Sandbox
}

var _ hook.Asker = Sandbox{}

// Ask implements hook.Asker. A command whose connection is lost is killed by its runner.
func (s Sandbox) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	box, dir, err := s.find(ctx, h, q)
	if err != nil {
		return hook.Answer{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p, err := box.Start(ctx, sandbox.StdioRequest{Args: []string{"sh", "-c", h.Command}, Dir: dir, Env: environment(q)})
	if err != nil {
		return hook.Answer{}, err
	}
	defer p.Kill()
	go func() {
		in := p.Stdin()
		_, _ = in.Write(q.Body) // a command need not read its input
		_ = in.Close()
	}()
	out, err := all(p.Stdout())
	if err != nil {
		return hook.Answer{}, err
	}
	errs, err := io.ReadAll(p.Stderr())
	if err != nil {
		return hook.Answer{}, err
	}
	code, err := p.Wait()
	if err != nil {
		return hook.Answer{}, err
	}
	return read(code, out, errs)
}

// find returns the sandbox and the working folder of a command: those of the conversation or, for a command of the administrator in a
// conversation without a runner, the server's host and its workspace. A command of a project never runs on the server's host.
func (s Sandbox) find(ctx context.Context, h hook.Handler, q hook.Question) (box sandbox.Sandbox, dir string, err error) {
	box, dir, err = s.Finder.FindSandbox(ctx, q.Session)
	if fault.Is(err, fault.Denied) && h.Layer == hook.LayerHome && s.Host != nil {
		return s.Host, "", nil
	}
	return box, dir, err
}
