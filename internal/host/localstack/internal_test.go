package localstack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/host/localstack/process"
)

func testHome(t *testing.T) home {
	t.Helper()
	h, err := openHome(t.TempDir())
	require.NoError(t, err)
	return h
}

func TestCertificates_AreMadeOnceAndRenewedInTheirLastYear(t *testing.T) {
	t.Parallel()
	h := testHome(t)
	now := time.Now()
	steps := []struct {
		at   time.Time
		want bool
	}{
		{now, true},
		{now, false},
		{now.AddDate(8, 11, 0), false},
		{now.AddDate(9, 1, 0), true},
		{now.AddDate(9, 1, 0), false},
		{now.AddDate(30, 0, 0), true},
	}
	for _, step := range steps {
		made, err := h.keepCertificates(step.at)
		require.NoError(t, err)
		require.Equal(t, step.want, made, "at %s", step.at)
	}
}

func TestCertificates_AreMadeAnewWhenOneIsMissingOrDoesNotFit(t *testing.T) {
	t.Parallel()
	h, other := testHome(t), testHome(t)
	for _, h := range []home{h, other} {
		_, err := h.keepCertificates(time.Now())
		require.NoError(t, err)
	}
	require.NoError(t, os.Remove(h.tls(clientKeyFile)))
	made, err := h.keepCertificates(time.Now())
	require.NoError(t, err)
	require.True(t, made)

	foreign, err := os.ReadFile(other.tls(caFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(h.tls(caFile), foreign, 0o600))
	made, err = h.keepCertificates(time.Now())
	require.NoError(t, err)
	require.True(t, made, "certificates of another authority were kept")
}

func TestHome_KeepsItsFilesPrivate(t *testing.T) {
	t.Parallel()
	h := testHome(t)
	_, err := h.keepCertificates(time.Now())
	require.NoError(t, err)
	_, err = h.keepSecret(uiToken)
	require.NoError(t, err)
	_, err = h.keepChoices(Config{}, "/socket")
	require.NoError(t, err)
	err = filepath.WalkDir(string(h), func(path string, entry os.DirEntry, err error) error {
		if err != nil || path == string(h) {
			return err // the folder itself was there before
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = errors.New(path + " is open to others: " + info.Mode().String())
		}
		return err
	})
	require.NoError(t, err)
}

func TestSecrets_StayTheSameAndAreNotGuessable(t *testing.T) {
	t.Parallel()
	h := testHome(t)
	first, err := h.keepSecret(uiToken)
	require.NoError(t, err)
	again, err := h.keepSecret(uiToken)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Regexp(t, "^[0-9a-f]{64}$", first)
	other, err := h.keepSecret(productPassword)
	require.NoError(t, err)
	require.NotEqual(t, first, other)

	require.NoError(t, os.WriteFile(h.secret(uiToken), []byte("\n"), 0o600))
	_, err = h.keepSecret(uiToken)
	require.ErrorContains(t, err, "is empty; restore it")
}

func TestChoices_StayUnlessConfigured(t *testing.T) {
	t.Parallel()
	h := testHome(t)
	first, err := h.keepChoices(Config{}, "/socket")
	require.NoError(t, err)
	require.NotEqual(t, first.TemporalPort, first.UIPort)
	require.Equal(t, "default", first.Namespace)
	again, err := h.keepChoices(Config{}, "/socket")
	require.NoError(t, err)
	require.Equal(t, first, again)
	changed, err := h.keepChoices(Config{TemporalPort: 7233, Namespace: "other"}, "/elsewhere")
	require.NoError(t, err)
	require.Equal(t, choices{TemporalPort: 7233, UIPort: first.UIPort, Namespace: "other", Socket: "/elsewhere"}, changed)
	taken, err := h.keepChoices(Config{TemporalPort: first.UIPort}, "/elsewhere")
	require.NoError(t, err)
	require.Equal(t, first.UIPort, taken.TemporalPort, "what is configured gives way to what was chosen")
	require.NotEqual(t, first.UIPort, taken.UIPort)
}

func FuzzChoices(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"temporal_port":1}`, `{"temporal_port":-1}`, "null", "[]", `{"namespace":5}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		h := home(t.TempDir())
		require.NoError(t, os.WriteFile(h.path("localstack.json"), text, 0o600))
		chosen, err := h.readChoices()
		if err != nil {
			require.ErrorContains(t, err, "remove it, and new ports are chosen")
			return
		}
		require.True(t, isPort(chosen.TemporalPort) && isPort(chosen.UIPort))
	})
}

func TestChoices_RefusePortsThatAreNone(t *testing.T) {
	t.Parallel()
	h := testHome(t)
	_, err := h.keepChoices(Config{TemporalPort: 70000}, "/socket")
	require.ErrorContains(t, err, "XBOT_TEMPORAL_PORT is 70000; set it to a port")
	_, err = h.keepChoices(Config{TemporalPort: 7000, UIPort: 7000}, "/socket")
	require.ErrorContains(t, err, "are both 7000; set them to two ports")
}

func TestRead_SaysThatNothingWasStarted(t *testing.T) {
	t.Parallel()
	_, err := Read(t.TempDir())
	require.ErrorContains(t, err, "no local stack was started on")
}

// flaky is a server whose starts fail for a while.
type flaky struct {
	starts   atomic.Int64
	failures int64 // of the starts after the first
}

func (f *flaky) name() string { return "flaky" }

func (f *flaky) run(context.Context) (*process.Process, error) {
	if n := f.starts.Add(1); n > 1 && n <= 1+f.failures {
		return nil, errors.New("not yet")
	}
	return process.Start(exec.Command("sleep", "600"), 0)
}

func (f *flaky) end(ctx context.Context, p *process.Process) error { return p.Stop(ctx) }

func TestKeeper_TriesAgainUntilTheServerIsBack(t *testing.T) {
	t.Parallel()
	server := &flaky{failures: 3}
	k := newSupervisor(server, slog.New(slog.DiscardHandler))
	failed := make(chan error, 1)
	require.NoError(t, k.start(t.Context(), failed))
	first := k.pid.Load()
	p, err := process.Adopt(int(first))
	require.NoError(t, err)
	require.NoError(t, p.Stop(t.Context()))
	require.Eventually(t, func() bool { return k.pid.Load() != first }, 20*time.Second, 5*time.Millisecond)
	require.EqualValues(t, 5, server.starts.Load())
	require.NoError(t, k.stop(t.Context()))
	require.NoError(t, k.stop(t.Context()), "a second stop finds nothing")
	require.Empty(t, failed)
}

func TestKeeper_StopsInTheMiddleOfATry(t *testing.T) {
	t.Parallel()
	server := &flaky{failures: 1 << 40}
	k := newSupervisor(server, slog.New(slog.DiscardHandler))
	require.NoError(t, k.start(t.Context(), make(chan error, 1)))
	p, err := process.Adopt(int(k.pid.Load()))
	require.NoError(t, err)
	require.NoError(t, p.Stop(t.Context()))
	require.Eventually(t, func() bool { return server.starts.Load() > 2 }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, k.stop(t.Context()))
}

// mortal is a server whose first starts end in the ways of a script.
type mortal struct {
	script []error
	starts atomic.Int64
}

func (m *mortal) name() string { return "postgres" }

func (m *mortal) run(context.Context) (*process.Process, error) {
	if n := int(m.starts.Add(1)); n <= len(m.script) {
		return nil, m.script[n-1]
	}
	return process.Start(exec.Command("sleep", "600"), 0)
}

func (m *mortal) end(ctx context.Context, p *process.Process) error { return p.Stop(ctx) }

// readings are the reasons to wait that people read.
type readings struct {
	mu    sync.Mutex
	lines []string
}

func (*readings) Step(string) {}

func (r *readings) Waiting(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, text)
}

// ending returns the error of a process that ended in the way of a script.
func ending(t *testing.T, script string) error {
	t.Helper()
	p, err := process.Start(exec.Command("sh", "-c", script), 0)
	require.NoError(t, err)
	<-p.Done()
	return p.EndedStarting("Postgres", "its log says why")
}

func TestSupervisor_StartsAgainWhatWasKilledAndEndsWithAFault(t *testing.T) {
	t.Parallel()
	killed, left, failed := ending(t, "kill -9 $$"), ending(t, "exit 0"), ending(t, "exit 1")
	odd := errors.New("port 5 is taken by another program")
	many := func(err error, n int) (out []error) {
		for range n {
			out = append(out, err)
		}
		return out
	}
	for name, c := range map[string]struct {
		script []error
		needed int64 // the state of the server that it needs
		want   error // nil: it is started
		starts int64
		said   []string
	}{
		"it starts":                               {nil, 1, nil, 1, nil},
		"killed more often than it may fail":      {many(killed, startFailures+2), 1, nil, startFailures + 3, []string{"Postgres: " + killed.Error()}},
		"told to end by somebody else":            {many(left, 1), 1, nil, 2, []string{"Postgres: " + left.Error()}},
		"failed, as where its child was killed":   {many(failed, startFailures-1), 1, nil, startFailures, []string{"Postgres: " + failed.Error()}},
		"failed each time":                        {many(failed, 100), 1, failed, startFailures, []string{"Postgres: " + failed.Error()}},
		"failed while what it needs was away":     {many(failed, startFailures+2), 2, nil, startFailures + 3, []string{"Postgres: " + failed.Error()}},
		"failed, killed, and failed":              {slices.Concat(many(failed, 2), many(killed, 1), many(failed, 2)), 1, nil, 6, []string{"Postgres: " + failed.Error(), "Postgres: " + killed.Error(), "Postgres: " + failed.Error()}},
		"cannot be run":                           {many(odd, 100), 1, odd, 1, nil},
		"a program that makes the data is killed": {[]error{fmt.Errorf("make the data: %w", exec.Command("sh", "-c", "kill -9 $$").Run())}, 1, nil, 2, []string{"Postgres: make the data: signal: killed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, read := &mortal{script: c.script}, &readings{}
			v := newSupervisor(server, slog.New(slog.DiscardHandler))
			v.progress, v.needs = read, &supervisor{}
			v.needs.changes.Store(c.needed)
			err := v.start(t.Context(), make(chan error, 1))
			require.ErrorIs(t, err, c.want)
			require.Equal(t, c.starts, server.starts.Load())
			require.Equal(t, c.said, read.lines)
			require.NoError(t, v.stop(t.Context()))
		})
	}
}

func TestSupervisor_EndsWithItsContextWhileTheServerIsKilled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := &mortal{script: make([]error, 1000)}
	for i := range server.script {
		server.script[i] = &process.EndError{Reason: "killed"}
	}
	v := newSupervisor(server, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- v.start(ctx, make(chan error, 1)) }()
	require.Eventually(t, func() bool { return server.starts.Load() > 2 }, 20*time.Second, 5*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestCrashes_PauseLongerEachTime(t *testing.T) {
	t.Parallel()
	var row crashes
	row.note(0)
	require.Zero(t, row.pause, "the first restart is at once")
	for _, want := range []time.Duration{firstPause, 2 * firstPause, 4 * firstPause} {
		row.note(time.Second)
		require.Equal(t, want, row.pause)
	}
	for range 20 {
		row.note(0)
	}
	require.Equal(t, longPause, row.pause)
	require.False(t, row.over())
	row.since = time.Now().Add(-2 * patience)
	require.True(t, row.over())
	row.note(steady)
	require.Zero(t, row.pause, "a server that ran for long begins anew")
	require.False(t, row.over())
}

func TestTrimLog_SetsALargeLogAside(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	require.NoError(t, trimLog(log), "there is none at first")
	require.NoError(t, os.WriteFile(log, []byte("small"), 0o600))
	require.NoError(t, trimLog(log))
	require.FileExists(t, log)
	require.NoError(t, os.Truncate(log, logLimit+1))
	require.NoError(t, trimLog(log))
	require.NoFileExists(t, log)
	require.FileExists(t, log+".1")
}
