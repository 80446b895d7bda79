package job_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner/job"
	"xbot/runner/shim"
	"xbot/runner/wire"
)

// TestMain lets the test binary be the shim of the jobs that tests start.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "shim" {
		syscall.Exit(shim.Main(os.Args[2])) // os.Exit takes a second where the race detector is on
	}
	goleak.VerifyTestMain(m)
}

const patience = 30 * time.Second

func open(t *testing.T, dir string) *job.Store {
	t.Helper()
	s, err := job.Open(dir)
	require.NoError(t, err)
	return s
}

func spec(id, command string) job.Spec {
	return job.Spec{
		ID: id, Hash: job.HashOf(command, ""), Command: command, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Timeout: time.Minute,
	}
}

func attach(t *testing.T, s *job.Store, spec job.Spec) *job.Job {
	t.Helper()
	j, err := s.Attach(spec)
	require.NoError(t, err)
	return j
}

func end(t *testing.T, j *job.Job) job.Status {
	t.Helper()
	select {
	case <-j.Done():
	case <-time.After(patience):
		require.Fail(t, "the job does not end")
	}
	status, done, err := j.End()
	require.NoError(t, err)
	require.True(t, done)
	return status
}

func TestStore_HasOneDaemon(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	_, err := job.Open(dir)
	require.ErrorIs(t, err, job.ErrInUse)
	require.NoError(t, first.Close())
	second := open(t, dir)
	require.Equal(t, first.ID(), second.ID(), "the id stays with the store")
	require.NoError(t, second.Close())
	other := open(t, t.TempDir())
	require.NotEqual(t, first.ID(), other.ID())
	require.NoError(t, other.Close())
}

func TestStore_FindsARunningJobAgain(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	command := "echo up; while ! test -e " + work + "/go; do sleep 0.02; done; echo ran >> " + work + "/log"
	first := open(t, dir)
	j := attach(t, first, spec("a", command))
	require.NoError(t, first.Close())
	_, done, err := j.End()
	require.True(t, done)
	require.Equal(t, wire.Unavailable, wire.AsError(err).Kind, "the first store knows nothing of the end")

	second := open(t, dir)
	j = attach(t, second, spec("a", command))
	require.NoError(t, os.WriteFile(filepath.Join(work, "go"), nil, 0o600))
	require.Equal(t, wire.StateExited, end(t, j).State)
	require.Equal(t, wire.StateExited, end(t, attach(t, second, spec("a", command))).State)
	require.NoError(t, second.Close())
	log, err := os.ReadFile(filepath.Join(work, "log"))
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(log))
}

// jobDir is where a store keeps a job with a plain id.
func jobDir(dir, id string) string { return filepath.Join(dir, "jobs", id) }

func TestStore_StartedWithoutStatusIsLostAndStaysLost(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	require.NoError(t, os.Mkdir(jobDir(dir, "a"), 0o700))
	started := job.Started{ID: "a", Hash: job.HashOf("true", ""), Store: s.ID(), At: time.Now()}
	require.NoError(t, job.WriteOnce(jobDir(dir, "a"), job.StartedFile, started))
	for range 2 {
		require.Equal(t, wire.StateLost, end(t, attach(t, s, spec("a", "true"))).State)
	}
	_, err := s.Attach(spec("a", "false"))
	require.Equal(t, wire.Conflict, wire.AsError(err).Kind)
}

func TestStore_AStatusThatCannotBeReadIsLost(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	require.NoError(t, os.Mkdir(jobDir(dir, "a"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(jobDir(dir, "a"), job.StatusFile), []byte("{"), 0o600))
	require.Equal(t, wire.StateLost, end(t, attach(t, s, spec("a", "true"))).State)
}

func TestStore_AHalfMadeJobStartsOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	for name, file := range map[string]string{"a": "", "b": job.LockFile, "c": job.CommandFile, "d": "events"} {
		require.NoError(t, os.Mkdir(jobDir(dir, name), 0o700))
		if file != "" {
			require.NoError(t, os.WriteFile(filepath.Join(jobDir(dir, name), file), []byte("{}"), 0o600))
		}
		require.Equal(t, wire.StateExited, end(t, attach(t, s, spec(name, "true"))).State, name)
	}
}

func TestStore_ABadShimMeansNotStarted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	// The output cannot be made where a folder is: the shim refuses before the point of no return.
	require.NoError(t, os.MkdirAll(filepath.Join(jobDir(dir, "a"), job.OutputFile), 0o700))
	j := attach(t, s, spec("a", "true"))
	<-j.Done()
	_, _, err := j.End()
	require.Equal(t, wire.Unavailable, wire.AsError(err).Kind)
	require.ErrorContains(t, err, "is a directory")

	require.NoError(t, os.Remove(filepath.Join(jobDir(dir, "a"), job.OutputFile)))
	require.Equal(t, wire.StateExited, end(t, attach(t, s, spec("a", "true"))).State, "so it may be tried again")
}

func TestStore_SettleDeclaresLostWhatNobodyWatched(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	for _, name := range []string{"lost", "fresh"} {
		require.NoError(t, os.Mkdir(jobDir(dir, name), 0o700))
	}
	require.NoError(t, job.WriteOnce(jobDir(dir, "lost"), job.StartedFile, job.Started{}))
	require.Equal(t, wire.StateExited, end(t, attach(t, s, spec("exited", "true"))).State)
	running := attach(t, s, spec("running", "sleep 30"))

	lost, err := s.Settle()
	require.NoError(t, err)
	require.Equal(t, 1, lost)
	lost, err = s.Settle()
	require.NoError(t, err)
	require.Zero(t, lost, "it is declared once")
	_, done, _ := running.End()
	require.False(t, done)
	require.NoError(t, s.Kill("running"))
	require.Equal(t, wire.StateKilled, end(t, running).State)
}

func TestStore_PrunesOldJobsAndForgetsThatMuchLater(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	end(t, attach(t, s, spec("done", "true")))
	require.NoError(t, s.Kill("never"))
	running := attach(t, s, spec("running", "sleep 30"))

	require.NoError(t, s.Prune(time.Now().Add(job.KeepEnded-time.Hour)))
	require.True(t, job.Exists(jobDir(dir, "done"), job.StatusFile), "too young")
	require.NoError(t, s.Prune(time.Now().Add(job.KeepEnded+time.Hour)))
	for _, name := range []string{"done", "never"} {
		require.NoDirExists(t, jobDir(dir, name))
		require.Equal(t, wire.StateLost, end(t, attach(t, s, spec(name, "true"))).State, "it is not run again")
	}
	require.DirExists(t, jobDir(dir, "running"))
	require.NoError(t, s.Kill("running"))
	end(t, running)

	require.NoError(t, s.Prune(time.Now().Add(job.KeepReleased+time.Hour)))
	notes, err := os.ReadDir(filepath.Join(dir, "released"))
	require.NoError(t, err)
	require.Empty(t, notes)
}

func TestStore_LeavesNoZombies(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	before := children(t, "Z") // of stores of earlier tests, which took no exit status after they were closed
	for i := range 5 {
		end(t, attach(t, s, spec("job-"+string(rune('a'+i)), "true")))
	}
	require.Eventually(t, func() bool { return children(t, "Z") <= before }, patience, 5*time.Millisecond)
}

// children counts the children of this process in a state.
func children(t *testing.T, state string) int {
	t.Helper()
	count := 0
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // gone
		}
		fields := fieldsAfterName(string(data))
		if len(fields) > 1 && fields[0] == state && fields[1] == itoa(os.Getpid()) {
			count++
		}
	}
	return count
}

func TestOpen_TakesBackModesThatCommandsTookAway(t *testing.T) {
	dir := t.TempDir()
	s, err := job.Open(dir)
	require.NoError(t, err)
	id := s.ID()
	require.NoError(t, s.Close())
	for _, name := range []string{"lock", "store", "released", "jobs", "."} {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), 0))
	}
	s, err = job.Open(dir)
	require.NoError(t, err)
	require.Equal(t, id, s.ID(), "it is the same store")
	require.NoError(t, s.Close())
	for name, want := range map[string]os.FileMode{".": 0o700, "jobs": 0o700, "released": 0o700, "lock": 0o600, "store": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), name)
	}
}
