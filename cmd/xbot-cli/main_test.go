package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
)

// TestMain is also the program: the tests run this binary as xbot-cli.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_XBOT_CLI") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// bench is a server and the environment of a user who talks to it.
type bench struct {
	t      *testing.T
	server *apitest.Server
	home   string
	env    []string
}

func setup(t *testing.T, script apitest.Script) *bench {
	t.Helper()
	b := &bench{t: t, server: apitest.New(t, script), home: t.TempDir()}
	endpoint := b.server.Endpoint()
	b.env = []string{
		"RUN_XBOT_CLI=1", "XBOT_HOME=" + b.home, "HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color",
		"XBOT_SERVER=" + endpoint.URL, "XBOT_TOKEN=" + endpoint.Token,
	}
	return b
}

// without returns the environment without some variables.
func (b *bench) without(names ...string) *bench {
	other := *b
	other.env = nil
	for _, variable := range b.env {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") {
			other.env = append(other.env, variable)
		}
	}
	return &other
}

func (b *bench) command(args ...string) *exec.Cmd {
	b.t.Helper()
	self, err := os.Executable()
	require.NoError(b.t, err)
	command := exec.CommandContext(b.t.Context(), self, args...)
	command.Env = b.env
	return command
}

// ran is how a run ended.
type ran struct {
	out, err string
	code     int
}

func (b *bench) run(stdin string, args ...string) ran {
	b.t.Helper()
	return wait(b.t, start(b.t, b.command(args...), stdin))
}

// process is a program that runs, with what it prints.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

func start(t *testing.T, command *exec.Cmd, stdin string) *process {
	t.Helper()
	p := &process{Cmd: command}
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &p.out, &p.err
	require.NoError(t, command.Start())
	return p
}

func wait(t *testing.T, p *process) ran {
	t.Helper()
	err := p.Wait()
	if _, ended := errors.AsType[*exec.ExitError](err); !ended {
		require.NoError(t, err)
	}
	return ran{out: p.out.String(), err: p.err.String(), code: p.ProcessState.ExitCode()}
}

// echo answers with what was said, after a tool call.
func echo(turn *apitest.Turn, text string) {
	turn.Say("Looking.")
	turn.Calls(chat.ToolCall{Name: "Shell", Summary: "ls", Arguments: "{}"})
	turn.Run(0, "a.go\n")
	turn.Done(0, "a.go", false)
	turn.Say("You said: " + text)
	turn.Answer()
}

func TestOneShot_PrintsTheAnswerAndNothingElse(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Equal(t, ran{out: "You said: hello\n"}, b.run("", "-p", "hello"))
	require.Equal(t, ran{out: "You said: explain\n\nline 1\nline 2\n"}, b.run("line 1\nline 2\n", "-p", "explain"))
	require.Equal(t, ran{out: "You said: only piped\n"}, b.run("only piped\n"))
}

func TestOneShot_PrintsEventsAsJSONLinesAndTheResultLast(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	r := b.run("", "-p", "hello", "--json")
	require.Zero(t, r.code, r.err)
	var kinds []chat.EventKind
	var last chat.Event
	for line := range strings.Lines(r.out) {
		last = chat.Event{}
		require.NoError(t, json.Unmarshal([]byte(line), &last), line)
		kinds = append(kinds, last.Kind)
	}
	require.Subset(t, kinds, []chat.EventKind{"queued", "message", "turn", "delta", "tool", "output", "result"})
	require.Equal(t, chat.EventKind("result"), last.Kind)
	var result struct {
		Session chat.SessionKey `json:"session"`
		State   string          `json:"state"`
		Text    string          `json:"text"`
		Steps   int             `json:"steps"`
	}
	require.NoError(t, json.Unmarshal(last.Data, &result))
	require.Equal(t, b.server.Keys()[0], result.Session)
	require.True(t, strings.HasPrefix(string(result.Session), "agent:main:cli:thread:"), "%s: the model is told that it is read in a terminal", result.Session)
	require.Equal(t, "done", result.State)
	require.Equal(t, "You said: hello", result.Text)
	require.Equal(t, 2, result.Steps)
}

func TestOneShot_ExitsWithOneWhenThereIsNoAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, func(turn *apitest.Turn, text string) {
		turn.Say("half")
		turn.Fail(chat.TurnState(text), "It did not work out.")
	})
	for _, state := range []string{"failed", "stopped", "lost"} {
		r := b.run("", "-p", state)
		require.Equal(t, 1, r.code)
		require.Equal(t, "xbot-cli: It did not work out.\n", r.err)
	}
	b.server.Stop()
	r := b.run("", "-p", "hello")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "xbot-cli: cannot reach the server at http://127.0.0.1:")
}

func TestCommandLine_ExitsWithTwoWhenItIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	for want, args := range map[string][]string{
		"unknown flag --nope":                     {"--nope"},
		"--json works with -p only":               {"--json"},
		"there is nothing to ask":                 {"-p", " "},
		"there is no session agent:main:web:none": {"-p", "x", "--session", "agent:main:web:none"},
		"there is no session to resume yet":       {"-p", "x", "--resume"},
		"--session and --resume can't be used":    {"-p", "x", "--resume", "--session", "k"},
	} {
		r := b.run("", args...)
		require.Equal(t, 2, r.code, want)
		require.Contains(t, r.err, want)
		require.Empty(t, r.out)
	}
	r := b.run(strings.Repeat("x", 200_001))
	require.Equal(t, 2, r.code)
	require.Contains(t, r.err, "the message is longer than 200000 bytes")
	require.Equal(t, ran{out: "dev\n"}, b.run("", "--version"))
	require.Equal(t, ran{out: "dev\n"}, b.run("", "version"))
	r = b.run("", "--help")
	require.Zero(t, r.code)
	require.Contains(t, r.out, "Continue the newest session.")
}

func TestOneShot_ContinuesSessions(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Zero(t, b.run("", "-p", "one").code)
	require.Zero(t, b.run("", "-p", "two").code)
	first := b.server.Keys()[0]
	require.Zero(t, b.run("", "-p", "three", "--session", string(first)).code)
	require.Zero(t, b.run("", "-p", "four", "--resume").code)
	require.Len(t, b.server.Keys(), 2)
	require.EqualValues(t, 24, b.server.Session(first).Seq, "three turns of eight events")
}

func TestOneShot_StaysOutOfTheListAndGoesOnByItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Zero(t, b.run("", "-p", "one").code)
	key := b.server.Keys()[0]
	require.Equal(t, chat.OneShots, b.server.Session(key).Shelf)
	listed, err := b.server.Client().ListSessions(t.Context(), apiclient.ListSessionsParams{})
	require.NoError(t, err)
	require.Empty(t, listed)
	require.Zero(t, b.run("", "-p", "two", "--session", string(key)).code)
	require.Equal(t, []chat.SessionKey{key}, b.server.Keys())
}

func TestOneShot_CtrlCStopsTheTurn(t *testing.T) {
	t.Parallel()
	running := make(chan struct{}, 2)
	b := setup(t, func(turn *apitest.Turn, text string) {
		running <- struct{}{}
		<-turn.Stopping()
		if text == "gently" {
			turn.Fail(chat.TurnStopped, "Stopped.")
		}
	})
	p := start(t, b.command("-p", "gently"), "")
	<-running
	require.NoError(t, p.Process.Signal(os.Interrupt))
	require.Equal(t, ran{err: "xbot-cli: Stopped.\n", code: 130}, wait(t, p))
}

func TestOneShot_ASecondCtrlCLeavesAtOnce(t *testing.T) {
	t.Parallel()
	running, release := make(chan struct{}), make(chan struct{})
	b := setup(t, func(turn *apitest.Turn, _ string) {
		close(running)
		<-turn.Stopping()
		<-release // a turn that takes long to stop
	})
	defer close(release)
	p := start(t, b.command("-p", "long"), "")
	<-running
	require.NoError(t, p.Process.Signal(os.Interrupt))
	key := b.server.Keys()[0]
	require.NotEmpty(t, b.server.Session(key).Running)
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	require.Eventually(t, func() bool {
		// Signals that come faster than they are read are one; it may take more than one to be the second.
		_ = p.Process.Signal(os.Interrupt)
		return len(ended) == 1
	}, 10*time.Second, 50*time.Millisecond)
	// A signal that comes when the program no longer waits for one ends it by itself; a shell calls both 130.
	require.Regexp(t, `^(exit status 130|signal: interrupt)$`, (<-ended).Error())
}

func TestOneShot_WaitsOutARestartOfTheServer(t *testing.T) {
	t.Parallel()
	running, back := make(chan struct{}), make(chan struct{})
	b := setup(t, func(turn *apitest.Turn, text string) {
		turn.Say("before ")
		close(running)
		turn.Wait(back)
		turn.Say("and after")
		turn.Answer()
	})
	p := start(t, b.command("-p", "hello"), "")
	<-running
	b.server.Stop()
	close(back)
	require.Eventually(t, func() bool { return b.server.Session(b.server.Keys()[0]).Running == "" }, 10*time.Second, time.Millisecond)
	require.NoError(t, b.server.Start())
	r := wait(t, p)
	require.Equal(t, "before and after\n", r.out)
	require.Zero(t, r.code)
	require.EqualValues(t, 5, b.server.Session(b.server.Keys()[0]).Seq, "asked once, answered once")
}

func TestOneShot_SaysThatTheServerHasForgottenWhatItMissed(t *testing.T) {
	t.Parallel()
	running, back := make(chan struct{}), make(chan struct{})
	b := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say("before ")
		close(running)
		turn.Wait(back)
		turn.Say("and after")
		turn.Answer()
	})
	p := start(t, b.command("-p", "hello"), "")
	<-running
	b.server.Stop()
	close(back)
	require.Eventually(t, func() bool { return b.server.Session(b.server.Keys()[0]).Running == "" }, 10*time.Second, time.Millisecond)
	b.server.Prune()
	require.NoError(t, b.server.Start())
	r := wait(t, p)
	require.Contains(t, r.err, "the server has not kept what it told meanwhile; read the conversation: xbot-cli --session "+string(b.server.Keys()[0]))
	require.Equal(t, 1, r.code, "half an answer is none")
}

func TestConfiguration_ComesFromTheFileWhenNothingElseSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t, echo).without("XBOT_SERVER", "XBOT_TOKEN")
	endpoint := b.server.Endpoint()
	file := filepath.Join(b.home, "cli.json")
	content := fmt.Sprintf(`{"server":%q,"token":%q}`, endpoint.URL, endpoint.Token)

	require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
	r := b.run("", "-p", "hello")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "holds a token and others can read it; run: chmod 600 ")

	require.NoError(t, os.Chmod(file, 0o600))
	require.Equal(t, "You said: hello\n", b.run("", "-p", "hello").out)
	require.Equal(t, "You said: hello\n", b.run("", "-p", "hello", "--server", endpoint.URL+"/").out)

	r = b.run("", "-p", "hello", "--token", "wrong")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "the server does not accept the token (Sign in, or send a valid token.); make one with: xbot token create")
	require.NotContains(t, r.err, "wrong")

	r = b.run("", "-p", "hello", "--server", "http://127.0.0.1:1")
	require.Contains(t, r.err, "no token for http://127.0.0.1:1; make one there with: xbot token create, then set XBOT_TOKEN")

	require.NoError(t, os.WriteFile(file, []byte(`{"servers":"x"}`), 0o600))
	r = b.run("", "-p", "hello")
	require.Contains(t, r.err, `cli.json cannot be used (json: unknown field "servers"); it looks like {"server": "https://…", "token": "…"}`)

	require.NoError(t, os.Remove(file))
	r = b.run("", "-p", "hello", "--token", "x")
	require.Contains(t, r.err, "a token was given without a server; give --server too")
}

// own makes the server of the bench the one of this user: serve.json as xbot serve writes it.
func (b *bench) own(file string) {
	b.t.Helper()
	endpoint := b.server.Endpoint()
	told, err := json.Marshal(map[string]any{"url": endpoint.URL, "token": endpoint.Token, "pid": os.Getpid(), "version": "dev"})
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(b.t, os.WriteFile(file, told, 0o600))
}

func TestStandalone_UsesTheServerOfThisUserAndWorksOnTheCurrentFolder(t *testing.T) {
	t.Parallel()
	b := setup(t, echo).without("XBOT_SERVER", "XBOT_TOKEN")
	b.own(filepath.Join(b.home, "run", "serve.json"))
	b.server.Knows(nil, []chat.Runner{{Name: "local", Kind: chat.RunnerLocal, Active: true}})
	command := b.command("-p", "hello")
	command.Dir = t.TempDir()
	r := wait(t, start(t, command, ""))
	require.Equal(t, ran{out: "You said: hello\n"}, r)
	require.Equal(t, command.Dir, b.server.Session(b.server.Keys()[0]).Cwd)

	// By its address, the same server lets its owner in, too; the folder may mean nothing to it then.
	require.Equal(t, "You said: hello\n", b.run("", "-p", "hello", "--server", b.server.Endpoint().URL).out)
	require.Empty(t, b.server.Session(b.server.Keys()[1]).Cwd)

	// In a container, and on another machine, it means nothing either.
	for _, elsewhere := range []chat.Runner{{Name: "__docker__", Kind: chat.RunnerDocker, Active: true}, {Name: "laptop", Kind: chat.RunnerNative, Active: true}} {
		b.server.Knows(nil, []chat.Runner{{Name: "local", Kind: chat.RunnerLocal}, elsewhere})
		require.Equal(t, "You said: hello\n", b.run("", "-p", "hello").out)
		require.Empty(t, b.server.Session(b.server.Keys()[len(b.server.Keys())-1]).Cwd)
	}
}

func TestStandalone_StartsAServerWhenNoneRuns(t *testing.T) {
	t.Parallel()
	b := setup(t, echo).without("XBOT_SERVER", "XBOT_TOKEN")
	programs := t.TempDir()
	told := filepath.Join(t.TempDir(), "serve.json")
	b.own(told)
	script := fmt.Sprintf("#!/bin/sh\n[ \"$*\" = serve ] || exit 9\necho $$ >> '%s/pids'\ncp '%s' \"$XBOT_HOME/run/serve.json\"\nexec sleep 300\n", programs, told)
	require.NoError(t, os.WriteFile(filepath.Join(programs, "xbot"), []byte(script), 0o755))
	t.Cleanup(func() {
		for _, pid := range b.pids(programs) {
			// It may be gone already.
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	b.env = append(b.env, "PATH="+programs+":"+os.Getenv("PATH"))
	r := b.run("", "-p", "hello")
	require.Equal(t, ran{out: "You said: hello\n", err: "xbot-cli: Starting the server\n"}, r)
	require.Equal(t, ran{out: "You said: again\n"}, b.run("", "-p", "again"))
	require.Len(t, b.pids(programs), 1)
}

func (b *bench) pids(folder string) []int {
	text, err := os.ReadFile(filepath.Join(folder, "pids"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(b.t, err)
	var pids []int
	for word := range strings.FieldsSeq(string(text)) {
		pid, err := strconv.Atoi(word)
		require.NoError(b.t, err)
		pids = append(pids, pid)
	}
	return pids
}

func TestStandalone_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := setup(t, echo).without("XBOT_SERVER", "XBOT_TOKEN", "PATH")
	r := b.run("", "-p", "hello")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.err, "no server is running, and the program xbot that would start one is neither beside xbot-cli nor in PATH; install it, or give --server and --token")
}
