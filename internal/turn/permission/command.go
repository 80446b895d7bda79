package permission

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of the commands that are parsed. xbot asks about a command beyond them.
const (
	maxScript = 20_000 // bytes
	maxDepth  = 3      // of shells within a command
	maxOffers = 5      // patterns for one call
	maxOffer  = 80     // bytes of one: a user has to be able to read it on a button
)

// words is the words of one simple command, as the shell would read them. A word that is known only when it runs is unknown.
type words []string

// unknown is a word that the shell makes when the command runs.
const unknown = "\x00"

// command is a script, parsed twice. Rules to allow judge its closed form. Rules to deny or to ask look for programs in everything that a
// parser of bash finds, also within the words of commands that execute others.
type command struct {
	script script
	closed bool // the script has the closed form

	found []words // the simple commands that the parser finds
	clear bool    // all programs that it runs can be found in the text
}

func readCommand(text string) command {
	c := command{clear: true}
	c.script, c.closed = readScript(text)
	c.find(text, maxDepth)
	return c
}

// find adds the commands that a script runs.
func (c *command) find(text string, depth int) {
	if len(text) > maxScript || depth == 0 || strings.ContainsFunc(text, strange) {
		c.clear = false
		return
	}
	file, err := parse(text)
	if err != nil {
		c.clear = false
		return
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				c.add(wordsOf(n.Args), depth)
			}
		case *syntax.SglQuoted:
			c.clear = c.clear && !n.Dollar // some shells see another end of it
		case *syntax.DblQuoted:
			c.clear = c.clear && !n.Dollar
		case *syntax.Comment:
			c.clear = c.clear && !strings.HasSuffix(strings.TrimRight(n.Text, "\n"), `\`) // and others continue with the next line
		}
		return true
	})
}

// strange reports whether a shell may read a character differently from its appearance.
func strange(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == unicode.ReplacementChar
}

// add records a simple command and the commands in its words.
func (c *command) add(w words, depth int) {
	c.found = append(c.found, w)
	if w[0] == unknown {
		c.clear = false
		return
	}
	switch name := path.Base(w[0]); {
	case name == "eval" || name == "trap":
		c.findWords(w[1:], depth)
	case isOne(shells, name):
		c.addShell(w, depth)
	case isOne(wrappers, name):
		c.addWrapped(w, depth)
	case isOne(interpreters, name):
		c.clear = c.clear && !w.hasCode()
	case strings.HasSuffix(name, "awk"):
		c.clear = c.clear && !slices.ContainsFunc(w[1:], func(word string) bool {
			return word == unknown || strings.ContainsAny(word, "|@") || strings.Contains(word, "system")
		})
	case name == "sed":
		c.clear = c.clear && !slices.ContainsFunc(w[1:], sedExecutes)
	}
}

// addShell records the commands of a script that a shell gets with -c: the first word after the options. A script from standard input is
// unclear, and script files are not read.
func (c *command) addShell(w words, depth int) {
	script := false
	for n := 1; n < len(w); n++ {
		word := w[n]
		switch dashed := len(word) > 1 && (word[0] == '-' || word[0] == '+'); {
		case word == unknown:
			c.clear = false
			return
		case word == "--rcfile" || word == "--init-file":
			n++
		case strings.HasPrefix(word, "--") && len(word) > 2:
		case dashed && word != "--":
			script = script || strings.Contains(word, "c")
			n += strings.Count(word, "o") + strings.Count(word, "O") // each takes a word
		case script && (word == "--" || word == "-"):
		case script:
			c.findWords(w[n:n+1], depth)
			return
		default:
			later := slices.ContainsFunc(w[n:], func(word string) bool { return strings.HasPrefix(word, "-") && strings.Contains(word, "c") })
			c.clear = c.clear && !later && word != "-" && word != "--" && !strings.HasPrefix(word, "/dev/") && !strings.HasPrefix(word, "/proc/")
			return
		}
	}
	c.clear = false
}

// addWrapped records the commands that a wrapper executes.
func (c *command) addWrapped(w words, depth int) {
	if slices.Contains(w, unknown) {
		c.clear = false
	}
	for n, word := range w[1:] {
		if isOne(shells, path.Base(word)) {
			c.addShell(w[n+1:], depth)
			return
		}
		if isOne(interpreters, path.Base(word)) {
			c.clear = c.clear && !w[n+1:].hasCode()
		}
		if split, ok := envSplit(word); ok && path.Base(w[0]) == "env" {
			c.findWords(append(words{split}, w[n+2:]...), depth)
		} else if isOne(texts, path.Base(w[0])) && strings.ContainsAny(word, " \t\n;|&") {
			c.findWords(words{word}, depth)
		}
	}
}

// envSplit returns the text that an option of env splits into words.
func envSplit(word string) (text string, ok bool) {
	if text, ok = strings.CutPrefix(word, "--split-string="); ok || strings.HasPrefix(word, "--") || !strings.HasPrefix(word, "-") {
		return text, ok
	}
	_, text, ok = strings.Cut(word, "S")
	return text, ok
}

// findWords records the commands of a script given as words.
func (c *command) findWords(script words, depth int) {
	if slices.Contains(script, unknown) {
		c.clear = false
		return
	}
	inner := command{clear: true}
	inner.find(strings.Join(script, " "), depth-1)
	c.found = append(c.found, inner.found...)
	c.clear = c.clear && inner.clear
}

// hasCode reports whether an interpreter gets its program in a word or from its input. Options may take a word, so that later words count,
// too.
func (w words) hasCode() bool {
	if len(w) == 2 && slices.Contains([]string{"--version", "-V", "-v", "--help", "-h"}, w[1]) {
		return false
	}
	file := false
	for _, word := range w[1:] {
		switch {
		case word == unknown && !file, word == "-", strings.HasPrefix(word, "--eval"), strings.HasPrefix(word, "--print"), strings.HasPrefix(word, "-c"), strings.HasPrefix(word, "-e"):
			return true
		case file:
		case word == "-m" || !strings.HasPrefix(word, "-"):
			file = true
			if strings.HasPrefix(word, "/dev/") || strings.HasPrefix(word, "/proc/") {
				return true
			}
		case !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "ceErp"):
			return true
		}
	}
	return !file
}

// sedExecutes reports whether a word may be a script of sed that executes a command.
func sedExecutes(word string) bool {
	if word == unknown {
		return true
	}
	for line := range strings.FieldsFuncSeq(word, func(r rune) bool { return strings.ContainsRune(";{}\n", r) }) {
		line = strings.TrimLeft(line, " \t0123456789,$!")
		flags := line[strings.LastIndexFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })+1:]
		if strings.HasPrefix(line, "e") || strings.HasPrefix(line, "s") && len(flags) < len(line) && strings.Contains(flags, "e") {
			return true
		}
	}
	return false
}

// shells run the script after -c.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "csh", "tcsh", "rbash"}

// wrappers execute the command that follows them, after their own options.
var wrappers = []string{
	"env", "sudo", "doas", "nohup", "nice", "ionice", "chrt", "taskset", "time", "timeout", "command", "builtin", "exec", "xargs", "stdbuf", "setsid", "watch",
	"parallel", "chroot", "unshare", "nsenter", "strace", "ltrace", "find", "busybox", "toybox", "flock", "script", "ssh", "su", "runuser", "setpriv", "capsh", "prlimit",
	"systemd-run", "firejail", "bwrap", "fakeroot", "proot", "entr", "coproc", "pkexec", "gosu", "start-stop-daemon", "ld.so", "unbuffer", "torsocks", "proxychains",
}

// texts are the wrappers that also execute a word as a script.
var texts = []string{"env", "ssh", "su", "runuser", "script", "flock", "watch", "parallel", "sudo", "entr"}

// begins reports whether the words begin with those of a pattern.
func (w words) begins(pattern words) bool {
	return len(pattern) > 0 && len(w) >= len(pattern) && slices.Equal(w[:len(pattern)], pattern)
}

// allowed reports whether the patterns cover every command of the script.
func (c command) allowed(patterns []string) bool {
	left, ok := c.unmet(patterns)
	return ok && len(left) == 0
}

// unmet returns the commands that no pattern covers; ok is false if no pattern can suffice.
func (c command) unmet(patterns []string) (left []words, ok bool) {
	if !c.closed {
		return nil, false
	}
	var known []words
	for _, p := range patterns {
		known = append(known, patternWords(p))
	}
	moved := false
	for _, s := range c.script {
		w := s.words
		if slices.Contains(changers, w[0]) || moved && path.Base(w[0]) == "git" {
			return nil, false // a folder may hold a repository whose settings name programs
		}
		moved = moved || w[0] == "cd"
		if !slices.ContainsFunc(known, w.meant) {
			left = append(left, w)
		}
	}
	return left, true
}

// touches reports whether one of its commands matches, with any path and any wrapper. It is unsure if a command's name is made when it runs,
// or if a word that another program may execute names it.
func (c command) touches(pattern string) (yes, unsure bool) {
	meant := patternWords(pattern)
	for _, w := range c.found {
		from := 1
		if isOne(wrappers, path.Base(w[0])) {
			from = len(w)
		}
		for n := range from {
			if w[n:].byName().begins(meant) || w[n:].begins(meant) {
				return true, false
			}
			unsure = unsure || w[n:].byName().mayBegin(meant)
		}
		unsure = unsure || w.mentions(meant)
	}
	return false, unsure || !c.clear
}

// mayBegin reports whether the words may mean the same as a pattern although they do not begin with it: a word is made when the command runs,
// or options precede the subcommand (git -C x push).
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

// mentions reports whether a word that is no plain name, such as --to-command='rm x', has the words of a pattern in it. Those of programs
// that print or search are texts.
func (w words) mentions(pattern words) bool {
	if len(pattern) == 0 {
		return false
	}
	text := slices.Contains(printers, path.Base(w[0])) || w.begins(words{"git", "commit"})
	return slices.ContainsFunc(w[1:], func(word string) bool {
		names := strings.FieldsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_.-+/", r)
		})
		if len(names) < 2 && !strings.ContainsAny(word, "!=") || text && !strings.Contains(word, "$(") && !strings.Contains(word, "`") {
			return false
		}
		for _, p := range pattern {
			if !slices.ContainsFunc(names, func(name string) bool { return name == p || path.Base(name) == p }) {
				return false
			}
		}
		return true
	})
}

// printers only print or compare their words.
var printers = []string{"echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "test", "["}

// byName returns the command without the folder of its program.
func (w words) byName() words {
	return append(words{path.Base(w[0])}, w[1:]...)
}

// offer returns the beginning of each command that is not allowed yet.
func (c command) offer(allowed []string) []string {
	left, ok := c.unmet(allowed)
	if !ok {
		return nil
	}
	var out []string
	for _, w := range left {
		head, ok := w.head()
		p := quote(head)
		if !ok || !w.meant(head) || len(p) > maxOffer || strings.ContainsFunc(p, unseen) || !slices.Equal(patternWords(p), head) {
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
