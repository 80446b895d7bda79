package files_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// guarded returns a context that keeps a test from hanging; a search that it ends fails.
func guarded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second) // less than a search may take
	t.Cleanup(func() {
		if ctx.Err() == context.DeadlineExceeded {
			t.Error("the search exceeded the deadline of the test")
		}
		cancel()
	})
	return ctx
}

// texts returns how many bytes of text a result has.
func texts(r wire.GrepResult) (n int) {
	for _, m := range r.Matches {
		n += len(m.Text)
	}
	return n
}

func TestAttack_GrepOfHostileFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plant   func(p *fixture)
		query   wire.Grep
		matches int // at most
		skipped int
	}{
		"a line of 1 MB, matched at its end": {
			func(p *fixture) { p.put("long", append(bytes.Repeat([]byte("a"), wire.MaxGrepFile-1), 'z')) }, wire.Grep{Pattern: "z$"}, 1, 0,
		},
		"a file of empty lines": {
			func(p *fixture) { p.put("empty", bytes.Repeat([]byte("\n"), wire.MaxGrepFile)) }, wire.Grep{Pattern: "^$", Limit: 10}, 10, 0,
		},
		"every line with all its neighbours": {
			func(p *fixture) { p.put("lines", bytes.Repeat([]byte("abc\n"), 100_000)) }, wire.Grep{Pattern: "b", Limit: wire.MaxFound, Context: wire.MaxContext}, wire.MaxFound + 2*wire.MaxContext, 0,
		},
		"long lines, all of them matched": {
			func(p *fixture) { p.put("wide", bytes.Repeat(append(bytes.Repeat([]byte("日"), 3000), '\n'), 100)) }, wire.Grep{Pattern: "日", Limit: wire.MaxFound}, 100, 0,
		},
		"a file that is too large":    {func(p *fixture) { p.put("large", make([]byte, wire.MaxGrepFile+1)) }, wire.Grep{Pattern: "."}, 0, 1},
		"a file of holes, a terabyte": {func(p *fixture) { p.hole("sparse", 1<<40) }, wire.Grep{Pattern: "."}, 0, 1},
		"a binary file":               {func(p *fixture) { p.put("binary", []byte("match\x00me")) }, wire.Grep{Pattern: "match"}, 0, 1},
		"a FIFO that nobody writes":   {func(p *fixture) { require.NoError(p, unix.Mkfifo(filepath.Join(p.workspace, "fifo"), 0o600)) }, wire.Grep{Pattern: "."}, 0, 0},
		"a link to /dev/zero":         {func(p *fixture) { p.link("/dev/zero", "zero") }, wire.Grep{Pattern: "."}, 0, 0},
		"a link to itself":            {func(p *fixture) { p.link("self", "self") }, wire.Grep{Pattern: "."}, 0, 0},
		"a link to its own folder":    {func(p *fixture) { p.link(".", "again"); p.put("one", []byte("x")) }, wire.Grep{Pattern: "x"}, 1, 0},
		"two folders that link each other": {
			func(p *fixture) {
				require.NoError(p, os.Mkdir(filepath.Join(p.workspace, "a"), 0o700))
				require.NoError(p, os.Symlink("../b", filepath.Join(p.workspace, "a", "b")))
				require.NoError(p, os.Symlink("a", filepath.Join(p.workspace, "b")))
			}, wire.Grep{Pattern: "."}, 0, 0,
		},
		"folders, 500 deep": {
			func(p *fixture) {
				deep := filepath.Join(p.workspace, strings.Repeat("d/", 500))
				require.NoError(p, os.MkdirAll(deep, 0o700))
				p.put(strings.Repeat("d/", 500)+"x", []byte("found"))
			}, wire.Grep{Pattern: "found"}, 1, 0,
		},
		"what is no UTF-8":             {func(p *fixture) { p.put("bytes", bytes.Repeat([]byte{0xff, 0xfe, '\n'}, 1000)) }, wire.Grep{Pattern: ".", Limit: 5}, 5, 0},
		"carriage returns alone":       {func(p *fixture) { p.put("cr", bytes.Repeat([]byte("a\r"), 100_000)) }, wire.Grep{Pattern: "a$"}, wire.DefaultFound, 0},
		"an expression without an end": {func(p *fixture) { p.put("as", bytes.Repeat([]byte("a"), 50_000)) }, wire.Grep{Pattern: "(a?){50}a{50}$"}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := setup(t)
			test.plant(p)
			found, err := p.tree.Grep(guarded(t), test.query)
			require.NoError(t, err)
			require.LessOrEqual(t, len(found.Matches), test.matches)
			require.LessOrEqual(t, texts(found), wire.MaxGrepBytes+wire.MaxGrepText*4*(2*wire.MaxContext+1))
			require.Equal(t, test.skipped, found.Skipped)
		})
	}
}

func TestAttack_GrepOfOneFileThatNeverEnds(t *testing.T) {
	t.Parallel()
	p := setup(t)
	require.NoError(t, unix.Mkfifo(filepath.Join(p.workspace, "fifo"), 0o600))
	p.link("/dev/zero", "zero")
	for _, root := range []string{"fifo", "zero", "/dev/zero", "/dev/random", "/dev/stdin", "/dev/tty", "/proc/self/mem", "/proc/kmsg", "/proc/self/fd/0", "/sys/kernel/debug/tracing/trace_pipe", "/proc/1/environ", "/proc"} {
		t.Run(root, func(t *testing.T) {
			found, err := p.tree.Grep(guarded(t), wire.Grep{Pattern: ".", Root: root})
			require.Empty(t, found.Matches)
			if err == nil {
				require.Positive(t, found.Skipped)
			}
			_, err = p.tree.Read(wire.Read{Path: root, Limit: 10})
			require.Error(t, err)
		})
	}
}

func TestAttack_GrepEndsInTheMiddleOfAFile(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("line", bytes.Repeat([]byte("ab"), wire.MaxGrepFile/2))
	p.put("lines", bytes.Repeat([]byte("ab\n"), wire.MaxGrepFile/3))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, root := range map[string]string{"a line": "line", "lines": "lines", "a folder": "."} {
		t.Run(name, func(t *testing.T) {
			found, err := p.tree.Grep(ctx, wire.Grep{Pattern: `(.{0,100}){10}x`, Root: root})
			require.NoError(t, err)
			require.True(t, found.Truncated, "nobody may think that all was searched")
			require.Empty(t, found.Matches)
		})
	}
}

func TestAttack_GrepQueries(t *testing.T) {
	t.Parallel()
	p := setup(t)
	p.put("x", []byte("x"))
	for name, query := range map[string]wire.Grep{
		"a repetition of repetitions": {Pattern: `(a{1000}){1000}`},
		"a program of a million":      {Pattern: strings.Repeat(`(a{1000})`, 1000)},
		"8 MB":                        {Pattern: strings.Repeat("a", 8<<20)},
		"a negative limit":            {Pattern: "a", Limit: -1},
		"a limit of all":              {Pattern: "a", Limit: 1 << 40},
		"lines of context, all":       {Pattern: "a", Context: 1 << 40},
		"less than no context":        {Pattern: "a", Context: -1},
		"an include of 1 MB":          {Pattern: "a", Include: strings.Repeat("*", 1<<20)},
		"includes, doubled":           {Pattern: "a", Include: strings.Repeat("{a,b}", 30)},
		"a path of 1 MB":              {Pattern: "a", Root: strings.Repeat("a/", 1<<19)},
		"a path with a NUL":           {Pattern: "a", Root: "a\x00b"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := p.tree.Grep(guarded(t), query)
			require.True(t, wire.IsKind(err, wire.Invalid), "%v", err)
			require.Less(t, len(err.Error()), 20_000)
		})
	}
}

// put writes a file in the workspace.
func (p *fixture) put(name string, data []byte) {
	p.Helper()
	require.NoError(p, os.WriteFile(filepath.Join(p.workspace, name), data, 0o600))
}

// hole creates a sparse file of so many bytes.
func (p *fixture) hole(name string, size int64) {
	p.Helper()
	p.put(name, nil)
	require.NoError(p, os.Truncate(filepath.Join(p.workspace, name), size))
}
