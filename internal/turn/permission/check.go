package permission

import (
	"path"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxPattern bounds a pattern, in bytes.
const maxPattern = 500

// CheckPattern returns a pattern in its stored form. One that could never match a call is Invalid, with a sentence about the required form.
func CheckPattern(tool string, kind chat.PatternKind, pattern string) (string, error) {
	pattern = strings.TrimSpace(pattern)
	switch {
	case pattern == "":
		return "", nil
	case len(pattern) > maxPattern:
		return "", fault.Errorf(fault.TooLarge, "the pattern has %d bytes; at most %d are kept", len(pattern), maxPattern)
	case strings.ContainsFunc(pattern, unseen):
		return "", fault.Errorf(fault.Invalid, "the pattern holds a character that cannot be seen; leave it out")
	case kind == chat.PatternCommand:
		return checkCommand(pattern)
	case kind == chat.PatternPath:
		return checkPath(pattern)
	case kind == chat.PatternHost:
		return checkHost(pattern)
	}
	return "", fault.Errorf(fault.Invalid, "rules for %s are for all of its calls; leave the pattern out", tool)
}

func checkCommand(pattern string) (string, error) {
	words := patternWords(pattern)
	if words == nil {
		return "", fault.Errorf(fault.Invalid, "%q must be the beginning of one command, such as git status or npm run test, without variables, redirections and signs like * and ;", pattern)
	}
	return quote(words), nil
}

func checkPath(pattern string) (string, error) {
	if strings.HasPrefix(pattern, "~") || !doublestar.ValidatePattern(pattern) {
		return "", fault.Errorf(fault.Invalid, "%q must be a path from the working folder, such as docs/** or *.md, or one from the root, such as /etc/**", pattern)
	}
	clean := path.Clean(pattern)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fault.Errorf(fault.Invalid, "%q leads out of the working folder; write the path from the root", pattern)
	}
	return clean, nil
}

func checkHost(pattern string) (string, error) {
	host := strings.ToLower(strings.TrimSuffix(pattern, "."))
	name := strings.TrimPrefix(host, "*.")
	if name == "" || strings.ContainsAny(name, "/:*?@ \t\n\\") {
		return "", fault.Errorf(fault.Invalid, "%q must be a host, such as example.com, or *.example.com for those below it, without https:// and a path", pattern)
	}
	return host, nil
}

// unseen reports whether a user cannot see a character, or sees a different one.
func unseen(r rune) bool { return !unicode.IsPrint(r) }
