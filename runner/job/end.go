package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Kill ends a command. The request is kept in the job's folder, so it counts even if the shim is only starting or the
// daemon dies; a command that never started never will.
func (s *Store) Kill(id string) error {
	name := folderName(id)
	e := s.enter(name)
	defer s.leave(name, e)
	Reclaim(s.dir)
	if s.wasReleased(name) {
		return nil
	}
	dir := s.jobDir(name)
	err := os.Mkdir(dir, 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = WriteOnce(dir, KillFile, true)
	}
	told, pokeErr := poke(dir, Happened)
	if errors.Is(err, fs.ErrExist) {
		err = nil // noted before
	}
	if told || (err == nil && pokeErr == nil) {
		return nil
	}
	return wire.Errorf(wire.Unavailable, "the kill could not be noted: %v", errors.Join(err, pokeErr))
}

// poke signals a shim, if there is one, to end its command, or that there is input; told is false if none listens.
func poke(dir string, what byte) (told bool, err error) {
	fd, err := unix.Open(filepath.Join(dir, controlFile), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENXIO) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reach the shim: %w", err)
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte{what})
	switch {
	case err == nil, errors.Is(err, unix.EAGAIN): // a full FIFO suffices: the shim looks at the folder
		return true, nil
	case errors.Is(err, unix.EPIPE):
		return false, nil
	}
	return false, fmt.Errorf("reach the shim: %w", err)
}

// Release forgets a command whose result is recorded elsewhere. A running one is a Conflict.
func (s *Store) Release(id string) error {
	name := folderName(id)
	e := s.enter(name)
	defer s.leave(name, e)
	if dir := s.jobDir(name); Exists(filepath.Dir(dir), name) {
		phase, lock, err := look(dir)
		if err != nil {
			return wire.Errorf(wire.Unavailable, "the job cannot be looked at: %v", err)
		}
		if lock != nil {
			defer lock.Close()
		}
		if phase == running {
			return wire.Errorf(wire.Conflict, "the command still runs: kill it or wait for its end before releasing it")
		}
	}
	return s.forget(name)
}

// forget records that the id was used before it removes the folder, so that a late attempt cannot start it again.
func (s *Store) forget(name string) error {
	f, err := os.OpenFile(filepath.Join(s.dir, "released", name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return wire.Errorf(wire.Unavailable, "the release could not be noted: %v", err)
	}
	if err := errors.Join(f.Close(), os.RemoveAll(s.jobDir(name))); err != nil {
		return wire.Errorf(wire.Unavailable, "the job folder could not be removed: %v", err)
	}
	return nil
}

func (s *Store) wasReleased(name string) bool {
	return Exists(filepath.Join(s.dir, "released"), name)
}
