package sandboxtest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

var stdioCases = cases{
	"a process is talked to and ends with its input":    talk,
	"many windows of any bytes pass both ways":          talkMuch,
	"standard error comes apart and may be left unread": talkErrors,
	"the input of a process that ends closes":           talkClosing,
	"the exit of a process is reported":                 talkExit,
	"a kill ends a process with its whole family":       talkKill,
	"the end of the context ends a process":             talkContext,
	"a process has a clean environment and a folder":    talkEnvironment,
	"bad processes are refused":                         talkRefused,
}

func (b *bench) talk(args ...string) sandbox.Process {
	b.Helper()
	p, err := b.Box.Start(b.ctx, sandbox.StdioRequest{Args: args, Dir: b.dir})
	b.must(err)
	b.Cleanup(p.Kill)
	return p
}

func (b *bench) readAll(from io.Reader) []byte {
	b.Helper()
	data, err := io.ReadAll(from)
	b.must(err)
	return data
}

func talk(b *bench) {
	p := b.talk("sh", "-c", `while read -r line; do echo "you said $line"; done; echo bye`)
	out := bufio.NewReader(p.Stdout())
	for _, word := range []string{"one", "two", "日本"} {
		_, err := fmt.Fprintln(p.Stdin(), word)
		b.must(err)
		line, err := out.ReadString('\n')
		b.must(err)
		require.Equal(b.T, "you said "+word+"\n", line)
	}
	b.must(p.Stdin().Close())
	require.Equal(b.T, "bye\n", string(b.readAll(out)))
	code, err := p.Wait()
	b.must(err)
	require.Zero(b.T, code)
	_, err = p.Stdin().Write([]byte("x"))
	require.Error(b.T, err)
}

func talkMuch(b *bench) {
	data := randomBytes(3 * wire.Window * wire.MaxPiece)
	p := b.talk("cat")
	wrote := make(chan error, 1)
	go func() {
		_, err := p.Stdin().Write(data)
		if err == nil {
			err = p.Stdin().Close()
		}
		wrote <- err
	}()
	require.True(b.T, bytes.Equal(data, b.readAll(p.Stdout())))
	b.must(<-wrote)
}

// talkClosing closes the input of processes at the moment at which they end, and after it.
func talkClosing(b *bench) {
	for range 50 {
		p := b.talk("true")
		closed := make(chan error, 1)
		go func() { closed <- p.Stdin().Close() }()
		require.Empty(b.T, b.readAll(p.Stdout()))
		b.must(<-closed)
		_, err := p.Wait()
		b.must(err)
		b.must(p.Stdin().Close())
	}
}

func talkErrors(b *bench) {
	p := b.talk("sh", "-c", "echo out; echo err >&2")
	require.Equal(b.T, "out\n", string(b.readAll(p.Stdout())))
	require.Equal(b.T, "err\n", string(b.readAll(p.Stderr())))

	p = b.talk("sh", "-c", "head -c 5000000 /dev/zero >&2; echo last >&2; echo out")
	require.Equal(b.T, "out\n", string(b.readAll(p.Stdout())), "nobody has to read the errors")
	errs := b.readAll(p.Stderr())
	require.LessOrEqual(b.T, len(errs), sandbox.MaxStderr)
	require.True(b.T, bytes.HasSuffix(errs, []byte("last\n")), "the newest are kept")
}

func talkExit(b *bench) {
	for command, want := range map[string]int{"exit 7": 7, "kill -9 $$": 137, "exec /no/such-program": 127} {
		p := b.talk("sh", "-c", command)
		require.Empty(b.T, b.readAll(p.Stdout()))
		code, err := p.Wait()
		b.must(err)
		require.Equal(b.T, want, code, command)
	}
	quoted := b.talk("printf", "%s|", "a b", "", "it's", `"$HOME" \ *`, "日\n本")
	require.Equal(b.T, "a b||it's|\"$HOME\" \\ *|日\n本|", string(b.readAll(quoted.Stdout())), "arguments pass as they are")
}

func talkKill(b *bench) {
	mark := "talk-kill-" + b.dir
	p := b.talk("sh", "-c", family(mark))
	_, err := bufio.NewReader(p.Stdout()).ReadString('\n')
	b.must(err)
	b.eventually(func() bool { return b.Alive(mark+"-daemon") && b.Alive(mark+"-stubborn") }, "the family does not come up")
	p.Kill()
	p.Kill()
	_, err = p.Wait()
	require.ErrorIs(b.T, err, context.Canceled)
	b.mustBeGone(mark)
}

func talkContext(b *bench) {
	mark := "talk-context-" + b.dir
	ctx, leave := context.WithCancel(b.ctx)
	p, err := b.Box.Start(ctx, sandbox.StdioRequest{Args: []string{"sh", "-c", family(mark)}})
	b.must(err)
	b.eventually(func() bool { return b.Alive(mark + "-daemon") }, "the family does not come up")
	leave()
	_, err = io.ReadAll(p.Stdout())
	require.ErrorIs(b.T, err, context.Canceled)
	b.mustBeGone(mark)
}

func talkEnvironment(b *bench) {
	p, err := b.Box.Start(b.ctx, sandbox.StdioRequest{Args: []string{"sh", "-c", "env; pwd"}, Dir: b.dir, Env: []string{"ADDED=yes"}})
	b.must(err)
	got := string(b.readAll(p.Stdout()))
	require.Contains(b.T, got, "ADDED=yes\n")
	require.NotContains(b.T, got, "TOKEN")
	require.True(b.T, strings.HasSuffix(got, "/"+b.dir+"\n"))
}

func talkRefused(b *bench) {
	for _, req := range []sandbox.StdioRequest{
		{}, {Args: []string{""}}, {Args: []string{"-x"}}, {Args: []string{"true\x00"}}, {Args: []string{"true"}, Env: []string{"novalue"}},
	} {
		_, err := b.Box.Start(b.ctx, req)
		b.kind(fault.Invalid, err)
	}
}

// talkAfterCut is talk behind a Cut: a process that is asked for over the connection that is just being lost is lost, too.
func (b *bench) talkAfterCut(args ...string) (p sandbox.Process) {
	b.Helper()
	var err error
	b.eventually(func() bool {
		p, err = b.Box.Start(b.ctx, sandbox.StdioRequest{Args: args, Dir: b.dir})
		_, lost := errors.AsType[*sandbox.SessionLostError](err)
		return !lost
	}, "no process starts after a cut")
	b.must(err)
	b.Cleanup(p.Kill)
	return p
}

// lostTalk is a case of a crash: the fixture's daemon is killed.
func lostTalk(b *bench) {
	mark := "talk-lost-" + b.dir
	p := b.talk("sh", "-c", family(mark))
	b.eventually(func() bool { return b.Alive(mark+"-daemon") && b.Alive(mark+"-stubborn") }, "the family does not come up")
	b.Kill()
	_, err := io.ReadAll(p.Stdout())
	lost := new(sandbox.SessionLostError)
	require.ErrorAs(b.T, err, &lost)
	b.kind(fault.Unavailable, err)
	_, err = p.Wait()
	require.ErrorAs(b.T, err, &lost)
	_, err = p.Stdin().Write([]byte("x"))
	require.ErrorAs(b.T, err, &lost)
	b.mustBeGone(mark)
	b.Start()

	again := b.talk("cat")
	_, err = again.Stdin().Write([]byte("hello"))
	b.must(err)
	b.Cut()
	_, err = io.ReadAll(again.Stdout())
	require.ErrorAs(b.T, err, &lost)

	last := b.talkAfterCut("cat")
	b.must(b.Box.Close())
	_, err = last.Wait()
	require.ErrorIs(b.T, err, context.Canceled)
}
