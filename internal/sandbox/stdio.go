package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/runner/wire"
)

// StdioRequest is a process to talk to, for example an MCP server. It is confined like a command and gets the same
// clean environment.
type StdioRequest struct {
	Args []string // the program, looked up in PATH, and its arguments
	Dir  string   // working folder; empty means the workspace
	Env  []string // added to the runner's clean environment, "KEY=value"

	// Plugin is set for a process of a plugin, which runs in a separate folder and a separate confinement; nil: it is none. Only the runner
	// of the server's host has plugins.
	Plugin *Plugin
}

// Plugin is the plugin of a process, and its permissions.
type Plugin struct {
	ID, Digest string // of its files, which are on the machine of the runner
	Data       int64  // positive, names the folder of its data
	Network    bool   // it may open sockets
	Files      bool   // it may read what commands may read
}

// Process is a process that Start started. Its streams may be used by one goroutine each.
type Process interface {
	// Stdin returns the process's standard input. A Write returns when the process's pipe has taken it, and is io.ErrClosedPipe
	// once the process has ended; Close closes it, which is no error then.
	Stdin() io.WriteCloser
	// Stdout returns the standard output of the process. A slow reader holds the process back, as with a pipe.
	Stdout() io.Reader
	// Stderr returns the standard error of the process. It may be left unread: the newest MaxStderr bytes are kept.
	Stderr() io.Reader
	// Wait waits for the end, which comes only after Stdout has been read, and returns the exit status, 128+n for a process
	// that died of signal n. After a Kill or the end of the context it is context.Canceled or DeadlineExceeded, after the loss of the connection a
	// SessionLostError of the kind Unavailable; Stdout and Stderr end with the same error.
	Wait() (code int, err error)
	// Kill ends the process with its whole group, and does not wait for it.
	Kill()
}

// MaxStderr is how much unread standard error of a Process is kept, in bytes.
const MaxStderr = 256 << 10

// SessionLostError means that the connection to the runner ended, and with it a process that Start had started.
type SessionLostError struct{ Runner string }

// Error returns a sentence for the model and the user.
func (e *SessionLostError) Error() string {
	return fmt.Sprintf("session lost: the connection to runner %s ended, and the process with it: start it again", e.Runner)
}

// process is a Process on the other side of a link.
type process struct {
	runner *Runner
	id     string
	cancel context.CancelFunc
	ctx    context.Context //nolint:containedctx // of the process's whole life, which no call owns
	begun  chan struct{}   // closed when the process runs
	done   chan struct{}   // closed when code, err and unsent are set

	out    *io.PipeReader
	outEnd *io.PipeWriter
	errs   *tail

	code   int
	err    error
	unsent bool // the runner was never asked: it was not connected
}

// Start starts a process and returns when it runs. A runner that goes away before it is asked is waited for like one
// that is away.
func (r *Runner) Start(ctx context.Context, req StdioRequest) (Process, error) {
	began := time.Now()
	for pause := againFirst; ; pause = min(2*pause, againMost) {
		if _, err := r.ready(ctx, false); err != nil {
			return nil, err
		}
		p, err := r.begin(ctx, req)
		switch {
		case err == nil:
			return p, nil
		case p == nil || !p.unsent:
			return nil, err
		case time.Since(began) > r.offlineWait:
			return nil, r.offline() // the way looks open, but nothing goes through
		}
		if err := sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// begin asks the runner once. The process that could not be started is returned, too.
func (r *Runner) begin(ctx context.Context, req StdioRequest) (*process, error) {
	p := &process{runner: r, id: rand.Text(), begun: make(chan struct{}), done: make(chan struct{}), errs: newTail(MaxStderr)}
	ask, err := p.request(req)
	if err != nil {
		return nil, err
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.out, p.outEnd = io.Pipe()
	r.keep(p)
	go p.run(ask)
	select {
	case <-p.begun:
		return p, nil
	case <-p.done:
		return p, p.err // without an error it ended before any output
	}
}

// request returns the request for the runner.
func (p *process) request(req StdioRequest) (wire.Request, error) {
	start := wire.StdioStart{ID: p.id, Args: req.Args, Dir: req.Dir, Env: req.Env}
	if of := req.Plugin; of != nil {
		return wire.NewRequest(wire.OpPluginStart, wire.PluginStart{StdioStart: start, Plugin: of.ID, Digest: of.Digest, Data: of.Data, Network: of.Network, Files: of.Files})
	}
	return wire.NewRequest(wire.OpStdioStart, start)
}

// run follows the process to its end.
func (p *process) run(ask wire.Request) {
	defer p.runner.drop(p)
	defer p.cancel()
	var once sync.Once
	response, err := p.runner.link.Call(p.ctx, ask, func(push wire.Push) error {
		once.Do(func() { close(p.begun) })
		return p.take(push)
	})
	var end wire.StdioEnd
	if err == nil {
		err = response.Decode(&end)
	}
	p.code, p.err, p.unsent = end.Code, p.explain(err), errors.Is(err, ErrOffline)
	_ = p.outEnd.CloseWithError(p.err) // a nil error reads as the end of the stream; it never fails
	p.errs.close(p.err)
	close(p.done)
}

// take passes on what the process wrote. Without a reader the runner gets no ack, and the process has to wait.
func (p *process) take(push wire.Push) error {
	var piece wire.StdioOutput
	if err := push.Decode(&piece); err != nil {
		return err
	}
	if piece.Stderr {
		p.errs.write(piece.Data)
		return nil
	}
	if len(piece.Data) == 0 {
		return nil // it confirms that the process runs
	}
	stop := context.AfterFunc(p.ctx, func() { _ = p.outEnd.CloseWithError(p.ctx.Err()) }) // never fails
	defer stop()
	_, err := p.outEnd.Write(piece.Data)
	return err
}

func (p *process) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case errors.Is(err, ErrOffline), errors.Is(err, ErrBroken):
		return fault.Errorf(fault.Unavailable, "%w", &SessionLostError{Runner: p.runner.name})
	}
	return translate(p.runner.name, err)
}

func (p *process) Stdin() io.WriteCloser { return stdin{p} }
func (p *process) Stdout() io.Reader     { return p.out }
func (p *process) Stderr() io.Reader     { return p.errs }
func (p *process) Kill()                 { p.cancel() }

func (p *process) Wait() (int, error) {
	<-p.done
	return p.code, p.err
}

// stdin writes to a process, one part after the other.
type stdin struct{ *process }

func (s stdin) Write(data []byte) (n int, err error) {
	for len(data) > 0 {
		part := data[:min(len(data), wire.MaxPiece)]
		if err := s.send(wire.StdioWrite{ID: s.id, Data: part}); err != nil {
			return n, err
		}
		n, data = n+len(part), data[len(part):]
	}
	return n, nil
}

func (s stdin) Close() error {
	if err := s.send(wire.StdioWrite{ID: s.id, Close: true}); !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil // it has ended, and its input with it
}

// send is not repeated: what is written twice would be read twice.
func (s stdin) send(part wire.StdioWrite) error {
	if err := s.ended(); err != nil {
		return err
	}
	req, err := wire.NewRequest(wire.OpStdioWrite, part)
	if err != nil {
		return err
	}
	_, err = s.runner.link.Call(s.ctx, req, nil)
	if err == nil {
		return nil
	}
	if ended := s.ended(); ended != nil {
		return ended // in the meantime, which canceled the call
	}
	if wire.IsKind(err, wire.NotFound) {
		return io.ErrClosedPipe // the notice of its end is still on its way
	}
	return s.explain(err)
}

// ended returns why nothing more can be written to the process: nil while it runs.
func (p *process) ended() error {
	select {
	case <-p.done:
		return cmp.Or(p.err, io.ErrClosedPipe)
	default:
		return nil
	}
}

func (r *Runner) keep(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.processes[p] = struct{}{}
}

func (r *Runner) drop(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.processes, p)
}

// Close ends the processes of Start and waits for them. Commands continue.
func (r *Runner) Close() error {
	r.mu.Lock()
	open := make([]*process, 0, len(r.processes))
	for p := range r.processes {
		open = append(open, p)
	}
	r.mu.Unlock()
	for _, p := range open {
		p.Kill()
		<-p.done
	}
	return nil
}
