// Package process runs the process of a coding agent on a runner and connects a driver to it. The process is a command of the
// runner: it continues without the server, and a later server reads its output from the beginning.
package process

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// Box is the part of a sandbox that a process needs.
type Box interface {
	sandbox.Feeder
	Exec(ctx context.Context, req sandbox.ExecRequest) (sandbox.ExecResult, error)
	Kill(ctx context.Context, id chat.CallID) error
	Release(ctx context.Context, id chat.CallID) error
}

var _ Box = (*sandbox.Runner)(nil)

// Limits of a process.
const (
	maxLine    = 10 << 20         // bytes of one line: with more, the process is ended
	closeGrace = 5 * time.Second  // from the end of the turn to the end of a process whose input was closed
	feedAgain  = time.Second      // between two tries to reach a runner that is away
	maxTime    = 24 * time.Hour   // of a turn, as of every command
	settleTime = 10 * time.Second // for an end that comes while the caller goes away
)

// Listener follows a process.
type Listener interface {
	// Starting is as in sandbox.ExecRequest.
	Starting(ctx context.Context, store string) error
	// Take receives the events of the agent, in order. A later server receives all of them again. It must return quickly.
	Take(e codingagent.Event)
}

// Process is one turn of a coding agent. Its fields are set before Run; the methods are safe for concurrent use.
type Process struct {
	Box         Box
	ID          chat.CallID // names the process: the same id is never started twice
	Driver      codingagent.Driver
	Dir         string              // working folder on the runner
	Environment sandbox.Environment // its secrets are also hidden in the agent's output
	Confinement chat.Confinement    // within which it is started
	StartedOn   string              // as in sandbox.ExecRequest
	Listener    Listener

	mu      sync.Mutex // guards what follows, and the driver
	line    []byte     // the beginning of a line whose end is still to come
	queue   []codingagent.Write
	closing bool
	final
	changed chan struct{} // made by Run; receives when there is something to write; a full buffer is fine
	over    chan struct{} // made by Run; closed with the first End
}

// final is the end of a process's turn.
type final struct {
	end     *codingagent.End
	tooLong bool
}

// Result is the end of a process.
type Result struct {
	End  *codingagent.End // the end that the agent reported; nil: the process ended without one, and its outcome is unknown
	Exec sandbox.ExecResult
	Long bool // it wrote a line that is too long, and was ended for that
}

// Run attaches to the process or starts it, and follows it until the agent reports the end of the turn, or the process ends.
// When ctx ends, Run returns and the process continues: another Run finds it. Errors are those of Exec; Unavailable means that
// nothing was started. The runner keeps the output of the process until Forget: another Run reads it again.
func (p *Process) Run(ctx context.Context) (Result, error) {
	p.changed, p.over = make(chan struct{}, 1), make(chan struct{})
	p.mu.Lock()
	p.add(p.Driver.Start())
	p.mu.Unlock()
	following, cancel := context.WithCancel(ctx)
	var writer sync.WaitGroup
	defer writer.Wait()
	defer cancel()
	begin := func(store string) { writer.Go(func() { p.write(following, store) }) }
	if p.StartedOn != "" {
		begin(p.StartedOn)
	}
	var ending sync.WaitGroup
	defer ending.Wait()
	ended := make(chan struct{})
	defer close(ended)
	ending.Go(func() { p.finish(following, ended) })
	done, err := p.Box.Exec(following, sandbox.ExecRequest{
		ID: p.ID, Command: temporary(p.Confinement.Keep) + "exec " + commandLine(p.Driver.Command()), Dir: p.Dir, Env: p.Environment.Variables, Secrets: p.Environment.Secrets, Timeout: maxTime, Limit: 1, Input: true, Confinement: p.Confinement,
		Output: func(_ int64, piece []byte) { p.take(piece) }, StartedOn: p.StartedOn,
		Starting: func(ctx context.Context, store string) error {
			if err := p.Listener.Starting(ctx, store); err != nil {
				return err
			}
			begin(store)
			return nil
		},
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && p.end == nil {
		return Result{}, err
	}
	if err != nil {
		_ = p.Kill(ctx) // the turn is over, and nothing waits for the process; a failed kill is logged
	}
	return Result{End: p.end, Exec: done, Long: p.tooLong}, nil
}

// lookKey is the key of the write by which Ended probes a process.
const lookKey = "look"

// Ended reports whether a process that was started has ended or is lost. It writes nothing: a runner refuses even an empty write to a
// process that has ended. Errors are those of the runner, which may be offline.
func Ended(ctx context.Context, box sandbox.Feeder, id chat.CallID, store string) (bool, error) {
	err := box.Feed(ctx, id, sandbox.Input{Key: lookKey, Store: store})
	if kind := fault.KindOf(err); err != nil && (kind == fault.Conflict || kind == fault.NotFound) {
		return true, nil
	}
	return false, err
}

// Forget makes the runner forget an ended process, once its output is stored. Without it the runner does so after a week.
func (p *Process) Forget(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	_ = p.Box.Release(ctx, p.ID) // forgotten later otherwise
}

// finish ends a process that still runs after the end of its turn.
func (p *Process) finish(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-p.over:
	case <-ended:
		return
	}
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-ctx.Done():
	case <-grace.C:
		_ = p.Kill(ctx) // a failed kill is logged by the sandbox
	}
}

// Kill ends the process.
func (p *Process) Kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	return p.Box.Kill(ctx, p.ID)
}

// Steer puts a message of a user into the running turn. It returns false if the agent cannot take it now.
func (p *Process) Steer(key string, m codingagent.Message) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return false
	}
	writes, ok := p.Driver.Steer(key, m)
	p.add(writes)
	return ok
}

// Interrupt asks the agent to end the turn.
func (p *Process) Interrupt(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(p.Driver.Interrupt(key))
}

// Answer answers a request of the agent.
func (p *Process) Answer(request string, answer codingagent.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add(p.Driver.Answer(request, answer))
}

// add queues writes. The caller holds the lock.
func (p *Process) add(writes []codingagent.Write) {
	if p.closing || len(writes) == 0 {
		return
	}
	p.queue = append(p.queue, writes...)
	p.wake()
}

func (p *Process) wake() {
	select {
	case p.changed <- struct{}{}:
	default: // one look sees all
	}
}

// take gives whole lines to the driver.
func (p *Process) take(piece []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(piece) > 0 && !p.closing {
		line, rest, whole := bytes.Cut(piece, []byte("\n"))
		p.line = append(p.line, line...)
		if len(p.line) > maxLine {
			p.tooLong, p.line = true, nil
			p.close()
			return
		}
		if !whole {
			return
		}
		piece = rest
		p.read(bytes.TrimSuffix(p.line, []byte("\r")))
		p.line = p.line[:0]
	}
}

// read passes a line to the driver. Output after the end of the turn are ignored.
func (p *Process) read(line []byte) {
	step := p.Driver.Line(bytes.Clone(line))
	p.add(step.Writes)
	for _, event := range step.Events {
		p.Listener.Take(event)
		if end, ok := event.(codingagent.End); ok {
			p.end = &end
			p.close()
			return
		}
	}
}

// close ends the input once the queue was written. The caller holds the lock.
func (p *Process) close() {
	p.closing = true
	p.wake()
	close(p.over)
}

// write writes the queue, in order.
func (p *Process) write(ctx context.Context, store string) {
	for {
		p.mu.Lock()
		queue, closing := p.queue, p.closing
		p.queue = nil
		p.mu.Unlock()
		for _, w := range queue {
			if !p.feed(ctx, sandbox.Input{Key: w.Key, Data: append(bytes.Clone(w.Line), '\n'), Store: store}) {
				return
			}
		}
		if closing {
			p.feed(ctx, sandbox.Input{Key: closeKey, Close: true, Store: store})
			return
		}
		select {
		case <-p.changed:
		case <-ctx.Done():
			return
		}
	}
}

// closeKey is the key of the write that ends the input.
const closeKey = "end of input"

// feed writes until the runner has it. It returns false if nothing can be written any more; how the process ended is seen elsewhere.
func (p *Process) feed(ctx context.Context, in sandbox.Input) bool {
	for {
		err := p.Box.Feed(ctx, p.ID, in)
		switch kind := fault.KindOf(err); {
		case err == nil:
			return true
		case ctx.Err() != nil:
			return false
		case kind == fault.NotFound, kind == fault.Conflict:
			return false // it has ended
		case kind != fault.Unavailable && !errors.Is(err, context.DeadlineExceeded):
			_ = p.Kill(ctx) // it would wait for input that never comes
			return false
		}
		select {
		case <-time.After(feedAgain):
		case <-ctx.Done():
			return false
		}
	}
}

// temporary puts temporary files, without which codex cannot open its database, into the one folder that a process may write; "": it may write others.
func temporary(folder string) string {
	rest, home := strings.CutPrefix(folder, "~/")
	switch {
	case folder == "":
		return ""
	case home:
		return `export TMPDIR="$HOME"/` + codingagent.CommandLine([]string{rest}) + "; "
	}
	return "export TMPDIR=" + codingagent.CommandLine([]string{folder}) + "; "
}

// commandLine returns a command line for the shell of a runner. The runner's own program is found by the runner's variable, else by its name.
func commandLine(words []string) string {
	if words[0] != codingagent.RunnerProgram {
		return codingagent.CommandLine(words)
	}
	return `"${` + wire.RunnerVariable + `:-` + codingagent.RunnerProgram + `}" ` + codingagent.CommandLine(words[1:])
}
