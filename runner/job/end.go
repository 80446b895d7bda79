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
	if s.wasReleased(name) {
		return nil
	}
	dir := s.jobDir(name)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return wire.Errorf(wire.Unavailable, "the kill could not be noted: %v", err)
	}
	if err := WriteOnce(dir, KillFile, true); err != nil && !errors.Is(err, fs.ErrExist) {
		return wire.Errorf(wire.Unavailable, "the kill could not be noted: %v", err)
	}
	return poke(dir)
}

// poke tells a shim, if there is one, to look for the kill file.
func poke(dir string) error {
	fd, err := unix.Open(filepath.Join(dir, controlFile), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENXIO) {
		return nil // no shim listens
	}
	if err != nil {
		return fmt.Errorf("reach the shim: %w", err)
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte{Happened})
	if err != nil && !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EPIPE) {
		return fmt.Errorf("reach the shim: %w", err)
	}
	return nil
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

// forget notes that the id was used before it removes the folder, so that a late attempt cannot start it again.
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
