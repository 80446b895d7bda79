package shim

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"xbot/runner/confine"
)

// judgeFor decides which processes the command of this process may reach, out of a store's jobs folder: the processes below this one, and with
// signals those of the store's other commands, so that one command can end what another left running. Neither this process nor any other shim is
// among them. The policy lets the command reach its own processes only, so signals to those of others are sent here.
func judgeFor(jobs string) confine.Judge {
	return func(r confine.Request) (bool, error) {
		switch {
		case r.Target < -1:
			return judgeGroup(jobs, r)
		case isBelow(r.Target, func(pid int) bool { return pid == os.Getpid() }):
			return true, nil
		case unix.Kill(r.Target, 0) == unix.ESRCH:
			return false, unix.ESRCH
		case r.Signal < 0:
			return false, unix.EPERM
		}
		return false, pass(jobs, r, r.Target)
	}
}

// judgeGroup leaves a group of this command's to the kernel. The processes of another one's get the signal one by one.
func judgeGroup(jobs string, r confine.Request) (bool, error) {
	members := groupMembers(-r.Target)
	if len(members) == 0 {
		return false, unix.ESRCH
	}
	others := slices.DeleteFunc(members, func(pid int) bool {
		return isBelow(pid, func(above int) bool { return above == os.Getpid() }) || parentOf(pid) == gone
	})
	if len(others) == 0 {
		return true, nil
	}
	if r.Signal < 0 {
		return false, unix.EPERM
	}
	err := error(unix.EPERM)
	for _, pid := range others {
		if pass(jobs, r, pid) == nil {
			err = nil
		}
	}
	return false, err
}

// pass sends a signal to a process of another command, but to none that is still building its sandbox. It is held by a descriptor in the meantime, so that
// a reused number is not hit.
func pass(jobs string, r confine.Request, pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return unix.EPERM // a thread, or gone
	}
	defer unix.Close(fd)
	isShim := func(above int) bool { return isShimOf(jobs, above) }
	if !isBelow(pid, isShim) || isShim(pid) || confine.IsVerb(arguments(pid)) || !mayAct(r.From, pid) || !r.Still() {
		return unix.EPERM
	}
	return unix.PidfdSendSignal(fd, r.Signal, nil, 0)
}

// maxWalks is how often isBelow starts again.
const maxWalks = 100

// isBelow reports whether a process, or a thread of one, descends from one that is meant. If an ancestor ends during the walk, its children have
// another parent, and the walk starts again: a signal to a group ends members one after the other while their ancestors are looked up. It is
// false for a process whose ancestors end in every walk.
func isBelow(pid int, meant func(pid int) bool) bool {
	for range maxWalks {
		if found, complete := walkUp(pid, meant); complete {
			return found
		}
	}
	return false
}

// walkUp looks for an ancestor that is meant. The walk is not complete if an ancestor ended in the meantime.
func walkUp(pid int, meant func(pid int) bool) (found, complete bool) {
	for above := parentOf(pid); above > 1; {
		if meant(above) {
			return true, true
		}
		if above = parentOf(above); above == gone {
			return false, false
		}
	}
	return false, true
}

// isShimOf reports whether a process is the shim of a job in a folder. A command can make a process look like one: what
// it starts from there is below the command all the same.
func isShimOf(jobs string, pid int) bool {
	argv := arguments(pid)
	return len(argv) == 3 && argv[1] == "shim" && filepath.Dir(argv[2]) == jobs
}

func arguments(pid int) []string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
}

// mayAct applies the kernel's rule to who calls, since this process, which acts, may be root and the caller not.
func mayAct(from, pid int) bool {
	caller, callerErr := users(from)
	target, targetErr := users(pid)
	if err := errors.Join(callerErr, targetErr); err != nil {
		return false
	}
	const effective, saved = 1, 2
	return caller[effective] == 0 || slices.Contains([]int{target[0], target[saved]}, caller[0]) || slices.Contains([]int{target[0], target[saved]}, caller[effective])
}

// users returns the real, the effective and the saved user of a process or thread.
func users(pid int) (ids [3]int, err error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return ids, err
	}
	_, rest, _ := bytes.Cut(data, []byte("\nUid:"))
	fields := bytes.Fields(rest)
	if len(fields) < len(ids) {
		return ids, errors.New("it has no users")
	}
	for i := range ids {
		if ids[i], err = strconv.Atoi(string(fields[i])); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// groupMembers returns the processes of a group.
func groupMembers(group int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && statField(pid, groupField) == group {
			found = append(found, pid)
		}
	}
	return found
}
