package pattern

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPattern_Matches(t *testing.T) {
	for text, names := range map[string]struct{ yes, no []string }{
		"*.go":            {[]string{"a.go", ".go"}, []string{"a/b.go", "a.goo"}},
		"**":              {[]string{"a", "a/b/c"}, nil},
		"**/*.go":         {[]string{"a.go", "x/a.go", "x/y/a.go"}, []string{"a.txt"}},
		"a/**/b":          {[]string{"a/b", "a/x/b", "a/x/y/b"}, []string{"b", "a/bx", "x/a/b"}},
		"a/**":            {[]string{"a/b", "a/b/c", "a"}, []string{"b"}},
		"**/a/**/b/*.c":   {[]string{"a/b/x.c", "z/a/y/b/x.c", "a/a/b/b/x.c"}, []string{"a/b/y/x.c"}},
		"*.{ts,tsx}":      {[]string{"a.ts", "a.tsx"}, []string{"a.tsxx", "a.{ts,tsx}"}},
		"{a,b/{c,d}}/x":   {[]string{"a/x", "b/c/x", "b/d/x"}, []string{"b/x", "c/x"}},
		"{a":              {[]string{"{a"}, []string{"a"}},
		"[ab]?.md":        {[]string{"ax.md", "b1.md"}, []string{"c1.md", "a.md"}},
		"./a//b":          {[]string{"a/b"}, nil},
		`\*`:              {[]string{"*"}, []string{"a"}},
		"日*/**/x":         {[]string{"日本/x", "日/y/x"}, []string{"本/x"}},
		"*/*/*":           {[]string{"a/b/c"}, []string{"a/b", "a/b/c/d"}},
		"**/**/a":         {[]string{"a", "b/a"}, nil},
		"**/x/**/y/**/z":  {[]string{"x/y/z", "1/x/2/y/3/z"}, []string{"x/z/y"}},
		"a{,b}":           {[]string{"a", "ab"}, []string{"b"}},
		"**/.github/**/*": {[]string{".github/a", "x/.github/y/z"}, []string{"github/a"}},
	} {
		p, err := Compile(text)
		require.NoError(t, err, text)
		for _, name := range names.yes {
			require.True(t, p.Match(name), "%s should match %s", text, name)
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				require.True(t, p.MayHold(dir), "%s should look into %s", text, dir)
			}
		}
		for _, name := range names.no {
			require.False(t, p.Match(name), "%s should not match %s", text, name)
		}
	}
}

func TestPattern_LeavesOutFoldersThatCannotHoldMatches(t *testing.T) {
	p, err := Compile("src/*/x.go")
	require.NoError(t, err)
	require.True(t, p.MayHold("src"))
	require.True(t, p.MayHold("src/a"))
	require.False(t, p.MayHold("src/a/b"))
	require.False(t, p.MayHold("other"))
}

func TestFixedPrefix_StopsAtTheFirstWildcard(t *testing.T) {
	for text, want := range map[string][2]string{
		"a/b/*.go": {"a/b", "*.go"}, "*.go": {"", "*.go"}, "a/{b,c}/d": {"a", "{b,c}/d"}, "a/b": {"a", "b"}, "/r/**": {"/r", "**"},
	} {
		folder, rest := FixedPrefix(text)
		require.Equal(t, want, [2]string{folder, rest}, text)
	}
}

// slowMatch is the plain definition of matching.
func slowMatch(segments, parts []string) bool {
	if len(segments) == 0 {
		return len(parts) == 0
	}
	if segments[0] == "**" {
		return slowMatch(segments[1:], parts) || (len(parts) > 0 && slowMatch(segments, parts[1:]))
	}
	return len(parts) > 0 && matchOne(segments[0], parts[0]) && slowMatch(segments[1:], parts[1:])
}

func FuzzPattern(f *testing.F) {
	f.Add("**/*.go", "a/b.go")
	f.Add("{a,b{c,d}}/[x-z]/**", "bc/y/1")
	f.Add("{{{{,},},},}", "")
	f.Add("**/**/**/a/**", "a/a/a/a/a/a/b")
	f.Add("[", "x")
	f.Fuzz(func(t *testing.T, text, name string) {
		p, err := Compile(text)
		if err != nil {
			return
		}
		require.LessOrEqual(t, len(p.alternatives), maxAlternatives)
		parts := strings.Split(name, "/")
		if len(parts) > 12 {
			return // the slow one takes too long
		}
		for _, segments := range p.alternatives {
			if len(segments) > 12 {
				return
			}
			require.Equal(t, slowMatch(segments, parts), matchParts(segments, parts), "%q %q", segments, parts)
		}
		if p.Match(name) && path.Clean(name) == name && !strings.HasPrefix(name, "/") {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				require.True(t, p.MayHold(dir), "%q would not look into %q", text, dir)
			}
		}
	})
}

func FuzzFixedPrefix(f *testing.F) {
	f.Add("a/b/*.go")
	f.Add("{a/b,c}/d")
	f.Fuzz(func(t *testing.T, text string) {
		folder, rest := FixedPrefix(text)
		if folder != "" {
			require.Equal(t, text, folder+"/"+rest)
		}
		require.NotContains(t, folder, "*")
	})
}
