package tooltest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const defaultLimit = 64 << 10 // bytes of each result, as in the port

// job is a command that was started under an id.
type job struct {
	command string
	began   time.Time
	done    chan struct{} // closed by the job's own goroutine when result is set
	result  sandbox.ExecResult

	mu      sync.Mutex
	output  []byte
	changed chan struct{} // closed and replaced at each write
	state   sandbox.ExecState
	pid     int
}

// Exec attaches to a command or starts it.
func (b *Box) Exec(ctx context.Context, req sandbox.ExecRequest) (sandbox.ExecResult, error) {
	j, err := b.attach(req)
	if err != nil {
		return sandbox.ExecResult{}, err
	}
	offset := req.Offset
	var budget <-chan time.Time // never, without one
	if req.Budget > 0 {
		budget = time.After(time.Until(j.began.Add(req.Budget)))
	}
	for {
		piece, changed := j.since(offset)
		if len(piece) > 0 && req.Output != nil {
			req.Output(offset, piece)
		}
		offset += int64(len(piece))
		select {
		case <-ctx.Done():
			return sandbox.ExecResult{}, fmt.Errorf("wait for command %s: %w", req.ID, context.Cause(ctx))
		case <-changed:
		case <-budget:
			return j.soFar(), nil
		case <-j.done:
			if rest, _ := j.since(offset); len(rest) > 0 && req.Output != nil {
				req.Output(offset, rest)
			}
			return j.bounded(req.Limit), nil
		}
	}
}

func (b *Box) attach(req sandbox.ExecRequest) (*job, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if j, known := b.jobs[req.ID]; known {
		if j.command != req.Command && j.command != "" {
			return nil, fault.Errorf(fault.Conflict, "call %s is another command", req.ID)
		}
		return j, nil
	}
	j := newJob(req.Command)
	if err := j.start(b.abs(req.Dir), req); err != nil {
		return nil, err
	}
	b.jobs[req.ID] = j
	return j, nil
}

func newJob(command string) *job {
	return &job{command: command, began: time.Now(), done: make(chan struct{}), changed: make(chan struct{}), state: sandbox.ExecExited}
}

func (j *job) start(dir string, req sandbox.ExecRequest) error {
	if _, err := os.Stat(dir); err != nil {
		return fault.Errorf(fault.NotFound, "working folder %s: %w", dir, err)
	}
	cmd := exec.Command("sh", "-c", req.Command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), req.Env...)
	cmd.Stdout, cmd.Stderr = j, j
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	started := time.Now()
	if err := cmd.Start(); err != nil {
		return kindly(err)
	}
	j.pid = cmd.Process.Pid
	var timer *time.Timer
	if req.Timeout > 0 {
		timer = time.AfterFunc(req.Timeout, func() { j.kill(sandbox.ExecTimedOut) })
	}
	go func() {
		err := cmd.Wait()
		if timer != nil {
			timer.Stop()
		}
		j.finish(started, err)
	}()
	return nil
}

func (j *job) finish(started time.Time, err error) {
	code := 0
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		code = exit.ExitCode()
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			code = 128 + int(status.Signal())
		}
	}
	j.mu.Lock()
	j.result = sandbox.ExecResult{State: j.state, Code: code, Total: int64(len(j.output)), Started: started, Ended: time.Now()}
	j.mu.Unlock()
	close(j.done)
}

// Write takes what the command prints.
func (j *job) Write(piece []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.output = append(j.output, piece...)
	close(j.changed)
	j.changed = make(chan struct{})
	return len(piece), nil
}

func (j *job) since(offset int64) (piece []byte, changed chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.output[min(offset, int64(len(j.output))):], j.changed
}

func (j *job) bounded(limit int64) sandbox.ExecResult {
	if limit == 0 {
		limit = defaultLimit
	}
	result, total := j.result, int64(len(j.output))
	result.Output = j.output
	if total > limit {
		result.Truncated = true
		left := fmt.Sprintf("\n[%d bytes left out]\n", total-limit)
		result.Output = append(append(append([]byte{}, j.output[:limit/2]...), left...), j.output[total-limit/2:]...)
	}
	return result
}

// kill ends the process group, and notes why unless the command has already been killed.
func (j *job) kill(why sandbox.ExecState) {
	j.mu.Lock()
	if j.state == sandbox.ExecExited {
		j.state = why
	}
	j.mu.Unlock()
	// The group may be gone already, which is what is wanted.
	_ = syscall.Kill(-j.pid, syscall.SIGKILL)
}

// Kill ends a command, or sees to it that it never starts.
func (b *Box) Kill(_ context.Context, id chat.CallID) error {
	b.mu.Lock()
	j, known := b.jobs[id]
	if !known {
		tombstone := newJob("")
		tombstone.result.State = sandbox.ExecKilled
		close(tombstone.done)
		b.jobs[id] = tombstone
	}
	b.mu.Unlock()
	if known && j.pid != 0 {
		j.kill(sandbox.ExecKilled)
	}
	return nil
}

// Lose makes a command look as if its shim had died with its result.
func (b *Box) Lose(id chat.CallID) {
	j := newJob("")
	j.result.State = sandbox.ExecLost
	close(j.done)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs[id] = j
}

// Release forgets a command.
func (b *Box) Release(_ context.Context, id chat.CallID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.jobs, id)
	return nil
}

func (b *Box) killAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.jobs {
		if j.pid != 0 {
			j.kill(sandbox.ExecKilled)
			<-j.done
		}
	}
}

// soFar describes a command that is still running.
func (j *job) soFar() sandbox.ExecResult {
	j.mu.Lock()
	defer j.mu.Unlock()
	return sandbox.ExecResult{State: sandbox.ExecRunning, Output: slices.Clone(j.output), Total: int64(len(j.output)), Started: j.began}
}

// ReadOutput returns a part of what a command wrote.
func (b *Box) ReadOutput(_ context.Context, id chat.CallID, offset, limit int64) (sandbox.FileData, error) {
	b.mu.Lock()
	j := b.jobs[id]
	b.mu.Unlock()
	if j == nil {
		return sandbox.FileData{}, fault.Errorf(fault.NotFound, "there is no command %s", id)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	size := int64(len(j.output))
	from := min(offset, size)
	return sandbox.FileData{Data: slices.Clone(j.output[from:min(from+limit, size)]), Size: size}, nil
}
