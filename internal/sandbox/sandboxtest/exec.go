package sandboxtest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

var execCases = cases{
	"a command's end and output are reported":                exitCodes,
	"stdout and stderr keep their order":                     outputOrder,
	"output may be any bytes":                                binaryOutput,
	"output is streamed while the command runs":              streaming,
	"streaming begins at the offset":                         streamingOffset,
	"long output keeps its head and its tail":                longOutput,
	"output over the limit on disk keeps its head and tail":  hugeOutput,
	"the environment is clean and can be added to":           environment,
	"standard input is empty":                                standardInput,
	"a working folder that is not there is explained":        missingFolder,
	"the same id runs once":                                  sameID,
	"the same id at the same moment runs once":               sameIDTogether,
	"the same id with another command is a conflict":         conflict,
	"odd ids are kept apart":                                 oddIDs,
	"a timeout ends the whole family":                        timeout,
	"a kill ends the whole family":                           kill,
	"a kill gives time to clean up":                          killGrace,
	"a kill before the start keeps it from starting":         killFirst,
	"a kill of what has ended is no error":                   killEnded,
	"when the caller leaves the command goes on":             callerLeaves,
	"a background process does not hold up the end":          backgroundProcess,
	"a released command is never started again":              release,
	"a running command cannot be released":                   releaseRunning,
	"a command for another job store is lost":                otherStore,
	"the store is named before the first send and only then": starting,
	"many commands run side by side":                         manyCommands,
	"bad requests are refused":                               badRequests,
	"over its budget a command goes on":                      budget,
	"the budget counts from the command's own start":         budgetFromStart,
	"output can be read while it runs and afterwards":        readOutput,
}

func exitCodes(b *bench) {
	for command, want := range map[string]int{"true": 0, "exit 7": 7, "kill -9 $$": 137, "kill -TERM $$": 143, "no-such-program": 127} {
		got := b.exec(sandbox.ExecRequest{Command: command})
		require.Equal(b.T, sandbox.ExecExited, got.State, command)
		require.Equal(b.T, want, got.Code, command)
		require.False(b.T, got.Started.IsZero() || got.Ended.Before(got.Started), command)
	}
	require.Equal(b.T, "hello\n", b.sh("echo hello"))
}

func outputOrder(b *bench) {
	got := b.sh("for i in 1 2 3; do echo out $i; echo err $i >&2; done")
	require.Equal(b.T, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", got)
}

func binaryOutput(b *bench) {
	data := randomBytes(50_000)
	b.must(b.Box.WriteFile(b.ctx, b.path("data"), data, sandbox.WriteCreate))
	require.True(b.T, bytes.Equal(data, []byte(b.sh("cat data"))))
}

func streaming(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: "echo first; while ! test -e go; do sleep 0.02; done; echo second"})
	r.waitOutput("first\n")
	b.sh("touch go")
	require.Equal(b.T, "first\nsecond\n", string(r.end().Output))
}

func streamingOffset(b *bench) {
	id := b.id()
	b.exec(sandbox.ExecRequest{ID: id, Command: "printf 0123456789"})
	var got []byte
	b.exec(sandbox.ExecRequest{ID: id, Command: "printf 0123456789", Offset: 4, Output: func(offset int64, piece []byte) {
		require.EqualValues(b.T, 4+len(got), offset)
		got = append(got, piece...)
	}})
	require.Equal(b.T, "456789", string(got))
}

func longOutput(b *bench) {
	var streamed int64
	got := b.exec(sandbox.ExecRequest{
		Command: "seq 100000", Limit: 1000, Output: func(_ int64, piece []byte) { streamed += int64(len(piece)) },
	})
	require.True(b.T, got.Truncated)
	require.EqualValues(b.T, 588895, got.Total)
	require.EqualValues(b.T, 588895, streamed)
	text := string(got.Output)
	require.True(b.T, strings.HasPrefix(text, "1\n2\n3\n"))
	require.True(b.T, strings.HasSuffix(text, "99999\n100000\n"))
	require.Contains(b.T, text, "\n[... 587895 bytes left out ...]\n")
	require.Less(b.T, len(text), 1100)

	got = b.exec(sandbox.ExecRequest{Command: "seq 100000"})
	require.InDelta(b.T, 64<<10, len(got.Output), 100, "the default limit")
}

func hugeOutput(b *bench) {
	got := b.exec(sandbox.ExecRequest{Command: "echo begin; head -c 70000000 /dev/zero | tr '\\0' x; echo; echo end", Limit: 4 << 20})
	require.Equal(b.T, sandbox.ExecExited, got.State)
	require.EqualValues(b.T, 70000000+6+5, got.Total)
	require.True(b.T, got.Truncated)
	require.True(b.T, bytes.HasPrefix(got.Output, []byte("begin\n")))
	require.True(b.T, bytes.HasSuffix(got.Output, []byte("x\nend\n")))
	require.Contains(b.T, string(got.Output), "bytes of output were not kept]")
}

func environment(b *bench) {
	got := b.exec(sandbox.ExecRequest{Command: "env", Env: []string{"ADDED=yes", "TERM=fancy"}})
	require.Contains(b.T, string(got.Output), "ADDED=yes\n")
	require.Contains(b.T, string(got.Output), "TERM=fancy\n")
	require.Contains(b.T, b.sh("env"), "TERM=dumb\n")
	require.Contains(b.T, b.sh("env"), "PATH=/")
	require.NotContains(b.T, b.sh("env"), "TOKEN")
	require.NotContains(b.T, b.sh("env"), "ADDED")
	shim := b.exec(sandbox.ExecRequest{Command: "tr '\\0' '\\n' < /proc/$PPID/environ"})
	require.NotContains(b.T, string(shim.Output), "TOKEN", "the shim has no secrets either, if it can be looked into at all")
}

func standardInput(b *bench) { require.Empty(b.T, b.sh("cat")) }

func missingFolder(b *bench) {
	got := b.exec(sandbox.ExecRequest{Command: "true", Dir: b.path("no")})
	require.Equal(b.T, 126, got.Code)
	require.Contains(b.T, string(got.Output), "no such file or directory")
	require.Contains(b.T, string(got.Output), b.path("no"))
}

func sameID(b *bench) {
	id := b.id()
	for range 3 {
		got := b.exec(sandbox.ExecRequest{ID: id, Command: "echo ran >> log; cat log"})
		require.Equal(b.T, "ran\n", string(got.Output))
	}
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func sameIDTogether(b *bench) {
	id := b.id()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := b.Box.Exec(b.ctx, sandbox.ExecRequest{ID: id, Dir: b.dir, Command: "echo ran >> log; sleep 0.1; cat log"})
			if err != nil || string(got.Output) != "ran\n" {
				b.Errorf("%v %s", err, got.Output)
			}
		})
	}
	wg.Wait()
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func conflict(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: "echo up; while ! test -e go; do sleep 0.02; done"})
	other := sandbox.ExecRequest{ID: r.id, Dir: b.dir, Command: "echo other > other"}
	_, err := b.Box.Exec(b.ctx, other)
	b.kind(fault.Conflict, err)
	b.sh("touch go")
	r.end()
	_, err = b.Box.Exec(b.ctx, other)
	b.kind(fault.Conflict, err)
	_, err = b.Box.Stat(b.ctx, b.path("other"))
	b.kind(fault.NotFound, err)
}

func oddIDs(b *bench) {
	ids := []chat.CallID{"../../x", "A/B", "a/b", "a b", "日本", ".", "..", "x\ny", chat.CallID(strings.Repeat("i", 200)), "Case", "case"}
	for i, id := range ids {
		id = chat.CallID(b.dir[5:]) + id
		if len(id) > 200 {
			id = id[len(id)-200:]
		}
		got := b.exec(sandbox.ExecRequest{ID: id, Command: fmt.Sprintf("echo %d", i)})
		require.Equal(b.T, fmt.Sprintf("%d\n", i), string(got.Output))
	}
}

// family prints when it is up, ignores SIGTERM in one child, and puts another into a new session. Mark is found
// in the command lines of both.
func family(mark string) string {
	return fmt.Sprintf(`sh -c 'trap "" TERM; while :; do sleep 0.05; done # %s-stubborn' &
setsid sh -c 'trap "" TERM; while :; do sleep 0.05; done # %s-daemon' &
echo up; wait`, mark, mark)
}

func (b *bench) mustBeGone(mark string) {
	b.Helper()
	b.eventually(func() bool { return !b.Alive(mark + "-stubborn") }, "a child of the command still runs")
	b.eventually(func() bool { return !b.Alive(mark + "-daemon") }, "a child in its own session still runs")
}

func timeout(b *bench) {
	mark := "timeout-" + b.dir
	begin := time.Now()
	got := b.exec(sandbox.ExecRequest{Command: family(mark), Timeout: unhurried})
	require.Equal(b.T, sandbox.ExecTimedOut, got.State)
	require.GreaterOrEqual(b.T, got.Code, 128)
	require.True(b.T, strings.HasPrefix(string(got.Output), "up\n")) // the shell may report its children's death
	require.Greater(b.T, time.Since(begin), unhurried)
	b.mustBeGone(mark)
}

func kill(b *bench) {
	mark := "kill-" + b.dir
	r := b.start(sandbox.ExecRequest{Command: family(mark)})
	r.b.eventually(func() bool { return b.Alive(mark+"-daemon") && b.Alive(mark+"-stubborn") }, "the family does not come up")
	b.must(b.Box.Kill(b.ctx, r.id))
	b.must(b.Box.Kill(b.ctx, r.id))
	require.Equal(b.T, sandbox.ExecKilled, r.end().State)
	b.mustBeGone(mark)
}

func killGrace(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: `trap 'sleep 0.3; echo cleaned; exit 5' TERM; echo up; while :; do sleep 0.05; done`})
	b.must(b.Box.Kill(b.ctx, r.id))
	got := r.end()
	require.Equal(b.T, sandbox.ExecKilled, got.State)
	require.True(b.T, strings.HasSuffix(string(got.Output), "cleaned\n"), "%s", got.Output)
	require.Equal(b.T, 5, got.Code)
}

func killFirst(b *bench) {
	id := b.id()
	b.must(b.Box.Kill(b.ctx, id))
	for range 2 {
		got := b.exec(sandbox.ExecRequest{ID: id, Command: "touch ran"})
		require.Equal(b.T, sandbox.ExecKilled, got.State)
	}
	_, err := b.Box.Stat(b.ctx, b.path("ran"))
	b.kind(fault.NotFound, err)
}

func killEnded(b *bench) {
	id := b.id()
	b.exec(sandbox.ExecRequest{ID: id, Command: "true"})
	b.must(b.Box.Kill(b.ctx, id))
	require.Equal(b.T, sandbox.ExecExited, b.exec(sandbox.ExecRequest{ID: id, Command: "true"}).State)
	b.must(b.Box.Release(b.ctx, id))
	b.must(b.Box.Kill(b.ctx, id))
}

func callerLeaves(b *bench) {
	id, command := b.id(), "echo up; while ! test -e go; do sleep 0.02; done; echo done >> log"
	ctx, leave := context.WithCancel(b.ctx)
	_, err := b.Box.Exec(ctx, sandbox.ExecRequest{ID: id, Dir: b.dir, Command: command, Output: func(int64, []byte) { leave() }})
	require.ErrorIs(b.T, err, context.Canceled)
	b.sh("touch go")
	require.Equal(b.T, sandbox.ExecExited, b.exec(sandbox.ExecRequest{ID: id, Command: command}).State)
	require.Equal(b.T, "done\n", b.sh("cat log"))
}

func backgroundProcess(b *bench) {
	mark := "background-" + b.dir
	got := b.exec(sandbox.ExecRequest{Command: fmt.Sprintf(
		`sh -c 'while ! test -e stop; do echo noise; sleep 0.05; done; touch survived # %s' & echo up`, mark)})
	require.Equal(b.T, sandbox.ExecExited, got.State)
	require.True(b.T, strings.HasPrefix(string(got.Output), "up\n") || strings.Contains(string(got.Output), "\nup\n"))
	require.Less(b.T, got.Ended.Sub(got.Started), 10*time.Second)
	require.True(b.T, b.Alive(mark), "it goes on")
	b.sh("sleep 0.3; touch stop")
	b.eventually(func() bool {
		_, err := b.Box.Stat(b.ctx, b.path("survived"))
		return err == nil
	}, "it did not survive writing to an output that nobody keeps")
}

func release(b *bench) {
	id := b.id()
	req := sandbox.ExecRequest{ID: id, Command: "echo ran >> log"}
	b.exec(req)
	b.must(b.Box.Release(b.ctx, id))
	b.must(b.Box.Release(b.ctx, id))
	require.Equal(b.T, sandbox.ExecLost, b.exec(req).State)
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func releaseRunning(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: "echo up; while ! test -e go; do sleep 0.02; done"})
	b.kind(fault.Conflict, b.Box.Release(b.ctx, r.id))
	b.sh("touch go")
	r.end()
	b.must(b.Box.Release(b.ctx, r.id))
}

func otherStore(b *bench) {
	got := b.exec(sandbox.ExecRequest{Command: "touch ran", StartedOn: "some-other-store"})
	require.Equal(b.T, sandbox.ExecLost, got.State)
	_, err := b.Box.Stat(b.ctx, b.path("ran"))
	b.kind(fault.NotFound, err)
}

func starting(b *bench) {
	id, store := b.id(), ""
	note := func(_ context.Context, s string) error {
		require.Empty(b.T, store, "it is named once")
		store = s
		_, err := b.Box.Stat(b.ctx, b.path("ran"))
		b.kind(fault.NotFound, err)
		return nil
	}
	b.exec(sandbox.ExecRequest{ID: id, Command: "touch ran", Starting: note})
	require.NotEmpty(b.T, store)
	b.exec(sandbox.ExecRequest{ID: id, Command: "touch ran", Starting: note, StartedOn: store})

	refuse := func(context.Context, string) error { return fault.Errorf(fault.Conflict, "no") }
	_, err := b.Box.Exec(b.ctx, sandbox.ExecRequest{ID: b.id(), Dir: b.dir, Command: "touch never", Starting: refuse})
	b.kind(fault.Conflict, err)
	_, err = b.Box.Stat(b.ctx, b.path("never"))
	b.kind(fault.NotFound, err)
}

func manyCommands(b *bench) {
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			got, err := b.Box.Exec(b.ctx, sandbox.ExecRequest{ID: b.id(), Dir: b.dir, Command: fmt.Sprintf("sleep 0.2; echo %d", i)})
			if err != nil || string(got.Output) != fmt.Sprintf("%d\n", i) {
				b.Errorf("command %d: %v %s", i, err, got.Output)
			}
		})
	}
	wg.Wait()
}

func badRequests(b *bench) {
	for _, req := range []sandbox.ExecRequest{
		{ID: "", Command: "true"}, {ID: b.id(), Command: " "}, {ID: b.id(), Command: "a\x00b"},
		{ID: b.id(), Command: "true", Env: []string{"novalue"}}, {ID: b.id(), Command: "true", Timeout: 25 * time.Hour},
	} {
		_, err := b.Box.Exec(b.ctx, req)
		b.kind(fault.Invalid, err)
	}
	_, err := b.Box.Exec(b.ctx, sandbox.ExecRequest{ID: b.id(), Command: ": " + strings.Repeat("x", 200_000)})
	b.kind(fault.TooLarge, err)
	long := b.exec(sandbox.ExecRequest{Command: ": " + strings.Repeat("x", 119<<10)})
	require.Zero(b.T, long.Code)
}

func budget(b *bench) {
	req := sandbox.ExecRequest{ID: b.id(), Command: "echo first; while ! test -e go; do sleep 0.02; done; echo second", Budget: 300 * time.Millisecond}
	got := b.exec(req)
	for got.State == sandbox.ExecRunning && got.Total == 0 {
		got = b.exec(req) // a loaded machine takes longer than the budget to print a line
	}
	require.Equal(b.T, sandbox.ExecRunning, got.State)
	require.Equal(b.T, "first\n", string(got.Output))
	require.EqualValues(b.T, 6, got.Total)
	require.False(b.T, got.Started.IsZero())
	require.True(b.T, got.Ended.IsZero())

	streamed := ""
	req.Output = func(_ int64, piece []byte) { streamed += string(piece) }
	got = b.exec(req)
	require.Equal(b.T, sandbox.ExecRunning, got.State, "with a stream as well")
	b.sh("touch go")
	req.Budget, req.Offset = 0, int64(len(streamed))
	got = b.exec(req)
	require.Equal(b.T, sandbox.ExecExited, got.State)
	require.Equal(b.T, "first\nsecond\n", string(got.Output))
	require.Equal(b.T, "first\nsecond\n", streamed, "not a byte is lost between one and the other")
	req.Budget, req.Output = time.Millisecond, nil
	require.Equal(b.T, sandbox.ExecExited, b.exec(req).State, "an end counts whatever the budget")
}

func budgetFromStart(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: "echo up; while ! test -e go; do sleep 0.02; done"})
	b.sh("sleep 0.5")
	began := time.Now()
	got := b.exec(sandbox.ExecRequest{ID: r.id, Command: "echo up; while ! test -e go; do sleep 0.02; done", Budget: 400 * time.Millisecond})
	require.Equal(b.T, sandbox.ExecRunning, got.State)
	require.Greater(b.T, began.Sub(got.Started), 400*time.Millisecond, "the budget had been used up before")
	b.sh("touch go")
	require.Equal(b.T, sandbox.ExecExited, r.end().State)
}

func readOutput(b *bench) {
	read := func(id chat.CallID, offset, limit int64) string {
		got, err := b.Box.ReadOutput(b.ctx, id, offset, limit)
		b.must(err)
		return string(got.Data)
	}
	r := b.start(sandbox.ExecRequest{Command: "printf 'a\\000b'; while ! test -e go; do sleep 0.02; done; printf 0123456789"})
	r.waitOutput("b")
	require.Equal(b.T, "a\x00b", read(r.id, 0, 100))
	require.Empty(b.T, read(r.id, 100, 100), "behind the end")
	b.sh("touch go")
	r.end()
	require.Equal(b.T, "0123", read(r.id, 3, 4))
	got, err := b.Box.ReadOutput(b.ctx, r.id, 10, 100)
	b.must(err)
	require.Equal(b.T, "789", string(got.Data))
	require.EqualValues(b.T, 13, got.Size)
	_, err = b.Box.ReadOutput(b.ctx, r.id, -1, 1)
	b.kind(fault.Invalid, err)
	_, err = b.Box.ReadOutput(b.ctx, b.id(), 0, 1)
	b.kind(fault.NotFound, err)
	b.must(b.Box.Release(b.ctx, r.id))
	_, err = b.Box.ReadOutput(b.ctx, r.id, 0, 1)
	b.kind(fault.NotFound, err)
}
