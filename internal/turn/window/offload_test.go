package window_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

const callID = chat.CallID("turn.0.0")

func call(name, arguments string) chat.ToolCall {
	return chat.ToolCall{ID: callID, Name: name, Arguments: arguments, Summary: "what"}
}

func TestOffload_TakesResultsOf2000TokensOr10240Bytes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes, tokens int
		want          bool
	}{
		"small":                     {bytes: 10239, tokens: 1999},
		"many bytes":                {bytes: 10240, want: true},
		"many tokens in few bytes":  {bytes: 4000, tokens: 2000, want: true},
		"as few bytes as can be":    {bytes: 2000, tokens: 2000, want: true},
		"nothing":                   {},
		"few tokens in many bytes ": {bytes: 20_000, tokens: 10, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := window.Offload(call("Shell", `{}`), strings.Repeat("a b\n", c.bytes/4)+"ab\n"[:c.bytes%4], c.tokens)
			require.Equal(t, c.want, ok)
		})
	}
}

func TestOffload_LeavesWhatWasRecalledOrAskedForInPartAsItIs(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("1\tline\n", 5000)
	for _, c := range []chat.ToolCall{
		call("offload_recall", `{"id":"ol_1"}`), call("recall_masked", `{}`), call("context_edit", `{}`),
		call("memory_read", `{}`), call("Skill", `{}`),
		call("Read", `{"path":"a","offset":2}`), call("Read", `{"path":"a","max_lines":500}`), call("Read", `{"path":"a","OFFSET":"200"}`),
	} {
		_, ok := window.Offload(c, large, 20_000)
		require.False(t, ok, "%s %s", c.Name, c.Arguments)
	}
	for _, c := range []chat.ToolCall{
		call("Read", `{"path":"a"}`), call("Read", `{"path":"a","offset":1}`), call("Read", `{"path":"a","offset":0,"max_lines":0}`), call("Read", `broken`),
	} {
		_, ok := window.Offload(c, large, 20_000)
		require.True(t, ok, "%s %s", c.Name, c.Arguments)
	}
}

func TestOffloadID_FollowsFromTheCall(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^ol_[0-9a-f]{10}$`, window.OffloadID(callID))
	require.Equal(t, "ol_9ac91b842c", window.OffloadID(callID), "the id of a call never changes")
	require.NotEqual(t, window.OffloadID(callID), window.OffloadID("turn.0.1"))
}

// numbered is a file of n lines as Read shows it.
func numbered(n int, text func(i int) string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d\t%s\n", i, text(i))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestOffload_AFileShowsItsEndsAndWhatItDeclares(t *testing.T) {
	t.Parallel()
	content := numbered(900, func(i int) string {
		if i%30 == 7 {
			return fmt.Sprintf("func (s *Store) Method%d(ctx context.Context) error {", i)
		}
		return fmt.Sprintf("\tdo(%d)", i)
	}) + "\n(lines 1 to 900 of 2000; go on with offset 901)"
	c := call("Read", `{"path":"src/store.go"}`)
	c.Summary = "src/store.go"
	s, ok := window.Offload(c, content, 9000)
	require.True(t, ok)
	require.True(t, strings.HasPrefix(s, "📂 [offload:"+window.OffloadID(callID)+"] Read src/store.go · 901 lines, "), s)
	require.Contains(t, s, `offload_recall(id="`+window.OffloadID(callID)+`"`)
	require.Contains(t, s, "\n1\t\tdo(1)\n2\t\tdo(2)\n3\t\tdo(3)\n")
	require.Contains(t, s, "\n900\t\tdo(900)\n(lines 1 to 900 of 2000; go on with offset 901)")
	require.Contains(t, s, "\n7\tfunc (s *Store) Method7(")
	require.NotContains(t, s, "do(450)")
	t.Log(s)
}

func TestOffload_KnowsDeclarationsOfManyLanguages(t *testing.T) {
	t.Parallel()
	for file, line := range map[string]string{
		"a.go": "type Box[T any] struct {", "b.py": "    async def fetch(self):", "c.ts": "export default class Page extends Base {",
		"d.js": "export const run = async (x) => {", "e.rs": "pub(crate) async fn go() {", "f.java": "    public static void main(String[] args) {",
		"g.c": "static int parse(const char *text)", "h.rb": "  def call", "i.sh": "build() {", "j.sql": "CREATE TABLE blobs (", "k.md": "## Limits",
		"l.php": "  public function boot()", "m.kt": "data class User(", "n.cpp": "class Parser : public Base {",
	} {
		content := numbered(600, func(i int) string {
			if i == 300 {
				return line
			}
			return "..... ..... ....."
		})
		s, ok := window.Offload(call("Read", `{"path":"x/`+file+`"}`), content, 0)
		require.True(t, ok)
		require.Contains(t, s, "300\t"+strings.TrimRight(line, " {"), file)
	}
}

func TestOffload_ASearchShowsEachFileWithItsFirstMatch(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for f := range 40 {
		fmt.Fprintf(&b, "pkg/file%d.go\n", f)
		for l := range 9 {
			fmt.Fprintf(&b, "%d-before\n%d:match %d of the file\n--\n", 10*l+1, 10*l+2, l)
		}
	}
	b.WriteString("(more lines match; narrow the pattern or the folder)")
	s, ok := window.Offload(call("Grep", `{}`), b.String(), 0)
	require.True(t, ok)
	require.Contains(t, s, "360 matches in 40 files")
	require.Contains(t, s, "pkg/file0.go (9) 2:match 0 of the file")
	require.Contains(t, s, "[… and in 16 more files:] pkg/file24.go (9), pkg/file25.go (9)")
	require.Contains(t, s, "(more lines match; narrow the pattern or the folder)")
}

func TestOffload_AListOfFilesShowsItsFolders(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("some/rather/long/folder/name/%d/a-file-with-a-long-name-%d.go", i%5, i))
	}
	s, ok := window.Offload(call("Glob", `{}`), strings.Join(names, "\n")+"\n(more files match; narrow the pattern)", 0)
	require.True(t, ok)
	require.Contains(t, s, "200 files in 5 folders")
	require.Contains(t, s, "some/rather/long/folder/name/0/ (40)")
	require.Contains(t, s, names[0])
	require.Contains(t, s, "(more files match; narrow the pattern)")
}

func TestOffload_ACommandShowsItsErrorsAsTheyAreAndHowItEnded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		if i == 1234 {
			b.WriteString("store_test.go:42: error: expected 3, got 4 (id 8f2c-77)\n")
			continue
		}
		fmt.Fprintf(&b, "compiled unit %d\n", i)
	}
	b.WriteString("[exit code 2, 12.0 s]\nDo NOT retry the same command. Analyze the error, fix the root cause.")
	s, ok := window.Offload(call("Shell", `{}`), b.String(), 0)
	require.True(t, ok)
	require.Contains(t, s, "\n1235: store_test.go:42: error: expected 3, got 4 (id 8f2c-77)\n")
	require.Contains(t, s, "compiled unit 0\n")
	require.True(t, strings.HasSuffix(s, "[exit code 2, 12.0 s]\nDo NOT retry the same command. Analyze the error, fix the root cause."), s)
}

func TestOffload_OneEndlessLineShowsItsEnds(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"Shell", "Read", "Grep", "Glob", "mcp_x"} {
		s, ok := window.Offload(call(tool, `{}`), "BEGIN"+strings.Repeat("字", 100_000)+"END", 0)
		require.True(t, ok)
		require.Contains(t, s, "BEGIN", tool)
		require.LessOrEqual(t, utf8.RuneCountInString(s), 3100, tool)
	}
}

func FuzzOffload_IsShorterThanTheWholeAndValid(f *testing.F) {
	f.Add("Read", []byte("1\tpackage a\r\n2\tfunc b() {\r\n"), 800)
	f.Add("Shell", []byte("错误: 失败\n\xff\xfe\x00error\n"), 900)
	f.Add("Grep", []byte("a.go\n1:x\n--\n(more"), 3000)
	f.Add("Glob", []byte("a/b/c.go\n"), 1500)
	f.Add("other", []byte("\n"), 11_000)
	f.Add("task_read", []byte("é"), 6000)
	f.Add("Read", []byte("1\t"+strings.Repeat("x", 700)), 20)
	f.Fuzz(func(t *testing.T, name string, piece []byte, times int) {
		times = max(0, times) % 20_000
		if len(piece)*times > 1<<20 {
			times = 1 << 20 / len(piece)
		}
		content := strings.Repeat(string(piece), times)
		c := chat.ToolCall{ID: callID, Name: name, Arguments: `{"path":"a.go"}`, Summary: string(piece)}
		s, ok := window.Offload(c, content, len(content))
		if !ok {
			return
		}
		if len(s) >= len(content) {
			t.Fatalf("%d bytes became %d", len(content), len(s))
		}
		if !utf8.ValidString(s) {
			t.Fatalf("%q is not valid", s)
		}
		if n := utf8.RuneCountInString(s); n > 3300 {
			t.Fatalf("%d characters", n)
		}
		if !strings.HasPrefix(s, window.OffloadMark(window.OffloadID(callID))) {
			t.Fatalf("%q does not begin with its id", s)
		}
		if again, _ := window.Offload(c, content, len(content)); again != s {
			t.Fatal("the same result has two summaries")
		}
	})
}

func BenchmarkOffload(b *testing.B) {
	code := numbered(2000, func(i int) string {
		if i%25 == 0 {
			return fmt.Sprintf("func (s *Store) Method%d(ctx context.Context) error {", i)
		}
		return "\tif err := s.do(ctx); err != nil {"
	})
	log := strings.Repeat("2026-01-01T00:00:00Z compiled unit in 12 ms, next one follows\n", 500)
	for name, content := range map[string]string{"Read": code, "Shell": log, "Grep": code, "Glob": log, "other": log} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				window.Offload(call(name, `{"path":"a.go"}`), content, 0)
			}
		})
	}
}
