package shell_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/tooltest"
)

func arguments(t *testing.T, command string) string {
	t.Helper()
	text, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	return string(text)
}

func run(t *testing.T, box *tooltest.Box, command string) chat.ToolResult {
	t.Helper()
	result, err := shell.New().Run(t.Context(), box.Call(chat.CallID("turn.0.0"+command[:1]), arguments(t, command)))
	require.NoError(t, err)
	return result
}

func TestShell_ReturnsOutputAndExitCode(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	result := run(t, box, "echo out; echo err >&2; pwd")
	require.False(t, result.IsError)
	require.Regexp(t, `^out\nerr\n`+box.Workspace()+`\n\[exit code 0, \d+\.\d s\]$`, result.Content)

	require.Positive(t, result.Took, "what the runner measured")

	result = run(t, box, "true")
	require.Regexp(t, `^\(no output\)\n\[exit code 0`, result.Content)
}

func TestShell_TellsTheModelNotToRepeatAFailedCommand(t *testing.T) {
	t.Parallel()
	result := run(t, tooltest.New(t), "echo broken; exit 3")
	require.True(t, result.IsError)
	require.Regexp(t, `^broken\n\[exit code 3, \d+\.\d s\]\nDo NOT retry the same command\. Analyze the error, fix the root cause\.$`, result.Content)
}

func TestShell_RunsInTheSessionsFolder(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Put(t, "sub/file", "")
	call := box.Call("turn.0.0", arguments(t, "ls"))
	call.Cwd = filepath.Join(box.Workspace(), "sub")
	result, err := shell.New().Run(t.Context(), call)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(result.Content, "file\n"), result.Content)

	call = box.Call("turn.0.1", arguments(t, "ls"))
	call.Cwd = filepath.Join(box.Workspace(), "gone")
	result, err = shell.New().Run(t.Context(), call)
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "is gone, move with Cd")
}

func TestShell_RunsOnceHoweverOftenTheCallIsRun(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	call := box.Call("turn.0.0", arguments(t, "echo x >> log; echo done"))
	for range 3 {
		result, err := shell.New().Run(t.Context(), call)
		require.NoError(t, err)
		require.Contains(t, result.Content, "done")
	}
	require.Equal(t, "x\n", box.Get(t, "log"))
}

func TestShell_LeavesTheCommandRunningWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	call := box.Call("turn.0.0", arguments(t, "echo started; while [ ! -e go ]; do sleep 0.02; done; echo finished > result; cat result"))
	ctx, cancel := context.WithCancelCause(t.Context())
	detach := errors.New("detach")
	call.Output = func(int64, []byte) { cancel(detach) }
	_, err := shell.New().Run(ctx, call)
	require.ErrorIs(t, err, detach)

	box.Put(t, "go", "")
	call.Output = nil
	result, err := shell.New().Run(t.Context(), call)
	require.NoError(t, err)
	require.Contains(t, result.Content, "started\nfinished\n")
}

func TestShell_GoesOnInTheBackgroundWhenItsTimeIsUp(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	call := box.Call("turn.0.0", `{"command":"echo before; while [ ! -e go ]; do sleep 0.02; done; echo after > result","timeout":"1"}`)
	result, err := shell.New().Run(t.Context(), call)
	require.NoError(t, err)
	require.False(t, result.IsError)
	require.True(t, strings.HasPrefix(result.Content, "before\n[still running after 1 s"), result.Content)
	require.Contains(t, result.Content, "You will be told when it ends")
	require.Empty(t, result.Background.Dir, "the session's own folder, as it was sent")
	require.Equal(t, "test", result.Background.Runner)
	require.False(t, result.Background.StartedAt.IsZero())

	box.Put(t, "go", "")
	require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(box.Workspace(), "result")); return err == nil }, time.Minute, 10*time.Millisecond, "it was killed")
}

func TestShell_InTheBackgroundDoesNotWait(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	result, err := shell.New().Run(t.Context(), box.Call("turn.0.0", `{"command":"sleep 60","background":true}`))
	require.NoError(t, err)
	require.NotNil(t, result.Background)
	require.Equal(t, "sleep 60", result.Background.Command)
	require.Equal(t, "(no output)\n[it runs in the background. You will be told when it ends; do other work, or answer now]", result.Content)

	result, err = shell.New().Run(t.Context(), box.Call("turn.0.1", `{"command":"exit 3","background":true}`))
	require.NoError(t, err)
	require.Nil(t, result.Background, "what ends at once is no task")
	require.Contains(t, result.Content, "exit code 3")
}

func TestShell_SaysThatTheOutcomeOfALostCommandIsUnknown(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	box.Lose("turn.0.0")
	result, err := shell.New().Run(t.Context(), box.Call("turn.0.0", arguments(t, "rm -rf build")))
	require.NoError(t, err)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "outcome unknown")
	require.Contains(t, result.Content, "verify its effects before repeating it")
}

func TestShell_SaysThatAKilledCommandWasKilled(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	require.NoError(t, box.Kill(t.Context(), "turn.0.0"))
	result, err := shell.New().Run(t.Context(), box.Call("turn.0.0", arguments(t, "echo x > never")))
	require.NoError(t, err)
	require.Contains(t, result.Content, "[killed before it ended")
	require.NoFileExists(t, filepath.Join(box.Workspace(), "never"))
}

func TestShell_StreamsOutputAsItComes(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	call := box.Call("turn.0.0", arguments(t, "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two"))
	var seen strings.Builder
	var calls atomic.Int32
	call.Output = func(offset int64, piece []byte) {
		require.EqualValues(t, seen.Len(), offset)
		seen.Write(piece)
		if calls.Add(1) == 1 {
			box.Put(t, "go", "")
		}
	}
	_, err := shell.New().Run(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", seen.String())
}

func TestShell_BoundsWhatTheModelReads(t *testing.T) {
	t.Parallel()
	result := run(t, tooltest.New(t), "echo first; seq 1 100000; echo last")
	require.Less(t, len(result.Content), 34_000)
	require.True(t, strings.HasPrefix(result.Content, "first\n1\n2\n"))
	require.Contains(t, result.Content, "100000\nlast\n[exit code 0")
	require.Contains(t, result.Content, "bytes left out")
}

func TestShell_RefusesWhatItCannotRun(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	cases := map[string]string{
		`{"command":" "}`:                        "command is empty",
		`{}`:                                     "the argument command is missing",
		`{"command":"echo \u001b[31m"}`:          "the control character U+001B at byte 5; write it as an escape",
		`{"command":"echo \u0000"}`:              "the control character U+0000",
		`{"command":"echo","timeout":601}`:       "timeout must be between 1 and 600 seconds, not 601",
		`{"command":"echo","timeout":-1}`:        "timeout must be between 1 and 600 seconds, not -1",
		arguments(t, strings.Repeat("x", 2e5)):   "at most 100000 are allowed; write a script",
		`{"command":"echo","timeout":"a while"}`: "timeout must be a whole number",
	}
	for arguments, want := range cases {
		result, err := shell.New().Run(t.Context(), box.Call("turn.0.0", arguments))
		require.NoError(t, err)
		require.True(t, result.IsError)
		require.Contains(t, result.Content, want)
	}
}

type offline struct{ sandbox.Sandbox }

func (offline) Workspace() string { return "/" }
func (offline) Exec(context.Context, sandbox.ExecRequest) (sandbox.ExecResult, error) {
	return sandbox.ExecResult{}, fault.Errorf(fault.Unavailable, "runner local is offline")
}

func TestShell_HandsBackWhatTheModelCannotMend(t *testing.T) {
	t.Parallel()
	_, err := shell.New().Run(t.Context(), tool.Call{ID: "turn.0.0", Arguments: `{"command":"ls"}`, Box: offline{}})
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

// hostileRepository makes a repository whose configuration and hooks run a program. The program appends to the file "ran".
func hostileRepository(t *testing.T, box *tooltest.Box, name string) {
	t.Helper()
	program := box.Put(t, "program", "#!/bin/sh\necho \"$0 $*\" >>"+filepath.Join(box.Workspace(), "ran")+"\nexec cat\n")
	require.NoError(t, os.Chmod(program, 0o700))
	script := "git init -q " + name + " && cd " + name + " && echo a >f && git add f && git -c user.name=a -c user.email=a@example.com commit -qm a && echo b >f"
	for _, key := range []string{"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external", "diff.x.textconv", "gpg.program", "sequence.editor"} {
		script += " && git config " + key + " " + program
	}
	script += " && git config log.showSignature true && echo '* diff=x' >.git/info/attributes && cp ../program .git/hooks/post-index-change && cp ../program .git/hooks/pre-commit" +
		" && cd .. && git -c core.fsmonitor=false clone -q --bare " + name + " bare/docs && git -C bare/docs config core.fsmonitor " + program + " && rm -f ran"
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
	cmd.Dir = box.Workspace()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestShell_AJudgedGitRunsNoProgramThatARepositoryNames(t *testing.T) {
	t.Parallel()
	box := tooltest.New(t)
	hostileRepository(t, box, "clone")
	judged := func(dir, command string, judged bool) (result chat.ToolResult, ran string) {
		call := box.Call(chat.CallID("turn.1."+dir+command+fmt.Sprint(judged)), arguments(t, command))
		call.Cwd, call.Judged = filepath.Join(box.Workspace(), dir), judged
		_ = os.Chtimes(filepath.Join(box.Workspace(), "clone", "f"), time.Now(), time.Now())
		result, err := shell.New().Run(t.Context(), call)
		require.NoError(t, err)
		data, _ := os.ReadFile(filepath.Join(box.Workspace(), "ran"))
		_ = os.Remove(filepath.Join(box.Workspace(), "ran"))
		return result, string(data)
	}
	for _, command := range []string{"git status", "git diff", "git log -p", "git show", "git blame f", "git log '--format=%G?'", "git status --short && git diff HEAD", "git commit --allow-empty -m x"} {
		result, ran := judged("clone", command, true)
		require.Empty(t, ran, "%s: %s", command, result.Content)
	}
	for _, command := range []string{"git status", "git diff", "git log -p", "git blame f"} {
		result, ran := judged("clone", command, false)
		require.NotEmpty(t, ran, "%s runs one where nobody judged it: %s", command, result.Content)
	}
	result, ran := judged("bare/docs", "git status", true)
	require.True(t, result.IsError)
	require.Empty(t, ran)
	require.Contains(t, result.Content, "bare repository")
	result, _ = judged("clone", "git status $HOME", true)
	require.Contains(t, result.Content, "cannot be read as it was then")
}
