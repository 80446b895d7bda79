package job

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// sweepRounds bounds the hunt for processes that fork while they are being killed.
const sweepRounds = 20

// sweep kills every process that carries one of the markers in its environment, in any group or session, and reports how many it killed. The process
// is held by a descriptor while its environment is read, so that a reused id is not hit.
func sweep(markers ...string) int {
	killed := 0
	for range sweepRounds {
		found := 0
		for _, pid := range processes() {
			if killMarked(pid, markers) {
				found++
			}
		}
		if found == 0 {
			break
		}
		killed += found
	}
	return killed
}

func processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // no /proc: nothing can be known, so nothing is killed
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func killMarked(pid int, markers []string) bool {
	if !marked(pid, markers) {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false // gone, or a kernel before 5.3
	}
	defer unix.Close(fd)
	return marked(pid, markers) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}

// marked is false for zombies: they have no environment left.
func marked(pid int, markers []string) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false // another's process, or gone
	}
	for pair := range bytes.SplitSeq(env, []byte{0}) {
		if slices.Contains(markers, string(pair)) {
			return true
		}
	}
	return false
}
