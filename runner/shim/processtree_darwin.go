package shim

import (
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/confine"
	"xbot/runner/job"
)

// processTree is the command's shell and its process group. Processes that leave the group cannot be followed on this
// system.
type processTree struct {
	leader int
	exited chan unix.WaitStatus // receives once, when the shell ended
}

// adoptOrphans does nothing: this system knows no reaper but the first process.
func adoptOrphans() error { return nil }

// startProcessTree records the start of the command and executes it in a new process group.
func startProcessTree(spec job.Spec, s streams, _ confine.Judge, record confine.Record) (*processTree, error) {
	pid, err := confine.Start(confine.Method(spec.Confine), confine.Command{
		Text: spec.Command, Dir: spec.Dir, Env: spec.Env, Policy: spec.Policy,
		Input: s.in.Fd(), Output: s.out.Fd(), Errors: s.err.Fd(), Record: record,
	})
	if err != nil {
		return nil, err
	}
	f := &processTree{leader: pid, exited: make(chan unix.WaitStatus, 1)}
	go f.reap()
	return f, nil
}

func (f *processTree) reap() {
	for {
		var ws unix.WaitStatus
		_, err := unix.Wait4(f.leader, &ws, 0, nil)
		if err == unix.EINTR {
			continue
		}
		f.exited <- ws
		return
	}
}

// terminate asks the process group to end, gives it killGrace, and then kills what is left of it. The group's id
// stays taken as long as it has members.
func (f *processTree) terminate() {
	_ = unix.Kill(-f.leader, unix.SIGTERM) // gone already, or beyond our rights
	_ = unix.Kill(-f.leader, unix.SIGCONT) // a stopped process cannot answer
	if f.emptyWithin(killGrace) {
		return
	}
	_ = unix.Kill(-f.leader, unix.SIGKILL)
	f.emptyWithin(killWait)
}

// left returns a closed channel: it is unknown.
func (f *processTree) left() <-chan struct{} {
	none := make(chan struct{})
	close(none)
	return none
}

// size is 0: it is unknown.
func (f *processTree) size() uint64 { return 0 }

func (f *processTree) emptyWithin(d time.Duration) bool {
	for deadline := time.Now().Add(d); time.Now().Before(deadline); {
		if unix.Kill(-f.leader, 0) == unix.ESRCH {
			return true
		}
		<-time.After(killEvery)
	}
	return false
}
