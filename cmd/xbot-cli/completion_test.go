package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/completion"
)

// completing runs a shell in a terminal, whose completion script is that of the program.
func completing(t *testing.T, b *bench, shell string, args ...string) *terminal {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("NOT RUN: completion was not tried in %s, which is missing; apt-get install %s", shell, shell)
	}
	programs := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(programs, "xbot-cli")))
	term := newShell(t, b, shell, args, "PATH="+programs+":"+os.Getenv("PATH"), "PS1=ready> ")
	output, err := term.tmux("resize-window", "-t", "t", "-x", "160", "-y", "24").CombinedOutput()
	require.NoError(t, err, string(output))
	return term
}

func TestCompletion_InBash(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Zero(t, b.run("", "-p", "first words").code)
	key := string(b.server.Keys()[0])
	term := completing(t, b, "bash", "--norc", "--noprofile", "-i")
	term.shows("ready>")
	term.keys("source <(xbot-cli completion bash); echo sourc''ed", "Enter")
	term.shows("sourced")
	term.keys("C-l", "xbot-cli --res", "Tab")
	term.shows("xbot-cli --resume")
	term.keys("C-u", "C-l", "xbot-cli --session agent:main:", "Tab")
	term.shows("xbot-cli --session " + key)
	term.keys("C-u", "C-l", "xbot-cli --session=", "Tab")
	term.shows("xbot-cli --session=" + key)
	term.keys("C-u", "C-l", "xbot-cli completion z", "Tab")
	term.shows("xbot-cli completion zsh")
	term.keys("C-u", "C-l", "xbot-cli --", "Tab", "Tab")
	term.shows("--approve", "--json", "--print", "--server")
}

func TestCompletion_InZsh(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Zero(t, b.run("", "-p", "first words").code)
	key := string(b.server.Keys()[0])
	term := completing(t, b, "zsh", "-f", "-i")
	term.shows("ready>")
	term.keys("autoload -Uz compinit; compinit -D; source <(xbot-cli completion zsh); echo sourc''ed", "Enter")
	term.shows("sourced")
	term.keys("C-l", "xbot-cli --res", "Tab")
	term.shows("xbot-cli --resume")
	term.keys("C-u", "C-l", "xbot-cli --session agent", "Tab")
	term.shows("xbot-cli --session " + key)
	term.keys("C-u", "C-l", "xbot-cli --", "Tab")
	term.shows("--approve", "Continue the newest session")
}

func TestCompletion_InFish(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	require.Zero(t, b.run("", "-p", "first words").code)
	key := string(b.server.Keys()[0])
	term := completing(t, b, "fish", "--no-config", "-i")
	term.keys("xbot-cli completion fish | source; echo sourc''ed", "Enter")
	term.shows("sourced")
	term.keys("C-l", "xbot-cli --res", "Tab")
	term.shows("xbot-cli --resume")
	term.keys("C-u", "C-l", "xbot-cli --session agent", "Tab")
	term.shows("xbot-cli --session " + key)
}

func TestCompletion_AnswersWithoutAServerAndRefusesAnotherShell(t *testing.T) {
	t.Parallel()
	b := setup(t, echo)
	b.server.Stop()
	require.Equal(t, ran{}, b.run("", completion.Asked, "words", "--session", ""))
	require.Equal(t, "--version\tPrint the version\n", b.run("", completion.Asked, "line", `xbot-cli -p "two words" --v`).out)
	require.Empty(t, b.run("", completion.Asked).out)
	r := b.run("", "completion", "tcsh")
	require.Equal(t, 2, r.code)
	require.Contains(t, r.err, `there is no completion for the shell "tcsh"; there is: bash, zsh, fish`)
}
