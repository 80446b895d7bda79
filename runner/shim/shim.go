// Package shim is the process between the runner's daemon and one command: it starts the command, keeps
// its output, ends it when it must end, and writes down how it ended. It shares nothing with the daemon but the job's
// folder (package job), so either may die without the other.
//
// It starts for every command, so it does little: no flags, no configuration, no logging.
package shim

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/job"
	"xbot/runner/mask"
	"xbot/runner/wire"
)

// Times of a command's end.
const (
	killGrace  = 2 * time.Second        // from SIGTERM to SIGKILL
	killWait   = 2 * time.Second        // for killed processes to be gone; one in an uninterruptible wait may take longer
	drainGrace = 100 * time.Millisecond // for output of background processes after the shell ended
	killEvery  = 10 * time.Millisecond  // between looks for processes that escaped a kill
)

// cannotStart is the exit code of a command that could not be executed, as shells have it.
const cannotStart = 126

type shim struct {
	dir         string
	spec        job.Spec
	out         *output
	in          *input       // nil unless the command reads what is written to it
	complaints  *complaints  // with in
	masker      *mask.Masker // nil: the command has no secrets
	kill        chan string  // receives when a caller asks for the end, with a remark or none; a full buffer is fine
	processTree *processTree
	status      job.Status
}

// Main runs the job in the folder and returns the exit code of the shim process. It must be called first thing in a
// process that the daemon started: descriptors 3 and 4 are the job's lock and the socket over which the others are sent.
func Main(dir string) int {
	err := checkDescriptors(dir)
	if err == nil {
		err = job.ReceiveDescriptors()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "xbot-runner shim is started by xbot-runner only:", err)
		return 2
	}
	s := &shim{dir: dir, kill: make(chan string, 1)}
	if err := s.prepare(); err != nil {
		refuse(err)
		return 1
	}
	if err := s.run(); err != nil {
		refuse(err)
		return 1
	}
	s.record()
	s.linger()
	return 0
}

// checkDescriptors makes sure that the inherited lock is this job's and is held, and that the command inherits nothing.
func checkDescriptors(dir string) error {
	job.SealDescriptors()
	for _, fd := range []int{job.LockFD, job.SocketFD} {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return fmt.Errorf("descriptor %d: %w", fd, err)
		}
	}
	var held, there unix.Stat_t
	if err := unix.Fstat(job.LockFD, &held); err != nil {
		return fmt.Errorf("descriptor %d: %w", job.LockFD, err)
	}
	if err := unix.Stat(filepath.Join(dir, job.LockFile), &there); err != nil {
		return fmt.Errorf("the job's lock: %w", err)
	}
	if held.Ino != there.Ino || held.Dev != there.Dev {
		return errors.New("the inherited lock belongs to another job")
	}
	got, err := job.TryLock(job.LockFD)
	if err == nil && !got {
		err = errors.New("another shim runs this job")
	}
	return err
}

// prepare does what can fail before the command is started.
func (s *shim) prepare() (err error) {
	if job.Exists(s.dir, job.StartedFile) || job.Exists(s.dir, job.StatusFile) {
		return errors.New("it had been started before")
	}
	if s.spec, err = job.ReadJSON[job.Spec](s.dir, job.CommandFile); err != nil {
		return err
	}
	if err := s.takeSecrets(); err != nil {
		return err
	}
	if err := adoptOrphans(); err != nil {
		return err
	}
	if s.out, err = openOutput(s.dir, s.masker); err != nil {
		return err
	}
	if s.spec.Input {
		s.out.limit(wire.MaxLog, s)
		if s.in, err = openInput(s.dir); err != nil {
			return err
		}
		if s.complaints, err = openComplaints(s.masker); err != nil {
			return err
		}
	}
	s.listen()
	s.status = job.Status{State: wire.StateExited, Started: time.Now()}
	return nil
}

// Reasons for which a command is not executed after all.
var (
	errKilled     = errors.New("it was killed before it started")
	errUnrecorded = errors.New("its start could not be recorded")
)

// startRecord writes the started file, the point of no return.
type startRecord struct{ shim *shim }

// Start is called while the sandbox of the command is built.
func (r startRecord) Start() error {
	s := r.shim
	err := job.WriteOnce(s.dir, job.StartedFile, job.Started{
		ID: s.spec.ID, Hash: s.spec.Hash, Store: s.spec.Store, Boot: s.spec.Boot, At: s.status.Started,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errUnrecorded, err)
	case job.Exists(s.dir, job.KillFile):
		return errKilled
	}
	return nil
}

// takeSecrets gives the command its secrets, and has them hidden in what it writes.
func (s *shim) takeSecrets() error {
	if s.spec.Sealed == 0 {
		return nil
	}
	secrets, err := job.ReadSecrets(s.spec.Sealed)
	if err != nil {
		return err
	}
	for _, v := range secrets {
		s.spec.Env = slices.DeleteFunc(s.spec.Env, func(pair string) bool { return strings.HasPrefix(pair, v.Name+"=") })
		s.spec.Env = append(s.spec.Env, v.Name+"="+v.Value)
	}
	s.masker = mask.New(secrets)
	return nil
}

// refuse reports to the daemon why the command was not started.
func refuse(err error) {
	_, _ = unix.Write(job.EventsFD, append([]byte{job.Refused}, err.Error()...)) // without a reader the reason is not needed
}

// notify wakes the daemon. A full FIFO holds wake-ups enough.
func notify() { _, _ = unix.Write(job.EventsFD, []byte{job.Happened}) }

// listen turns pokes of the daemon and signals into kill requests. A request made before this point is in the kill
// file, which run looks for.
func (s *shim) listen() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	go func() {
		for range signals {
			s.requestKill("The command was ended because its runner received a signal, as when its container or the machine shuts down.")
		}
	}()
	_ = unix.SetNonblock(job.ControlFD, true) // so that the network poller waits for it; if it fails, a thread does
	control := os.NewFile(job.ControlFD, "control")
	go func() {
		buf := make([]byte, 64)
		for {
			n, err := control.Read(buf)
			if err != nil {
				return // cannot happen: the shim holds both ends
			}
			s.handleInput(buf[:n])
		}
	}()
}

// handleInput acts on the daemon's bytes. A kill whose byte did not fit among others is in its file.
func (s *shim) handleInput(said []byte) {
	if s.in != nil {
		s.in.grown()
		if bytes.IndexByte(said, job.Happened) < 0 && !job.Exists(s.dir, job.KillFile) {
			return
		}
	}
	s.requestKill("")
}

func (s *shim) requestKill(remark string) {
	select {
	case s.kill <- remark:
	default: // one request is enough
	}
}

// run executes the command and waits for its end. After an error it was not executed and is not noted as started.
func (s *shim) run() error {
	killsBefore := oomKills("/")
	tree, err := s.start()
	s.out.closeEnd()
	switch {
	case errors.Is(err, errUnrecorded):
		return err
	case errors.Is(err, errKilled):
		s.status.State, s.status.Code = wire.StateKilled, 128+int(syscall.SIGTERM)
		return nil
	case err != nil:
		s.out.say(fmt.Sprintf("xbot-runner could not start the command in %s: %v\n", s.spec.Dir, err))
		s.status.Code = cannotStart
		return nil
	}
	s.processTree = tree
	go s.out.pump()
	if s.in != nil {
		go s.in.pump()
		go s.complaints.pump()
	}
	go newGuard(s.spec, tree, s.dir).watch(s.requestKill)
	timeout := time.NewTimer(s.spec.Timeout)
	defer timeout.Stop()
	select {
	case ws := <-tree.exited:
		s.status.Code = exitCode(ws)
		if s.status.Code != 0 && oomKills("/") > killsBefore {
			s.status.Note = memoryNote
		}
	case s.status.Note = <-s.kill:
		s.end(wire.StateKilled)
	case <-timeout.C:
		s.end(wire.StateTimedOut)
	}
	s.out.drain(drainGrace)
	if s.complaints != nil {
		s.status.Errors = s.complaints.drain(drainGrace)
	}
	return nil
}

// streams are the standard streams of a command. They stay the caller's.
type streams struct{ in, out, err *os.File }

// start executes the command with nothing to read and one stream for all it writes, or with separate streams.
func (s *shim) start() (*processTree, error) {
	if s.in != nil {
		defer func() { _, _ = s.in.read.Close(), s.complaints.end.Close() }() // never used by the shim
		return startProcessTree(s.spec, streams{in: s.in.read, out: s.out.end, err: s.complaints.end}, judgeFor(filepath.Dir(s.dir)), startRecord{shim: s})
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return startProcessTree(s.spec, streams{in: null, out: s.out.end, err: s.out.end}, judgeFor(filepath.Dir(s.dir)), startRecord{shim: s})
}

// end kills the command with all its descendants.
func (s *shim) end(state string) {
	s.status.State = state
	s.processTree.terminate()
	select {
	case ws := <-s.processTree.exited:
		s.status.Code = exitCode(ws)
	default: // it cannot be killed: it waits for a device
		s.status.Code = 128 + int(syscall.SIGKILL)
	}
}

func exitCode(ws unix.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// record makes the end known: from here on the job is over.
func (s *shim) record() {
	s.status.Ended = time.Now()
	s.out.finish(&s.status)
	for range recordTries {
		job.ReclaimAround(s.dir) // the command may have shut us out
		err := job.Place(s.dir, job.StatusFile, s.status)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			break // recorded, or the whole folder is gone with all readers
		}
		if !s.out.freeSpace(&s.status) {
			<-time.After(recordEvery) // the disk is full or gone; until then the job counts as running
		}
	}
	notify()
	_ = unix.Close(job.EventsFD)        // the daemon reads end of file; a failed close has closed it too
	_ = job.Sync(s.dir, job.StatusFile) // without it, the job is lost after a power cut
}

// How long the shim tries to write the status before the job is lost: ten minutes.
const (
	recordTries = 600
	recordEvery = time.Second
)

// linger stays as long as background processes of the command hold its output, so that they do not die of a broken pipe. What they write is dropped;
// a kill still ends them. In a sandbox it stays for all of them: it judges their requests, and no other process could end them.
func (s *shim) linger() {
	if s.processTree == nil {
		return
	}
	over := make(chan struct{})
	go func() {
		if !s.out.ended() {
			s.out.discard()
		}
		if s.spec.Confine != "" {
			<-s.processTree.left()
		}
		close(over)
	}()
	select {
	case <-over:
	case <-s.kill:
		s.processTree.terminate()
	}
}
