package crash_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"xbot/internal/host/crash"
	"xbot/internal/host/crash/crashstore"
	"xbot/internal/pg"
	"xbot/internal/testing/pgtest"
)

// version is that of the program under test.
const version = "1.0"

// poison is the call that crashes its worker; bystander runs at the same time.
var (
	poison    = crash.NewCall("turn/a", "Tool", "call-1")
	bystander = crash.NewCall("turn/b", "Generate", "t2 step 0")
)

// ends are the ways in which a worker process ends.
var ends = map[string]func(j *crash.Journal){
	"exhausts its memory": func(*crash.Journal) {
		limit := unix.Rlimit{Cur: 512 << 20, Max: 512 << 20}
		if err := unix.Setrlimit(unix.RLIMIT_DATA, &limit); err != nil {
			os.Exit(3)
		}
		for hold := [][]byte{}; ; {
			hold = append(hold, make([]byte, 16<<20))
		}
	},
	"panics":              func(*crash.Journal) { panic("sk-secret of somebody") },
	"overflows its stack": func(*crash.Journal) { debug.SetMaxStack(1 << 20); overflow(new(int)) },
	"deadlocks a map":     func(*crash.Journal) { raceMap() },
	"is killed":           func(*crash.Journal) { die(syscall.SIGKILL) },
	"is told to dump":     func(*crash.Journal) { die(syscall.SIGQUIT) },
	"is told to abort":    func(*crash.Journal) { die(syscall.SIGABRT) },
	"aborts":              func(*crash.Journal) { abort() },
	"is told to stop":     func(j *crash.Journal) { j.Stop(); die(syscall.SIGKILL) },
	"ends":                func(j *crash.Journal) { _ = j.Close() },
}

func die(s syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), s)
	select {}
}

func overflow(deep *int) {
	if *deep++; *deep > 0 {
		overflow(deep)
	}
}

func raceMap() {
	m := map[int]int{}
	for range 8 {
		go func() {
			for {
				m[1]++
			}
		}()
	}
	select {}
}

// TestMain is also the worker process of the tests: its arguments are the folder, the way it ends, and the running attempts.
func TestMain(m *testing.M) {
	if len(os.Args) < 4 || os.Args[1] != "worker" {
		os.Exit(m.Run())
	}
	j, err := crash.OpenJournal(os.Args[2], version)
	if err != nil {
		panic(err)
	}
	j.End(j.Begin(attempt(crash.NewCall("turn/c", "Tool", "ended before"))))
	for _, name := range os.Args[4:] {
		a := attempt(poison)
		if strings.HasPrefix(name, "bystander") {
			a = attempt(bystander)
		}
		a.Alone = strings.HasSuffix(name, " alone")
		a.Suspect = a.Alone || strings.HasSuffix(name, " suspect")
		a.Follows = strings.HasSuffix(name, " follows")
		j.Begin(a)
	}
	fmt.Println("began")
	ends[os.Args[3]](j)
}

func attempt(c crash.Call) crash.Attempt { return crash.Attempt{Call: c, Run: "run", N: 1} }

// suite is a data folder and a database.
type suite struct {
	*testing.T

	home   string
	counts *crashstore.Store
}

func setup(t *testing.T) *suite {
	t.Helper()
	return &suite{t, t.TempDir(), crashstore.New(pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate))}
}

// worker runs a worker process to its end.
func (s *suite) worker(end string, running ...string) {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), os.Args[0], append([]string{"worker", s.home, end}, running...)...)
	out, _ := cmd.CombinedOutput() // it usually fails
	require.Contains(s, string(out), "began\n")
	require.NotEqual(s, 3, cmd.ProcessState.ExitCode(), "%s", out)
}

// guard opens a guard on the folder, like the next worker process.
func (s *suite) guard() (*crash.Guard, *prometheus.Registry) {
	s.Helper()
	r := prometheus.NewRegistry()
	g := crash.NewGuard(version, s.counts, r, slog.New(slog.DiscardHandler))
	require.NoError(s, g.Open(s.Context(), s.home))
	s.Cleanup(func() { require.NoError(s, g.Close()) })
	return g, r
}

func (s *suite) count(c crash.Call) crash.Count {
	s.Helper()
	n, err := s.counts.CrashCount(s.Context(), version, c)
	require.NoError(s, err)
	return n
}

// counted returns a counter by its only label.
func counted(t *testing.T, r *prometheus.Registry, name string) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			out[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	return out
}

func TestRecover_CountsTheAttemptsOfAProcessThatDied(t *testing.T) {
	for end, want := range map[string]crash.Count{
		"exhausts its memory": {Crashes: 1, Cause: "out of memory"},
		"panics":              {Crashes: 1, Cause: "panic"},
		"overflows its stack": {Crashes: 1, Cause: "stack overflow"},
		"deadlocks a map":     {Crashes: 1, Cause: "fatal error in xbot/internal/host/crash_test.raceMap.func1"},
		"is killed":           {Kills: 1},
		"is told to dump":     {Kills: 1},
		"is told to abort":    {Kills: 1},
		"aborts":              {Crashes: 1, Cause: "abort in the C library"},
		"is told to stop":     {},
		"ends":                {},
	} {
		t.Run(end, func(t *testing.T) {
			switch {
			case end == "exhausts its memory" && (raceDetector || runtime.GOOS != "linux"):
				t.Skip("RLIMIT_DATA bounds no memory that is mapped, and the race detector ends a process without it by itself")
			case end == "aborts" && runtime.GOOS != "linux":
				t.Skip("the system does not send a signal to a thread as the C library does")
			}
			s := setup(t)
			s.worker(end, "poison")
			deaths, err := crash.Recover(t.Context(), s.home, version, s.counts)
			require.NoError(t, err)
			require.Equal(t, want, s.count(poison))
			require.Zero(t, s.count(crash.NewCall("turn/c", "Tool", "ended before")))
			require.Equal(t, want != crash.Count{}, len(deaths) == 1)

			left, err := os.ReadDir(crash.Folder(s.home))
			require.NoError(t, err)
			require.Equal(t, want.Crashes == 1, len(left) == 1, "what the crash wrote is kept, nothing else")
			_, err = crash.Recover(t.Context(), s.home, version, s.counts)
			require.NoError(t, err)
			require.Equal(t, want, s.count(poison), "once")
		})
	}
}

func TestRecover_LeavesTheJournalOfARunningProcess(t *testing.T) {
	s := setup(t)
	g, _ := s.guard()
	end, err := g.Begin(t.Context(), attempt(poison))
	require.NoError(t, err)
	deaths, err := crash.Recover(t.Context(), s.home, version, s.counts)
	require.NoError(t, err)
	require.Empty(t, deaths)
	end(true)
}

func TestRecover_ForgetsTheCrashesOfAnotherVersion(t *testing.T) {
	s := setup(t)
	s.worker("panics", "poison")
	_, err := crash.Recover(t.Context(), s.home, "2.0", s.counts)
	require.NoError(t, err)
	require.Zero(t, s.count(poison))
}

func TestRecover_KeepsTheNewestOutputs(t *testing.T) {
	s := setup(t)
	for range 7 {
		s.worker("panics")
		_, err := crash.Recover(t.Context(), s.home, version, s.counts)
		require.NoError(t, err)
	}
	left, err := os.ReadDir(crash.Folder(s.home))
	require.NoError(t, err)
	require.Len(t, left, 5)
}

func TestGuard_GivesUpAfterTwoCrashes(t *testing.T) {
	s := setup(t)
	s.worker("panics", "poison", "bystander")
	g, metrics := s.guard()
	require.Equal(t, map[string]float64{"Generate": 1, "Tool": 1}, counted(t, metrics, "xbot_attempts_crashed_total"))
	end, err := g.Begin(t.Context(), attempt(poison))
	require.NoError(t, err, "it is tried once more")
	end(false)

	s.worker("panics", "poison alone", "bystander")
	g, metrics = s.guard()
	_, err = g.Begin(t.Context(), attempt(poison))
	var up *crash.GivenUpError
	require.ErrorAs(t, err, &up)
	require.EqualError(t, err, "Tool call-1 of turn/a was given up: 2 worker processes crashed while it ran (panic)")
	require.Equal(t, map[string]float64{"Tool": 1}, counted(t, metrics, "xbot_calls_given_up_total"))
	given, err := s.counts.CallsGivenUp(t.Context())
	require.NoError(t, err)
	require.Equal(t, []crash.GivenUpError{{Call: poison, Count: crash.Count{Crashes: 2, Alone: 1, Cause: "panic"}}}, given)

	require.Equal(t, 1, s.count(bystander).Crashes, "only the suspect that ran alone is blamed for the second crash")
	end, err = g.Begin(t.Context(), attempt(bystander))
	require.NoError(t, err)
	end(true)
	require.Zero(t, s.count(bystander), "a call that ends well is forgotten")
}

func TestGuard_ForgivesOneCallADayThatWasGivenUp(t *testing.T) {
	s := setup(t)
	giveUp := func() *crash.Guard {
		t.Helper()
		s.worker("panics", "poison")
		s.worker("panics", "poison alone")
		g, _ := s.guard()
		_, err := g.Begin(t.Context(), attempt(poison))
		require.ErrorContains(t, err, "was given up")
		return g
	}
	g := giveUp()
	g.Forgive(t.Context(), poison)
	end, err := g.Begin(t.Context(), attempt(poison))
	require.NoError(t, err, "the next call with the same input runs")
	end(true)
	given, err := s.counts.CallsGivenUp(t.Context())
	require.NoError(t, err)
	require.Len(t, given, 1, "operators still see the first call")

	g = giveUp()
	g.Forgive(t.Context(), poison)
	_, err = g.Begin(t.Context(), attempt(poison))
	require.ErrorContains(t, err, "was given up", "the second one is not forgiven")
}

func TestGuard_LetsCallsGoOnThroughKills(t *testing.T) {
	s := setup(t)
	for range crash.MaxKills - 1 {
		s.worker("is killed", "poison")
	}
	g, _ := s.guard()
	end, err := g.Begin(t.Context(), attempt(poison))
	require.NoError(t, err)
	end(false)
	s.worker("is killed", "poison")
	g, _ = s.guard()
	_, err = g.Begin(t.Context(), attempt(poison))
	require.ErrorContains(t, err, fmt.Sprintf("%d worker processes were killed", crash.MaxKills))
}

func TestGuard_GivesUpASuspectWhoseProcessDiesWhileItRunsAlone(t *testing.T) {
	s := setup(t)
	s.worker("panics", "poison")
	s.worker("is killed", "poison alone", "bystander")
	g, _ := s.guard()
	_, err := g.Begin(t.Context(), attempt(poison))
	require.ErrorContains(t, err, "was given up")
	require.Equal(t, crash.Count{Kills: 1}, s.count(bystander))
}

func TestRecover_BlamesSuspectsThatBeganLatelyAndNothingThatFollowsACommand(t *testing.T) {
	s := setup(t)
	s.worker("panics", "poison suspect", "bystander alone")
	_, err := crash.Recover(t.Context(), s.home, version, s.counts)
	require.NoError(t, err)
	once := crash.Count{Crashes: 1, Cause: "panic"}
	require.Equal(t, once, s.count(poison), "it had run alone just before")
	require.Equal(t, once, s.count(bystander))

	s = setup(t)
	s.worker("panics", "bystander follows")
	_, err = crash.Recover(t.Context(), s.home, version, s.counts)
	require.NoError(t, err)
	require.Equal(t, crash.Count{Kills: 1}, s.count(bystander))
}

func TestRecover_RemovesWhatDeadProcessesLeft(t *testing.T) {
	s := setup(t)
	require.NoError(t, os.MkdirAll(crash.Folder(s.home), 0o700))
	for name, age := range map[string]time.Duration{"1-OLD.new": 2 * time.Hour, "2-OLD.crash": 2 * time.Hour, "3-FRESH.new": 0, "4-FRESH.crash": 0} {
		path := filepath.Join(crash.Folder(s.home), name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(-age)))
	}
	_, err := crash.Recover(t.Context(), s.home, version, s.counts)
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(crash.Folder(s.home), "*"))
	require.NoError(t, err)
	require.Len(t, left, 2)
}

func TestGuard_RunsSuspectsOneAtATime(t *testing.T) {
	s := setup(t)
	s.worker("panics", "poison", "bystander")
	g, _ := s.guard()
	end, err := g.Begin(t.Context(), attempt(poison))
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = g.Begin(ctx, attempt(bystander))
	require.ErrorIs(t, err, context.DeadlineExceeded, "it waits")
	other, err := g.Begin(t.Context(), attempt(crash.NewCall("turn/d", "Tool", "call-9")))
	require.NoError(t, err, "calls that are no suspects do not")
	other(true)
	end(false)
	end, err = g.Begin(t.Context(), attempt(bystander))
	require.NoError(t, err)
	end(true)
}

func TestGuard_IsSlowToGiveUpWhatNeverRanAlone(t *testing.T) {
	s := setup(t)
	for range crash.MaxBeside - 1 {
		s.worker("panics", "bystander")
	}
	g, _ := s.guard()
	end, err := g.Begin(t.Context(), attempt(bystander))
	require.NoError(t, err, "another one may have crashed each process")
	end(false)
	s.worker("panics", "bystander")
	g, _ = s.guard()
	_, err = g.Begin(t.Context(), attempt(bystander))
	require.ErrorContains(t, err, fmt.Sprintf("%d worker processes crashed", crash.MaxBeside))
}

func TestGuard_AsksForLaterAttemptsWhatOtherProcessesCounted(t *testing.T) {
	s := setup(t)
	g, _ := s.guard()
	later := attempt(poison)
	later.Alone = true
	for n := range crash.MaxCrashes {
		d := crash.Death{Crashed: true, Cause: "panic", Journal: fmt.Sprint(n), Blamed: []crash.Attempt{later, later}}
		for range 3 {
			require.NoError(t, s.counts.CountCrash(t.Context(), version, d))
		}
		require.Equal(t, n+1, s.count(poison).Crashes, "a journal counts once, and so does a call of which two attempts ran")
	}
	later.N = 2
	_, err := g.Begin(t.Context(), later)
	require.ErrorContains(t, err, "was given up")
}

func TestNewCall_NamesLongInputsByTheirDigest(t *testing.T) {
	long := crash.NewCall("w", "a", strings.Repeat("x", 1000))
	require.Len(t, long.Input, 64)
	require.NotEqual(t, long, crash.NewCall("w", "a", strings.Repeat("x", 1001)))
	require.Equal(t, `{"id":1}`, crash.NewCall("w", "a", `{"id":1}`).Input)
	require.False(t, slices.Contains([]byte(crash.NewCall("w", "a", "\xff").Input), 0xff))
}
