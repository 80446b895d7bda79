package job

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"xbot/runner/wire"
)

// How often the lock of a shim that closed its events is tried until it is free.
const (
	settleFirst = time.Millisecond
	settleMost  = 100 * time.Millisecond
)

// errStoreClosed ends the wait of those who were attached.
var errStoreClosed = wire.Errorf(wire.Unavailable, "the runner is stopping; the command goes on")

// Job is a command as the daemon sees it: it may be watched by many at once.
type Job struct {
	dir    string
	hash   string
	since  time.Time // when the daemon began to watch
	events *os.File  // read end; nil once ended

	done chan struct{} // closed at the end

	mu      sync.Mutex
	changed chan struct{} // closed and renewed when something happened; closed permanently at the end
	ended   bool
	status  Status
	err     error
}

// endedJob returns a job that needs no watching.
func endedJob(dir string, status Status) *Job {
	j := &Job{dir: dir, changed: make(chan struct{}), done: make(chan struct{}), ended: true, status: status}
	close(j.changed)
	close(j.done)
	return j
}

// watch follows a running job through its events until its end.
func (s *Store) watch(e *entry, dir, hash string, events *os.File) *Job {
	j := &Job{dir: dir, hash: hash, since: time.Now(), events: events, changed: make(chan struct{}), done: make(chan struct{})}
	s.setJob(e, j)
	s.watches.Go(func() { s.follow(filepath.Base(dir), j) })
	return j
}

// follow runs until the shim is gone or the store is closed.
func (s *Store) follow(name string, j *Job) {
	refusal, err := j.readEvents()
	if !errors.Is(err, io.EOF) {
		j.finish(Status{}, errStoreClosed)
		return
	}
	if err := j.events.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		refusal = strings.TrimSpace(refusal + " " + err.Error())
	}
	status, err := s.settle(j.dir, refusal)
	e := s.enter(name)
	if e.job == j {
		s.setJob(e, nil)
	}
	s.leave(name, e)
	j.finish(status, err)
}

// readEvents wakes the waiters at every event, and returns the shim's message if it refused to start.
func (j *Job) readEvents() (refusal string, err error) {
	buf := make([]byte, 4096)
	var said []byte
	for {
		n, err := j.events.Read(buf)
		if i := bytes.IndexByte(buf[:n], Refused); len(said) == 0 && i >= 0 {
			said = append(said, buf[i:n]...)
		} else if len(said) > 0 {
			said = append(said, buf[:n]...)
		}
		if n > 0 {
			j.wake()
		}
		if err != nil {
			return strings.TrimPrefix(string(said), string(rune(Refused))), err
		}
	}
}

// settle finds out how a job ended whose shim closed its events. The shim may need a moment to let go of the lock.
func (s *Store) settle(dir, refusal string) (Status, error) {
	for wait := settleFirst; ; wait = min(2*wait, settleMost) {
		phase, lock, err := look(dir)
		if err != nil {
			return Status{}, wire.Errorf(wire.Unavailable, "the end of the command cannot be read: %v", err)
		}
		switch phase {
		case ended:
			return s.conclude(dir), nil
		case running:
			select {
			case <-time.After(wait):
				continue
			case <-s.quit:
				return Status{}, errStoreClosed
			}
		}
		status, err := s.verdict(dir, phase, refusal)
		return status, errors.Join(err, lock.Close())
	}
}

// verdict judges a job whose lock we hold.
func (s *Store) verdict(dir string, phase phase, refusal string) (Status, error) {
	switch phase {
	case stopped:
		return s.conclude(dir), nil
	case refused:
		return Status{State: wire.StateKilled}, nil
	}
	if refusal == "" {
		refusal = "its shim ended before the start"
	}
	return Status{}, notStarted(errors.New(refusal))
}

func (j *Job) wake() {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *Job) finish(status Status, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended, j.status, j.err = true, status, err
	close(j.changed)
	close(j.done)
}

// stopWatching ends follow; the command continues.
func (j *Job) stopWatching() {
	_ = j.events.Close() // only fails if follow has closed it already
}

// Changed returns a channel that is closed when output was written or the job ended. Take it before looking at the
// output, so that nothing falls between.
func (j *Job) Changed() <-chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.changed
}

// Done returns a channel that is closed when the job has ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// End returns how the job ended; done is false while it runs. An error means that nothing is known about the end:
// the command was not started, or the store is closing.
func (j *Job) End() (status Status, done bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.status, j.ended, j.err
}

// Started returns when the command was started, or when this daemon began to watch it if its shim has not recorded it yet.
func (j *Job) Started() time.Time {
	if started, err := ReadJSON[Started](j.dir, StartedFile); err == nil {
		return started.At
	}
	return j.since
}

// Written returns how many bytes of output are kept so far.
func (j *Job) Written() (int64, error) {
	path := filepath.Join(j.dir, OutputFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrPermission) {
		ReclaimAround(j.dir)
		info, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// OpenOutput opens what the command wrote so far; nil if there is nothing.
func (j *Job) OpenOutput() (*os.File, error) { return openOutput(j.dir) }

func openOutput(dir string) (*os.File, error) {
	ReclaimAround(dir)
	f, err := os.Open(filepath.Join(dir, OutputFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// OpenOutput opens what the command with this id wrote so far; nil if there is nothing yet. NotFound means that the
// store does not know the command, or has forgotten it.
func (s *Store) OpenOutput(id string) (*os.File, error) {
	name := folderName(id)
	e := s.enter(name)
	defer s.leave(name, e)
	dir := s.jobDir(name)
	if s.wasReleased(name) || !Exists(filepath.Dir(dir), name) {
		return nil, wire.Errorf(wire.NotFound, "this runner has no output of the command: it never ran here, or it was forgotten")
	}
	f, err := openOutput(dir)
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the output cannot be read: %v", err)
	}
	return f, nil
}
