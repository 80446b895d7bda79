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

	"xbot/internal/localstack/process"
)

// nobodysPID is above every pid that Linux (4194304) and macOS (99998) give out.
const nobodysPID = "999999999"

// Running returns the server that is running on this data, whoever started it, or nil when there is none.
//
// Without one it makes sure that a new server can start. Postgres guards its data with postmaster.pid: it refuses to
// start while the pid in there is alive, whatever that process is, and while processes of the old server use its
// shared memory. The first is wrong when the number now belongs to somebody else, so such a number is replaced by
// one that nobody has; the rest of the file, and with it the second guard, stays.
func (c Cluster) Running(ctx context.Context) (*process.Process, error) {
	pid, err := c.recordedPID()
	if err != nil {
		return nil, err
	}
	if pid > 0 && c.serves(pid) {
		// It may have ended, and its number gone on, between the look at it and the hold on it.
		if server, err := process.Adopt(pid); err == nil && c.serves(pid) {
			return server, nil
		}
	}
	if pid > 0 {
		if err := c.disown(pid); err != nil {
			return nil, err
		}
	}
	return nil, c.awaitOrphans(ctx)
}

// State is the server's own word on itself: starting, ready, stopping, standby; "" when it has not said yet.
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

// recordedPID reads the pid of the last server; 0 when there is none.
func (c Cluster) recordedPID() (int, error) {
	text, err := os.ReadFile(c.pidFile())
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

// disown replaces a pid that is no server's, if some process has it.
func (c Cluster) disown(pid int) error {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return nil
	}
	text, err := os.ReadFile(c.pidFile())
	if err != nil {
		return fmt.Errorf("read who served the Postgres data: %w", err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	// In place: the file keeps its owner and mode.
	if err := os.WriteFile(c.pidFile(), []byte(nobodysPID+"\n"+rest), 0o600); err != nil {
		return fmt.Errorf("mark %s as left behind: %w", c.pidFile(), err)
	}
	return nil
}

// awaitOrphans waits for the processes of a server whose first process was killed. They notice within milliseconds,
// unless in the middle of a statement; those are ended after a second, as the server itself would have done.
func (c Cluster) awaitOrphans(ctx context.Context) error {
	deadline := time.Now().Add(time.Second)
	for {
		orphans := c.orphans()
		if len(orphans) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			for _, pid := range orphans {
				// One that has just ended by itself is what is wanted.
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(readyPoll):
		}
	}
}
