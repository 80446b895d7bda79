// Package command is the grammar of slash and bang commands, and of the directives and shortcuts inside messages. It is pure: the ingress
// decides what a command does, and who may use it.
package command

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command is a parsed slash command.
type Command struct {
	Name string // lower case, without the slash
	Args string
	Bot  string // the mention right after the name, as in "/status@xbot"; empty if there is none
}

// fullWidth is the slash of Chinese input methods. It counts as a plain one: no sentence begins with it.
const fullWidth = '／'

// Parse parses a message that is a command: a slash, a name that begins with a letter and continues with letters, digits, - and _, an optional
// mention of the bot, then the end, white space or a colon. A path such as /etc/hosts is not a command.
func Parse(text string) (Command, bool) {
	text = strings.TrimSpace(text)
	c, rest, ok := head(text)
	if !ok {
		return Command{}, false
	}
	c.Args = strings.TrimSpace(rest)
	return c, true
}

// head parses the name of a command at the beginning of a text, with its mention and its colon.
func head(text string) (c Command, rest string, ok bool) {
	rest, ok = slash(text)
	if !ok {
		return Command{}, text, false
	}
	n := span(rest, nameRune)
	c.Name, rest = strings.ToLower(rest[:n]), rest[n:]
	if c.Name == "" || c.Name[0] < 'a' {
		return Command{}, text, false
	}
	if at, found := strings.CutPrefix(rest, "@"); found {
		if n = span(at, botRune); n == 0 {
			return Command{}, text, false
		}
		c.Bot, rest = at[:n], at[n:]
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "" || unicode.IsSpace(r):
		return c, rest, true
	case r == ':' && !strings.HasPrefix(rest, "://") || r == '：':
		return c, rest[size:], true
	}
	return Command{}, text, false
}

// slash removes the slash of a command.
func slash(text string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, "/"); ok {
		return rest, true
	}
	return strings.CutPrefix(text, string(fullWidth))
}

// span counts the bytes at the beginning of a text that belong to a word.
func span(text string, belongs func(rune) bool) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !belongs(r) }); n >= 0 {
		return n
	}
	return len(text)
}

func nameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
}

func botRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_'
}

// folders are root folders of machines. A message that begins with one of them is about the folder.
var folders = map[string]bool{
	"applications": true, "bin": true, "boot": true, "dev": true, "etc": true, "home": true, "lib": true, "lib64": true, "media": true, "mnt": true, "opt": true,
	"proc": true, "root": true, "sbin": true, "srv": true, "sys": true, "tmp": true, "usr": true, "users": true, "var": true,
}

// IsFolder reports whether the name is rather that of a folder, unless there is such a command.
func (c Command) IsFolder() bool { return folders[c.Name] }

// Slashed reports whether a text can hold a command: a word of it begins with a slash.
func Slashed(text string) bool {
	word := false // inside one
	for _, r := range text {
		if !word && (r == '/' || r == fullWidth) {
			return true
		}
		word = !unicode.IsSpace(r)
	}
	return false
}

// Unescape returns the text meant by one that only begins like a command: after a backslash, "\/stop", or with a doubled slash, "//stop", if
// there is such a command: a comment of a program is left unchanged. Any other text is returned unchanged, and escaped is false.
func Unescape(text string, name func(typed string) string) (meant string, escaped bool) {
	start := strings.TrimLeftFunc(text, unicode.IsSpace)
	if rest, ok := strings.CutPrefix(start, `\`); ok {
		if _, ok := slash(rest); ok {
			return rest, true
		}
		return text, false
	}
	if rest, ok := slash(start); ok {
		if c, _, ok := head(rest); ok && name(c.Name) != "" {
			return rest, true
		}
	}
	return text, false
}

// Bang parses a message that is a shell command: an exclamation mark, then the command, which may have several lines. A mark followed by only
// white space or more marks is a message, and so is a full-width mark, which users write in sentences.
func Bang(text string) (string, bool) {
	rest, found := strings.CutPrefix(strings.TrimSpace(text), "!")
	rest = strings.TrimSpace(rest)
	if !found || strings.Trim(rest, "! \t\r\n") == "" {
		return "", false
	}
	return rest, true
}
