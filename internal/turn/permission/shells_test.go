package permission_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/permission"
)

// shellsOf are the shells that may be /bin/sh somewhere, as they are started for a command.
func shellsOf(t *testing.T) map[string][]string {
	t.Helper()
	shells := map[string][]string{}
	for name, args := range map[string][]string{"dash": {"dash"}, "bash": {"bash"}, "bash as sh": {"bash", "--posix"}, "busybox": {"busybox", "sh"}, "ksh": {"ksh"}, "mksh": {"mksh"}, "zsh as sh": {"zsh", "--emulate", "sh"}} {
		if path, err := exec.LookPath(args[0]); err == nil {
			shells[name] = append([]string{path}, args[1:]...)
		}
	}
	require.NotEmpty(t, shells)
	return shells
}

// fuzzTime is how long commands are generated for. XBOT_SHELL_FUZZ=10m is the long mode.
func fuzzTime(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("XBOT_SHELL_FUZZ")
	if text == "" {
		return 3 * time.Second
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

// generator writes commands from the pieces of the grammars of shells. They run "good", which a rule allows, and try to run "bad".
type generator struct{ *rand.Rand }

func (g generator) one(of ...string) string { return of[g.IntN(len(of))] }

// command has several simple commands, most of which have the closed form.
func (g generator) command() string {
	var out strings.Builder
	for range 1 + g.IntN(3) {
		out.WriteString(g.simple())
		if g.IntN(12) == 0 {
			out.WriteString(g.any())
		}
		out.WriteString(g.one("|", "||", "&&", ";", "\n", " | ", " && ", "|\n", "&&\n\n", "\n\n", ";\n"))
	}
	return out.String() + g.simple()
}

func (g generator) simple() string {
	out := g.one("good", "good", "good", "'good'", `"good"`, "go'od'", "good\t", " good", "2>&1 good", "bad", "if good", "time good", "x=bad good")
	for range g.IntN(4) {
		out += g.one(" ", " ", " ", "\t", "  ", "") + g.word()
	}
	return out + g.one("", "", "", " 2>&1", " >/dev/null", " 2>/dev/null", "2>&1", " >>/dev/null", " </dev/null", " 2>& 1", ">/dev/null", " 1>&2")
}

func (g generator) word() string {
	out := ""
	for range 1 + g.IntN(3) {
		out += g.one("a", "B9", "-x", "--long=b", "./p/q", "1", "22", "é", "中文", "%d", "a:b@c,d+e", "''", `""`, "'"+g.inside("'")+"'", `"`+g.inside(`"`)+`"`)
		if g.IntN(25) == 0 {
			out += g.any()
		}
	}
	return out
}

// inside is a text for quotes.
func (g generator) inside(mark string) string {
	out := ""
	for range g.IntN(4) {
		piece := g.one("a b", ";", "bad", "|", "&", "#", "*", "?", "[x]", "!", "~", "{a,b}", "(", ")", "<", ">", "\n", "\t", "'", `"`, "=", "a[bad]", "é", "!!", "^x^y", "%", "if", "$", "`", `\`, "$(bad)", "`bad`", "a[$(bad)]", "${x:=bad}")
		if piece != mark {
			out += piece
		}
	}
	return out
}

// any is a piece that the closed form does not have.
func (g generator) any() string {
	return g.one("$(bad)", "`bad`", "${x:-$(bad)}", "$'a'", "$'\\'; bad; #'", `$"a"`, `\`, "\\\n", "#", " # \\\nbad", " #x\nbad", "&", "& bad", "|&", " |& bad", "<(bad)", ">(bad)", "<<E\n$(bad)\nE\n", "<<'E'\nE\nbad\nE\n", "<<<x", "{a,b}", "*", "?", "~", "!",
		"(bad)", "{ bad; }", "; bad", "\nbad", "&& bad", "|| bad", "\r", "\x01", "\x7f", "\u0085", "\u00a0", "\u2028", "\xff", "\x81", "\x88", "((x=1))", "[[ a ]]", "a[0]=x", "x=y ", ";;", "case a in a) bad;; esac", "if bad; then bad; fi", "f() { bad; }; f", "alias good=bad\n", "eval bad", "exec bad", ". ./bad",
		"trap bad EXIT;", "3>&1", "0<&-", ">|x", "&>x", "1<>x", "'", `"`, "%%", "=ls", "**", "^", "]", "}", ")", "$", "$$", "$?", "$x", "$((bad))", "test -v 'a[$(bad)]'", "printf -v x bad")
}

// corpus are commands on whose meaning parsers and shells have disagreed.
var corpus = []string{
	"good # \\\nbad", "good $'\\'; bad; #'", "good 'a[$(bad)]'", "good ${HOME:_}", "good \\\n; bad", "good \"\\\"; bad #\"", "good '\\'; bad; '\\'", "good \"`bad`\"", "good 2>&1bad", "good 2>&1;bad", "good\\;bad", "good ''\n''bad",
	"good \u00a0bad", "good\u0085bad", "good\rbad", "good {a,;bad}", "good \"$(bad)\"", "good <<a\n$(bad)\na", "good |& bad", "good &bad", "good;;bad", "go\\\nod;bad", "good 'a'\"'\"'; bad; '", "good a=(bad)", "good a=$(bad)", "good ~bad", "good !bad", "good !(bad)", "good @(bad)",
	"good 1>&2 2>&1 | good", "good 12>/dev/null", "good '2'>&1", "good 2'2'>/dev/null", "'if' good", "if\tgood", "good in do", "good 'x\ny' z", "good \"x\n;bad\"", "good a#b", "good 中\u3000文", "good é|good", "good '\u2028'", "good \"!\" '!'", "good %1", "good -- -x",
	"good </dev/null>/dev/null", "good >/dev/null2>&1", "good >/dev/null 2>&1", "good 2>&1 2>&1", "good 2 >&1", "good 2>&12", "good ''2>&1", "good +a", "good a+=b", "good ,", "good :", "good .", "good '' \"\"",
}

// TestJudged_EveryShellExecutesTheWordsThatWereRead runs generated commands that a rule allows in the shells of this machine: they execute
// "good" with the words that were judged, and never "bad".
func TestJudged_EveryShellExecutesTheWordsThatWereRead(t *testing.T) {
	t.Parallel()
	shells := shellsOf(t)
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "good"), []byte("#!/bin/sh\ns=good; for a do s=\"$s\037$a\"; done; printf '%s\\036' \"$s\" >>"+log+"\n"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "bad"), []byte("#!/bin/sh\nprintf 'bad\\036' >>"+log+"\n"), 0o700))
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	t.Logf("seed %d, shells %v", seed, shells)
	allowed, tried := 0, 0
	for until := time.Now().Add(fuzzTime(t)); tried < len(corpus) || time.Now().Before(until); tried++ {
		command := g.command()
		if tried < len(corpus) {
			command = corpus[tried]
		}
		if decided(command, "good").Rule != allow {
			continue
		}
		allowed++
		judged, ok := permission.Judged(command)
		require.True(t, ok, "%q", command)
		for name, shell := range shells {
			for _, text := range []string{command, judged} {
				executed := execute(t, append(shell, "-c", text), bin, log)
				require.NotContains(t, executed, "bad", "%s executes bad in %q (%q)", name, text, command)
				for _, words := range executed {
					require.Contains(t, permission.WordsOf(command), words, "%s executes other words in %q (%q)", name, text, command)
				}
			}
		}
	}
	t.Logf("%d of %d commands were allowed", allowed, tried)
	require.Greater(t, allowed, 10)
}

// execute runs a command and returns what was executed, the words of a program with a unit separator between them.
func execute(t *testing.T, argv []string, bin, log string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = bin, []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + bin, "LC_ALL=C.UTF-8"}
	_ = cmd.Run() // the exit code is that of its last program
	data, err := os.ReadFile(log)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	require.NoError(t, os.Remove(log))
	return strings.Split(strings.TrimSuffix(string(data), "\036"), "\036")
}
