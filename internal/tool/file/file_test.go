package file_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/file"
	"xbot/internal/tool/tooltest"
)

// args are the arguments of a call.
type args map[string]any

func (a args) text(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(a)
	require.NoError(t, err)
	return string(text)
}

// run runs a tool under a call id of its own.
func run(t *testing.T, box *tooltest.Box, tl tool.Tool, a args) chat.ToolResult {
	t.Helper()
	result, err := tl.Run(t.Context(), box.Call(chat.CallID("turn."+a.text(t)), a.text(t)))
	require.NoError(t, err)
	return result
}

// ok runs a tool that must succeed and returns what the model reads.
func ok(t *testing.T, box *tooltest.Box, tl tool.Tool, a args) string {
	t.Helper()
	result := run(t, box, tl, a)
	require.False(t, result.IsError, result.Content)
	return result.Content
}

// fails runs a tool that must fail and returns the sentence for the model, without the hint that ends it.
func fails(t *testing.T, box *tooltest.Box, tl tool.Tool, a args) string {
	t.Helper()
	result := run(t, box, tl, a)
	require.True(t, result.IsError, result.Content)
	text, hinted := strings.CutSuffix(result.Content, "\nPlease fix the issue and try again.")
	require.True(t, hinted, result.Content)
	text, prefixed := strings.CutPrefix(text, "Error: ")
	require.True(t, prefixed, result.Content)
	return text
}

func TestRead_NumbersLines(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "a.txt", "one\r\ntwo\n\nfour")
	require.Equal(t, "1\tone\n2\ttwo\n3\t\n4\tfour\n(line ends: CRLF and LF mixed; edits keep this)", ok(t, box, file.NewRead(nil), args{"path": "a.txt"}))
	require.Equal(t, "2\ttwo\n3\t\n(lines 2 to 3 of 4; go on with offset 4)\n(line ends: CRLF and LF mixed; edits keep this)",
		ok(t, box, file.NewRead(nil), args{"path": box.Workspace() + "/a.txt", "offset": 2, "max_lines": "2"}))
	require.Equal(t, "(the file is empty)", ok(t, box, file.NewRead(nil), args{"path": box.Put(t, "empty", "")}))
}

func TestRead_BoundsLinesAndBytes(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "many", strings.Repeat("x\n", 5000))
	require.Contains(t, ok(t, box, file.NewRead(nil), args{"path": "many"}), "\n2000\tx\n(lines 1 to 2000 of 5000; go on with offset 2001)")
	box.Put(t, "wide", strings.Repeat(strings.Repeat("y", 5000)+"\n", 100))
	text := ok(t, box, file.NewRead(nil), args{"path": "wide"})
	require.Less(t, len(text), 62_000)
	require.Contains(t, text, "yyy…\n(lines 1 to 29 of 100; go on with offset 30)")
}

func TestRead_ReadsFilesLargerThanOnePart(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "large", strings.Repeat("0123456789abcde\n", 9<<20/16)+"the end")
	require.Equal(t, "589825\tthe end", ok(t, box, file.NewRead(nil), args{"path": "large", "offset": 589825}))
}

func TestRead_SaysWhyItCannot(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "src/main.go", "package main\n")
	box.Put(t, "pic.png", "\x89PNG\r\n\x1a\n\x00\x00")
	box.Put(t, "huge", strings.Repeat("x", 10<<20+1))
	cases := []struct {
		a    args
		want string
	}{
		{args{"path": "src/Main.py"}, "does not exist; its folder has main.go"},
		{args{"path": "src/other.go"}, "/src/other.go does not exist"},
		{args{"path": "lib/x.go"}, "does not exist, nor does its folder; the working folder is " + box.Workspace()},
		{args{"path": "src"}, "src is a folder; list it with Glob or Shell"},
		{args{"path": "pic.png"}, "pic.png: this is no picture in one of the formats"},
		{args{"path": "huge"}, "huge has 10485761 bytes, at most 10485760 are read; use Grep"},
		{args{"path": "src/main.go", "offset": 3}, "offset 3 is behind the end"},
		{args{"path": "src/main.go", "offset": -3}, "must not be negative"},
		{args{"path": "~/x"}, "~ is not expanded in paths; give an absolute path or one relative to " + box.Workspace()},
		{args{"path": ""}, "path is empty"},
	}
	for _, c := range cases {
		require.Contains(t, fails(t, box, file.NewRead(nil), c.a), c.want)
	}
}

func TestRead_IsRelativeToTheWorkingFolder(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "sub/a", "inside")
	call := box.Call("turn.0.0", `{"path":"./a"}`)
	call.Cwd = box.Workspace() + "/sub"
	result, err := file.NewRead(nil).Run(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "1\tinside", result.Content)
}

func TestFileCreate_WritesFilesWithTheirFolders(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	require.Equal(t, "Wrote new/folder/a.txt (2 lines, 7 bytes).",
		ok(t, box, file.NewCreate(), args{"path": "new/folder/a.txt", "content": "one\ntwo"}))
	require.Equal(t, "one\ntwo", box.Get(t, "new/folder/a.txt"))
}

func TestFileCreate_ReplacesOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "a", "mine")
	require.Contains(t, fails(t, box, file.NewCreate(), args{"path": "a", "content": "other"}), "a exists (4 bytes); change it with FileReplace, or set rewrite")
	require.Equal(t, "mine", box.Get(t, "a"))
	ok(t, box, file.NewCreate(), args{"path": "a", "content": "other", "rewrite": true})
	require.Equal(t, "other", box.Get(t, "a"))
	box.Put(t, "folder/x", "")
	require.Contains(t, fails(t, box, file.NewCreate(), args{"path": "folder", "content": "", "rewrite": true}), "is a folder")
	require.Contains(t, fails(t, box, file.NewCreate(), args{"path": "folder/x/y", "content": ""}), "not a directory")
}

func TestFileCreate_RunAgainAfterACrashReportsTheSameSuccess(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	a := args{"path": "a", "content": "same"}
	first := ok(t, box, file.NewCreate(), a)
	require.Equal(t, first, ok(t, box, file.NewCreate(), a))
}

func TestGlob_FindsFilesBelowTheFolderOfThePattern(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	for _, name := range []string{"a.go", "x/b.go", "x/y/c.go", "x/y/d.txt"} {
		box.Put(t, name, "")
	}
	sorted := func(a args) []string {
		lines := strings.Split(ok(t, box, file.NewGlob(), a), "\n")
		return lines
	}
	require.ElementsMatch(t, []string{"a.go", "x/b.go", "x/y/c.go"}, sorted(args{"pattern": "**/*.go"}))
	require.ElementsMatch(t, []string{"x/y/c.go", "x/y/d.txt"}, sorted(args{"pattern": "x/y/*"}))
	require.ElementsMatch(t, []string{"x/y/c.go"}, sorted(args{"pattern": "y/*.{go,md}", "path": "x"}))
	require.ElementsMatch(t, []string{"a.go"}, sorted(args{"pattern": box.Workspace() + "/*.go", "path": "x"}))
	require.Equal(t, "No file below "+box.Workspace()+" matches *.rs.", ok(t, box, file.NewGlob(), args{"pattern": "*.rs"}))
	require.Contains(t, fails(t, box, file.NewGlob(), args{"pattern": "nowhere/*"}), "nowhere")
	require.Contains(t, fails(t, box, file.NewGlob(), args{"pattern": " "}), "pattern is empty")
}

func TestGlob_SaysThatThereIsMore(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	for i := range 201 {
		box.Put(t, "f"+strings.Repeat("x", i), "")
	}
	lines := strings.Split(ok(t, box, file.NewGlob(), args{"pattern": "*"}), "\n")
	require.Len(t, lines, 201)
	require.Equal(t, "(more files match; narrow the pattern)", lines[200])
}

func TestGrep_GroupsMatchesByFile(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "a.go", "func One()\nnothing\nfunc Two()\n")
	box.Put(t, "b.txt", "FUNC three\n")
	box.Put(t, "bin", "func\x00")
	require.Equal(t, "a.go\n1:func One()\n3:func Two()\n(passed over 1 file: binary or over 1 MiB)", ok(t, box, file.NewGrep(), args{"pattern": `func \w`}))
	require.Equal(t, "b.txt\n1:FUNC three", ok(t, box, file.NewGrep(), args{"pattern": `func`, "ignore_case": "true", "include": "*.txt"}))
	require.Equal(t, "a.go\n1:func One()\n2-nothing\n3:func Two()", ok(t, box, file.NewGrep(), args{"pattern": `func`, "path": "a.go", "context_lines": 1}))
	require.Contains(t, ok(t, box, file.NewGrep(), args{"pattern": `absent`, "include": "*.go"}), "matches absent.")
	require.Contains(t, fails(t, box, file.NewGrep(), args{"pattern": `(`}), "not a regular expression")
}

func TestGrep_SeparatesMatchesThatDoNotAdjoin(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "a", "1 hit\n2\n3\n4\n5\n6 hit\n")
	require.Equal(t, "a\n1:1 hit\n2-2\n--\n5-5\n6:6 hit", ok(t, box, file.NewGrep(), args{"pattern": "hit", "context_lines": 1}))
}

func TestGrep_BoundsWhatTheModelReads(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "many", strings.Repeat("hit\n", 300))
	text := ok(t, box, file.NewGrep(), args{"pattern": "hit"})
	require.Equal(t, 200, strings.Count(text, "hit"))
	require.True(t, strings.HasSuffix(text, "\n200:hit\n(more lines match; narrow the pattern or the folder)"), text)
	box.Put(t, "many", strings.Repeat("hit"+strings.Repeat("x", 5000)+"\n", 200))
	require.Less(t, len(ok(t, box, file.NewGrep(), args{"pattern": "hit"})), 31_000)
}

// slowBox searches until its context ends.
type slowBox struct{ *tooltest.Box }

func (slowBox) Glob(ctx context.Context, _ sandbox.GlobQuery) (sandbox.GlobResult, error) {
	<-ctx.Done()
	return sandbox.GlobResult{}, context.Cause(ctx)
}

func TestGlob_HandsBackTheEndOfItsContext(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	call := box.Call("turn.0.0", `{"pattern":"*"}`)
	call.Box = slowBox{box}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.Canceled)
	_, err := file.NewGlob().Run(ctx, call)
	require.ErrorIs(t, err, context.Canceled)
}

func TestCd_MovesTheSession(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	box.Put(t, "sub/deep/x.txt", "")
	box.Put(t, "sub/y.txt", "")
	cd := file.NewCd(memory, memory)
	require.Equal(t, "Now in "+box.Workspace()+"/sub: deep/, y.txt", ok(t, box, cd, args{"path": "sub"}))
	require.Equal(t, box.Workspace()+"/sub", memory.Cwds["agent:main:web:thread:test"])
	require.Contains(t, fails(t, box, cd, args{"path": "sub/y.txt"}), "is a file, not a folder")
	require.Contains(t, fails(t, box, cd, args{"path": "gone"}), "gone does not exist")
	require.Equal(t, box.Workspace()+"/sub", memory.Cwds["agent:main:web:thread:test"])
}

func TestCd_RunAgainAfterACrashGoesUpOnlyOnce(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	box.Put(t, "a/b/c/x", "")
	cd := file.NewCd(memory, memory)
	call := box.Call("turn.0.0", `{"path":".."}`)
	call.Cwd = box.Workspace() + "/a/b/c"
	for range 2 {
		result, err := cd.Run(t.Context(), call)
		require.NoError(t, err)
		require.Contains(t, result.Content, "Now in "+box.Workspace()+"/a/b: ")
		call.Cwd = memory.Cwds[call.Session]
	}
}

// brokenStore cannot be reached.
type brokenStore struct{}

var errStore = fault.Errorf(fault.Unavailable, "the database is away")

func (brokenStore) SetCwd(context.Context, chat.SessionKey, string, string) error { return errStore }
func (brokenStore) Intent(context.Context, chat.CallID) (string, error)           { return "", errStore }
func (brokenStore) SetIntent(context.Context, chat.CallID, string) error          { return errStore }

func TestFileTools_HandBackWhatTheModelCannotMend(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "a", "old")
	for _, tl := range []tool.Tool{file.NewCd(brokenStore{}, brokenStore{}), file.NewReplace(brokenStore{})} {
		_, err := tl.Run(t.Context(), box.Call("turn.0.0", `{"path":"a","old_string":"old","new_string":"new"}`))
		require.ErrorIs(t, err, errStore)
		require.Equal(t, "old", box.Get(t, "a"))
	}
}

func TestRead_ShowsAPictureWhateverItsName(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	var drawing bytes.Buffer
	require.NoError(t, png.Encode(&drawing, image.NewGray(image.Rect(0, 0, 30, 20))))
	box.Put(t, "notes.txt", drawing.String())
	got := run(t, box, file.NewRead(nil), args{"path": "notes.txt"})
	require.False(t, got.IsError, got.Content)
	require.Contains(t, got.Content, "shown with 30 × 20 pixels")
	require.Len(t, got.Pictures, 1)
	require.Equal(t, "notes.txt", got.Pictures[0].Name)
}
