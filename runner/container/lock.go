package container

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"xbot/runner/job"
)

// How long a relay waits for the lock: a child of a killed one may hold it between its fork and its execution.
const (
	lockWait = time.Second
	lockLook = 20 * time.Millisecond
)

// lockState takes the state folder for this relay; it returns job.ErrInUse if another one has it.
func lockState(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "relay.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the state folder: %w", err)
	}
	for deadline := time.Now().Add(lockWait); ; {
		got, err := job.TryLock(int(file.Fd()))
		if err == nil && got {
			return func() { _ = file.Close() }, nil // nothing was written
		}
		if err == nil && time.Now().After(deadline) {
			err = job.ErrInUse
		}
		if err != nil {
			_ = file.Close() // see above
			return nil, err
		}
		<-time.After(lockLook)
	}
}
