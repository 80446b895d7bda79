package job_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/job"
	"xbot/runner/wire"
)

func inputSpec(id, command string) job.Spec {
	s := spec(id, command)
	s.Input = true
	return s
}

func write(t *testing.T, s *job.Store, id, key, line string) {
	t.Helper()
	require.NoError(t, s.Write(id, job.Input{Key: key, Data: []byte(line + "\n")}))
}

func outputOf(t *testing.T, j *job.Job) string {
	t.Helper()
	f, err := j.OpenOutput()
	require.NoError(t, err)
	if f == nil {
		return ""
	}
	defer f.Close()
	data, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	return string(data)
}

func TestInput_EachKeyIsWrittenOnceInOrderOverDaemons(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	write(t, first, "a", "1", "before the start")
	j := attach(t, first, inputSpec("a", "echo aside >&2; cat"))
	write(t, first, "a", "2", "two")
	write(t, first, "a", "1", "again")
	require.Eventually(t, func() bool { return strings.HasSuffix(outputOf(t, j), "two\n") }, patience, 5*time.Millisecond)
	require.NoError(t, first.Close())

	second := open(t, dir)
	defer second.Close()
	j = attach(t, second, inputSpec("a", "echo aside >&2; cat"))
	write(t, second, "a", "2", "again")
	write(t, second, "a", "3", "three")
	require.NoError(t, second.Write("a", job.Input{Key: "end", Close: true}))
	status := end(t, j)
	require.Equal(t, wire.StateExited, status.State)
	require.Zero(t, status.Code)
	require.Equal(t, "before the start\ntwo\nthree\n", outputOf(t, j))
	require.Equal(t, "aside\n", string(status.Errors), "what it complains of is no part of what it says")
	require.Equal(t, wire.Conflict, wire.AsError(second.Write("a", job.Input{Key: "late"})).Kind)
	require.NoError(t, second.Release("a"))
	require.Equal(t, wire.NotFound, wire.AsError(second.Write("a", job.Input{Key: "late"})).Kind)
}

func TestInput_AnEmptyWriteTellsWhetherTheCommandGoesOnAndWritesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	j := attach(t, s, inputSpec("a", "cat"))
	write(t, s, "a", "1", "one")
	require.NoError(t, s.Write("a", job.Input{Key: "look"}))
	journal, err := filepath.Glob(filepath.Join(s.Dir(), "jobs", "*", job.InputFile))
	require.NoError(t, err)
	require.Len(t, journal, 1)
	data, err := os.ReadFile(journal[0])
	require.NoError(t, err)
	require.NotContains(t, string(data), "look")
	require.NoError(t, s.Write("a", job.Input{Key: "end", Close: true}))
	require.Equal(t, wire.StateExited, end(t, j).State)
	var refused *wire.Error
	require.ErrorAs(t, s.Write("a", job.Input{Key: "look"}), &refused)
	require.Equal(t, wire.Conflict, refused.Kind)
	require.NoError(t, s.Release("a"))
	require.ErrorAs(t, s.Write("a", job.Input{Key: "look"}), &refused)
	require.Equal(t, wire.NotFound, refused.Kind)
}

func TestInput_ALineThatADaemonLeftWithoutItsEndIsReplaced(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	write(t, s, "a", "1", "one")
	f, err := os.OpenFile(filepath.Join(jobDir(dir, "a"), job.InputFile), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"key":"2","da`)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	write(t, s, "a", "2", "two")
	require.NoError(t, s.Write("a", job.Input{Key: "end", Close: true}))
	j := attach(t, s, inputSpec("a", "cat"))
	end(t, j)
	require.Equal(t, "one\ntwo\n", outputOf(t, j))
}

func TestInput_IsRefusedByACommandWithoutAndLeavesItAlone(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	s := open(t, dir)
	defer s.Close()
	j := attach(t, s, spec("a", "while ! test -e "+work+"/go; do sleep 0.02; done"))
	require.Equal(t, wire.Invalid, wire.AsError(s.Write("a", job.Input{Key: "1"})).Kind)
	require.NoError(t, os.WriteFile(filepath.Join(work, "go"), nil, 0o600))
	require.Equal(t, wire.StateExited, end(t, j).State)
}

func TestInput_AKillEndsACommandThatWaitsForMore(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	j := attach(t, s, inputSpec("a", "cat"))
	write(t, s, "a", "1", "one")
	require.Eventually(t, func() bool { return outputOf(t, j) == "one\n" }, patience, 5*time.Millisecond)
	require.NoError(t, s.Kill("a"))
	require.Equal(t, wire.StateKilled, end(t, j).State)
}

func TestInput_ACommandThatReadsNothingEnds(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	write(t, s, "a", "1", strings.Repeat("more than a pipe holds ", 10_000))
	require.Equal(t, wire.StateExited, end(t, attach(t, s, inputSpec("a", "exit 3"))).State)
}

func TestInput_HasABound(t *testing.T) {
	s := open(t, t.TempDir())
	defer s.Close()
	piece := job.Input{Data: make([]byte, wire.MaxInput/4)} // a third more in base64
	for n := range 2 {
		piece.Key = strings.Repeat("x", n+1)
		require.NoError(t, s.Write("a", piece))
	}
	piece.Key = "one too many"
	require.Equal(t, wire.TooLarge, wire.AsError(s.Write("a", piece)).Kind)
}

func FuzzInput_AnyKeyAndDataSurviveTheJournal(f *testing.F) {
	f.Add("k", []byte("line\n"))
	f.Add("\"\n", []byte{0xff, 0})
	f.Fuzz(func(t *testing.T, key string, data []byte) {
		line, err := json.Marshal(job.Input{Key: key, Data: data})
		require.NoError(t, err)
		require.NotContains(t, string(line), "\n")
		var back job.Input
		require.NoError(t, json.Unmarshal(line, &back))
		require.Equal(t, string(data), string(back.Data))
	})
}
