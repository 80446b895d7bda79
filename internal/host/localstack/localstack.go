// Package localstack runs what xbot needs on one machine when nothing is configured: a Postgres server with the
// product's database, and Temporal with its UI on it. Both keep their data in the home folder, are closed to
// everyone who cannot read the secrets in it, restart automatically when they die, and are taken over by the next
// Start when their owner was killed.
package localstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"

	"golang.org/x/sync/errgroup"

	"xbot/internal/fault"
)

// Config configures where and how the stack runs. Home is required; the zero value of the rest is the default.
type Config struct {
	// Home is the product's folder (XBOT_HOME). The stack uses postgres, temporal and run in it.
	Home string
	// TemporalPort and UIPort are loopback ports. 0 means the ones chosen at the first start and kept since.
	TemporalPort, UIPort int
	// Namespace is Temporal's, "default" when empty.
	Namespace string
	// TemporalBinary is the path of xbot-temporal; by default XBOT_TEMPORAL_BIN, then the one next to this program,
	// then the one on PATH.
	TemporalBinary string
	// PostgresBin is the folder of initdb and postgres; by default XBOT_POSTGRES_BIN, then the usual places.
	PostgresBin string
	// ParentDeath stops both servers when this process dies, however it does. Without it they stay, and the next
	// Start takes them over, which is faster; StopLeftovers ends them. Where the system cannot notify a server of its
	// parent's death (Postgres on macOS), that server stays, and the next Start stops it.
	ParentDeath bool
	// Log receives what happens to the servers; nil discards it.
	Log *slog.Logger
	// Progress receives each step of Start that takes time, before it begins; nil discards it.
	Progress Progress
}

// Progress receives the steps of a start, and what it waits for.
type Progress interface {
	Step(text string)
	// Waiting receives a sentence for each reason to wait.
	Waiting(text string)
}

// step reports a step of the start.
func (cfg Config) step(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if cfg.Log != nil {
		cfg.Log.Info("starting the local stack", "step", text)
	}
	if cfg.Progress != nil {
		cfg.Progress.Step(text)
	}
}

// Stack is the running stack. It belongs to the process that started it until Stop.
type Stack struct {
	endpoints Endpoints
	log       *slog.Logger
	lock      *instanceLock
	postgres  *supervisor
	temporal  *supervisor

	failed   chan error // a server that does not come back; one place for each
	stopOnce sync.Once
	stopErr  error
	stopped  chan struct{} // closed by Stop
	done     chan struct{} // closed by watch
	err      error         // set before done is closed
}

// startTries is how often ports are chosen at a first start, if another program takes them before they are used.
const startTries = 3

// Start brings the stack up and returns when both servers answer: within a second on existing data, in a few seconds
// the first time. A server that is killed in the meantime is started again, however often; one that exits a few times
// ends the start with its reason. Start refuses when another process has a stack on the same home. ctx bounds the start only.
func Start(ctx context.Context, cfg Config) (*Stack, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	home, err := openHome(cfg.Home)
	if err != nil {
		return nil, err
	}
	lock, err := home.lock()
	if err != nil {
		return nil, err
	}
	_, err = home.readChoices()
	mayChoose := errors.Is(err, fs.ErrNotExist) && (cfg.TemporalPort == 0 || cfg.UIPort == 0)
	stack, err := start(ctx, cfg, home, lock)
	for tries := 1; mayChoose && errors.Is(err, errPortLost) && tries < startTries; tries++ {
		if err = home.forgetChoices(); err == nil { // no client knows them yet
			stack, err = start(ctx, cfg, home, lock)
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return stack, nil
}

// StartPostgres starts Postgres alone, on the data of a stack that does not run, for a command of the operator. It refuses as Start does when a
// process has a stack on the home. stop ends it.
func StartPostgres(ctx context.Context, cfg Config) (e Endpoints, stop func(context.Context) error, err error) {
	home, err := openHome(cfg.Home)
	if err != nil {
		return e, nil, err
	}
	lock, err := home.lock()
	if err != nil {
		return e, nil, err
	}
	release := func(err error) (Endpoints, func(context.Context) error, error) {
		return Endpoints{}, nil, errors.Join(err, lock.release())
	}
	p, err := newPostgres(ctx, cfg, home)
	if err != nil {
		return release(err)
	}
	if !p.exists {
		return release(fault.Errorf(fault.NotFound, "there is no database in %s", home))
	}
	chosen, err := home.keepChoices(cfg, p.cluster.Socket)
	if err != nil {
		return release(err)
	}
	if e, err = home.endpoints(chosen, home.readSecret); err != nil {
		return release(err)
	}
	server, err := p.run(ctx)
	if err != nil {
		return release(err)
	}
	return e, func(ctx context.Context) error { return errors.Join(p.end(ctx, server), lock.release()) }, nil
}

func start(ctx context.Context, cfg Config, home home, lock *instanceLock) (*Stack, error) {
	postgres, err := newPostgres(ctx, cfg, home)
	if err != nil {
		return nil, err
	}
	chosen, err := home.keepChoices(cfg, postgres.cluster.Socket)
	if err != nil {
		return nil, err
	}
	endpoints, err := home.endpoints(chosen, home.keepSecret)
	if err != nil {
		return nil, err
	}
	temporal, err := newTemporal(cfg, home, chosen)
	if err != nil {
		return nil, err
	}
	s := &Stack{
		endpoints: endpoints,
		log:       cfg.Log,
		lock:      lock,
		postgres:  newSupervisor(postgres, cfg.Log),
		temporal:  newSupervisor(temporal, cfg.Log),
		failed:    make(chan error, 2),
		stopped:   make(chan struct{}),
		done:      make(chan struct{}),
	}
	s.postgres.progress, s.temporal.progress, s.temporal.needs = cfg.Progress, cfg.Progress, s.postgres
	if postgres.exists {
		cfg.step("starting Postgres and Temporal")
	} else {
		cfg.step("creating the Postgres data in %s, then the databases of Temporal", postgres.cluster.Data)
	}
	if err := s.startServers(ctx); err != nil {
		return nil, errors.Join(err, s.stopServers(context.WithoutCancel(ctx)))
	}
	go s.watch()
	return s, nil
}

// startServers starts both together: Temporal waits for Postgres, and has much of its start to do before it needs it. It fails, too,
// where one that was ready dies and does not come back before the other one is ready.
func (s *Stack) startServers(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	ready := make(chan struct{})
	group.Go(func() error {
		defer close(ready)
		both, ctx := errgroup.WithContext(ctx)
		both.Go(func() error { return s.postgres.start(ctx, s.failed) })
		both.Go(func() error { return s.temporal.start(ctx, s.failed) })
		return both.Wait()
	})
	group.Go(func() error {
		select {
		case err := <-s.failed:
			return err
		case <-ready:
			return nil
		}
	})
	return group.Wait()
}

// Endpoints returns how clients reach the servers. They hold secrets.
func (s *Stack) Endpoints() Endpoints { return s.endpoints }

// Done is closed when the stack is of no more use: after Stop, or when a server died and did not come back. Then the
// other one still runs, and Stop ends it.
func (s *Stack) Done() <-chan struct{} { return s.done }

// Err is nil until Done is closed, and after an orderly Stop; otherwise it names the server that did not come back.
func (s *Stack) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Wait returns Err once the stack is gone.
func (s *Stack) Wait() error {
	<-s.done
	return s.err
}

// Stop shuts both servers down, Temporal first, and gives the home free. It may be called more than once.
// When ctx ends earlier the servers are killed; what was committed is safe.
func (s *Stack) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		s.stopErr = errors.Join(s.stopServers(ctx), s.lock.release())
		close(s.stopped)
	})
	<-s.done
	return s.stopErr
}

func (s *Stack) stopServers(ctx context.Context) error {
	return errors.Join(s.temporal.stop(ctx), s.postgres.stop(ctx))
}

// watch turns a server that stays down, or Stop, into Done.
func (s *Stack) watch() {
	select {
	case err := <-s.failed:
		s.err = fmt.Errorf("the local stack is incomplete: %w", err)
	case <-s.stopped:
	}
	close(s.done)
}

// PIDs returns the process ids of the servers, which change when one is restarted.
func (s *Stack) PIDs() (postgres, temporal int) {
	return int(s.postgres.pid.Load()), int(s.temporal.pid.Load())
}

// StopLeftovers ends the servers that a killed owner left running on a home. It refuses while the owner lives.
func StopLeftovers(ctx context.Context, path string) error {
	home, err := openHome(path)
	if err != nil {
		return err
	}
	lock, err := home.lock()
	if err != nil {
		return err
	}
	return errors.Join(stopLeftovers(ctx, home), lock.release())
}

func stopLeftovers(ctx context.Context, home home) error {
	temporal, _, err := home.runningTemporal()
	if err == nil && temporal != nil {
		err = endTemporal(ctx, temporal)
	}
	postgres, postgresErr := newPostgres(ctx, Config{}, home)
	if postgresErr != nil || !postgres.exists {
		return errors.Join(err, postgresErr)
	}
	server, postgresErr := postgres.cluster.Running(ctx)
	if postgresErr == nil && server != nil {
		postgresErr = postgres.end(ctx, server)
	}
	return errors.Join(err, postgresErr)
}
