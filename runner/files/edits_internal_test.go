package files

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/job"
	"xbot/runner/wire"
)

// editor is a tree that is killed and opened again.
type editor struct {
	*testing.T
	*Tree
	workspace, state string
}

func newEditor(t *testing.T) *editor {
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	e := &editor{T: t, workspace: workspace, state: t.TempDir()}
	e.reopen()
	return e
}

// reopen is the next daemon.
func (e *editor) reopen() {
	e.Helper()
	var err error
	e.Tree, err = Open(e.workspace, nil, e.state)
	require.NoError(e.T, err)
	require.NoError(e.T, e.SettleEdits())
}

func (e *editor) put(content string) {
	require.NoError(e.T, os.WriteFile(filepath.Join(e.workspace, "f"), []byte(content), 0o600))
}

func (e *editor) content() string {
	data, err := os.ReadFile(filepath.Join(e.workspace, "f"))
	require.NoError(e.T, err)
	return string(data)
}

func (e *editor) write(id, before, after, mode string) (wire.WriteResult, error) {
	w := wire.Write{Path: "f", Mode: mode, Upload: "u" + editName(id + after + fmt.Sprint(time.Now().UnixNano()))[:20], Data: []byte(after), Last: true, Edit: id}
	if before != "" {
		w.Before = hashed(before)
	}
	return e.Write(w)
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (e *editor) done(id string) bool {
	e.Helper()
	result, err := e.Edited(id)
	require.NoError(e.T, err)
	return result.Done
}

// alone fails if anything but the file lies in the workspace.
func (e *editor) alone() {
	e.Helper()
	entries, err := os.ReadDir(e.workspace)
	require.NoError(e.T, err)
	require.Len(e.T, entries, 1, "%v", entries)
}

func TestEdit_IsCarriedOutOnceOverRestarts(t *testing.T) {
	for _, mode := range []string{wire.WriteReplace, wire.WriteCreate} {
		e := newEditor(t)
		before := ""
		if mode == wire.WriteReplace {
			before = "one"
			e.put(before)
		}
		result, err := e.write("t.0.0", before, "two", mode)
		require.NoError(t, err)
		require.False(t, result.Edited)
		e.put("two, and what somebody wrote since")
		for range 2 {
			result, err = e.write("t.0.0", before, "two", mode)
			require.NoError(t, err)
			require.True(t, result.Edited)
			require.Equal(t, int64(3), result.Size)
			require.True(t, e.done("t.0.0"))
			require.Equal(t, "two, and what somebody wrote since", e.content())
			e.reopen()
		}
		require.False(t, e.done("t.0.1"))
		e.alone()
	}
}

func TestEdit_OfAnotherContentIsAConflict(t *testing.T) {
	e := newEditor(t)
	e.put("changed meanwhile")
	_, err := e.write("t.0.0", "one", "two", wire.WriteReplace)
	require.True(t, wire.IsKind(err, wire.Conflict), "%v", err)
	require.Equal(t, "changed meanwhile", e.content())
	require.False(t, e.done("t.0.0"))
	e.alone()
}

// killed leaves what a kill leaves: the record, with the file moved to its place or not.
func (e *editor) killed(id, before, after, mode string, moved bool) {
	e.Helper()
	p, err := e.locate("f")
	require.NoError(e.T, err)
	defer p.close()
	temp := &location{folder: p.folder, base: ".xbot-killed", path: p.path}
	require.NoError(e.T, os.WriteFile(filepath.Join(e.workspace, temp.base), []byte(after), 0o600))
	left := edit{Path: p.path, Temp: temp.base, Size: int64(len(after))}
	if before != "" {
		left.Before = hashed(before)
	}
	require.NoError(e.T, job.Replace(filepath.Join(e.edits.dir, "open"), editName(id), left))
	if moved {
		require.NoError(e.T, move(temp, p, mode))
	}
}

func TestEdit_KilledBetweenItsRecordAndItsEndIsDecided(t *testing.T) {
	for _, moved := range []bool{true, false} {
		for _, since := range []string{"", "somebody wrote since"} {
			t.Run(fmt.Sprint("moved ", moved, " then ", since), func(t *testing.T) {
				e := newEditor(t)
				e.put("one")
				e.killed("t.0.0", "one", "one one", wire.WriteReplace, moved)
				if since != "" {
					e.put(since)
				}
				e.reopen()
				require.Equal(t, moved, e.done("t.0.0"))
				e.alone()
				result, err := e.write("t.0.0", "one", "one one", wire.WriteReplace)
				if since != "" && !moved {
					require.True(t, wire.IsKind(err, wire.Conflict), "%v", err)
					require.Equal(t, since, e.content())
					return
				}
				require.NoError(t, err)
				require.Equal(t, moved, result.Edited)
				if since == "" {
					since = "one one"
				}
				require.Equal(t, since, e.content())
			})
		}
	}
}

func TestEdit_ThatCreatesKilledBetweenItsNamesIsDone(t *testing.T) {
	e := newEditor(t)
	e.killed("t.0.0", "", "one", wire.WriteCreate, false)
	require.NoError(t, os.Link(filepath.Join(e.workspace, ".xbot-killed"), filepath.Join(e.workspace, "f")))
	e.reopen()
	require.True(t, e.done("t.0.0"))
	e.alone()
}

func TestEdit_WhoseRecordWasTornHasNotHappened(t *testing.T) {
	e := newEditor(t)
	e.put("one")
	require.NoError(t, os.WriteFile(filepath.Join(e.edits.dir, "open", editName("t.0.0")), []byte(`{"path":`), 0o600))
	e.reopen()
	_, err := e.write("t.0.0", "one", "two", wire.WriteReplace)
	require.NoError(t, err)
	require.Equal(t, "two", e.content())
}

func TestEdit_TriedByManyAtOnceHappensOnce(t *testing.T) {
	e := newEditor(t)
	e.put("one")
	var wait sync.WaitGroup
	var mu sync.Mutex
	wrote := 0
	for range 8 {
		wait.Go(func() {
			result, err := e.write("t.0.0", "one", "one one", wire.WriteReplace)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && !result.Edited {
				wrote++
			}
		})
	}
	wait.Wait()
	require.Equal(t, 1, wrote)
	require.Equal(t, "one one", e.content())
	e.alone()
}

func TestPruneEdits_ForgetsTheOldOnes(t *testing.T) {
	e := newEditor(t)
	_, err := e.write("t.0.0", "", "one", wire.WriteReplace)
	require.NoError(t, err)
	require.NoError(t, e.PruneEdits(time.Now()))
	require.True(t, e.done("t.0.0"))
	require.NoError(t, e.PruneEdits(time.Now().Add(KeepEdits+time.Minute)))
	require.False(t, e.done("t.0.0"))
}
