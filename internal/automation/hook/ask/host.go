package ask

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"xbot/internal/automation/hook"
	"xbot/internal/fault"
)

// Host runs commands on the server's host, as the user that the server runs as. They get the payload as their standard
// input, PATH, HOME and LANG of the server, the variables of environment, and no other variables of the server. When the
// time is up, or the server ends in any way, the whole process group is killed.
type Host struct {
	Dir string // working folder of commands; empty: that of the server
}

var _ hook.Asker = Host{}

// afterKill is the time in which the pipes of a killed command may stay open.
const afterKill = 2 * time.Second

// guarded becomes the command in $1. Before, it leaves a guard in its process group that reads descriptor 3, whose other end
// only the server holds: when the server is gone, the guard reads the end of it and kills the group. The guard is an orphan and
// holds no other descriptor, so that the command neither waits for it nor is waited for because of it.
const guarded = `( { read -r gone; kill -s KILL 0; } <&3 3<&- >/dev/null 2>&1 & ); exec 3<&-; exec sh -c "$1"`

// Ask implements hook.Asker.
func (s Host) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	watched, held, err := os.Pipe()
	if err != nil {
		return hook.Answer{}, fault.Errorf(fault.Unavailable, "make the pipe that its guard reads: %w", err)
	}
	defer watched.Close()
	defer held.Close()
	cmd := exec.CommandContext(ctx, "sh", "-c", guarded, "sh", h.Command)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay, cmd.ExtraFiles = s.Dir, bytes.NewReader(q.Body), afterKill, []*os.File{watched}
	cmd.Env = environment(q)
	for _, name := range []string{"PATH", "HOME", "LANG"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, errs := &boundedBuffer{most: hook.MaxAnswer}, &boundedBuffer{most: hook.MaxAnswer}
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its remaining processes, if any
	}
	ended, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return hook.Answer{}, context.Cause(ctx)
	case exited && ended.ExitCode() < 0:
		return hook.Answer{}, fault.Errorf(fault.Invalid, "%s", ended)
	case exited:
		return read(ended.ExitCode(), nil, errs.Bytes())
	case err != nil:
		return hook.Answer{}, fault.Errorf(fault.Unavailable, "it cannot be run, or left something behind that keeps its output open: %w", err)
	case out.over:
		return hook.Answer{}, fault.Errorf(fault.TooLarge, "it answered more than %d bytes", hook.MaxAnswer)
	}
	return read(0, out.Bytes(), errs.Bytes())
}
