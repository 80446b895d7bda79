package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"xbot/internal/fault"
)

// How a start is watched.
const (
	lookEvery  = 50 * time.Millisecond
	startTime  = 3 * time.Minute // the first start makes the databases
	firstStart = 4 * time.Second // after this long the reason for waiting is explained
	grace      = 2 * time.Second // for another server to show up after ours has ended at once
)

// serviceWait is how long a service may take to start its server again.
const serviceWait = time.Minute

// Ensure returns when the server runs and takes messages; it starts one if there is none. Two programs that do so at once start one server. The
// server that is started outlives this program and its terminal. progress gets, in short sentences, the reasons for a wait.
func (s *Server) Ensure(ctx context.Context, progress func(string)) error {
	if s.Running(ctx) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	for _, dir := range []string{s.Home, filepath.Join(s.Home, "run"), filepath.Join(s.Home, "logs")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fault.Errorf(fault.Denied, "make the data folder: %w; set XBOT_HOME to one that you may write", err)
		}
	}
	unlock, err := s.lock(ctx, progress)
	if err != nil {
		return err
	}
	defer unlock()
	if s.Running(ctx) == nil { // another program has started it in the meantime
		return nil
	}
	if last, err := s.note(); err == nil && last.Service {
		return s.awaitService(ctx, progress)
	}
	return s.start(ctx, progress)
}

// awaitService waits for a server that systemd starts again. A second one would hold its data folder or its port.
func (s *Server) awaitService(ctx context.Context, progress func(string)) error {
	progress("Waiting for the service that runs the server")
	for deadline := time.Now().Add(cmp.Or(s.ServiceWait, serviceWait)); time.Now().Before(deadline); {
		if s.Running(ctx) == nil {
			return nil
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return fault.Errorf(fault.Unavailable, "a systemd service runs the server of %s, and it does not answer: start it (systemctl start xbot), or remove %s to start one without it", s.Home, filepath.Join(s.Home, "run", "serve.json"))
}

// lock makes this program the one that starts the server.
func (s *Server) lock(ctx context.Context, progress func(string)) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(s.Home, "run", "cli-start.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.Errorf(fault.Denied, "open the lock for starting a server: %w", err)
	}
	for waited := false; ; waited = true {
		held, err := tryLock(file)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
		}
		if held {
			// Closing gives the lock back; there is nothing to do about an error of a file that was only locked.
			return func() { _ = file.Close() }, nil
		}
		if !waited {
			progress("Another terminal is starting the server")
		}
		if err := pause(ctx); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
}

// start starts the server and waits until it takes messages.
func (s *Server) start(ctx context.Context, progress func(string)) error {
	binary, err := s.find()
	if err != nil {
		return err
	}
	log, begin, err := s.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	args := s.Args
	if args == nil {
		args = []string{"serve"}
	}
	command := exec.Command(binary, args...)
	command.Dir = s.Home
	command.Env = append(os.Environ(), "XBOT_HOME="+s.Home)
	if file := os.Getenv("XBOT_ENV_FILE"); file != "" { // as seen from here
		if file, err = filepath.Abs(file); err != nil {
			return fault.Errorf(fault.Invalid, "XBOT_ENV_FILE: %w", err)
		}
		command.Env = append(command.Env, "XBOT_ENV_FILE="+file)
	}
	command.Stdout, command.Stderr = log, log
	detach(command)
	if err := command.Start(); err != nil {
		return fault.Errorf(fault.Unavailable, "start %s: %w", binary, err)
	}
	ended := make(chan string, 1) // how the server ended, written once; kept without a reader
	go func() {
		if err := command.Wait(); err != nil {
			ended <- err.Error()
			return
		}
		ended <- "exit status 0"
	}()
	return s.await(ctx, ended, begin, progress)
}

// await waits for a server to answer. ended receives when the one that was started is gone.
func (s *Server) await(ctx context.Context, ended <-chan string, begin int64, progress func(string)) error {
	progress("Starting the server")
	explain, deadline := time.Now().Add(firstStart), time.Now().Add(startTime)
	how := ""
	for {
		if s.Running(ctx) == nil {
			return nil
		}
		select {
		case how = <-ended:
			// Another server may hold the data folder and be about to answer; if none does, this was a failure.
			ended, deadline = nil, time.Now().Add(grace)
		default:
		}
		switch now := time.Now(); {
		case now.After(deadline) && ended == nil:
			return fault.Errorf(fault.Unavailable, "the server ended (%s) instead of starting; its last words in %s: %s", how, s.logName(), s.lastWords(begin))
		case now.After(deadline):
			return fault.Errorf(fault.Unavailable, "the server has not become ready within %s; see %s", startTime, s.logName())
		case now.After(explain):
			progress("Starting the server (the first start sets up its databases)")
			explain = deadline
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// find returns the path of the xbot program.
func (s *Server) find() (string, error) {
	if s.Binary != "" {
		return s.Binary, nil
	}
	if own, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(own); err == nil {
			own = real
		}
		beside := filepath.Join(filepath.Dir(own), "xbot")
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	binary, err := exec.LookPath("xbot")
	if err != nil {
		return "", fault.Errorf(fault.NotFound, "no server is running, and the program xbot that would start one is neither beside xbot-cli nor in PATH; install it, or give --server and --token")
	}
	return filepath.Abs(binary)
}

func pause(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
