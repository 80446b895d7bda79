package pgserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"xbot/internal/host/localstack/process"
)

// nobodysPID is above every pid that Linux (4194304) and macOS (99998) give out.
const nobodysPID = "999999999"

// Running returns the server that is running on this data, no matter who started it, or nil when there is none.
//
// Without one it makes sure that a new server can start. Postgres guards data and socket with a lock file each: it
// refuses to start while the pid in one is that of any living process, and while processes of the old server
// use its shared memory. The first is wrong when the number now belongs to another process, or to a dead process that
// its parent has not cleared away. Such a number is replaced by an unused one; the rest of the file, and with
// it the second guard, stays.
func (c Cluster) Running(ctx context.Context) (*process.Process, error) {
	deadline := time.Now().Add(orphanPatience)
	for {
		pid, err := recordedPID(c.pidFile())
		if err != nil {
			return nil, err
		}
		if pid > 0 && c.serves(pid) {
			// It may have ended, and its number gone on, between the look at it and the hold on it.
			if server, err := process.Adopt(pid); err == nil && c.serves(pid) {
				return server, nil
			}
		}
		orphans := c.orphans()
		if len(orphans) == 0 {
			return nil, errors.Join(disown(c.pidFile()), disown(c.socketLock()))
		}
		if time.Now().After(deadline) {
			for _, orphan := range orphans {
				// One that has just exited is what is wanted.
				_ = syscall.Kill(orphan, syscall.SIGKILL)
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(readyPoll):
		}
	}
}

// orphanPatience is how long processes on the data without a recorded server are given. A server that is just
// starting records itself, and the processes of one that was killed notice, both within milliseconds; only one in
// the middle of a statement continues, and is then ended as its server would have done.
const orphanPatience = time.Second

// State returns the state that the server reports: starting, ready, stopping, standby; "" without a report yet.
func (c Cluster) State() string {
	text, err := os.ReadFile(c.pidFile())
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 8 {
		return ""
	}
	return strings.TrimSpace(lines[7])
}

func (c Cluster) pidFile() string { return filepath.Join(c.Data, "postmaster.pid") }

func (c Cluster) socketLock() string { return filepath.Join(c.Socket, socketName+".lock") }

// recordedPID reads the pid in a lock file; 0 when there is none.
func recordedPID(file string) (int, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read who serves the Postgres data: %w", err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil || pid <= 0 {
		return 0, nil // torn while being written; Postgres itself removes an empty one
	}
	return pid, nil
}

// disown replaces the pid in a lock file that no server holds, if some process has it.
func disown(file string) error {
	pid, err := recordedPID(file)
	if err != nil || pid == 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read who served the Postgres data: %w", err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	// In place: the file keeps its owner and mode.
	if err := os.WriteFile(file, []byte(nobodysPID+"\n"+rest), 0o600); err != nil {
		return fmt.Errorf("mark %s as left behind: %w", file, err)
	}
	return nil
}
