package sandboxtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/sandbox"
)

// crashCases harm what is behind the sandbox; each has a separate fixture.
var crashCases = map[string]func(*bench){
	"cut connections lose no output":                   cutConnection,
	"a killed daemon neither loses nor repeats":        killDaemon,
	"a command that ends without a daemon is found":    endsWithoutDaemon,
	"a kill reaches a command of an earlier daemon":    killAdopted,
	"a timeout holds without a daemon":                 timeoutWithoutDaemon,
	"a killed shim is lost, once, and leaves nobody":   killShim,
	"a shim killed while no daemon watched is lost":    killShimUnwatched,
	"a wiped job store is lost rather than run again":  wipedStore,
	"files survive a connection that breaks all along": filesOverBadLine,
	"whenever the daemon dies everything runs once":    killAnywhere,
	"input is written once whenever the daemon dies":   feedOverKills,
	"a lost connection ends a process and says so":     lostTalk,
	"a runner out of reach uses up the budget":         budgetOutOfReach,
}

const counting = `for i in $(seq 1 40); do echo line $i; sleep 0.02; done; echo ran >> log`

func countedLines() string {
	var want strings.Builder
	for i := range 40 {
		fmt.Fprintf(&want, "line %d\n", i+1)
	}
	return want.String()
}

// cutConnection relies on start, which checks that the pieces of output join without a gap or a repetition.
func cutConnection(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: counting})
	for i := 5; i <= 35; i += 10 {
		r.waitOutput(fmt.Sprintf("line %d\n", i))
		b.Cut()
	}
	require.Equal(b.T, countedLines(), string(r.end().Output))
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func killDaemon(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: counting})
	for i := 5; i <= 25; i += 10 {
		r.waitOutput(fmt.Sprintf("line %d\n", i))
		b.Kill()
		b.Start()
	}
	require.Equal(b.T, countedLines(), string(r.end().Output))
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func endsWithoutDaemon(b *bench) {
	mark := "unwatched-" + b.dir
	r := b.start(sandbox.ExecRequest{Command: "echo up; sleep 0.5; echo ran >> log; exit 3 # " + mark})
	b.Kill()
	b.eventually(func() bool { return !b.Alive(mark) }, "the command does not end by itself")
	b.Start()
	got := r.end()
	require.Equal(b.T, sandbox.ExecExited, got.State)
	require.Equal(b.T, 3, got.Code)
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func killAdopted(b *bench) {
	mark := "adopted-" + b.dir
	r := b.start(sandbox.ExecRequest{Command: family(mark)})
	b.Kill()
	b.Start()
	b.must(b.Box.Kill(b.ctx, r.id))
	require.Equal(b.T, sandbox.ExecKilled, r.end().State)
	b.mustBeGone(mark)
}

func timeoutWithoutDaemon(b *bench) {
	mark := "alone-" + b.dir
	r := b.start(sandbox.ExecRequest{Command: family(mark), Timeout: unhurried})
	b.Kill()
	b.mustBeGone(mark)
	b.Start()
	require.Equal(b.T, sandbox.ExecTimedOut, r.end().State)
}

func killShim(b *bench) {
	mark := "orphan-" + b.dir
	r := b.start(sandbox.ExecRequest{Command: "echo ran >> log; " + family(mark)})
	b.eventually(func() bool { return b.Alive(mark+"-daemon") && b.Alive(mark+"-stubborn") }, "the family does not come up")
	b.KillShim(r.id)
	got := r.end()
	require.Equal(b.T, sandbox.ExecLost, got.State)
	require.True(b.T, strings.HasPrefix(string(got.Output), "up\n"))
	b.mustBeGone(mark)
	again := b.exec(sandbox.ExecRequest{ID: r.id, Command: "echo ran >> log; " + family(mark)})
	require.Equal(b.T, sandbox.ExecLost, again.State)
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func killShimUnwatched(b *bench) {
	mark := "unwatched-orphan-" + b.dir
	r := b.start(sandbox.ExecRequest{Command: "echo ran >> log; " + family(mark)})
	b.eventually(func() bool { return b.Alive(mark+"-daemon") && b.Alive(mark+"-stubborn") }, "the family does not come up")
	b.Kill()
	b.KillShim(r.id)
	require.True(b.T, b.Alive(mark+"-stubborn"), "nobody is there to notice")
	b.Start()
	require.Equal(b.T, sandbox.ExecLost, r.end().State)
	b.mustBeGone(mark)
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}

func wipedStore(b *bench) {
	r := b.start(sandbox.ExecRequest{Command: "echo ran >> log; echo up; sleep 1; echo end >> log"})
	b.Wipe()
	require.Equal(b.T, sandbox.ExecLost, r.end().State)
	b.eventually(func() bool { return b.sh("cat log") == "ran\nend\n" }, "the command went on, and once")
}

func filesOverBadLine(b *bench) {
	data := randomBytes(3 << 20)
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for range 8 {
			// Each cut comes after the line worked again, so that it hits something.
			if err := b.Box.MkdirAll(b.ctx, b.dir); err != nil {
				b.Errorf("the line does not come back: %v", err)
			}
			b.Cut()
		}
	}()
	for i := range 8 {
		path, want := b.path(fmt.Sprintf("f%d", i)), data[:(i%3)<<20+i]
		b.must(b.Box.WriteFile(b.ctx, path, want, sandbox.WriteCreate))
		got, err := b.Box.ReadFile(b.ctx, path, 0, 0)
		b.must(err)
		require.True(b.T, bytes.Equal(want, got.Data))
		b.must(b.Box.Remove(b.ctx, path))
	}
	<-cut
}

// killAnywhere kills the daemon at moments that are different each time, among them those in which it starts shims.
func killAnywhere(b *bench) {
	const workers, each = 4, 15
	var working sync.WaitGroup
	for w := range workers {
		working.Go(func() {
			for n := range each {
				got, err := b.Box.Exec(b.ctx, sandbox.ExecRequest{ID: b.id(), Dir: b.dir, Command: fmt.Sprintf("echo %d.%d >> log", w, n)})
				if err != nil || got.State != sandbox.ExecExited {
					b.Errorf("command %d.%d: %v %s", w, n, err, got.State)
				}
			}
		})
	}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for i := range 6 {
			_ = b.Box.MkdirAll(b.ctx, b.dir) // it is up again, and so are the commands that waited for it
			timer := time.NewTimer(time.Duration(i) * 3 * time.Millisecond)
			<-timer.C
			b.Kill()
			b.Start()
		}
	}()
	working.Wait()
	<-killed
	lines := strings.Fields(b.sh("sort log"))
	require.Len(b.T, lines, workers*each)
	require.Len(b.T, slices.Compact(lines), workers*each, "nothing ran twice")
}

func budgetOutOfReach(b *bench) {
	store := ""
	req := sandbox.ExecRequest{
		Command: "echo ran >> log; echo up; while ! test -e go; do sleep 0.02; done; echo end", Budget: unhurried,
		Starting: func(_ context.Context, s string) error { store = s; return nil },
	}
	r := b.start(req)
	b.Kill()
	require.Equal(b.T, sandbox.ExecRunning, r.end().State)
	req.ID, req.Dir, req.StartedOn = r.id, b.dir, store
	require.Equal(b.T, sandbox.ExecRunning, b.exec(req).State, "also for an attempt that finds it sent")
	b.Start()
	b.sh("touch go")
	req.Budget = 0
	require.Equal(b.T, "up\nend\n", string(b.exec(req).Output))
	require.Equal(b.T, "ran\n", b.sh("cat log"))
}
