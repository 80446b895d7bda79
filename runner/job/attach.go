package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Attach finds the command with this id or starts it. The same id with another command is a Conflict once it has been
// started. A command that was released or pruned is lost: it is never started again. Unavailable means that nothing
// was executed. The store fills in the spec's Store, Boot and marker variable.
func (s *Store) Attach(spec Spec) (*Job, error) {
	name := folderName(spec.ID)
	e := s.enter(name)
	defer s.leave(name, e)
	if e.job != nil {
		return e.job, sameCommand(e.job.hash, spec.Hash)
	}
	dir := s.jobDir(name)
	Reclaim(s.dir) // before it is asked what was released
	if s.wasReleased(name) {
		return endedJob(dir, Status{State: wire.StateLost}), nil
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, notStarted(err)
	}
	phase, lock, err := look(dir)
	if err != nil {
		return nil, notStarted(err)
	}
	if lock != nil {
		defer lock.Close()
	}
	if phase != fresh && phase != refused {
		if err := sameCommand(knownHash(dir), spec.Hash); err != nil {
			return nil, err
		}
	}
	switch phase {
	case ended, stopped:
		return endedJob(dir, s.conclude(dir)), nil
	case refused:
		return endedJob(dir, Status{State: wire.StateKilled}), nil
	case running:
		return s.adopt(e, dir)
	}
	if spec.Unfit != nil {
		return nil, spec.Unfit
	}
	events, err := s.start(dir, spec, lock)
	if err != nil {
		return nil, notStarted(err)
	}
	return s.watch(e, dir, spec.Hash, events), nil
}

// adopt watches a command that an earlier daemon started.
func (s *Store) adopt(e *entry, dir string) (*Job, error) {
	events, err := openEvents(dir)
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the running command cannot be watched: %v", err)
	}
	return s.watch(e, dir, knownHash(dir), events), nil
}

// openEvents opens the daemon's end. Without a shim it opens as well and is at its end at once.
func openEvents(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, eventsFile), os.O_RDONLY|unix.O_NONBLOCK, 0)
}

func notStarted(err error) error {
	return wire.Errorf(wire.Unavailable, "the command was not started: %v", err)
}

// start starts the shim of a fresh job and returns the daemon's end of its events. The shim inherits the lock with its open
// file, so the lock is never released in between. The program of the shim starts while the daemon makes the files of the job.
func (s *Store) start(dir string, spec Spec, lock *os.File) (events *os.File, err error) {
	socket, err := newFDSocket()
	if err != nil {
		return nil, err
	}
	defer socket.close()
	shim, err := s.spawn(dir, lock, socket)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.reaper.end(shim) // and with it the lock is free for another attempt
		}
	}()
	spec.Store, spec.Boot, spec.Sealed = s.id, s.boot, len(spec.Secrets)
	spec.Env = append(slices.DeleteFunc(slices.Clone(spec.Env), func(pair string) bool {
		return strings.HasPrefix(pair, markerName+"=")
	}), s.marker(dir))
	data, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encode the command: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, CommandFile), data, 0o600); err != nil {
		return nil, err
	}
	shimEvents, err := makeFIFO(dir, eventsFile, unix.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	defer unix.Close(shimEvents)
	control, err := makeFIFO(dir, controlFile, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(control)
	if events, err = openEvents(dir); err != nil { // before the shim can say something and leave
		return nil, err
	}
	if err := sendDescriptors(socket, spec.Secrets, shimEvents, control); err != nil {
		return nil, errors.Join(err, events.Close())
	}
	return events, nil
}

// sendDescriptors sends a shim its descriptors, and the secrets of its command over the last of them.
func sendDescriptors(socket fdSocket, secrets []wire.Secret, own ...int) error {
	if len(secrets) == 0 {
		return socket.send(own...)
	}
	over, err := openHandover()
	if err != nil {
		return err
	}
	defer over.close()
	if err := socket.send(append(own, int(over.read.Fd()))...); err != nil {
		return err
	}
	over.give(secrets)
	return nil
}

// spawn starts a shim with the lock of its job.
func (s *Store) spawn(dir string, lock *os.File, socket fdSocket) (pid int, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	files := slices.Repeat([]uintptr{null.Fd()}, SecretFD+1) // also where those that come later belong, so that nothing else gets their numbers
	files[LockFD], files[SocketFD] = lock.Fd(), uintptr(socket.shim)
	return s.reaper.start(s.self, []string{"xbot-runner", "shim", dir}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   []string{"PATH=/usr/bin:/bin", "GOMAXPROCS=1"}, // it waits more than it works, and starts sooner with fewer threads
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
}

// makeFIFO makes a FIFO and opens both its ends in one descriptor, so that neither process sees the other's absence
// as an error. What an earlier, failed start left is replaced: the job's lock is held.
func makeFIFO(dir, name string, flags int) (int, error) {
	path := filepath.Join(dir, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return 0, fmt.Errorf("make %s: %w", name, err)
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", name, err)
	}
	return fd, nil
}
