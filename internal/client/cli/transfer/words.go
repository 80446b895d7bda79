package transfer

import (
	"os"
	"strings"
)

// Words splits the arguments of a command at their spaces, except inside of quotation marks and behind a backslash, as a shell does. A mark that is
// not closed reaches to the end. Where backslashes separate folders they are left alone.
func Words(args string) []string {
	s := splitter{escapes: os.PathSeparator != '\\'}
	for _, r := range args {
		s.take(r)
	}
	s.end()
	return s.words
}

type splitter struct {
	words   []string
	word    strings.Builder
	begun   bool // of the word, which may be empty in quotation marks
	quote   rune // the mark that is open; 0 when none is
	escaped bool // the next character is literal
	escapes bool // backslashes do that
}

func (s *splitter) take(r rune) {
	switch {
	case s.escaped:
		s.word.WriteRune(r)
		s.escaped = false
	case r == '\\' && s.escapes && s.quote != '\'':
		s.begun, s.escaped = true, true
	case s.quote != 0 && r == s.quote:
		s.quote = 0
	case s.quote == 0 && (r == '"' || r == '\''):
		s.begun, s.quote = true, r
	case s.quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
		s.end()
	default:
		s.begun = true
		s.word.WriteRune(r)
	}
}

func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}
