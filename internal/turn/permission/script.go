package permission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// script is a command in the closed form, the only one that rules allow: simple commands of plain and quoted words, joined by |, &&, ||, ;
// and newlines. Every POSIX shell reads it alike. It contains nothing that a shell would expand, substitute or evaluate.
type script []simple

// simple is one command of a script.
type simple struct {
	words     words
	redirects []string // such as 2>&1
	next      string   // the operator after it; empty: none
}

// readScript parses a command; ok is false if it does not have the closed form.
func readScript(text string) (s script, ok bool) {
	if len(text) > maxScript || strings.ContainsFunc(text, strange) {
		return nil, false
	}
	l := lexer{text: text}
	for l.at < len(text) {
		if !l.token() {
			return nil, false
		}
	}
	return l.out, l.end("") && !l.dangling()
}

// lexer reads the tokens of a script.
type lexer struct {
	text   string
	at     int
	out    script
	simple simple // that is being read
	word   strings.Builder
	inWord bool
	quoted bool // a part of the word is quoted
}

func (l *lexer) token() bool {
	c, size := utf8.DecodeRuneInString(l.text[l.at:])
	switch {
	case c == ' ' || c == '\t':
		l.at++
		return l.endWord()
	case c == '\'' || c == '"':
		return l.quote(byte(c))
	case c == '<' || c == '>':
		return l.redirect()
	case strings.ContainsRune("|&;\n", c):
		return l.operator()
	case plain(c):
		l.word.WriteRune(c)
		l.inWord = true
		l.at += size
		return true
	}
	return false
}

// plain reports whether a character outside of quotes is literal in every shell, at any position.
func plain(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./:,@%+=", c)
	}
	return unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsMark(c)
}

// quote reads a quoted part of a word. It refuses $, backticks and backslashes in single quotes, too, since some builtins evaluate their
// arguments again.
func (l *lexer) quote(mark byte) bool {
	begin := l.at + 1
	length := strings.IndexByte(l.text[begin:], mark)
	if length < 0 {
		return false
	}
	inside := l.text[begin : begin+length]
	l.word.WriteString(inside)
	l.inWord, l.quoted = true, true
	l.at = begin + length + 1
	return !strings.ContainsAny(inside, "$`\\")
}

func (l *lexer) endWord() bool {
	if !l.inWord {
		return true
	}
	word := l.word.String()
	if len(l.simple.words) == 0 && (strings.Contains(word, "=") || !l.quoted && slices.Contains(reserved, word)) {
		return false // an assignment, or the beginning of a compound command
	}
	l.simple.words = append(l.simple.words, word)
	l.word.Reset()
	l.inWord, l.quoted = false, false
	return true
}

// reserved are the words of shells that begin or end compound commands.
var reserved = []string{"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "function", "select", "time", "coproc"}

// redirect parses a redirection that joins the two outputs, discards one, or reads nothing.
func (l *lexer) redirect() bool {
	from := l.word.String()
	switch number := l.inWord && !l.quoted && strings.Trim(from, "0123456789") == ""; {
	case !number:
		from = ""
		if !l.endWord() {
			return false
		}
	case from != "1" && from != "2" || l.text[l.at] != '>':
		return false
	default:
		l.word.Reset()
		l.inWord = false
	}
	rest := l.text[l.at:]
	for _, op := range []string{">&1", ">&2"} {
		if strings.HasPrefix(rest, op) {
			return l.addRedirect(from+op, len(op))
		}
	}
	op := rest[:1]
	if strings.HasPrefix(rest, ">>") {
		op = ">>"
	}
	target := strings.TrimLeft(rest[len(op):], " \t")
	if !strings.HasPrefix(target, null) {
		return false
	}
	return l.addRedirect(from+op+null, len(rest)-len(target)+len(null))
}

const null = "/dev/null"

// addRedirect records a redirection, which must end at a blank or an operator.
func (l *lexer) addRedirect(text string, length int) bool {
	l.at += length
	l.simple.redirects = append(l.simple.redirects, text)
	return l.at == len(l.text) || strings.IndexByte(" \t\n|;", l.text[l.at]) >= 0 || strings.HasPrefix(l.text[l.at:], "&&")
}

// operators join simple commands.
var operators = []string{"&&", "||", "|", ";", "\n"}

func (l *lexer) operator() bool {
	for _, op := range operators {
		if strings.HasPrefix(l.text[l.at:], op) {
			l.at += len(op)
			if l.at < len(l.text) && op != "\n" && strings.IndexByte("|&;", l.text[l.at]) >= 0 {
				return false // |& and ;; are other operators
			}
			return l.end(op)
		}
	}
	return false
}

// end ends a simple command. An empty line is none.
func (l *lexer) end(op string) bool {
	if !l.endWord() {
		return false
	}
	if len(l.simple.words) == 0 {
		return len(l.simple.redirects) == 0 && (op == "\n" || op == "" && len(l.out) > 0)
	}
	l.simple.next = op
	l.out = append(l.out, l.simple)
	l.simple = simple{}
	return true
}

// dangling reports whether the last operator joins nothing.
func (l *lexer) dangling() bool {
	last := l.out[len(l.out)-1].next
	return last == "|" || last == "&&" || last == "||"
}

// String returns the script written from the parsed words, so that these are what a shell executes. Git gets settings with which it runs
// fewer programs that a repository names.
func (s script) String() string {
	var out []string
	for _, c := range s {
		for n, word := range safeGit(c.words) {
			out = append(out, shellWord(word, n == 0))
		}
		out = append(append(out, c.redirects...), c.next)
	}
	return strings.TrimRight(strings.Join(out, " "), " \n;")
}

// shellWord quotes a word so that every shell reads it alike.
func shellWord(word string, first bool) string {
	isPlain := word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) })
	if isPlain && !(first && slices.Contains(reserved, word)) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// Judged returns the command to run for one that a rule allowed, written from its words. Ok is false if no rule can allow the command.
func Judged(command string) (text string, ok bool) {
	s, ok := readScript(command)
	return s.String(), ok
}
