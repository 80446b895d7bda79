package crash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// keptDumps is how many crash outputs are kept for operators.
	keptDumps = 5
	dumpName  = "crash-%s-%d.txt"
	// maxDump bounds each crash output, in bytes.
	maxDump = 1 << 20
	// orphanAge is the age at which files without a journal are removed: their process died while it created or counted its journal.
	orphanAge = time.Hour
	// beganLast bounds how long before the newest attempt of a process an attempt may have begun to be blamed for its crash.
	beganLast = time.Minute
)

// Death is the end of a worker process that did not shut down regularly.
type Death struct {
	Process int
	Cause   string
	Crashed bool // by a fault or for lack of memory; false: killed from outside
	Journal string
	Blamed  []Attempt // may have crashed it
	Beside  []Attempt // ran at the same time but are not blamed
}

// death returns the end of the process of a journal; nil if it shut down regularly. A process that died while a suspect ran alone counts as crashed
// by it, even if the cause is unknown.
func death(h header, running []Attempt, cause string) *Death {
	if cause == stopped {
		return nil
	}
	alone := (h.Boot == "" || h.Boot == bootID()) && slices.ContainsFunc(running, func(a Attempt) bool { return a.Alone })
	d := &Death{Process: h.Process, Cause: cause, Crashed: cause != killed || alone, Beside: running}
	if d.Crashed {
		d.Blamed, d.Beside = blamed(running)
	}
	return d
}

// blamed divides the attempts of a process into those that may have crashed it and the others. If a suspect ran alone, it blames recent suspects,
// else recent attempts. It never blames long-running calls, or calls that follow a command.
func blamed(running []Attempt) (blamed, beside []Attempt) {
	alone := slices.ContainsFunc(running, func(a Attempt) bool { return a.Alone })
	var newest time.Time
	for _, a := range running {
		if !a.Follows && a.Began.After(newest) {
			newest = a.Began
		}
	}
	for _, a := range running {
		switch {
		case a.Follows, newest.Sub(a.Began) > beganLast, alone && !a.Suspect:
			beside = append(beside, a)
		default:
			blamed = append(blamed, a)
		}
	}
	for i := range blamed {
		blamed[i].Alone = alone && len(blamed) == 1
	}
	return blamed, beside
}

// Recover counts the attempts of dead processes, and removes their journals. It skips journals of running processes. After an error no call may be
// retried before Recover succeeds.
func Recover(ctx context.Context, home, version string, counts Counts) ([]Death, error) {
	dir := Folder(home)
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the journals of running attempts: %w", err)
	}
	var deaths []Death
	for _, name := range names {
		base, ok := strings.CutSuffix(filepath.Join(dir, name.Name()), journalEnding)
		if !ok {
			removeOrphan(dir, name)
			continue
		}
		d, err := recoverOne(ctx, base, version, counts)
		if err != nil {
			return deaths, err
		}
		if d != nil {
			deaths = append(deaths, *d)
		}
	}
	return deaths, keepNewest(dir)
}

// removeOrphan removes a file that a dead process left without a journal.
func removeOrphan(dir string, file fs.DirEntry) {
	ending := filepath.Ext(file.Name())
	about, err := file.Info()
	if err != nil || ending != newEnding && ending != outputEnding || time.Since(about.ModTime()) < orphanAge {
		return
	}
	path := filepath.Join(dir, file.Name())
	if _, err := os.Stat(strings.TrimSuffix(path, ending) + journalEnding); errors.Is(err, fs.ErrNotExist) {
		_ = os.Remove(path) // the next start tries again
	}
}

// recoverOne counts the attempts of one journal; nil if its process runs or shut down regularly.
func recoverOne(ctx context.Context, base, version string, counts Counts) (*Death, error) {
	file, err := os.OpenFile(base+journalEnding, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // another process was faster
	}
	if err != nil {
		return nil, nil //nolint:nilerr // of another user, whose own processes count it
	}
	defer file.Close() // read only, and gives the lock back
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, nil // its process runs, or another one counts it
	}
	if _, err := os.Stat(base + journalEnding); err != nil {
		return nil, nil // another process has counted it
	}
	h, running, err := read(file)
	if err != nil {
		return nil, errors.Join(removed(base), os.Remove(base+journalEnding))
	}
	d := death(h, running, cause(h, base))
	if d != nil {
		d.Journal = filepath.Base(base)
	}
	if d != nil && h.Version == version { // another version may have fixed the fault
		if err := counts.CountCrash(ctx, version, *d); err != nil {
			return nil, err
		}
	}
	if d != nil && d.Crashed {
		keepOutput(base, h.Process)
	}
	return d, errors.Join(removed(base), os.Remove(base+journalEnding))
}

// keepOutput keeps the beginning of a crash output for operators. The crash counts without it, too.
func keepOutput(base string, process int) {
	dump := filepath.Join(filepath.Dir(base), fmt.Sprintf(dumpName, time.Now().UTC().Format("20060102T150405"), process))
	if os.Rename(base+outputEnding, dump) != nil {
		return
	}
	if about, err := os.Stat(dump); err == nil && about.Size() > maxDump {
		_ = os.Truncate(dump, maxDump)
	}
}

// cause is causeOf with the output of the crash, if there is one.
func cause(h header, base string) string {
	output, err := os.Open(base + outputEnding)
	if err != nil {
		return causeOf(h, strings.NewReader(""))
	}
	defer output.Close() // read only
	return causeOf(h, output)
}

func removed(base string) error {
	if err := os.Remove(base + outputEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// keepNewest removes all but the newest outputs of crashes.
func keepNewest(dir string) error {
	dumps, err := filepath.Glob(filepath.Join(dir, "crash-*.txt"))
	if err != nil {
		return err
	}
	slices.Sort(dumps) // by time
	for _, old := range dumps[:max(0, len(dumps)-keptDumps)] {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
