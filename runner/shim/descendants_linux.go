package shim

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// signalDescendants signals every process below the shim. Each is held by a descriptor and looked at a second time, so
// that a reused id is not hit.
func signalDescendants(sig unix.Signal) {
	held := map[int]int{} // pid → descriptor
	for pid := range descendants(os.Getpid()) {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			held[pid] = fd
		}
	}
	still := descendants(os.Getpid())
	for pid, fd := range held {
		if still[pid] {
			_ = unix.PidfdSendSignal(fd, sig, nil, 0) // it may be gone
		}
		_ = unix.Close(fd) // nothing was written
	}
}

// descendants returns the processes below root, without root.
func descendants(root int) map[int]bool {
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil // no /proc: only the process group can be reached
	}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			parents[pid] = parentOf(pid)
		}
	}
	found := map[int]bool{}
	for pid := range parents {
		for p := parents[pid]; p > 1; p = parents[p] {
			if p == root {
				found[pid] = true
				break
			}
		}
	}
	return found
}

// Places in /proc/<pid>/stat behind the name.
const (
	parentField = 1
	groupField  = 2
)

// gone is the parent of a process that has ended. 0 is the parent of a process whose parent is outside this PID namespace, or which cannot
// be read: checks of ancestors fail for it.
const gone = -1

// parentOf returns the process id of the parent, or gone.
func parentOf(pid int) int { return statField(pid, parentField) }

// statField reads a number of /proc/<pid>/stat; its second field, the name, may contain anything.
func statField(pid, field int) int {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return gone
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if err != nil || len(fields) <= field {
		return 0
	}
	n, err := strconv.Atoi(string(fields[field]))
	if err != nil {
		return 0
	}
	return n
}
