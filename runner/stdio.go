package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"xbot/runner/job"
	"xbot/runner/shim"
	"xbot/runner/wire"
)

// maxStdioProcesses bounds the processes of stdio.start that run at once.
const maxStdioProcesses = 64

// stdioKillAfter is how long a process that is to end may take, its own grace included, before its shim is killed.
const stdioKillAfter = 10 * time.Second

// stdioProcesses are the processes whose standard streams are a conversation with the server.
type stdioProcesses struct {
	mu   sync.Mutex
	open map[string]*stdioProcess
	ends sync.WaitGroup // processes that are ending without a waiting caller
}

// stdioProcess is one of them. Its request owns it.
type stdioProcess struct {
	cmd      *exec.Cmd
	out, err *os.File
	lifeline *os.File // its end ends the process

	write sync.Mutex
	in    *os.File // nil once closed; guarded by write
}

// startStdio starts a process and passes on what it writes until it ends. When ctx ends so does the process.
func (d *daemon) startStdio(ctx context.Context, r wire.StdioStart, push func(any) error) (any, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if d.refusal != nil {
		return nil, d.refusal
	}
	dir, err := d.files.WorkingFolder(r.Dir)
	if err != nil {
		return nil, err
	}
	return d.talk(ctx, r.ID, job.Spec{
		Command: "exec " + quoteAll(r.Args), Dir: dir, Env: withEnv(d.env, r.Env), Confine: string(d.method), Policy: d.currentPolicy(), KeepFree: d.cfg.KeepFree,
	}, push)
}

// talk starts a process and passes on what it writes until it ends. When ctx ends so does the process.
func (d *daemon) talk(ctx context.Context, id string, spec job.Spec, push func(any) error) (any, error) {
	t, err := d.stdioProcesses.begin(id, spec)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if push(wire.StdioOutput{}) == nil { // it runs
			t.pass(push)
		}
		_ = t.cmd.Wait() // its code is how it ended
	}()
	select {
	case <-ended:
		d.stdioProcesses.forget(id)
		t.closePipes()
		return wire.StdioEnd{Code: t.cmd.ProcessState.ExitCode()}, ctx.Err()
	case <-ctx.Done():
		d.stdioProcesses.abandon(id, t, ended)
		return nil, ctx.Err()
	}
}

// writeStdio writes to a process and returns when it has taken everything.
func (d *daemon) writeStdio(ctx context.Context, r wire.StdioWrite) error {
	d.stdioProcesses.mu.Lock()
	t := d.stdioProcesses.open[r.ID]
	d.stdioProcesses.mu.Unlock()
	if t == nil {
		return wire.Errorf(wire.NotFound, "this process has ended, or was started over a connection that is no more")
	}
	t.write.Lock()
	defer t.write.Unlock()
	if t.in == nil {
		return wire.Errorf(wire.NotFound, "the input of this process has been closed")
	}
	in := t.in
	stop := context.AfterFunc(ctx, func() { _ = in.SetWriteDeadline(time.Now()) }) // pipes have deadlines
	defer stop()
	if _, err := in.Write(r.Data); err != nil {
		return wire.Errorf(wire.NotFound, "the process does not read any more: %v", err)
	}
	if r.Close {
		t.in = nil
		_ = in.Close() // what was written is in the pipe
	}
	return nil
}

// begin starts a process under an id.
func (ts *stdioProcesses) begin(id string, spec job.Spec) (*stdioProcess, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.open == nil {
		ts.open = map[string]*stdioProcess{}
	}
	switch {
	case ts.open[id] != nil:
		return nil, wire.Errorf(wire.Conflict, "the process id %q is in use", id)
	case len(ts.open) >= maxStdioProcesses:
		return nil, wire.Errorf(wire.Unavailable, "%d processes run on this runner already: end one of them", maxStdioProcesses)
	}
	t, err := newStdioProcess(spec)
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the process was not started: %v", err)
	}
	ts.open[id] = t
	return t, nil
}

func (ts *stdioProcesses) forget(id string) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	delete(ts.open, id)
}

// abandon ends a process without a waiting caller, without keeping the end of its connection waiting.
func (ts *stdioProcesses) abandon(id string, t *stdioProcess, ended <-chan struct{}) {
	ts.forget(id)
	_ = t.lifeline.Close() // nothing is written through it any more
	ts.ends.Go(func() {
		late := time.AfterFunc(stdioKillAfter, func() { _ = t.cmd.Process.Kill() }) // it may have just ended
		defer late.Stop()
		<-ended
		t.closePipes()
	})
}

// newStdioProcess starts the shim of a process.
func newStdioProcess(spec job.Spec) (*stdioProcess, error) {
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	self, err := job.SelfPath()
	if err != nil {
		return nil, err
	}
	t := &stdioProcess{cmd: exec.Command(self, shim.StdioVerb)}
	t.cmd.Args[0], t.cmd.Dir, t.cmd.Env = "xbot-runner", "/", []string{"PATH=/usr/bin:/bin"}
	var theirs [4]*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close() // the shim has its own; closing nil does no harm
		}
	}()
	var pipes [4]error
	theirs[0], t.in, pipes[0] = os.Pipe()
	t.out, theirs[1], pipes[1] = os.Pipe()
	t.err, theirs[2], pipes[2] = os.Pipe()
	theirs[3], t.lifeline, pipes[3] = os.Pipe()
	err = errors.Join(pipes[:]...)
	if err == nil {
		t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr, t.cmd.ExtraFiles = theirs[0], theirs[1], theirs[2], theirs[3:]
		t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		err = t.cmd.Start()
	}
	if err == nil {
		_, err = t.lifeline.Write(append(data, '\n')) // the shim reads it, or has died and shows that by its exit
	}
	if err != nil {
		t.closePipes()
		return nil, err
	}
	return t, nil
}

// pass pushes the output of the process until both its streams have ended, or the receiver takes it no more.
func (t *stdioProcess) pass(push func(any) error) {
	var both sync.WaitGroup
	for stderr, from := range map[bool]*os.File{false: t.out, true: t.err} {
		both.Go(func() {
			buf := make([]byte, wire.MaxPiece)
			for {
				n, err := from.Read(buf)
				if n > 0 && push(wire.StdioOutput{Stderr: stderr, Data: buf[:n]}) != nil || err != nil {
					return
				}
			}
		})
	}
	both.Wait()
}

func (t *stdioProcess) closePipes() {
	t.write.Lock()
	in := t.in
	t.in = nil
	t.write.Unlock()
	for _, f := range []io.Closer{in, t.out, t.err, t.lifeline} {
		_ = f.Close() // nothing is lost; some are closed already
	}
}

// quoteAll quotes the arguments as words of a shell command.
func quoteAll(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
