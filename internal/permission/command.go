package permission

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is read of a command. Beyond them nothing is told from it, so that a person is asked.
const (
	maxScript = 20_000 // bytes
	maxDepth  = 3      // of shells that are told a command to run
	maxOffers = 5      // patterns for one call
	maxOffer  = 80     // bytes of one: a person has to be able to read it on a button
)

// words are those of one simple command, as the shell would read them. A word that is known only when it runs is unknown.
type words []string

// unknown is a word that the shell makes when the command runs.
const unknown = "\x00"

// command is a script, read.
type command struct {
	simple []words
	// plain says that the script does nothing but run its simple commands: no rule allows one that also writes files, sets variables
	// or defines functions, which change what the same words mean.
	plain bool
	// clear says that what it runs can be told from the text.
	clear bool
}

func readCommand(script string) command {
	out := command{plain: true, clear: true}
	out.read(script, maxDepth)
	return out
}

// read adds what a script runs.
func (c *command) read(script string, depth int) {
	if len(script) > maxScript || depth == 0 || strings.ContainsFunc(script, strange) {
		c.plain, c.clear = false, false
		return
	}
	file, err := parse(script)
	if err != nil {
		c.plain, c.clear = false, false
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		c.visit(node, depth)
		return true
	})
}

// strange reports whether a shell may read a character otherwise than it looks.
func strange(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar
}

// visit looks at one node. Only those that are known to change nothing leave a script plain.
func (c *command) visit(node syntax.Node, depth int) {
	switch n := node.(type) {
	case *syntax.CallExpr:
		if len(n.Assigns) > 0 {
			c.plain = false
		}
		if len(n.Args) > 0 {
			c.add(wordsOf(n.Args), depth)
		}
	case *syntax.Redirect:
		c.plain = c.plain && harmless(n)
	case *syntax.Stmt:
		c.plain = c.plain && !n.Coprocess && !n.Disown
	case *syntax.ParamExp:
		c.plain = c.plain && n.Exp == nil // ${x:=y} sets a variable
	case *syntax.File, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst, *syntax.BinaryCmd,
		*syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.TimeClause, *syntax.Comment, nil:
	default:
		c.plain = false
	}
}

// add takes in a simple command, and what it is told to run.
func (c *command) add(w words, depth int) {
	c.simple = append(c.simple, w)
	if w[0] == unknown {
		c.clear = false
		return
	}
	switch name := path.Base(w[0]); {
	case name == "eval":
		c.readWords(w[1:], depth)
	case slices.Contains(shells, name):
		c.addShell(w, depth)
	case slices.Contains(wrappers, name) && slices.Contains(w, unknown):
		c.clear = false
	}
}

// addShell takes in what a shell is told to run: the word behind -c. A file that it runs is not looked at; what it reads from
// elsewhere cannot be told.
func (c *command) addShell(w words, depth int) {
	for n, word := range w[1:] {
		switch {
		case word == unknown:
			c.clear = false
			return
		case strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c") && n+2 < len(w):
			c.readWords(w[n+2:n+3], depth)
			return
		case !strings.HasPrefix(word, "-"):
			return
		}
	}
	c.clear = false
}

// readWords reads a script that stands in words of a command.
func (c *command) readWords(script words, depth int) {
	if slices.Contains(script, unknown) {
		c.clear = false
		return
	}
	inner := command{plain: true, clear: true}
	inner.read(strings.Join(script, " "), depth-1)
	c.simple = append(c.simple, inner.simple...)
	c.plain, c.clear = c.plain && inner.plain, c.clear && inner.clear
}

// shells run a command that stands in a word behind -c.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish"}

// wrappers run the command that stands behind them, after options of their own.
var wrappers = []string{
	"env", "sudo", "doas", "nohup", "nice", "ionice", "time", "timeout", "command", "builtin", "exec", "xargs", "stdbuf", "setsid", "watch",
	"parallel", "chroot", "unshare", "nsenter", "strace", "find", "busybox", "flock", "script", "ssh", "su", "runuser",
}

// harmless reports whether a redirection only reads, joins two outputs, or throws one away.
func harmless(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
		return true
	case syntax.DplOut:
		return slices.Contains([]string{"1", "2", "-"}, wordOf(r.Word))
	case syntax.RdrOut, syntax.RdrAll, syntax.AppOut, syntax.AppAll, syntax.RdrClob:
		return wordOf(r.Word) == "/dev/null"
	}
	return false
}

// begins reports whether the words begin with those of a pattern.
func (w words) begins(pattern words) bool {
	return len(pattern) > 0 && len(w) >= len(pattern) && slices.Equal(w[:len(pattern)], pattern)
}

// allowed: every command that it runs is meant by one of the patterns. Cd runs nothing.
func (c command) allowed(patterns []string) bool {
	left, ok := c.unmet(patterns)
	return ok && len(left) == 0 && len(c.simple) > 0
}

// unmet are the commands that no pattern means; ok is false where no pattern can be enough.
func (c command) unmet(patterns []string) (left []words, ok bool) {
	if !c.plain || !c.clear {
		return nil, false
	}
	var known []words
	for _, p := range patterns {
		known = append(known, patternWords(p))
	}
	for _, w := range c.simple {
		if w[0] == "cd" || slices.ContainsFunc(known, w.begins) {
			continue
		}
		left = append(left, w)
	}
	return left, true
}

// touches: one of its commands is meant, by whatever path and behind whatever runs it. It is unsure where a command's name is made when
// it runs.
func (c command) touches(pattern string) (yes, unsure bool) {
	meant := patternWords(pattern)
	for _, w := range c.simple {
		from := 1
		if slices.Contains(wrappers, path.Base(w[0])) {
			from = len(w)
		}
		for n := range from {
			if w[n:].byName().begins(meant) || w[n:].begins(meant) {
				return true, false
			}
			unsure = unsure || w[n:].byName().mayBegin(meant)
		}
	}
	return false, unsure || !c.clear
}

// mayBegin reports whether the words may mean what a pattern means although they do not begin with it: a word is made when the command
// runs, or options stand before the word that says what the program does (git -C x push).
func (w words) mayBegin(pattern words) bool {
	if len(pattern) == 0 || w[0] != pattern[0] {
		return false
	}
	left := pattern[1:]
	for n, word := range w[1:] {
		switch {
		case len(left) == 0:
			return true
		case word == unknown:
			return true
		case word == left[0]:
			left = left[1:]
		case n == 0 && !strings.HasPrefix(word, "-"):
			return false
		}
	}
	return len(left) == 0
}

// byName is the command without the folder of its program.
func (w words) byName() words {
	return append(words{path.Base(w[0])}, w[1:]...)
}

// offer: the beginning of each command that is not allowed yet.
func (c command) offer(allowed []string) []string {
	left, ok := c.unmet(allowed)
	if !ok {
		return nil
	}
	var out []string
	for _, w := range left {
		head, ok := w.head()
		p := quote(head)
		if !ok || len(p) > maxOffer || strings.ContainsFunc(p, unseen) || !slices.Equal(patternWords(p), head) {
			return nil
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if len(out) > maxOffers {
		return nil
	}
	return out
}

// Programs whose first word says little of what they do.
var (
	// multiplexers do what their next word says, some of them what the one after that says.
	multiplexers = []string{
		"git", "go", "npm", "pnpm", "yarn", "bun", "deno", "cargo", "rustup", "docker", "podman", "kubectl", "helm", "terraform", "pip", "pip3",
		"uv", "poetry", "bundle", "gem", "composer", "dotnet", "gradle", "mvn", "apt", "apt-get", "brew", "dnf", "yum", "systemctl",
		"journalctl", "gh", "glab", "aws", "gcloud", "az", "conda", "mix", "rails", "swift", "nix", "lark-cli", "xbot",
	}
	deeper = []string{
		"npm run", "pnpm run", "yarn run", "bun run", "docker compose", "git remote", "git stash", "git worktree", "go mod", "go tool", "uv run",
		"uv pip", "poetry run", "bundle exec", "cargo run",
	}
	// interpreters run the file, or the package, that their next word names.
	interpreters = []string{"python", "python3", "node", "perl", "ruby", "php", "lua", "npx", "uvx", "pipx", ".", "source"}
	// anything are those of which every word counts, also one that is added: no beginning of them is offered.
	anything = []string{"eval", "trap", "alias", "sed", "awk", "rm", "dd", "chmod", "chown", "mv", "kill", "pkill", "killall"}
)

// head is the beginning of a command that a rule may be for; ok is false where no beginning says what it does.
func (w words) head() (head words, ok bool) {
	name, n := path.Base(w[0]), 1
	switch {
	case slices.Contains(wrappers, name), slices.Contains(anything, name):
		return nil, false
	case slices.Contains(multiplexers, name), slices.Contains(interpreters, name), slices.Contains(shells, name):
		if n = 2; len(w) > 2 && slices.Contains(deeper, name+" "+w[1]) {
			n = 3
		}
		if len(w) < n || strings.HasPrefix(w[n-1], "-") {
			return nil, false
		}
	}
	head = w[:n]
	return head, !slices.Contains(head, unknown)
}
