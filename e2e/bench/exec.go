package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
)

// The load that the runner protocol has to carry.
const (
	loadRunners = 200
	loadExecs   = 50 // at the same time
	loadRounds  = 8  // of them
	tripSamples = 200
)

// image is the variable that names an image of a running engine: scripts/test-image makes one.
const image = "XBOT_TEST_IMAGE"

// yard is the runners of a measurement: processes on this machine, reached as another process of the server reaches
// them.
type yard struct {
	s      *stack
	user   int64
	router *sandbox.Router
	dir    string

	mu         sync.Mutex
	running    []*exec.Cmd
	containers []string // removed in the end
}

// one is the connection table of a server that is one process.
type one string

func (o one) Holder(context.Context, sandbox.RunnerID) (string, int64, bool, error) {
	return string(o), 0, true, nil
}

func newYard(ctx context.Context, s *stack) (*yard, error) {
	me, err := s.client.Me(ctx)
	if err != nil {
		return nil, err
	}
	key, err := secret.Load(s.home, "")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "xby")
	if err != nil {
		return nil, err
	}
	return &yard{s: s, user: int64(me.User.ID), dir: dir, router: sandbox.NewRouter(sandbox.RouterConfig{
		Holders: one("http://" + s.address), Key: key,
	})}, nil
}

// runner makes a runner, starts it and waits until it is connected.
func (y *yard) runner(ctx context.Context, name string, flags ...string) (*sandbox.Runner, error) {
	made, err := y.s.client.CreateRunner(ctx, name)
	if err != nil {
		return nil, err
	}
	workspace := filepath.Join(y.dir, name, "workspace")
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		return nil, err
	}
	args := append([]string{
		"--server", "ws://" + y.s.address + "/api/runners/connect", "--name", name,
		"--state", filepath.Join(y.dir, name, "state"), "--workspace", workspace, "--log-level", "error",
	}, flags...)
	cmd := exec.Command(filepath.Join(y.s.bin, "xbot-runner"), args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "XBOT_RUNNER_TOKEN="+made.Token), os.Stderr // errors only
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	y.mu.Lock()
	y.running = append(y.running, cmd)
	y.mu.Unlock()
	box := y.box(sandbox.RunnerID(fmt.Sprintf("%d/%s", y.user, name)))
	_, err = box.Info(ctx)
	return box, err
}

func (y *yard) box(id sandbox.RunnerID) *sandbox.Runner {
	return sandbox.NewRunner(string(id), y.router.Link(id), sandbox.RunnerConfig{OfflineWait: 2 * time.Minute})
}

func (y *yard) close() {
	for _, cmd := range y.running {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	}
	for _, cmd := range y.running {
		_ = cmd.Wait() // a stopped runner has exit code 0 or the signal's
	}
	y.router.Close()
	var errs []error
	for _, name := range y.containers { // not before its runner has ended, which would create it again
		if out, err := exec.Command("docker", "rm", "--force", name).CombinedOutput(); err != nil {
			errs = append(errs, fmt.Errorf("remove container %s: %w: %s", name, err, out))
		}
	}
	if err := errors.Join(append(errs, os.RemoveAll(y.dir))...); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}

// trip runs a trivial command and returns how long it took.
func trip(ctx context.Context, box *sandbox.Runner, id string) (time.Duration, error) {
	began := time.Now()
	got, err := box.Exec(ctx, sandbox.ExecRequest{ID: chat.CallID(id), Command: "true"})
	if err == nil && (got.State != sandbox.ExecExited || got.Code != 0) {
		err = fmt.Errorf("the command ended as %s with code %d: %s", got.State, got.Code, got.Output)
	}
	return time.Since(began), err
}

func trips(ctx context.Context, kind string, box *sandbox.Runner) ([]figure, error) {
	var all []time.Duration
	for i := range tripSamples + 10 {
		d, err := trip(ctx, box, fmt.Sprintf("bench.%s.%d", kind, i))
		if err != nil {
			return nil, err
		}
		if i >= 10 { // after a warm-up
			all = append(all, d)
		}
	}
	return []figure{
		{"exec round trip, " + kind + ", p50", quantile(all, 0.5), "ms", ""},
		{"exec round trip, " + kind + ", p95", quantile(all, 0.95), "ms", ""},
	}, nil
}

// execTrips measures a trivial command on each kind of runner.
func execTrips(ctx context.Context, s *stack) ([]figure, error) {
	y, err := newYard(ctx, s)
	if err != nil {
		return nil, err
	}
	defer y.close()
	figures, err := trips(ctx, "local", y.box("local"))
	if err != nil {
		return nil, err
	}
	box, err := y.runner(ctx, "bench-remote")
	if err != nil {
		return nil, err
	}
	more, err := trips(ctx, "remote", box)
	if err != nil {
		return nil, err
	}
	figures = append(figures, more...)
	if why := noContainers(ctx); why != "" {
		fmt.Fprintln(os.Stderr, "  exec round trip, docker: not measured: "+why)
		return figures, nil
	}
	name := fmt.Sprintf("xbot-bench-%d", os.Getpid())
	y.containers = append(y.containers, name)
	box, err = y.runner(ctx, "bench-docker", "--mode", "docker", "--image", os.Getenv(image), "--container", name,
		"--workspace", filepath.Join(y.dir, "container")) // made by the runner, for the user inside
	if err != nil {
		return nil, err
	}
	more, err = trips(ctx, "docker", box)
	return append(figures, more...), err
}

// noContainers returns why no container can be measured; empty if one can.
func noContainers(ctx context.Context) string {
	if err := exec.CommandContext(ctx, "docker", "version").Run(); err != nil {
		return "no engine"
	}
	name := os.Getenv(image)
	if name == "" {
		return "no image; run `export " + image + "=$(scripts/test-image)`"
	}
	if err := exec.CommandContext(ctx, "docker", "image", "inspect", name).Run(); err != nil {
		return "the engine has no image " + name
	}
	return ""
}

// runnersUnderLoad connects many runners and runs commands on them, many at once.
func runnersUnderLoad(ctx context.Context, s *stack) ([]figure, error) {
	y, err := newYard(ctx, s)
	if err != nil {
		return nil, err
	}
	defer y.close()
	if err := s.setPolicy(ctx, fmt.Sprintf(`{limits: {person: {runners: %d}}}`, 2*loadRunners)); err != nil {
		return nil, err
	}
	before := pss(s.cmd.Process.Pid)
	boxes, err := y.many(ctx)
	if err != nil {
		return nil, err
	}
	time.Sleep(settle)
	connected := pss(s.cmd.Process.Pid)
	times, err := y.load(ctx, boxes)
	if err != nil {
		return nil, err
	}
	time.Sleep(settle)
	return []figure{
		{"memory of xbot serve before runners connect", before, "MB", ""},
		{fmt.Sprintf("memory of xbot serve, %d runners connected", loadRunners), connected, "MB", ""},
		{fmt.Sprintf("memory of xbot serve after %d commands on them", len(times)), pss(s.cmd.Process.Pid), "MB", ""},
		{fmt.Sprintf("exec round trip, %d at once over %d runners, p50", loadExecs, loadRunners), quantile(times, 0.5), "ms", ""},
		{fmt.Sprintf("exec round trip, %d at once over %d runners, p95", loadExecs, loadRunners), quantile(times, 0.95), "ms", ""},
	}, nil
}

// many starts the runners, a few at a time.
func (y *yard) many(ctx context.Context) ([]*sandbox.Runner, error) {
	boxes, errs := make([]*sandbox.Runner, loadRunners), make([]error, loadRunners)
	slots := make(chan struct{}, 8)
	var all sync.WaitGroup
	for i := range boxes {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			boxes[i], errs[i] = y.runner(ctx, fmt.Sprintf("bench-%d", i))
		})
	}
	all.Wait()
	return boxes, errors.Join(errs...)
}

func (y *yard) load(ctx context.Context, boxes []*sandbox.Runner) ([]time.Duration, error) {
	times, errs := make([]time.Duration, loadExecs*loadRounds), make([]error, loadExecs*loadRounds)
	slots := make(chan struct{}, loadExecs)
	var all sync.WaitGroup
	for i := range times {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			times[i], errs[i] = trip(ctx, boxes[i%len(boxes)], fmt.Sprintf("bench.load.%d", i))
		})
	}
	all.Wait()
	return times, errors.Join(errs...)
}
