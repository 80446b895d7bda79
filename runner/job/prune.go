package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"xbot/runner/wire"
)

// How long the store remembers.
const (
	KeepEnded    = 7 * 24 * time.Hour  // a finished job that was not released, and a kill that came before its command
	KeepReleased = 30 * 24 * time.Hour // the note that an id was used
)

// Settle looks through the store after a start: jobs whose shim died while no daemon watched are declared lost and
// what they left running is killed. Running ones are left alone. It reports how many were lost.
func (s *Store) Settle() (lost int, err error) {
	names, err := s.jobNames()
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		wasLost, settleErr := s.settleOne(name)
		if wasLost {
			lost++
		}
		err = errors.Join(err, settleErr)
	}
	return lost, err
}

func (s *Store) settleOne(name string) (lost bool, err error) {
	e := s.enter(name)
	defer s.leave(name, e)
	if e.job != nil {
		return false, nil
	}
	phase, lock, err := look(s.jobDir(name))
	if err != nil || lock == nil {
		return false, err
	}
	defer lock.Close()
	if phase == stopped {
		lost = s.conclude(s.jobDir(name)).State == wire.StateLost
	}
	return lost, nil
}

// Running counts the jobs whose shim is there, watched or not.
func (s *Store) Running() (int, error) {
	names, err := s.jobNames()
	if err != nil {
		return 0, err
	}
	count := 0
	for _, name := range names {
		running, lookErr := s.runs(name)
		if running {
			count++
		}
		err = errors.Join(err, lookErr)
	}
	return count, err
}

func (s *Store) runs(name string) (bool, error) {
	e := s.enter(name)
	defer s.leave(name, e)
	if e.job != nil {
		return true, nil
	}
	phase, lock, err := look(s.jobDir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // forgotten in the meantime
	}
	if lock != nil {
		err = errors.Join(err, lock.Close())
	}
	return phase == running, err
}

// Prune removes what is older than KeepEnded and KeepReleased.
func (s *Store) Prune(now time.Time) error {
	names, err := s.jobNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		err = errors.Join(err, s.pruneOne(name, now.Add(-KeepEnded)))
	}
	return errors.Join(err, removeOlder(filepath.Join(s.dir, "released"), now.Add(-KeepReleased)))
}

func (s *Store) pruneOne(name string, cutoff time.Time) error {
	e := s.enter(name)
	defer s.leave(name, e)
	if e.job != nil || !s.endedBefore(name, cutoff) {
		return nil
	}
	return s.forget(name)
}

func (s *Store) jobNames() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "jobs"))
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}

// endedBefore takes the time of the status, or of the folder for a job that never started.
func (s *Store) endedBefore(name string, cutoff time.Time) bool {
	dir := s.jobDir(name)
	if info, err := os.Stat(filepath.Join(dir, StatusFile)); err == nil {
		return info.ModTime().Before(cutoff)
	}
	phase, lock, err := look(dir)
	if err != nil || lock == nil {
		return false // running, or it cannot be known
	}
	defer lock.Close()
	info, err := os.Stat(dir)
	return err == nil && (phase == fresh || phase == refused) && info.ModTime().Before(cutoff)
}

func removeOlder(dir string, cutoff time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if infoErr != nil || !info.ModTime().Before(cutoff) {
			continue // gone in the meantime, or young
		}
		err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
	}
	return err
}
