//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/sandbox/escapetest"
)

// TestPlugin_ReachesNothingOutside has a plugin without permissions try all that a command may not do, and what a plugin may not do in addition:
// open connections, see the files of people and those of other plugins, and change its own program.
func TestPlugin_ReachesNothingOutside(t *testing.T) {
	t.Parallel()
	for name, lacks := range lacking {
		if lacks == "landlock" {
			continue // commands try it without; the walls of plugins are made of the same
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrisonWithout(t, os.Getuid(), lacks)
			dir := newPest(t, "pest", 60)
			program, err := os.ReadFile(p.probe)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "escape-probe"), program, 0o700))
			p.install(dir)
			p.install(newPest(t, "other", 60))
			p.ask("other", `echo secret of another > $XBOT_PLUGIN_DATA/kept`)
			require.NoError(t, os.WriteFile(filepath.Join(p.names["WORK"], "own"), []byte("of a person"), 0o644))
			p.names["PROBE"], p.names["PLUGINS"], p.without = "$PROBE", filepath.Join(p.home, "plugins"), []string{"PROBE=" + p.probe}
			sound, idle := escapetest.Run(t, escapetest.World{Names: p.names, Lacks: p.lacks, Secrets: p.secrets(), Inside: p.insidePlugin, Outside: p.beside}, slices.Concat(
				slices.DeleteFunc(escapetest.Attempts(), meansAnother), pluginAttempts, plantedAttempts(t)))
			t.Logf("%d refused, and %d more that were not possible outside either", sound, idle)
			require.Greater(t, sound, 200)
			require.Equal(t, "fine", strings.TrimSpace(p.ask("pest", `cd $XBOT_PLUGIN_DATA && echo fine > mine && cat mine`)), "what is its own it may use")
			if lacks == "" {
				require.Equal(t, "plugins", strings.TrimSpace(p.ask("pest", "ls -A "+p.home)), "its way to its own folders is all that it sees")
			}
			require.NotContains(t, p.ask("pest", "env"), "XBOT_RUNNER")
			require.NotContains(t, p.ask("pest", "env"), "sk-test-secret")
		})
	}
}

// meansAnother reports whether an attempt is about something else when a plugin makes it: its home folder is its own, its shell is the child of
// its own program, it is told where its data is, it sees its own folders, and what commands may do over the network it may not.
func meansAnother(a escapetest.Attempt) bool {
	return a.Apart || a.Group == "env" || a.Try == "ls -A @HOME@ | grep ." || strings.Contains(a.Try, "$PPID") || strings.Contains(a.Try, "$HOME")
}

// pluginAttempts are what commands may do and plugins without permissions may not.
var pluginAttempts = []escapetest.Attempt{
	{Group: "network", Try: `@PROBE@ http @URL@/healthz`},
	{Group: "network", Try: `@PROBE@ tcp @TEMPORAL_GRPC@`},
	{Group: "network", Try: `python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))'`},
	{Group: "network", Try: `python3 -c 'import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)'`},
	{Group: "files of people", Try: `cat @WORK@/own`},
	{Group: "files of people", Try: `touch @WORK@/planted && rm @WORK@/planted`},
	{Group: "files of people", Try: `cat @OUT@/file`},
	{Group: "files of others", Try: `touch /tmp/planted-by-a-plugin && rm /tmp/planted-by-a-plugin`},
	{Group: "other plugins", Try: `cat @PLUGINS@/data/other/*/kept`},
	{Group: "other plugins", Try: `cat @PLUGINS@/code/other/*/main.js`},
	{Group: "other plugins", Try: `ls @PLUGINS@/data | grep other`, Needs: "namespaces"},
	{Group: "own program", Try: `echo x >> @PLUGINS@/code/pest/*/main.js`},
	{Group: "own program", Try: `touch $(echo @PLUGINS@/code/pest/*)/planted && rm @PLUGINS@/code/pest/*/planted`},
	{Group: "own program", Try: `d=$(echo @PLUGINS@/code/pest/*); mv $d $d.2 && mv $d.2 $d`},
}

// plantedAttempts are about a file in each of the folders where people have things on every machine, as far as this user may write there.
func plantedAttempts(t *testing.T) []escapetest.Attempt {
	t.Helper()
	places := []string{"/home", "/root", "/srv", "/mnt", "/media"}
	if known, err := user.Current(); err == nil {
		places = append(places, known.HomeDir) // which HOME of the server is not
	}
	var out []escapetest.Attempt
	for _, place := range places {
		f, err := os.CreateTemp(place, "of-people-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { require.NoError(t, os.Remove(f.Name())) })
		_, err = f.WriteString("of a person")
		require.NoError(t, errors.Join(err, f.Close()))
		out = append(out,
			escapetest.Attempt{Group: "files of people", Try: "cat " + f.Name()},
			escapetest.Attempt{Group: "files of people", Try: "cat /proc/self/root" + f.Name()},
			escapetest.Attempt{Group: "files of people", Try: "ls " + place + " | grep of-people", Needs: "namespaces"})
	}
	return out
}

// ask has a plugin run a command, and returns what it printed.
func (p *prison) ask(plugin, command string) string {
	p.t.Helper()
	arguments, err := json.Marshal(map[string]string{"command": command})
	require.NoError(p.t, err)
	require.Equal(p.t, chat.TurnDone, p.untilEnded(3*time.Minute, p.send("call plugin_"+plugin+"_run "+string(arguments), "say tried")).State)
	calls := lastCalls(p.talk)
	require.Len(p.t, calls, 1)
	return strings.TrimPrefix(calls[0].Result, "ok: ")
}

// insidePlugin lets a scripted model have the plugin run the commands.
func (p *prison) insidePlugin(commands []string) []escapetest.Outcome {
	p.t.Helper()
	var out []escapetest.Outcome
	for turn := range slices.Chunk(slices.Collect(slices.Chunk(commands, perCall)), perTurn) {
		var lines []string
		for _, some := range turn {
			arguments, err := json.Marshal(map[string]string{"command": `export PROBE=$PWD/escape-probe; cd "$XBOT_PLUGIN_DATA"; ` + strings.Join(wrapped(some), "\n")})
			require.NoError(p.t, err)
			lines = append(lines, "call plugin_pest_run "+string(arguments))
		}
		require.Equal(p.t, chat.TurnDone, p.untilEnded(5*time.Minute, p.send(append(lines, "say tried")...)).State)
		calls := lastCalls(p.talk)
		require.Len(p.t, calls, len(turn))
		for i, c := range calls {
			out = append(out, outcomes(p.t, turn[i], strings.TrimPrefix(c.Result, "ok: "))...)
		}
	}
	return out
}
