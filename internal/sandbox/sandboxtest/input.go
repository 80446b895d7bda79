package sandboxtest

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

var inputCases = cases{
	"each key is written once, in order": feedOnce,
	"a command without input is refused": feedRefused,
}

func (b *bench) feed(id chat.CallID, in sandbox.Input) error {
	b.Helper()
	feeder, ok := b.Box.(sandbox.Feeder)
	require.True(b, ok, "it writes to commands")
	return feeder.Feed(b.ctx, id, in)
}

func feedOnce(b *bench) {
	id := b.id()
	b.must(b.feed(id, sandbox.Input{Key: "1", Data: []byte("before the start\n")}))
	r := b.start(sandbox.ExecRequest{ID: id, Command: "echo aside >&2; cat", Input: true})
	r.waitOutput("before the start\n")
	b.must(b.feed(id, sandbox.Input{Key: "2", Data: []byte("two\n")}))
	b.must(b.feed(id, sandbox.Input{Key: "1", Data: []byte("again\n")}))
	b.must(b.feed(id, sandbox.Input{Key: "end", Close: true}))
	got := r.end()
	require.Equal(b, "before the start\ntwo\n", string(got.Output))
	require.Equal(b, "aside\n", string(got.Errors))
	b.kind(fault.Conflict, b.feed(id, sandbox.Input{Key: "late", Data: []byte("late\n")}))
}

func feedRefused(b *bench) {
	id := b.id()
	r := b.start(sandbox.ExecRequest{ID: id, Command: "echo up; while ! test -e go; do sleep 0.02; done"})
	r.waitOutput("up\n")
	b.kind(fault.Invalid, b.feed(id, sandbox.Input{Key: "1", Data: []byte("x\n")}))
	b.sh("touch go")
	require.Equal(b, sandbox.ExecExited, r.end().State)
}

// feedOverKills relies on start, which checks that the pieces of output join without a gap or a repetition.
func feedOverKills(b *bench) {
	id := b.id()
	r := b.start(sandbox.ExecRequest{ID: id, Command: "echo up; cat", Input: true})
	r.waitOutput("up\n")
	var want strings.Builder
	want.WriteString("up\n")
	for n := range 6 {
		line := fmt.Sprintf("line %d\n", n)
		want.WriteString(line)
		in := sandbox.Input{Key: line, Data: []byte(line)}
		b.must(b.feed(id, in))
		b.Kill()
		b.Start()
		b.must(b.feed(id, in)) // who was killed in the meantime is not sure of it
		r.waitOutput(line)
	}
	b.must(b.feed(id, sandbox.Input{Key: "end", Close: true}))
	require.Equal(b, want.String(), string(r.end().Output))
}
