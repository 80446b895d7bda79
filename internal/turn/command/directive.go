package command

import (
	"slices"
	"strings"
	"unicode"
)

// Names of the directives.
const (
	Think   = "think"
	Verbose = "verbose"
	Model   = "model"
	Queue   = "queue"
	Plan    = "plan"
)

// The values of directives, as users write them.
var (
	ThinkLevels   = []string{"off", "minimal", "low", "medium", "high", "xhigh"}
	VerboseLevels = []string{"off", "on", "full"}
)

// Directive is a setting at the beginning of a message.
type Directive struct {
	Name  string // one of the names above
	Value string // lower case, except for models; empty for Plan alone
}

// String returns the directive as a separate command.
func (d Directive) String() string { return strings.TrimSpace("/" + d.Name + " " + d.Value) }

// Grammar defines the known words.
type Grammar struct {
	// Name returns the name of a command by any of its names, empty if there is none, or none that the sender may use.
	Name func(typed string) string
	// IsModel reports whether a word means a model; nil: no word does. A word that is the whole text may be a part of a name, one in front of
	// a text may not.
	IsModel func(word string, alone bool) bool
}

// Directives removes the settings at the beginning of a message, of which several may follow each other: of "/think high /model fast why is
// the sky blue?" the question remains. A word without a valid value is no directive, and ends the search. A text without directives is
// returned unchanged.
func (g Grammar) Directives(text string) (found []Directive, rest string) {
	rest = text
	for {
		c, after, ok := head(strings.TrimLeftFunc(rest, unicode.IsSpace))
		if !ok {
			break
		}
		d, remains, ok := g.directive(g.Name(c.Name), strings.TrimLeftFunc(after, unicode.IsSpace))
		if !ok {
			break
		}
		found, rest = append(found, d), remains
	}
	if len(found) > 0 {
		rest = strings.TrimSpace(rest)
	}
	return found, rest
}

// directive parses the value of a directive whose name was parsed.
func (g Grammar) directive(name, text string) (d Directive, rest string, ok bool) {
	n := span(text, func(r rune) bool { return !unicode.IsSpace(r) })
	word, rest := text[:n], text[n:]
	d = Directive{Name: name, Value: strings.ToLower(word)}
	switch name {
	case Think:
		return d, rest, slices.Contains(ThinkLevels, d.Value)
	case Verbose:
		return d, rest, slices.Contains(VerboseLevels, d.Value)
	case Model:
		d.Value = word
		return d, rest, word != "" && g.IsModel != nil && g.IsModel(word, strings.TrimSpace(rest) == "")
	case Plan:
		return Directive{Name: name}, text, PlansMessage(text)
	case Queue:
		_, rest, ok = QueueSettings(text)
		ok = ok && !misspelt(rest)
		d.Value = strings.ToLower(strings.TrimSpace(strings.TrimSuffix(text, rest)))
		return d, rest, ok
	}
	return Directive{}, text, false
}

// PlansMessage reports whether the text after /plan is a message, rather than an argument of the command.
func PlansMessage(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "on", "off":
		return false
	}
	return true
}
