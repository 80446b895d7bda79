// Package command is the grammar of slash and bang commands. It is pure: what a command does is decided by the ingress.
package command

import "strings"

// Command is a parsed slash command.
type Command struct {
	Name string // lower case, without the slash
	Args string
}

// Parse reads a message that is a command: a slash, a name of letters, then the end or white space.
// A path such as /etc/hosts is not a command.
func Parse(text string) (Command, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "/") {
		return Command{}, false
	}
	name, args := text[1:], ""
	if i := strings.IndexFunc(name, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }); i >= 0 {
		name, args = name[:i], strings.TrimSpace(name[i:])
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}) {
		return Command{}, false
	}
	return Command{Name: strings.ToLower(name), Args: args}, true
}

// Bang reads a message that is a shell command: an exclamation mark, then the command, which may have several lines. A
// mark with nothing but white space or more marks behind it is a message, and so is a full-width mark, which people
// write in sentences.
func Bang(text string) (string, bool) {
	rest, found := strings.CutPrefix(strings.TrimSpace(text), "!")
	rest = strings.TrimSpace(rest)
	if !found || strings.Trim(rest, "! \t\r\n") == "" {
		return "", false
	}
	return rest, true
}
