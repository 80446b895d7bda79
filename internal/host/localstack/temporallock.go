package localstack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"xbot/internal/host/localstack/process"
)

// temporalFacts are what xbot-temporal writes into its lock file: its pid and label when it begins, its addresses
// when it is ready.
type temporalFacts struct {
	PID   int    `json:"pid"`
	Label string `json:"label"`
	GRPC  string `json:"grpc"`
}

func (h home) temporalLock() string { return h.run("temporal.lock") }

func (h home) temporalFacts() (temporalFacts, error) {
	var facts temporalFacts
	text, err := os.ReadFile(h.temporalLock())
	if err != nil {
		return facts, err
	}
	return facts, json.Unmarshal(text, &facts)
}

// runningTemporal returns the xbot-temporal that holds the lock, or nil without one. The lock is what makes the
// pid in the file trustworthy: it ends with the process.
func (h home) runningTemporal() (*process.Process, temporalFacts, error) {
	for range 100 {
		held, err := lockHeld(h.temporalLock())
		if err != nil || !held {
			return nil, temporalFacts{}, err
		}
		facts, err := h.temporalFacts()
		if err != nil || facts.PID <= 0 {
			time.Sleep(temporalReady) //nolint:forbidigo // another process is between two of its steps
			continue                  // between locking and writing
		}
		running, err := process.Adopt(facts.PID)
		if err != nil {
			time.Sleep(temporalReady) //nolint:forbidigo // another process is between two of its steps
			continue                  // it has just ended
		}
		// Held by the same process before and after: the pid is the holder's.
		held, err = lockHeld(h.temporalLock())
		again, factsErr := h.temporalFacts()
		if err == nil && factsErr == nil && held && again.PID == facts.PID {
			return running, again, nil
		}
	}
	return nil, temporalFacts{}, fmt.Errorf("somebody holds %s without saying who; stop the xbot-temporal of this home, or remove the file", h.temporalLock())
}

// lockHeld reports whether some process holds a lock on the file.
func lockHeld(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a running Temporal: %w", err)
	}
	defer file.Close()
	err = unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a running Temporal: %w", err)
	}
	return false, nil
}
