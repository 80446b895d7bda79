package localstack

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// instanceLock keeps a second stack from the same home. The kernel frees it however its holder ends.
type instanceLock struct{ file *os.File }

// lock takes the home for this process.
func (h home) lock() (*instanceLock, error) {
	file, err := os.OpenFile(h.run("serve.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of %s: %w", h, err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = fmt.Errorf("xbot already runs on %s (pid %s); stop that one, or set XBOT_HOME to another folder", h, holder(file))
		} else {
			err = fmt.Errorf("lock %s: %w", h, err)
		}
		return nil, errors.Join(err, file.Close())
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("note the pid in the lock of %s: %w", h, err), file.Close())
	}
	return &instanceLock{file: file}, nil
}

// release gives the home free.
func (l *instanceLock) release() error { return l.file.Close() }

// holder reads the pid of the process that holds the lock.
func holder(file *os.File) string {
	text := make([]byte, 20)
	n, _ := file.ReadAt(text, 0) // a short read is the rule; an empty file is answered below
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		return pid
	}
	return "not yet known"
}
