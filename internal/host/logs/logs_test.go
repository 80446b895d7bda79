package logs_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat/ops"
	"xbot/internal/fault"
	"xbot/internal/host/logs"
)

// TestMain finds whatever a closed log leaves running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, home, process string) (*slog.Logger, *logs.File) {
	t.Helper()
	f, err := logs.Open(home, process)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() }) // it may be closed already
	return slog.New(f.Also(slog.DiscardHandler, slog.LevelInfo)), f
}

func read(t *testing.T, home string, q logs.Query) ops.Logs {
	t.Helper()
	found, err := logs.Reader{Home: home}.Read(t.Context(), q)
	require.NoError(t, err)
	return found
}

func texts(l ops.Logs) (out []string) {
	for _, line := range l.Lines {
		out = append(out, line.Process+" "+line.Level+" "+line.Text)
	}
	return out
}

// tick returns a time that is later than all before and earlier than all after it, however coarse the clock is.
func tick() time.Time {
	before := time.Now().Round(0)
	at := before
	for !at.After(before) {
		at = time.Now().Round(0)
	}
	for now := at; !now.After(at); {
		now = time.Now().Round(0)
	}
	return at
}

func TestRead_FindsTheNewestLinesOfAllProcesses(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.Empty(t, read(t, home, logs.Query{}).Lines, "before anything was logged")
	one, _ := open(t, home, "ingress")
	two, _ := open(t, home, "worker")
	three, _ := open(t, home, "worker")
	one.Info("turn finished", "session_id", "s1", "text", "two words", "n", 7)
	two.Warn("model is slow", "after", time.Second)
	two.Debug("not logged")
	middle := tick()
	three.With("worker", 2).Error("broke", "error", fmt.Errorf("why"))

	all := read(t, home, logs.Query{})
	require.Equal(t, []string{"ingress", "worker", "worker-2"}, all.Processes)
	require.NotEmpty(t, all.Host)
	require.False(t, all.More)
	require.Equal(t, []string{
		`ingress info turn finished n=7 session_id=s1 text="two words"`, "worker warn model is slow after=1000000000", "worker-2 error broke error=why worker=2",
	}, texts(all))
	require.Len(t, read(t, home, logs.Query{Level: "warn"}).Lines, 2)
	require.Len(t, read(t, home, logs.Query{Words: "SLOW model"}).Lines, 1)
	require.Len(t, read(t, home, logs.Query{Process: "worker-2"}).Lines, 1)
	require.Len(t, read(t, home, logs.Query{Since: middle}).Lines, 1)
	require.Len(t, read(t, home, logs.Query{Until: middle}).Lines, 2)
	last := read(t, home, logs.Query{Limit: 1})
	require.Equal(t, []string{"worker-2 error broke error=why worker=2"}, texts(last))
	require.True(t, last.More)
	require.Empty(t, read(t, home, logs.Query{Since: all.Lines[2].At}).Lines, "the line itself is not after its time")
	_, err := logs.Reader{Home: home}.Read(t.Context(), logs.Query{Level: "loud"})
	require.True(t, fault.Is(err, fault.Invalid))
}

func TestFile_StaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	log, f := open(t, home, "serve")
	long := strings.Repeat("x", 64<<10)
	for i := range 1000 { // 64 MB
		log.Info("line", "n", i, "text", long)
	}
	require.NoError(t, f.Close()) // it waits for the removal of old files
	files, err := filepath.Glob(filepath.Join(home, "logs", "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	found := read(t, home, logs.Query{Limit: 3})
	require.Equal(t, []string{"serve"}, found.Processes, "old files are of the same process")
	require.True(t, found.More)
	require.Contains(t, found.Lines[2].Text, "line n=999")
	require.Less(t, len(found.Lines[2].Text), 9<<10)
}

// TestFile_RemovesOldFilesOfAnEarlierVersion writes files as they were named before each said why it was ended.
func TestFile_RemovesOldFilesOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(logs.Folder(home), 0o700))
	recent := time.Now().UTC().Format("2006-01-02T15-04-05.000")
	for _, name := range []string{"serve-2020-01-02T03-04-05.678.jsonl", "serve-" + recent + ".jsonl", "serve-2-2020-01-02T03-04-05.678.jsonl", "serve-2.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(logs.Folder(home), name), []byte("{}\n"), 0o600))
	}
	log, f := open(t, home, "serve")
	log.Info("line")
	require.NoError(t, f.Close())
	files, err := filepath.Glob(filepath.Join(home, "logs", "*.jsonl"))
	require.NoError(t, err)
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	require.ElementsMatch(t, []string{"serve.jsonl", "serve-" + recent + "-size.jsonl", "serve-2-2020-01-02T03-04-05.678.jsonl", "serve-2.jsonl"}, files)
	require.Equal(t, []string{"serve", "serve-2"}, read(t, home, logs.Query{}).Processes)
}

func FuzzRead_TakesWhateverStandsInAFile(f *testing.F) {
	f.Add([]byte(`{"time":"2026-11-22T05:00:00Z","level":"INFO","msg":"x","a":{"b":[1,null]}}`), "x")
	f.Add([]byte("{\"time\":1}\n\xff\n{}\n[]\n"), "")
	f.Fuzz(func(t *testing.T, data []byte, words string) {
		home := t.TempDir()
		require.NoError(t, os.MkdirAll(logs.Folder(home), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(logs.Folder(home), "a.jsonl"), append(data, '\n'), 0o600))
		_, err := logs.Reader{Home: home}.Read(t.Context(), logs.Query{Words: words})
		require.NoError(t, err)
	})
}
