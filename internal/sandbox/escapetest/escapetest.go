// Package escapetest is a list of attempts to break out of a sandbox, for tests of any kind of sandbox. Each attempt is a
// shell command that succeeds where nothing confines it and must fail within.
package escapetest

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Attempt is one try to get out.
type Attempt struct {
	Group string
	Try   string // must fail in the sandbox; @NAME@ is replaced with the value of World.Names under it
	Sound string // must succeed outside, and so shows that Try is well made; empty means Try itself
	Needs string // confinement without which it is known to succeed; see World.Lacks
	Apart bool   // Sound is for the inside of the sandbox: an allowed act of the same kind
}

// World is a sandbox and what lies around it.
type World struct {
	Names   map[string]string                                   // of processes, folders and addresses; attempts that name others are left out
	Lacks   []string                                            // confinements that this sandbox has to do without; attempts that need them are left out
	Secrets []string                                            // appear in no output
	Inside  func(commands []string) []Outcome                   // executes commands in the sandbox
	Outside func(t *testing.T, command string) (Outcome, error) // executes one outside of it, as the same user
}

// Outcome is how a command ended.
type Outcome struct {
	Code   int
	Output string
}

// Run makes the attempts, and returns how many were refused that succeed outside, and how many were refused that this
// user could not do outside either.
func Run(t *testing.T, w World, attempts []Attempt) (sound, idle int) {
	t.Helper()
	attempts = slices.DeleteFunc(slices.Clone(attempts), func(a Attempt) bool {
		return slices.Contains(w.Lacks, a.Needs) || strings.Contains(w.fill(a.Try)+w.fill(a.Sound), "@")
	})
	var commands []string
	for _, a := range attempts {
		commands = append(commands, w.fill(a.Try))
		if a.Apart {
			commands = append(commands, w.fill(a.Sound))
		}
	}
	outcomes := w.Inside(commands)
	require.Len(t, outcomes, len(commands))
	for _, a := range attempts {
		got := outcomes[0]
		outcomes = outcomes[1:]
		name := strings.ReplaceAll(a.Group+": "+a.Try, "/", "|")
		var control Outcome
		if a.Apart {
			control, outcomes = outcomes[0], outcomes[1:]
			require.Zero(t, control.Code, "%s\nthe control failed inside: %s", name, control.Output)
		} else {
			control = w.beside(t, cmp.Or(a.Sound, a.Try))
		}
		if got.Code == 0 {
			t.Errorf("ESCAPED: %s\n%s", name, got.Output)
		}
		for _, secret := range w.Secrets {
			require.NotContains(t, got.Output, secret, name)
		}
		if control.Code == 0 {
			sound++
			continue
		}
		idle++
		t.Logf("not possible outside either: %s (%s)", name, strings.TrimSpace(control.Output))
	}
	return sound, idle
}

func (w World) beside(t *testing.T, command string) Outcome {
	t.Helper()
	got, err := w.Outside(t, w.fill(command))
	require.NoError(t, err, command)
	return got
}

// fill puts names in.
func (w World) fill(text string) string {
	for name, value := range w.Names {
		text = strings.ReplaceAll(text, "@"+name+"@", value)
	}
	return text
}

// Probe builds the program that attempts use for what a shell cannot do, into a folder. It is static, so that it runs in
// any container.
func Probe(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "escape-probe")
	if built := os.Getenv(probeVariable); built != "" {
		copyProgram(t, built, path)
		return path
	}
	build := exec.Command("go", "build", "-o", path, "xbot/internal/sandbox/escapetest/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}
