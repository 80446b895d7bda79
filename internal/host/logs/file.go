// Package logs keeps what the processes of an installation log for administrators to look at: JSON lines in files that are
// bounded, a set for each process that uses the data folder, and a reader of them. It does not change what is logged elsewhere.
package logs

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/DeRuina/timberjack"
	"golang.org/x/sys/unix"

	"xbot/internal/fault"
)

// Bounds of the files of one process.
const (
	fileMB   = 10 // of a file
	oldFiles = 4  // in addition to the one that is written
	maxDays  = 30 // of an old file
)

// extension ends the names of files: serve.jsonl, and serve-2026-11-22T05-00-00.000-size.jsonl for an old one.
const extension = ".jsonl"

// maxProcesses is how many processes of one kind may use a data folder at once.
const maxProcesses = 32

// File is the log of a process.
type File struct {
	io.Writer

	rotated *timberjack.Logger
	lock    *os.File
}

// Open opens the log of a process, such as worker, below a data folder. A second one of the kind has separate files, worker-2.
func Open(home, process string) (*File, error) {
	folder := Folder(home)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.Errorf(fault.Invalid, "the log folder cannot be made: %w", err)
	}
	for n := 1; n <= maxProcesses; n++ {
		name := process
		if n > 1 {
			name = fmt.Sprintf("%s-%d", process, n)
		}
		lock, err := taken(filepath.Join(folder, "."+name+".lock"))
		if errors.Is(err, unix.EWOULDBLOCK) {
			continue
		}
		if err != nil {
			return nil, fault.Errorf(fault.Invalid, "the log cannot be locked: %w", err)
		}
		if err := adopt(folder, name); err != nil {
			return nil, fault.Errorf(fault.Invalid, "old logs cannot be renamed: %w", errors.Join(err, lock.Close()))
		}
		rotated := &timberjack.Logger{
			Filename: filepath.Join(folder, name+extension), FileMode: 0o600, MaxSize: fileMB, MaxBackups: oldFiles, MaxAge: maxDays,
		}
		return &File{Writer: rotated, rotated: rotated, lock: lock}, nil
	}
	return nil, fault.Errorf(fault.Invalid, "%d processes %s use the data folder %s already", maxProcesses, process, home)
}

// Folder returns the folder of the log files.
func Folder(home string) string { return filepath.Join(home, "logs") }

// taken locks a file for as long as it is open; the end of the process unlocks it.
func taken(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// adopt gives old files of an earlier version, whose names do not say why they were ended, the names by which they are removed.
func adopt(folder, process string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), extension)
		at, old := strings.CutPrefix(name, process+"-")
		if _, err := time.Parse(rotatedForm, at); !ok || !old || err != nil {
			continue
		}
		if err := os.Rename(filepath.Join(folder, e.Name()), filepath.Join(folder, name+"-size"+extension)); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the log.
func (f *File) Close() error { return errors.Join(f.rotated.Close(), f.lock.Close()) }

// Also returns a handler that logs to another one and, as JSON, to the file.
func (f *File) Also(to slog.Handler, level slog.Leveler) slog.Handler {
	return slog.NewMultiHandler(to, slog.NewJSONHandler(f, &slog.HandlerOptions{Level: level}))
}
