package file_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/tool/file"
	"xbot/internal/tool/tooltest"
)

func TestFileReplace_Edits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		before string
		a      args
		after  string
		says   string
	}{
		"one place":               {"a\nb\nc\n", args{"old_string": "b", "new_string": "B"}, "a\nB\nc\n", "Replaced 1 place in f at line 2."},
		"several lines":           {"a\nb\nc\n", args{"old_string": "a\nb\n", "new_string": ""}, "c\n", "at line 1."},
		"all places":              {"x y\nx\n", args{"old_string": "x", "new_string": "xx", "replace_all": true}, "xx y\nxx\n", "Replaced 2 places in f at lines 1, 2."},
		"dollars are plain text":  {"cost\n", args{"old_string": "cost", "new_string": "$1 $$"}, "$1 $$\n", "line 1"},
		"the last line":           {"a\nb", args{"old_string": "b", "new_string": "c"}, "a\nc", "line 2"},
		"windows line ends":       {"a\r\nb\r\nc\r\n", args{"old_string": "a\nb", "new_string": "x\ny"}, "x\r\ny\r\nc\r\n", "line 1"},
		"a range of lines":        {"x\nx\nx\n", args{"old_string": "x", "new_string": "y", "start_line": 2, "end_line": 2}, "x\ny\nx\n", "line 2"},
		"from a line":             {"x\nx\nx\n", args{"old_string": "x", "new_string": "y", "start_line": 2, "replace_all": true}, "x\ny\ny\n", "lines 2, 3"},
		"up to a line":            {"x\nx\nx\n", args{"old_string": "x", "new_string": "y", "end_line": 1}, "y\nx\nx\n", "line 1"},
		"a range behind the end":  {"x\ny\n", args{"old_string": "y", "new_string": "z", "start_line": 2, "end_line": 99}, "x\nz\n", "line 2"},
		"regex":                   {"foo(1, 2)\n", args{"regex": true, "old_string": `foo\((\d), (\d)\)`, "new_string": "bar($2, $1)"}, "bar(2, 1)\n", "line 1"},
		"a group before a letter": {"ab\n", args{"regex": true, "old_string": "(a)b", "new_string": "$1x ${1}y $$1 $"}, "ax ay $1 $\n", "line 1"},
		"a named group":           {"ab\n", args{"regex": true, "old_string": "(?P<first>a)b", "new_string": "${first}"}, "a\n", "line 1"},
		"regex at line starts":    {"a\nb\n", args{"regex": true, "old_string": "^(\\w)", "new_string": "> $1", "replace_all": true}, "> a\n> b\n", "lines 1, 2"},
		"the new text holds old":  {"foo\n", args{"old_string": "foo", "new_string": "foo foo"}, "foo foo\n", "line 1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := tooltest.New(t)
			box.Put(t, "f", c.before)
			c.a["path"] = "f"
			require.Contains(t, ok(t, box, file.NewReplace(tooltest.NewMemory()), c.a), c.says)
			require.Equal(t, c.after, box.Get(t, "f"))
		})
	}
}

func TestFileReplace_SaysWhyItCannotAndLeavesTheFile(t *testing.T) {
	t.Parallel()
	const content = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n\n// main\n// in\u00a0current\n"
	cases := map[string]struct {
		a    args
		want string
	}{
		"twice there":           {args{"old_string": "main", "new_string": "x"}, "old_string occurs 3 times, at lines 1, 3, 7; add lines around it"},
		"white space":           {args{"old_string": "func main() {\n    println(\"hello\")", "new_string": "x"}, "only white space differs from:\n3\tfunc main() {\n4\t\tprintln(\"hello\")"},
		"a near match":          {args{"old_string": "\tprintln(\"hallo\")\n", "new_string": "x"}, "the nearest text is:\n4\t\tprintln(\"hello\")"},
		"a look-alike space":    {args{"old_string": "in current", "new_string": "x"}, "look like spaces or cannot be seen: U+00A0)"},
		"nothing like it":       {args{"old_string": "zzzzqq", "new_string": "x"}, "old_string does not occur in the file, and nothing like it"},
		"outside the range":     {args{"old_string": "package", "new_string": "x", "start_line": 2}, "old_string does not occur in lines 2 to 8, but elsewhere in the file"},
		"no match":              {args{"old_string": "x+", "new_string": "", "regex": true}, "the expression matches nothing in the file"},
		"bad expression":        {args{"old_string": "(", "new_string": "", "regex": true}, "not a regular expression (RE2)"},
		"no such group":         {args{"old_string": "package", "new_string": "$1", "regex": true}, "new_string refers to $1, but old_string has 0 groups; write $$ for a dollar"},
		"no change":             {args{"old_string": "hello", "new_string": "hello"}, "the edit changes nothing"},
		"empty":                 {args{"old_string": "", "new_string": "x"}, "old_string is empty"},
		"a bad range":           {args{"old_string": "a", "new_string": "x", "start_line": 5, "end_line": 4}, "end_line must not be before start_line"},
		"a range past the end":  {args{"old_string": "a", "new_string": "x", "start_line": 50}, "start_line 50 is behind the end: the file has 8 lines"},
		"the file grows beyond": {args{"old_string": "hello", "new_string": strings.Repeat("x", 11<<20)}, "would grow to"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := tooltest.New(t)
			box.Put(t, "f", content)
			c.a["path"] = "f"
			require.Contains(t, fails(t, box, file.NewReplace(tooltest.NewMemory()), c.a), c.want)
			require.Equal(t, content, box.Get(t, "f"))
		})
	}
}

// crashBox fails around the write, as a process that dies there does.
type crashBox struct {
	*tooltest.Box
	before bool // dies before the write, else after it
}

var errCrash = errors.New("crash")

func (b crashBox) Edit(ctx context.Context, e sandbox.Edit) (int64, error) {
	if b.before {
		return 0, errCrash
	}
	if _, err := b.Box.Edit(ctx, e); err != nil {
		return 0, err
	}
	return 0, errCrash
}

// olderBox is on a runner that does not remember edits.
type olderBox struct{ *tooltest.Box }

func (olderBox) Edited(context.Context, chat.CallID) (bool, error) { return false, nil }

func TestFileReplace_RunAgainAfterACrashEditsOnce(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"died before the write": true, "died after the write": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, memory := tooltest.New(t), tooltest.NewMemory()
			box.Put(t, "f", "foo bar")
			// Editing twice would give "foo bar bar bar".
			call := box.Call("turn.0.0", `{"path":"f","old_string":"foo","new_string":"foo bar"}`)
			dying := call
			dying.Box = crashBox{box, before}
			_, err := file.NewReplace(memory).Run(t.Context(), dying)
			require.ErrorIs(t, err, errCrash)
			for range 2 {
				result, err := file.NewReplace(memory).Run(t.Context(), call)
				require.NoError(t, err)
				require.Equal(t, "Replaced 1 place in f at line 1.", result.Content)
				require.Equal(t, "foo bar bar", box.Get(t, "f"))
			}
		})
	}
}

func TestFileReplace_WritesNothingWhereTheFileChangedSinceItWasRead(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	box.Put(t, "f", "foo")
	call := box.Call("turn.0.0", `{"path":"f","old_string":"foo","new_string":"bar"}`)
	call.Box = racingBox{box, func() { box.Put(t, "f", "foo and more") }}
	result, err := file.NewReplace(memory).Run(t.Context(), call)
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "nothing was written")
	require.Equal(t, "foo and more", box.Get(t, "f"))
}

// racingBox lets somebody else act right before an edit.
type racingBox struct {
	*tooltest.Box
	first func()
}

func (b racingBox) Edit(ctx context.Context, e sandbox.Edit) (int64, error) {
	b.first()
	return b.Box.Edit(ctx, e)
}

func TestFileReplace_KnowsThatItWasDoneWhateverTheFileBecame(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	box.Put(t, "f", "foo")
	call := box.Call("turn.0.0", `{"path":"f","old_string":"foo","new_string":"foo foo"}`)
	dying := call
	dying.Box = crashBox{box, false}
	_, err := file.NewReplace(memory).Run(t.Context(), dying)
	require.ErrorIs(t, err, errCrash)
	box.Put(t, "f", "foo foo and more")
	result, err := file.NewReplace(memory).Run(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "Replaced 1 place in f at line 1.", result.Content)
	require.Equal(t, "foo foo and more", box.Get(t, "f"))
}

func TestFileReplace_DoesNotGuessWhenSomebodyElseChangedTheFile(t *testing.T) {
	t.Parallel()
	box, memory := tooltest.New(t), tooltest.NewMemory()
	box.Put(t, "f", "foo")
	call := box.Call("turn.0.0", `{"path":"f","old_string":"foo","new_string":"foo foo"}`)
	dying := call
	dying.Box = crashBox{box, false}
	_, err := file.NewReplace(memory).Run(t.Context(), dying)
	require.ErrorIs(t, err, errCrash)
	box.Put(t, "f", "foo and more")
	call.Box = olderBox{box}
	result, err := file.NewReplace(memory).Run(t.Context(), call)
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "outcome unknown")
	require.Equal(t, "foo and more", box.Get(t, "f"))
}
