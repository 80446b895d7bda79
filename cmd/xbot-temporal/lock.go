package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockWait is how long a new server waits for one that is still stopping.
const lockWait = shutdownLimit + time.Second

// lockFile is held locked for the life of the process. The kernel frees the lock however the process ends, so who
// finds it held knows that the pid in it is alive and is the holder's.
type lockFile struct {
	file  *os.File
	facts lockFacts
}

// lockFacts are the file's content, one JSON object. The addresses appear once the server is ready.
type lockFacts struct {
	PID   int    `json:"pid"`
	Label string `json:"label,omitempty"`
	*endpoints
}

// acquireLock locks path and notes the pid; with an empty path there is nothing to lock and the result is nil.
func acquireLock(ctx context.Context, path, label string) (*lockFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open --lock-file: %w", err)
	}
	if err := lockWithin(ctx, file, lockWait); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l := &lockFile{file: file, facts: lockFacts{PID: os.Getpid(), Label: label}}
	if err := l.write(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func lockWithin(ctx context.Context, file *os.File, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return fmt.Errorf("lock %s: %w", file.Name(), err)
		}
		if time.Now().After(deadline) {
			var holder lockFacts
			// Best effort: the holder may be between locking and writing.
			_ = json.NewDecoder(file).Decode(&holder)
			return fmt.Errorf("another xbot-temporal (pid %d) holds %s; stop it first", holder.PID, file.Name())
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ready adds the addresses.
func (l *lockFile) ready(e endpoints) error {
	if l == nil {
		return nil
	}
	l.facts.endpoints = &e
	return l.write()
}

// write replaces the content in place: a new file would not carry the lock. Readers take an incomplete object, or
// one without addresses, as "not ready".
func (l *lockFile) write() error {
	text, err := json.Marshal(l.facts)
	if err != nil {
		return fmt.Errorf("encode the lock file: %w", err)
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write the lock file: %w", err)
	}
	if _, err := l.file.WriteAt(append(text, '\n'), 0); err != nil {
		return fmt.Errorf("write the lock file: %w", err)
	}
	return nil
}

// release empties the file and frees the lock.
func (l *lockFile) release() {
	if l == nil {
		return
	}
	// Leftover text misleads no reader, since it counts only while the lock is held.
	_ = l.file.Truncate(0)
	_ = l.file.Close()
}
