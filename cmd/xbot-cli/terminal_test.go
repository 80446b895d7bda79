package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
)

// terminal is a real terminal, which tmux keeps and lets us look at.
type terminal struct {
	t      *testing.T
	socket string
}

// newTerminal runs xbot-cli in a terminal of 80 columns and 24 lines.
func newTerminal(t *testing.T, b *bench, env ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return newShell(t, b, self, nil, env...)
}

// newShell runs any program in such a terminal.
func newShell(t *testing.T, b *bench, program string, args []string, env ...string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		const missing = "NOT RUN: the interactive program was not tried in a terminal, because tmux is missing; apt-get install tmux"
		if os.Getenv("XBOT_TEST_STRICT") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	term := &terminal{t: t, socket: t.TempDir() + "/tmux"}
	t.Cleanup(func() {
		// The server of tmux ends by itself when the program has ended.
		_ = term.tmux("kill-server").Run()
	})
	line := "env -i "
	for _, variable := range append(append([]string{}, b.env...), append([]string{"TERM=tmux-256color", "LANG=C.UTF-8"}, env...)...) {
		line += "'" + variable + "' "
	}
	line += "'" + strings.Join(append([]string{program}, args...), "' '") + "'; echo \"exit code $?\"; cat"
	start := term.tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "80", "-y", "24", line)
	output, err := start.CombinedOutput()
	require.NoError(t, err, string(output))
	return term
}

func (term *terminal) tmux(args ...string) *exec.Cmd {
	command := exec.CommandContext(term.t.Context(), "tmux", append([]string{"-u", "-S", term.socket}, args...)...)
	if term.t.Context().Err() != nil { // cleaning up
		command = exec.Command("tmux", append([]string{"-u", "-S", term.socket}, args...)...)
	}
	return command
}

func (term *terminal) keys(keys ...string) {
	term.t.Helper()
	output, err := term.tmux(append([]string{"send-keys", "-t", "t"}, keys...)...).CombinedOutput()
	require.NoError(term.t, err, string(output))
}

func (term *terminal) text() string {
	output, err := term.tmux("capture-pane", "-p", "-t", "t").Output()
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(output)
}

// shows waits until the terminal shows all of the texts.
func (term *terminal) shows(wanted ...string) {
	term.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		shown := term.text()
		missing := ""
		for _, want := range wanted {
			if !strings.Contains(shown, want) {
				missing = want
			}
		}
		if missing == "" {
			return
		}
		require.True(term.t, time.Now().Before(deadline), "%q is not shown:\n%s", missing, shown)
	}
}

func TestTerminal_ConversationWithAToolARestartAndAStop(t *testing.T) {
	t.Parallel()
	gone, back := make(chan struct{}), make(chan struct{})
	b := setup(t, func(turn *apitest.Turn, text string) {
		if text == "forever" {
			turn.Say("this goes on")
			<-turn.Stopping()
			turn.Fail(chat.TurnStopped, "Stopped as you asked.")
			return
		}
		turn.Say("Looking. ")
		turn.Calls(chat.ToolCall{Name: "Shell", Summary: "ls -la", Arguments: `{"command":"ls -la"}`})
		turn.Run(0, "a.go\n")
		turn.Wait(gone)
		turn.Done(0, "a.go\nb.go\n[exit code 0, 1s]", false)
		turn.Wait(back)
		turn.Say("There are **two** files.")
		turn.Answer()
	})
	term := newTerminal(t, b)
	term.shows("Ask anything, or say what is to be done.", "demo/demo")
	term.keys("what is here?", "Enter")
	term.shows("▌ what is here?", "● Shell ls -la", "│ a.go")
	b.server.Stop()
	term.shows("! The server is away")
	close(gone)
	require.NoError(t, b.server.Start())
	term.shows("✓ Shell ls -la", "thinking")
	close(back)
	term.shows("There are two files.", "1.2k in")
	term.keys("C-o")
	term.shows("│ b.go")

	output, err := term.tmux("resize-window", "-t", "t", "-x", "50", "-y", "16").CombinedOutput()
	require.NoError(t, err, string(output))
	term.shows("There are two files.", strings.Repeat("─", 50)+"\n")
	term.keys("forever", "Enter")
	term.shows("this goes on")
	term.keys("C-c")
	term.shows("! Stopped as you asked.")
	term.keys("C-c")
	term.shows("Continue with: xbot-cli --session", "exit code 130")
}

func TestTerminal_LeavingWithoutCtrlCIsNoInterruption(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	for _, keys := range [][]string{{"C-d"}, {"/quit", "Enter"}} {
		term := newTerminal(t, b)
		term.shows("Ask anything, or say what is to be done.")
		term.keys(keys...)
		term.shows("exit code 0")
	}
}

func TestTerminal_FindsAFileAndWhatWasTypedInASessionBefore(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	b.server.Knows(nil, []chat.Runner{{Name: "laptop", Kind: chat.RunnerNative, Workspace: "/work", Active: true}})
	b.server.Put("/proj/cmd/main.go", "package main")
	term := newTerminal(t, b)
	term.shows("Commands run on laptop, in /work", "demo/demo · laptop:/work")
	term.keys("hello", "Enter")
	term.shows("You said: hello")
	term.keys("explain @MAIN")
	term.shows("› cmd/main.go")
	term.keys("Tab")
	term.shows("explain [file: /proj/cmd/main.go]")
	term.keys("please", "Enter")
	term.shows("You said: explain")
	term.keys("C-d")
	term.shows("exit code 0")

	kept, err := os.Stat(filepath.Join(b.home, "cli", "history.jsonl"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), kept.Mode().Perm())
	term = newTerminal(t, b)
	term.shows("Ask anything")
	term.keys("C-r")
	term.keys("HEL")
	term.shows("search: HEL", "› hello")
	term.keys("Enter")
	term.shows("You said: hello")
}

func TestTerminal_UsesItsWidthAndDrawsAnewWhenThatChanges(t *testing.T) {
	t.Parallel()
	b := setup(t, func(turn *apitest.Turn, _ string) {
		turn.Say(strings.Repeat("prose ", 40) + "\n\n| name | what it does |\n|---|---|\n| a | " + strings.Repeat("cell ", 22) + "end |\n\n```\n" + strings.Repeat("x", 120) + "\n```\n")
		turn.Answer()
	})
	term := newTerminal(t, b)
	term.shows("Ask anything")
	term.keys("go", "Enter")
	term.shows("1.2k in")
	for _, width := range []int{200, 100, 60, 200} {
		output, err := term.tmux("resize-window", "-t", "t", "-x", strconv.Itoa(width), "-y", "40").CombinedOutput()
		require.NoError(t, err, string(output))
		term.shows(strings.Repeat("─", width) + "\n")
		if width == 200 {
			term.shows(strings.Repeat("cell ", 22)+"end", strings.Repeat("x", 120))
		}
		for line := range strings.Lines(term.text()) {
			if strings.Contains(line, "prose") {
				require.LessOrEqual(t, len([]rune(strings.TrimSpace(line))), 96)
			}
		}
	}
	term.keys("/wide", "Enter")
	term.shows(strings.TrimSpace(strings.Repeat("prose ", 32)))
}

func TestTerminal_ThatCanOnlyPrintGetsLines(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	term := newTerminal(t, b, "TERM=dumb")
	term.shows("No commands can run: no runner is connected.\nxbot, demo/demo. /help says what can be typed.\n>")
	term.keys(`first \`, "Enter", "second", "Enter")
	term.shows("Looking.\n", "+ Shell ls (0.0 s)\n", "You said: first\nsecond\n")
	term.keys("/help", "Enter")
	term.shows("/new alone starts another session")
	term.keys("/quit", "Enter")
	term.shows("exit code 0")
}

func TestTerminal_OpensTheConversationThatAModelShows(t *testing.T) {
	t.Parallel()
	said := make(chan apiclient.ActionAnswer, 1)
	b := setup(t, func(turn *apitest.Turn, text string) {
		if text == "open the other one" {
			first := turn.Act(chat.ClientAction{Call: "t.0.0", Action: "open", What: "conversation", Value: "agent:main:cli:thread:other"})
			said <- first
		}
		turn.Say("You said " + text + ".")
		turn.Answer()
	})
	client := b.server.Client()
	t.Cleanup(client.Close)
	_, err := client.CreateSession(t.Context(), apiclient.NewSession{Key: "agent:main:cli:thread:other", Title: "About beds"})
	require.NoError(t, err)
	_, err = client.Send(t.Context(), "agent:main:cli:thread:other", "m1", "what grows in the beds?")
	require.NoError(t, err)
	term := newTerminal(t, b)
	term.shows("Ask anything")
	term.keys("open the other one", "Enter")
	term.shows("▌ what grows in the beds?", "You said what grows in the beds?.")
	require.Equal(t, "done", (<-said).Outcome)
}
