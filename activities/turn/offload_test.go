package turn_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/turn/window"
)

// manyLines is a file that is too large for the conversation.
func manyLines() string {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, "line %d of the file\n", i)
	}
	return b.String()
}

func TestTool_ALargeResultStandsAsASummaryAndIsKeptWhole(t *testing.T) {
	b := setup(t, `call Read {"path":"big.txt"}`, `call Read {"path":"big.txt","offset":2}`, `call Shell {"command":"cat big.txt; exit 3"}`, `call Shell {"command":"echo small"}`)
	b.Sandbox.Put(t, "big.txt", manyLines())
	b.AskForCalls()
	for n := range 4 {
		_, err := b.RunTool(t.Context(), n)
		require.NoError(t, err)
	}
	read := b.ResultOf(0)
	require.Equal(t, window.OffloadID(read.ID), read.Offload)
	require.True(t, strings.HasPrefix(read.Result, window.OffloadMark(read.Offload)+" Read big.txt"), read.Result)
	whole, err := b.Conversations.OffloadBody(t.Context(), activitiestest.Key, read.Offload)
	require.NoError(t, err)
	require.Contains(t, whole, "450\tline 449 of the file\n")
	require.NotContains(t, read.Result, "line 449 ")

	require.Empty(t, b.ResultOf(1).Offload, "what was asked for in part stays")
	require.Contains(t, b.ResultOf(1).Result, "line 449 ")
	failed := b.ResultOf(2)
	require.NotEmpty(t, failed.Offload)
	require.True(t, failed.IsError)
	require.Contains(t, failed.Result, "[exit code 3")
	require.Empty(t, b.ResultOf(3).Offload)

	files, err := b.Conversations.OffloadedFiles(t.Context(), activitiestest.Key, []string{read.Offload, failed.Offload})
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.Equal(t, b.Sandbox.Workspace()+"/big.txt", files[0].File.Path)
	require.Equal(t, "test", files[0].File.Runner)
}

// staleBundle is a session whose first step has read two large files.
type staleBundle struct {
	*fixture
	stale *modelcall.Stale
}

func setupStale(t *testing.T) staleBundle {
	t.Helper()
	b := setup(t, `call Read {"path":"a.txt"}`, `call Read {"path":"b.txt"}`, "then", "say done")
	b.Sandbox.Put(t, "a.txt", manyLines())
	b.Sandbox.Put(t, "b.txt", manyLines())
	b.AskForCalls()
	for n := range 2 {
		_, err := b.RunTool(t.Context(), n)
		require.NoError(t, err)
	}
	return staleBundle{b, &modelcall.Stale{Reads: b.Store.Conversations, Sandboxes: b}}
}

// check looks at the files as the first step of a turn does, and returns the paths of those that have changed.
func (b staleBundle) check() (paths []string) {
	b.T.Helper()
	w, err := b.Conversations.Window(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	found, err := b.stale.Check(b.T.Context(), chat.Step{Session: activitiestest.Key, Turn: activitiestest.Turn}, w)
	require.NoError(b.T, err)
	for _, c := range found {
		require.NotZero(b.T, c.ID, "it is stored")
		paths = append(paths, strings.TrimPrefix(c.Stale.Path, b.Sandbox.Workspace()+"/"))
	}
	return paths
}

// results are the results that the model sees of the first step.
func (b staleBundle) results() (out []string) {
	b.T.Helper()
	w, err := b.Conversations.Window(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	for _, l := range window.View(w) {
		for _, c := range l.Message.ToolCalls {
			out = append(out, c.Result)
		}
	}
	return out
}

func TestStale_WarnsInPlaceOfAFileThatHasChangedAndOnlyOnce(t *testing.T) {
	b := setupStale(t)
	require.Empty(t, b.check())
	before := b.results()
	b.Sandbox.Put(t, "b.txt", manyLines()+"one more\n")
	require.Equal(t, []string{"b.txt"}, b.check())
	require.Empty(t, b.check(), "it is known")
	after := b.results()
	require.Equal(t, before[0], after[0])
	require.Contains(t, after[1], "STALE")
	require.Contains(t, after[1], "b.txt has changed")
}

func TestStale_SeesAChangeThatLeavesTheSizeAndNoneThatLeavesTheContent(t *testing.T) {
	b := setupStale(t)
	file := b.Sandbox.Put(t, "a.txt", strings.Replace(manyLines(), "line 5", "LINE 5", 1))
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(time.Hour)))
	same := b.Sandbox.Put(t, "b.txt", manyLines())
	require.NoError(t, os.Chtimes(same, time.Time{}, time.Now().Add(time.Hour)))
	require.Equal(t, []string{"a.txt"}, b.check())
}

func TestStale_SaysThatAFileIsGone(t *testing.T) {
	b := setupStale(t)
	require.NoError(t, os.Remove(b.Sandbox.Workspace()+"/a.txt"))
	require.Equal(t, []string{"a.txt"}, b.check())
	require.Contains(t, b.results()[0], "a.txt is gone")
}

// counted counts the looks at files, and answers them with an error if there is one.
type counted struct {
	*fixture
	looks  atomic.Int32
	err    error
	silent bool // no answer comes
}

func (c *counted) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return looking{c.Sandbox, c}, nil
}

type looking struct {
	sandbox.Sandbox
	c *counted
}

func (l looking) Stat(ctx context.Context, path string) (sandbox.FileInfo, error) {
	l.c.looks.Add(1)
	if l.c.silent {
		<-ctx.Done()
		return sandbox.FileInfo{}, ctx.Err()
	}
	if l.c.err != nil {
		return sandbox.FileInfo{}, l.c.err
	}
	return l.Sandbox.Stat(ctx, path)
}

func TestStale_LooksOnlyWhereSomethingMayHaveChanged(t *testing.T) {
	b := setupStale(t)
	boxes := &counted{fixture: b.fixture}
	b.stale.Sandboxes = boxes
	w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	for _, c := range []struct {
		step  int
		class chat.ToolClass
		name  string
		want  int32
	}{
		{step: 1, class: chat.ClassRead, name: "Read", want: 0},
		{step: 0, class: chat.ClassRead, name: "Read", want: 2},
		{step: 1, class: chat.ClassExec, name: "Shell", want: 2},
		{step: 1, class: chat.ClassRead, name: "task_wait", want: 2},
	} {
		boxes.looks.Store(0)
		last := &w.Lines[len(w.Lines)-1].Message.ToolCalls[1]
		last.Class, last.Name = c.class, c.name
		_, err := b.stale.Check(t.Context(), chat.Step{Session: activitiestest.Key, Turn: activitiestest.Turn, N: c.step}, w)
		require.NoError(t, err)
		require.Equal(t, c.want, boxes.looks.Load(), "%+v", c)
	}
}

func TestStale_LeavesARunnerAloneThatDoesNotAnswer(t *testing.T) {
	b := setupStale(t)
	boxes := &counted{fixture: b.fixture, err: fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "test"})}
	b.stale.Sandboxes = boxes
	b.Sandbox.Put(t, "a.txt", "other")
	require.Empty(t, b.check())
	require.Empty(t, b.check())
	require.EqualValues(t, 1, boxes.looks.Load(), "one look tells that it is away")
	require.NotContains(t, strings.Join(b.results(), ""), "STALE")
}

func TestStale_DoesNotWaitForARunnerThatIsSilent(t *testing.T) {
	b := setupStale(t)
	boxes := &counted{fixture: b.fixture, silent: true}
	b.stale.Sandboxes = boxes
	for range 2 {
		require.Empty(t, b.check())
	}
	require.EqualValues(t, 1, boxes.looks.Load())

	b.stale = &modelcall.Stale{Reads: b.Store.Conversations, Sandboxes: boxes}
	w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.stale.Check(ctx, chat.Step{Session: activitiestest.Key, Turn: activitiestest.Turn}, w)
	require.ErrorIs(t, err, context.Canceled, "a step that was stopped is not said to have nothing to tell")
	boxes.silent = false
	b.Sandbox.Put(t, "a.txt", "other")
	require.Equal(t, []string{"a.txt"}, b.check(), "that its step was stopped says nothing of the runner")
}

func TestStale_DoesNotLookBehindMasks(t *testing.T) {
	b := setupStale(t)
	w, err := b.Conversations.Window(t.Context(), activitiestest.Key)
	require.NoError(t, err)
	line := w.Lines[len(w.Lines)-1].Message
	_, _, err = b.Conversations.AddControl(t.Context(), activitiestest.Key, chat.Control{Kind: chat.ControlMask, Message: line.ID, Masks: []chat.Mask{
		{ID: "mk_0123456789", Message: line.ID, Call: line.ToolCalls[0].ID, Text: "📂 [masked:mk_0123456789]", Bytes: 1},
	}})
	require.NoError(t, err)
	b.Sandbox.Put(t, "a.txt", "other")
	b.Sandbox.Put(t, "b.txt", "other")
	require.Equal(t, []string{"b.txt"}, b.check())
}
