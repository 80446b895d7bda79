package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"xbot/runner/confine"
	"xbot/runner/job"
	"xbot/runner/wire"
)

// pushEvery bounds how often output of one command is sent: a person cannot read faster, and every frame costs.
const pushEvery = 20 * time.Millisecond

// attach starts a command or finds it, streams its output if asked to, and waits for its end, or until the command has run as long as the request's
// budget. When ctx ends it returns; the command continues either way.
func (d *daemon) attach(ctx context.Context, r wire.ExecAttach, push func(any) error) (any, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if r.Store != "" && r.Store != d.store.ID() {
		return wire.ExecEnd{State: wire.StateLost}, nil
	}
	dir, err := d.files.WorkingFolder(r.Dir)
	if err != nil {
		return nil, err
	}
	j, err := d.store.Attach(d.spec(r, dir))
	if err != nil {
		return nil, err
	}
	watch, cancel := withBudget(ctx, j, time.Duration(r.BudgetMS)*time.Millisecond)
	defer cancel()
	if r.Stream {
		err = stream(watch, j, r.Offset, push)
	} else {
		err = wait(watch, j)
	}
	if err != nil && (watch.Err() == nil || ctx.Err() != nil) {
		return nil, err
	}
	if _, done, _ := j.End(); !done {
		return soFar(j, r.Limit)
	}
	return result(j, r.Limit)
}

// withBudget ends a wait when the command has run for the budget since its own start, independent of the time of attaching. No budget means no end.
func withBudget(ctx context.Context, j *job.Job, budget time.Duration) (context.Context, context.CancelFunc) {
	if budget == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, j.Started().Add(budget))
}

func (d *daemon) spec(r wire.ExecAttach, dir string) job.Spec {
	timeout := time.Duration(r.TimeoutMS) * time.Millisecond
	if timeout == 0 {
		timeout = wire.MaxTimeout
	}
	policy, unfit := d.narrowed(r.Confinement)
	if d.refusal != nil {
		unfit = d.refusal
	}
	if len(r.Secrets) > 0 && !confine.Private(d.method) {
		unfit = wire.Errorf(wire.Denied, "commands of this conversation have secret variables, and this runner does not keep its commands from looking into each other (%s): choose another runner with /runner use NAME", d.confinement)
	}
	env := withEnv(d.env, r.Env)
	if self, err := os.Executable(); err == nil && r.Input {
		env = withEnv(env, []string{wire.RunnerVariable + "=" + self})
	}
	return job.Spec{
		ID:       r.ID,
		Hash:     job.HashOf(r.Command, r.Dir),
		Command:  r.Command,
		Dir:      dir,
		Env:      env,
		Timeout:  timeout,
		Confine:  string(d.method),
		Policy:   policy,
		KeepFree: d.cfg.KeepFree,
		Input:    r.Input,
		Secrets:  r.Secrets,
		Unfit:    unfit,
	}
}

// narrowed returns the policy of commands with further confinement, and why no such command can start here; nil if it can.
func (d *daemon) narrowed(w wire.Confinement) (confine.Policy, error) {
	p := d.currentPolicy()
	if w == (wire.Confinement{}) {
		return p, nil
	}
	if w == (wire.Confinement{Confined: true}) && d.method == confine.None && d.cfg.OwnIPC && d.cfg.Confine != ConfineOff {
		return p, nil // the container confines them
	}
	if d.method == confine.None {
		return p, wire.Errorf(wire.Denied, "commands of this conversation run within walls alone, and this runner has none (%s): choose another runner with /runner use NAME", d.confinement)
	}
	p.Offline = p.Offline || w.Offline
	if w.ReadOnly {
		p.Write = keep(p.Write, w.Keep, os.Getenv("HOME"))
	}
	return p, nil
}

// keep returns what stays writable of the writable folders for a command that may write one folder alone: that folder, or what lies in it.
func keep(writable []string, folder, home string) []string {
	if rest, ok := strings.CutPrefix(folder, "~/"); ok && home != "" {
		folder = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(folder) {
		return nil
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil
	}
	within := func(dir, name string) bool {
		rel, err := filepath.Rel(dir, name)
		return err == nil && filepath.IsLocal(rel)
	}
	var kept []string
	for _, dir := range writable {
		switch {
		case within(dir, real):
			return []string{real}
		case within(real, dir):
			kept = append(kept, dir)
		}
	}
	return kept
}

// writeInput notes a write to a command, which its shim carries out.
func (d *daemon) writeInput(r wire.ExecWrite) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if r.Store != "" && r.Store != d.store.ID() {
		return wire.Errorf(wire.NotFound, "this runner does not have the command: it was made anew")
	}
	return d.store.Write(r.ID, job.Input{Key: r.Key, Data: r.Data, Close: r.Close})
}

func (d *daemon) kill(r wire.ExecID) error {
	if err := r.Validate(); err != nil {
		return err
	}
	return d.store.Kill(r.ID)
}

func (d *daemon) release(r wire.ExecID) error {
	if err := r.Validate(); err != nil {
		return err
	}
	return d.store.Release(r.ID)
}

func wait(ctx context.Context, j *job.Job) error {
	select {
	case <-j.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stream pushes output from offset on until the job has ended and all of it was pushed. The first piece goes at once,
// the following at most every pushEvery.
func stream(ctx context.Context, j *job.Job, offset int64, push func(any) error) error {
	var file *os.File
	defer func() {
		if file != nil {
			_ = file.Close() // it was only read
		}
	}()
	for {
		changed := j.Changed()
		_, done, _ := j.End()
		if file == nil {
			var err error
			if file, err = j.OpenOutput(); err != nil {
				return wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
			}
		}
		sent, err := pushFrom(file, offset, push)
		if err != nil || done {
			return err
		}
		offset += sent
		if err := rest(ctx, j, changed, sent > 0); err != nil {
			return err
		}
	}
}

// pushFrom pushes what the file holds from offset on. A nil file holds nothing.
func pushFrom(file *os.File, offset int64, push func(any) error) (sent int64, err error) {
	if file == nil {
		return 0, nil
	}
	buf := make([]byte, wire.MaxPiece)
	for {
		n, err := file.ReadAt(buf, offset+sent)
		if n > 0 {
			if err := push(wire.ExecOutput{Offset: offset + sent, Data: buf[:n]}); err != nil {
				return sent, err
			}
			sent += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return sent, nil
		}
		if err != nil {
			return sent, wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
		}
	}
}

// rest waits for a change, and after a push for pushEvery as well; the end of the job cuts both short.
func rest(ctx context.Context, j *job.Job, changed <-chan struct{}, pushed bool) error {
	if pushed {
		select {
		case <-time.After(pushEvery):
		case <-j.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// result returns the end of a job with the head and the tail of its output.
func result(j *job.Job, limit int64) (any, error) {
	status, _, err := j.End()
	if err != nil {
		return nil, err
	}
	end := wire.ExecEnd{
		State: status.State, Code: status.Code, Total: status.Total, Started: status.Started, Ended: status.Ended,
		Errors: status.Errors,
	}
	end.Output, end.Truncated, err = excerpt(j, status.Kept, limit)
	if err != nil {
		return nil, err
	}
	if status.Note != "" {
		end.Output = fmt.Appendf(end.Output, "\n[%s]\n", status.Note)
	}
	end.Truncated = end.Truncated || status.Total > status.Kept
	return end, nil
}

// soFar describes a job that is still running.
func soFar(j *job.Job, limit int64) (any, error) {
	size, err := j.Written()
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
	}
	end := wire.ExecEnd{State: wire.StateRunning, Total: size, Started: j.Started()}
	end.Output, end.Truncated, err = excerpt(j, size, limit)
	return end, err
}

// readOutput returns a part of what a command wrote.
func (d *daemon) readOutput(r wire.ExecOutputRead) (any, error) {
	if err := (wire.ExecID{ID: r.ID}).Validate(); err != nil {
		return nil, err
	}
	if r.Offset < 0 || r.Limit < 0 {
		return nil, wire.Errorf(wire.Invalid, "offset and limit must not be negative")
	}
	file, err := d.store.OpenOutput(r.ID)
	if err != nil || file == nil {
		return wire.ReadResult{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
	}
	// Bounded by the size as it is now, so that a reader never gets more than the size it receives.
	data, err := section(file, r.Offset, max(0, min(r.Limit, wire.MaxChunk, info.Size()-r.Offset)))
	if err != nil {
		return nil, err
	}
	return wire.ReadResult{Data: data, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// excerpt reads the output, or its first and last half limit with a line between.
func excerpt(j *job.Job, size, limit int64) ([]byte, bool, error) {
	if limit == 0 {
		limit = wire.DefaultResultOutput
	}
	limit = min(limit, wire.MaxResultOutput)
	file, err := j.OpenOutput()
	if err != nil {
		return nil, false, wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
	}
	if file == nil {
		return nil, false, nil
	}
	defer file.Close()
	if size <= limit {
		data, err := section(file, 0, size)
		return data, false, err
	}
	head, err := section(file, 0, limit/2)
	if err != nil {
		return nil, false, err
	}
	tail, err := section(file, size-(limit-limit/2), limit-limit/2)
	if err != nil {
		return nil, false, err
	}
	head = fmt.Appendf(head, "\n[... %d bytes left out ...]\n", size-limit)
	return append(head, tail...), true, nil
}

func section(file *os.File, offset, size int64) ([]byte, error) {
	data, err := io.ReadAll(io.NewSectionReader(file, offset, size))
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
	}
	return data, nil
}
