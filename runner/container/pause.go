package container

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pauseVerb is the first argument of the program as the first process of a container.
const pauseVerb = "pause"

// endGrace is what running commands get to end when the container is stopped, below stopGrace.
const endGrace = 6 * time.Second

// IsPause reports whether the program was started for Pause.
func IsPause(args []string) bool { return len(args) == 2 && args[1] == pauseVerb }

// Pause is the first process of a container: it keeps the container up, takes in orphans, and ends it on a signal. Commands live under their shims,
// so the daemon may come and go. Running commands are ended first, by their shims, which note it.
func Pause() int {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD)
	var over <-chan time.Time // set once the end was asked for
	tick := time.NewTicker(50 * time.Millisecond)
	tick.Stop()
	for {
		select {
		case s := <-signals:
			if s != syscall.SIGCHLD && over == nil {
				over = time.After(endGrace)
				signalShims()
				tick.Reset(50 * time.Millisecond)
			}
		case <-tick.C:
		case <-over:
			return 0
		}
		reapAll()
		if over != nil && len(shims()) == 0 {
			return 0 // other processes end with the first one
		}
	}
}

func reapAll() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}

func signalShims() {
	for _, pid := range shims() {
		_ = unix.Kill(pid, unix.SIGTERM) // it may have just ended
	}
}

// shims finds the shims of commands by their command lines. A command may pretend to be one; that only delays the end.
func shims() []int {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil
	}
	var pids []int
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(line, []byte("xbot-runner\x00shim\x00"+InsideState)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
