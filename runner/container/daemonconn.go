package container

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"xbot/runner/pipe"
	"xbot/runner/wire"
)

// insideVerb is the first argument of the program as the daemon inside a container.
const insideVerb = "inside"

// Times of a connection to the daemon.
const (
	helloWait = 20 * time.Second // for the daemon inside to say who it is
	askWait   = 10 * time.Second // for the answer to a question of our own
	tellWait  = 60 * time.Second // for one frame to get out: the same as on a socket
	farewell  = 5 * time.Second  // for the engine's program to end
)

// maxSaid bounds what is kept of the daemon's log for an error, in bytes.
const maxSaid = 4 << 10

// answerer takes the frames of one request. When the connection ends, none come any more.
type answerer func(f wire.Frame)

// daemonConn is a daemon inside the container, with the requests that are under way at it. The ids of requests are the
// connection's own, so that those of one server connection never meet those of the next.
type daemonConn struct {
	pipe     *pipe.Pipe
	cmd      *exec.Cmd
	info     wire.Info
	said     *tail
	protocol int
	gone     chan struct{} // closed when the daemon cannot be heard any more
	why      error         // set before gone is closed

	mu     sync.Mutex
	lastID uint64
	calls  map[uint64]answerer
	active time.Time // when the last frame passed
}

// openDaemonConn starts a daemon in a running container and waits until it identifies itself. log gets what the daemon logs.
func openDaemonConn(ctx context.Context, c Config, name string, log io.Writer) (*daemonConn, error) {
	l := &daemonConn{said: &tail{next: log}, gone: make(chan struct{}), calls: map[uint64]answerer{}, active: time.Now()}
	// Not bound to ctx: it lives until the connection is closed.
	l.cmd = exec.Command(c.Engine, "exec", "--interactive", c.Name, insideProgram, insideVerb, "--name", name)
	l.cmd.Stderr = l.said
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is ours alone
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	l.pipe = pipe.New(out, in, in)
	if err := l.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Engine, err)
	}
	heard := make(chan error, 1)
	go func() { heard <- l.hello() }()
	limit := time.NewTimer(helloWait)
	defer limit.Stop()
	select {
	case err = <-heard:
	case <-ctx.Done():
		err = ctx.Err()
	case <-limit.C:
		err = fmt.Errorf("it said nothing for %s", helloWait)
	}
	if err != nil {
		l.end(err)
		return nil, fmt.Errorf("the runner in container %s does not start: %w%s", c.Name, err, l.said.sentence())
	}
	go l.read()
	return l, nil
}

// hello takes the first frame.
func (l *daemonConn) hello() error {
	frame, err := l.pipe.Receive()
	if err != nil {
		return err
	}
	var who wire.Register
	if frame.Type != wire.TypeRegister {
		return fmt.Errorf("its first frame was %s", frame.Type)
	}
	if err := frame.Decode(&who); err != nil {
		return err
	}
	l.protocol, l.info = who.Protocol, who.Info
	return nil
}

// read passes answers on until the daemon is gone.
func (l *daemonConn) read() {
	for {
		frame, err := l.pipe.Receive()
		if err != nil {
			l.end(fmt.Errorf("the runner in the container ended: %w%s", err, l.said.sentence()))
			return
		}
		l.mu.Lock()
		l.active = time.Now()
		take := l.calls[frame.ID]
		if frame.Type != wire.TypePush {
			delete(l.calls, frame.ID)
		}
		l.mu.Unlock()
		if take != nil {
			take(frame)
		}
	}
}

// end closes the connection and waits for the engine's program.
func (l *daemonConn) end(why error) {
	l.mu.Lock()
	first := l.why == nil
	if first {
		l.why = why
	}
	l.mu.Unlock()
	l.pipe.Close(0, "")
	if !first {
		<-l.gone
		return
	}
	kill := time.AfterFunc(farewell, func() { _ = l.cmd.Process.Kill() }) // it may have ended
	_ = l.cmd.Wait()                                                      // its exit code does not matter: it is being given up
	kill.Stop()
	close(l.gone)
}

// open makes an id for a request that is then sent with tell. take gets its pushes and its end, in the goroutine that
// reads.
func (l *daemonConn) open(take answerer) (id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastID++
	l.calls[l.lastID] = take
	l.active = time.Now()
	return l.lastID
}

// sendFrame sends a request, or a frame about one that is running.
func (l *daemonConn) sendFrame(id uint64, f wire.Frame) error {
	f.ID = id
	if l.cmd != nil {
		late := time.AfterFunc(tellWait, func() { _ = l.cmd.Process.Kill() }) // a daemon that does not read is of no use
		defer late.Stop()
	}
	return l.pipe.Send(f)
}

// cancel gives a request up.
func (l *daemonConn) cancel(id uint64) error {
	if !l.forget(id) {
		return nil
	}
	return l.sendFrame(id, wire.Frame{Type: wire.TypeCancel})
}

func (l *daemonConn) forget(id uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.calls[id]
	delete(l.calls, id)
	return known
}

// quiet returns how long nothing passed and nothing was under way; zero while something is.
func (l *daemonConn) quiet() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.calls) > 0 {
		return 0
	}
	return time.Since(l.active)
}

// running asks how many commands run inside. It does not count as activity.
func (l *daemonConn) running(ctx context.Context) (int, error) {
	l.mu.Lock()
	active := l.active
	l.mu.Unlock()
	answer := make(chan wire.Frame, 1)
	id := l.open(func(f wire.Frame) { answer <- f })
	err := l.sendFrame(id, wire.Frame{Type: wire.Type(wire.OpStatus)})
	if err != nil {
		l.forget(id)
		return 0, err
	}
	limit := time.NewTimer(askWait)
	defer limit.Stop()
	select {
	case f := <-answer:
		var status wire.Status
		if f.Type != wire.TypeResult {
			return 0, fmt.Errorf("the runner in the container does not tell what runs: %s", f.Body)
		}
		if err := f.Decode(&status); err != nil {
			return 0, err
		}
		l.mu.Lock()
		if len(l.calls) == 0 && l.lastID == id {
			l.active = active
		}
		l.mu.Unlock()
		return status.Running, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-l.gone:
		err = l.why
	case <-limit.C:
		err = errors.New("the runner in the container does not answer")
	}
	l.forget(id)
	return 0, err
}

// tail passes a log on and keeps its end for errors.
type tail struct {
	next io.Writer
	mu   sync.Mutex
	text []byte
}

// Write never fails: a log that cannot be written is no reason to stop.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxSaid):]
	_, _ = t.next.Write(p) // see above
	return len(p), nil
}

// sentence returns the last line, for the end of an error.
func (t *tail) sentence() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.text), []byte("\n"))
	if last := strings.TrimSpace(string(lines[len(lines)-1])); last != "" {
		return " (" + last + ")"
	}
	return ""
}
