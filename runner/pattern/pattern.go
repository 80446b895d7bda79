// Package pattern matches paths against patterns of names, such as **/*.go, as a runner does and the server where it looks at what a runner found.
package pattern

import (
	"path"
	"strings"

	"xbot/runner/wire"
)

// Bounds of a pattern, so that matching stays cheap.
const (
	maxPattern      = 1024 // bytes
	maxAlternatives = 64   // after {a,b} is expanded
)

// Pattern matches slash-separated relative paths. ** is any number of folders, the rest as in path.Match, and {a,b}
// are alternatives.
type Pattern struct {
	alternatives [][]string // each a list of segments
}

// Compile reads a pattern: Invalid where it is none, or too large.
func Compile(text string) (*Pattern, error) {
	if text == "" || len(text) > maxPattern {
		return nil, wire.Errorf(wire.Invalid, "a pattern has between 1 and %d bytes", maxPattern)
	}
	texts, err := expand(text)
	if err != nil {
		return nil, err
	}
	p := &Pattern{}
	for _, text := range texts {
		segments := strings.Split(path.Clean(text), "/")
		for _, segment := range segments {
			if _, err := path.Match(segment, ""); err != nil {
				return nil, wire.Errorf(wire.Invalid, "the pattern %q cannot be read: brackets must be closed", text)
			}
		}
		p.alternatives = append(p.alternatives, segments)
	}
	return p, nil
}

// expand writes out {a,b}; braces may nest. A brace without a partner is literal.
func expand(text string) ([]string, error) {
	done, open := []string(nil), []string{text}
	for len(open) > 0 {
		current := open[0]
		open = open[1:]
		before, choices, after, ok := firstBraces(current)
		if !ok {
			done = append(done, current)
		}
		for _, choice := range choices {
			open = append(open, before+choice+after)
		}
		if len(done)+len(open) > maxAlternatives {
			return nil, wire.Errorf(wire.Invalid, "the pattern has more than %d alternatives", maxAlternatives)
		}
	}
	return done, nil
}

// firstBraces cuts a text at its first pair of braces.
func firstBraces(text string) (before string, choices []string, after string, ok bool) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return "", nil, "", false
	}
	depth, from := 0, start+1
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return text[:start], append(choices, text[from:i]), text[i+1:], true
			}
		case ',':
			if depth == 1 {
				choices = append(choices, text[from:i])
				from = i + 1
			}
		}
	}
	return "", nil, "", false
}

// Match reports whether the whole path matches.
func (p *Pattern) Match(name string) bool {
	parts := strings.Split(name, "/")
	for _, segments := range p.alternatives {
		if matchParts(segments, parts) {
			return true
		}
	}
	return false
}

// matchParts goes back to the latest ** only, which is enough and keeps the time linear in segments times parts.
func matchParts(segments, parts []string) bool {
	s, n := 0, 0
	backS, backN := -1, 0
	for n < len(parts) {
		switch {
		case s < len(segments) && segments[s] == "**":
			backS, backN = s+1, n
			s++
		case s < len(segments) && matchOne(segments[s], parts[n]):
			s++
			n++
		case backS >= 0:
			backN++
			s, n = backS, backN
		default:
			return false
		}
	}
	for s < len(segments) && segments[s] == "**" {
		s++
	}
	return s == len(segments)
}

func matchOne(segment, part string) bool {
	ok, err := path.Match(segment, part)
	return err == nil && ok
}

// MayHold reports whether a folder can hold matches, so that a walk leaves out what cannot.
func (p *Pattern) MayHold(folder string) bool {
	parts := strings.Split(folder, "/")
	for _, segments := range p.alternatives {
		if holds(segments, parts) {
			return true
		}
	}
	return false
}

func holds(segments, parts []string) bool {
	for i, part := range parts {
		switch {
		case i >= len(segments):
			return false
		case segments[i] == "**":
			return true
		case !matchOne(segments[i], part):
			return false
		}
	}
	return len(segments) > len(parts)
}

// FixedPrefix cuts the leading folders that contain no wildcard from a pattern text.
func FixedPrefix(text string) (folder, rest string) {
	segments := strings.Split(text, "/")
	i := 0
	for i < len(segments)-1 && !strings.ContainsAny(segments[i], `*?[{\`) {
		i++
	}
	return strings.Join(segments[:i], "/"), strings.Join(segments[i:], "/")
}
