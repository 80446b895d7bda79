package shim

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/confine"
	"xbot/runner/job"
)

// processTree is the command's shell and everything that came from it. The shim is the reaper of orphans below it, so
// descendants stay descendants even if they leave the process group and the session.
type processTree struct {
	leader int
	exited chan unix.WaitStatus // receives once, when the shell ended
	gone   chan struct{}        // closed when no descendant is left

	mu     sync.Mutex // held while a child is reaped and while the group is signalled: its id cannot be reused in the meantime
	reaped bool       // the leader
}

// adoptOrphans makes the shim the parent of descendants whose own parent dies.
func adoptOrphans() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// startProcessTree records the start of the command and executes it in a new process group. The kernel kills its shell when this process ends.
func startProcessTree(spec job.Spec, s streams, judge confine.Judge, record confine.Record) (*processTree, error) {
	ends := make(chan os.Signal, 1) // one signal is enough: it has all children looked at
	signal.Notify(ends, unix.SIGCHLD)
	pid, err := confine.Start(confine.Method(spec.Confine), confine.Command{
		Text: spec.Command, Dir: spec.Dir, Env: spec.Env, Policy: spec.Policy,
		Input: s.in.Fd(), Output: s.out.Fd(), Errors: s.err.Fd(), Judge: judge, Record: record,
	})
	if err != nil {
		return nil, err
	}
	// The data of this process stay out of the command's reach even if all else fails. It cannot be done before: the process that builds the sandbox
	// in a user namespace needs its parent to be dumpable.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		_ = unix.Kill(pid, unix.SIGKILL)    // nothing is to run unguarded
		_, _ = unix.Wait4(pid, nil, 0, nil) // its end is of no interest
		return nil, os.NewSyscallError("prctl", err)
	}
	f := &processTree{leader: pid, exited: make(chan unix.WaitStatus, 1), gone: make(chan struct{})}
	go f.reap(ends)
	return f, nil
}

// reap takes the exit status of every child until there is none. It waits for signals, not in the kernel, as serve in confine does.
func (f *processTree) reap(ends <-chan os.Signal) {
	defer close(f.gone)
	for f.reapEnded() {
		<-ends
	}
}

// reapEnded takes the exit status of the children that have ended. It returns false if there are no more.
func (f *processTree) reapEnded() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false // ECHILD: no process is left
		case pid == 0:
			return true
		case pid == f.leader:
			f.reaped = true
			f.exited <- ws
		}
	}
}

// terminate asks the process group to end, gives it killGrace, and then kills every descendant.
func (f *processTree) terminate() {
	f.signalGroup(unix.SIGTERM)
	f.signalGroup(unix.SIGCONT) // a stopped process cannot answer
	if f.goneWithin(killGrace) {
		return
	}
	for deadline := time.Now().Add(killWait); time.Now().Before(deadline); {
		f.signalGroup(unix.SIGKILL)
		signalDescendants(unix.SIGKILL)
		if f.goneWithin(killEvery) {
			return
		}
	}
}

// left returns a channel that is closed when no descendant is left.
func (f *processTree) left() <-chan struct{} { return f.gone }

// size returns the number of processes that came from the command, as far as they run.
func (f *processTree) size() uint64 { return uint64(len(descendants(os.Getpid()))) }

func (f *processTree) goneWithin(d time.Duration) bool {
	select {
	case <-f.gone:
		return true
	case <-time.After(d):
		return false
	}
}

// signalGroup reaches the group while its leader is not reaped; after that the id may belong to another, and the rest of the group is reached as
// descendants.
func (f *processTree) signalGroup(sig unix.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.reaped {
		_ = unix.Kill(-f.leader, sig) // gone already, or beyond our rights; killing continues with the descendants
	}
}
