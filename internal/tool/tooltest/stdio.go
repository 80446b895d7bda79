package tooltest

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Upload writes the whole content at once.
func (b *Box) Upload(ctx context.Context, path string, from io.Reader, mode sandbox.WriteMode) (int64, error) {
	data, err := io.ReadAll(from)
	if err != nil {
		return 0, err
	}
	return int64(len(data)), b.WriteFile(ctx, path, data, mode)
}

// Download copies a file.
func (b *Box) Download(ctx context.Context, path string, to io.Writer) (int64, error) {
	file, err := b.ReadFile(ctx, path, 0, 0)
	if err != nil {
		return 0, err
	}
	n, err := to.Write(file.Data)
	return int64(n), err
}

// process is a process that Start started.
type process struct {
	ctx      context.Context
	cancel   context.CancelFunc
	cmd      *exec.Cmd
	in       io.WriteCloser
	out, err io.Reader
}

var _ sandbox.Process = (*process)(nil)

// Start starts a process of this machine.
func (b *Box) Start(ctx context.Context, req sandbox.StdioRequest) (sandbox.Process, error) {
	if len(req.Args) == 0 {
		return nil, fault.Errorf(fault.Invalid, "the first argument must be a program")
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, req.Args[0], req.Args[1:]...)
	cmd.Dir, cmd.Env = b.abs(req.Dir), append(os.Environ(), req.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	p := &process{ctx: ctx, cancel: cancel, cmd: cmd}
	var errs [3]error
	p.in, errs[0] = cmd.StdinPipe()
	p.out, errs[1] = cmd.StdoutPipe()
	p.err, errs[2] = cmd.StderrPipe()
	if err := errors.Join(append(errs[:], cmd.Start())...); err != nil {
		cancel()
		return nil, kindly(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.processes = append(b.processes, p)
	return p, nil
}

func (p *process) Stdin() io.WriteCloser { return p.in }
func (p *process) Stdout() io.Reader     { return p.out }
func (p *process) Stderr() io.Reader     { return p.err }
func (p *process) Kill()                 { p.cancel() }

func (p *process) Wait() (int, error) {
	err := p.cmd.Wait()
	if p.ctx.Err() != nil {
		return 0, p.ctx.Err()
	}
	p.cancel()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	return 0, err
}

// Close ends the processes of Start.
func (b *Box) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.processes {
		p.Kill()
	}
	b.processes = nil
	return nil
}
