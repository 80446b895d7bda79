package sandboxtest

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

var searchCases = cases{
	"glob finds by name, newest first":           globFinds,
	"glob says when there is more":               globTruncates,
	"glob understands alternatives and prefixes": globPatterns,
	"grep finds lines with their surroundings":   grepFinds,
	"grep passes over what is not text":          grepSkips,
	"grep reads encodings and all line ends":     grepEncodings,
	"grep says when there is more":               grepTruncates,
	"grep searches one file":                     grepOneFile,
	"grep cuts long lines":                       grepLongLines,
	"a bad pattern is explained":                 badPatterns,
}

func (b *bench) glob(q sandbox.GlobQuery) []string {
	b.Helper()
	if q.Root == "" && !strings.HasPrefix(q.Pattern, "/") {
		q.Root = b.dir
	}
	got, err := b.Box.Glob(b.ctx, q)
	b.must(err)
	names := []string{}
	for _, path := range got.Paths {
		_, name, _ := strings.Cut(path, "/"+b.dir+"/")
		names = append(names, name)
	}
	return names
}

func globFinds(b *bench) {
	b.sh(`mkdir -p a/b .git node .xbot/worktrees/x; touch .xbot/worktrees/x/d.go; touch -d 2020-01-01 old.go; touch -d 2022-01-01 a/mid.go; touch a/b/new.go a/x.txt .git/c.go; ln -s a loop`)
	require.Equal(b.T, []string{"a/b/new.go", "a/mid.go", "old.go"}, b.glob(sandbox.GlobQuery{Pattern: "**/*.go"}))
	require.Equal(b.T, []string{"old.go"}, b.glob(sandbox.GlobQuery{Pattern: "*.go"}))
	require.Equal(b.T, []string{"a/mid.go"}, b.glob(sandbox.GlobQuery{Pattern: "a/*.go"}))
	require.Empty(b.T, b.glob(sandbox.GlobQuery{Pattern: "nothing/**"}))
}

func globTruncates(b *bench) {
	b.sh("for i in $(seq 20); do touch f$i; done")
	got, err := b.Box.Glob(b.ctx, sandbox.GlobQuery{Pattern: "*", Root: b.dir, Limit: 5})
	b.must(err)
	require.Len(b.T, got.Paths, 5)
	require.True(b.T, got.Truncated)
	got, err = b.Box.Glob(b.ctx, sandbox.GlobQuery{Pattern: "*", Root: b.dir})
	b.must(err)
	require.Len(b.T, got.Paths, 20)
	require.False(b.T, got.Truncated)
}

func globPatterns(b *bench) {
	b.sh("mkdir -p x/y/z; touch x/1.ts x/y/2.tsx x/y/z/3.js 'x/y/[odd].md'")
	require.ElementsMatch(b.T, []string{"x/1.ts", "x/y/2.tsx"}, b.glob(sandbox.GlobQuery{Pattern: "**/*.{ts,tsx}"}))
	require.Equal(b.T, []string{"x/y/z/3.js"}, b.glob(sandbox.GlobQuery{Pattern: "x/**/z/*"}))
	require.Equal(b.T, []string{"x/y/z/3.js"}, b.glob(sandbox.GlobQuery{Pattern: b.Box.Workspace() + "/" + b.dir + "/x/**/*.js"}))
	require.Equal(b.T, []string{"x/y/[odd].md"}, b.glob(sandbox.GlobQuery{Pattern: `x/y/\[odd\].md`}))
}

func grepFinds(b *bench) {
	b.sh(`mkdir a; printf 'one\ntwo\nthree\nfour\nthree\n' > a/f.txt; printf 'THREE\r\n' > g.md; printf 'three' > h.go`)
	got, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "^three$", Root: b.dir, Context: 1})
	b.must(err)
	require.Len(b.T, got.Matches, 5)
	for i, want := range []sandbox.GrepMatch{
		{Line: 2, Text: "two"}, {Line: 3, Text: "three", Match: true}, {Line: 4, Text: "four"}, {Line: 5, Text: "three", Match: true},
		{Line: 1, Text: "three", Match: true},
	} {
		want.Path = got.Matches[i].Path
		require.Equal(b.T, want, got.Matches[i])
	}
	require.True(b.T, strings.HasSuffix(got.Matches[0].Path, "/a/f.txt"))
	got, err = b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "^three$", Root: b.dir, IgnoreCase: true, Include: "*.{md,go}"})
	b.must(err)
	require.Len(b.T, got.Matches, 2)
	require.Equal(b.T, "THREE", got.Matches[0].Text)
}

func grepSkips(b *bench) {
	b.sh(`printf 'needle\000' > binary; mkdir -p .git .xbot/worktrees; echo needle > .git/x; echo needle > .xbot/worktrees/y; (echo needle; head -c 1100000 /dev/zero | tr '\0' 'a') > large; echo needle > found`)
	got, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "needle", Root: b.dir})
	b.must(err)
	require.Len(b.T, got.Matches, 1)
	require.Equal(b.T, 2, got.Skipped)
}

func grepEncodings(b *bench) {
	b.sh(`printf 'one\r\ntwo\r\nthree\r\n' >crlf; printf 'one\rtwo\rthree' >mac; printf '\357\273\277one\ntwo\n' >mark; printf 'one\r\ntwo\nthree\n' >mixed`)
	b.sh(`printf '\377\376o\0n\0e\0\r\0\n\0t\0w\0o\0' >wide; printf 'one\n\304\343\272\303\243\254\312\300\275\347\n' >gbk`)
	grep := func(pattern string) (out []string) {
		got, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: pattern, Root: b.dir})
		b.must(err)
		for _, m := range got.Matches {
			_, name, _ := strings.Cut(m.Path, "/"+b.dir+"/")
			out = append(out, fmt.Sprintf("%s:%d:%s", name, m.Line, m.Text))
		}
		return out
	}
	require.Equal(b.T, []string{"crlf:1:one", "gbk:1:one", "mac:1:one", "mark:1:one", "mixed:1:one", "wide:1:one"}, grep("^one$"))
	require.Equal(b.T, []string{"crlf:2:two", "mac:2:two", "mark:2:two", "mixed:2:two", "wide:2:two"}, grep(`o$|^two\z`))
	require.Equal(b.T, []string{"gbk:2:你好，世界"}, grep("^你好.世界$"))
	require.Equal(b.T, []string{"crlf:2:two", "crlf:3:three", "mac:2:two", "mac:3:three", "mixed:2:two", "mixed:3:three"}, grep(`two\nthr`))
	require.Equal(b.T, []string{"crlf:1:one", "crlf:2:two", "mac:1:one", "mac:2:two", "mark:1:one", "mark:2:two", "mixed:1:one", "mixed:2:two", "wide:1:one", "wide:2:two"}, grep(`^one\ntwo$`))
	require.Empty(b.T, grep(`one\nthree`))
}

func grepTruncates(b *bench) {
	b.sh("seq 500 > numbers")
	got, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: ".", Root: b.dir})
	b.must(err)
	require.Len(b.T, got.Matches, 200)
	require.True(b.T, got.Truncated)
	got, err = b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "^1", Root: b.dir, Limit: 3})
	b.must(err)
	require.Len(b.T, got.Matches, 3)
	require.True(b.T, got.Truncated)
}

func grepOneFile(b *bench) {
	b.sh("echo here > f; echo here > g")
	got, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "here", Root: b.path("f")})
	b.must(err)
	require.Len(b.T, got.Matches, 1)
}

func grepLongLines(b *bench) {
	b.sh(`printf '%0600d\n' 0 | sed 's/0/é/g' > long`)
	got, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "é", Root: b.dir})
	b.must(err)
	require.Len(b.T, got.Matches, 1)
	require.Equal(b.T, strings.Repeat("é", 500), got.Matches[0].Text)
}

func badPatterns(b *bench) {
	_, err := b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "(", Root: b.dir})
	b.kind(fault.Invalid, err)
	_, err = b.Box.Glob(b.ctx, sandbox.GlobQuery{Pattern: "[", Root: b.dir})
	b.kind(fault.Invalid, err)
	_, err = b.Box.Glob(b.ctx, sandbox.GlobQuery{Pattern: "", Root: b.dir})
	b.kind(fault.Invalid, err)
	_, err = b.Box.Grep(b.ctx, sandbox.GrepQuery{Pattern: "x", Root: b.path("no")})
	b.kind(fault.NotFound, err)
}
