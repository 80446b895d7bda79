package hook

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// matcher selects the subjects of an event for which a handler is asked: "" and "*" for all, words and | for exactly those, and
// anything else is a regular expression (RE2) that is found anywhere in the subject. The zero value matches all.
type matcher struct {
	exact   []string
	pattern *regexp.Regexp
}

var words = regexp.MustCompile(`^[\pL\pN_|]+$`)

// maxPattern limits a matcher and a condition, in bytes.
const maxPattern = 1000

func newMatcher(text string) (matcher, error) {
	if len(text) > maxPattern {
		return matcher{}, errors.New("it is longer than 1000 bytes")
	}
	if text == "" || text == "*" {
		return matcher{}, nil
	}
	if words.MatchString(text) {
		return matcher{exact: strings.Split(text, "|")}, nil
	}
	pattern, err := regexp.Compile(text)
	return matcher{pattern: pattern}, err
}

func (m matcher) match(subject string) bool {
	switch {
	case m.exact != nil:
		return slices.Contains(m.exact, subject)
	case m.pattern != nil:
		return m.pattern.MatchString(subject)
	}
	return true
}

// condition narrows a handler down to calls such as Shell(git push*): of a tool, and with an argument that the glob fits.
// In the glob a * matches any text, also none; all else matches literally. The zero value always holds.
type condition struct {
	tool string
	glob []string // the pieces between the stars; nil: any arguments
}

func newCondition(text string) (condition, error) {
	if len(text) > maxPattern {
		return condition{}, errors.New("it is longer than 1000 bytes")
	}
	if text == "" {
		return condition{}, nil
	}
	tool, rest, globbed := strings.Cut(text, "(")
	c := condition{tool: strings.TrimSpace(tool)}
	if globbed {
		glob, ok := strings.CutSuffix(strings.TrimSpace(rest), ")")
		if !ok {
			return condition{}, errors.New("the closing parenthesis is missing")
		}
		c.glob = strings.Split(glob, "*")
	}
	if c.tool == "" || strings.ContainsAny(c.tool, " )*") {
		return condition{}, errors.New("it does not begin with the name of a tool")
	}
	return c, nil
}

// holds reports whether a call fits. The glob is compared with each text among the arguments, at any depth, and with the
// arguments as a whole, so that no text escapes it by its position.
func (c condition) holds(p Payload, input string) bool {
	if c.tool == "" {
		return true
	}
	if c.tool != p.ToolName && !slices.Contains(p.ToolNames, c.tool) {
		return false
	}
	if c.glob == nil || fits(c.glob, input) {
		return true
	}
	var value any
	return json.Unmarshal([]byte(input), &value) == nil && anyText(value, func(s string) bool { return fits(c.glob, s) })
}

// anyText reports whether ok holds for a text in a decoded JSON value.
func anyText(value any, ok func(string) bool) bool {
	switch v := value.(type) {
	case string:
		return ok(v)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return anyText(e, ok) })
	case map[string]any:
		for _, e := range v {
			if anyText(e, ok) {
				return true
			}
		}
	}
	return false
}

// fits reports whether a text contains the pieces of a glob, in their order, the first at its beginning and the last at
// its end.
func fits(glob []string, text string) bool {
	first, last := glob[0], glob[len(glob)-1]
	if len(glob) == 1 {
		return text == first
	}
	rest, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for _, piece := range glob[1 : len(glob)-1] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}
