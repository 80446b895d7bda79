package job

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// reaper starts shims and takes their exit status, so that they do not stay as zombies. What a shim has to say is in
// its job's folder; its exit code is of no interest.
type reaper struct {
	mu      sync.Mutex
	pids    map[int]struct{}
	signals chan os.Signal // never closed; a full buffer is fine, since one signal makes reap look at all
	quit    chan struct{}
	running sync.WaitGroup
}

func startReaper() *reaper {
	r := &reaper{
		pids:    map[int]struct{}{},
		signals: make(chan os.Signal, 1),
		quit:    make(chan struct{}),
	}
	signal.Notify(r.signals, syscall.SIGCHLD)
	r.running.Go(r.run)
	return r
}

func (r *reaper) run() {
	for {
		select {
		case <-r.signals:
			r.reap()
		case <-r.quit:
			return
		}
	}
}

// start forks a process to be reaped. Descriptors of the attributes stay the caller's.
func (r *reaper) start(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	r.mu.Lock()
	pid, err = syscall.ForkExec(path, argv, attr)
	if err == nil {
		r.pids[pid] = struct{}{}
	}
	r.mu.Unlock()
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", path, err)
	}
	return pid, nil
}

// end kills a process that start has forked, and returns when it is gone.
func (r *reaper) end(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, runs := r.pids[pid]; !runs {
		return
	}
	delete(r.pids, pid)
	_ = syscall.Kill(pid, syscall.SIGKILL) // fails if it has ended
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// reap holds the lock that start holds while it forks, so a child that ends at once is known by then.
func (r *reaper) reap() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for pid := range r.pids {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		if got == pid || errors.Is(err, syscall.ECHILD) {
			delete(r.pids, pid)
		}
	}
}

func (r *reaper) stop() {
	signal.Stop(r.signals)
	close(r.quit)
	r.running.Wait()
}
