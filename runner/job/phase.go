package job

import (
	"errors"
	"os"
	"path/filepath"

	"xbot/runner/wire"
)

// phase is how far a job has come, by the files in its folder.
type phase int

const (
	fresh   phase = iota // it never started
	refused              // it never started and never will: it was killed before
	running              // a shim holds the lock
	stopped              // it had started and no shim is there: status has its end, or it is lost
	ended                // there is a status
)

// look works out the phase by the rules of the package comment. Unless the job is running or ended, the caller now
// holds its lock and must close it.
func look(dir string) (phase, *os.File, error) {
	if Exists(dir, StatusFile) {
		return ended, nil, nil
	}
	lock, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, nil, err
	}
	got, err := TryLock(int(lock.Fd()))
	if err != nil || !got {
		return running, nil, errors.Join(err, lock.Close())
	}
	switch {
	case Exists(dir, StatusFile), Exists(dir, StartedFile):
		return stopped, lock, nil
	case Exists(dir, KillFile):
		return refused, lock, nil
	}
	return fresh, lock, nil
}

// conclude returns how a job ended that look found ended or stopped. One without a status, or with one that cannot be read, is lost: its processes
// are killed and the verdict is kept.
func (s *Store) conclude(dir string) Status {
	if status, err := ReadJSON[Status](dir, StatusFile); err == nil {
		return status
	}
	sweep(s.marker(dir))
	lost := Status{State: wire.StateLost}
	if started, err := ReadJSON[Started](dir, StartedFile); err == nil {
		lost.Started = started.At
	}
	if info, err := os.Stat(filepath.Join(dir, OutputFile)); err == nil {
		lost.Kept, lost.Total = info.Size(), info.Size()
	}
	_ = Replace(dir, StatusFile, lost) // on a full disk the same verdict is reached again next time
	return lost
}

// knownHash returns the hash of the command in the folder, "" if there is none.
func knownHash(dir string) string {
	if started, err := ReadJSON[Started](dir, StartedFile); err == nil {
		return started.Hash
	}
	if spec, err := ReadJSON[Spec](dir, CommandFile); err == nil {
		return spec.Hash
	}
	return ""
}

func sameCommand(known, asked string) error {
	if known == "" || known == asked {
		return nil
	}
	return wire.Errorf(wire.Conflict, "this id belongs to another command, which has been started: use a new id")
}
