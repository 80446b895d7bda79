// Package completion completes the command lines of programs that are described with kong, in shells. A script that is the same for every program
// asks the program itself for the words, so that the two never differ.
package completion

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Word is a completion of a command line.
type Word struct {
	Text, About string
}

// Values returns the possible values of a flag or an argument with the tag complete:"kind".
type Values func(kind string) []Word

// Words returns the completions of the last of the words that were typed behind the name of the program, and whether names of
// files are among them.
func Words(app *kong.Application, typed []string, values Values) (words []Word, files bool) {
	if len(typed) == 0 {
		typed = []string{""}
	}
	before, begun := typed[:len(typed)-1], typed[len(typed)-1]
	l := line{node: app.Node, values: values}
	for _, word := range before {
		l.read(word)
	}
	words, files = l.next(begun)
	words = slices.DeleteFunc(words, func(w Word) bool { return !strings.HasPrefix(w.Text, begun) })
	return words, files
}

// line is how far a command line has been read.
type line struct {
	node   *kong.Node
	values Values
	flag   *kong.Flag // whose value comes next
	places int        // arguments that were read
	plain  bool       // behind "--" there are no flags
}

func (l *line) read(word string) {
	switch {
	case l.flag != nil:
		l.flag = nil
	case !l.plain && word == "--":
		l.plain = true
	case !l.plain && len(word) > 1 && word[0] == '-':
		if flag := l.find(word); flag != nil && takesValue(flag) && !strings.Contains(word, "=") {
			l.flag = flag
		}
	default:
		if child := l.child(word); child != nil {
			l.node, l.places = child, 0
			return
		}
		l.places++
	}
}

// find returns the flag that a word names.
func (l *line) find(word string) *kong.Flag {
	name, _, _ := strings.Cut(word, "=")
	for _, flag := range l.flags() {
		if name == "--"+flag.Name || flag.Short != 0 && name == "-"+string(flag.Short) {
			return flag
		}
	}
	return nil
}

func (l *line) flags() []*kong.Flag {
	return slices.Concat(l.node.AllFlags(true)...)
}

func takesValue(flag *kong.Flag) bool { return !flag.IsBool() && !flag.IsCounter() }

func (l *line) child(word string) *kong.Node {
	for _, child := range l.node.Children {
		if child.Type == kong.CommandNode && (child.Name == word || slices.Contains(child.Aliases, word)) {
			return child
		}
	}
	return nil
}

// next returns the possible words at the place that was reached.
func (l *line) next(begun string) ([]Word, bool) {
	if l.flag != nil {
		return l.of(l.flag.Value)
	}
	if name, _, valued := strings.Cut(begun, "="); valued && !l.plain && strings.HasPrefix(name, "--") {
		flag := l.find(begun)
		if flag == nil {
			return nil, false
		}
		words, files := l.of(flag.Value)
		for i := range words {
			words[i].Text = name + "=" + words[i].Text
		}
		return words, files
	}
	if strings.HasPrefix(begun, "-") && !l.plain {
		var words []Word
		for _, flag := range l.flags() {
			words = append(words, Word{"--" + flag.Name, firstSentence(flag.Help)})
		}
		return words, false
	}
	return l.arguments()
}

// arguments returns the commands and the values that are possible here.
func (l *line) arguments() ([]Word, bool) {
	var words []Word
	for _, child := range l.node.Children {
		if child.Type == kong.CommandNode && !child.Hidden && l.places == 0 {
			words = append(words, Word{child.Name, firstSentence(child.Help)})
		}
	}
	at := l.places
	if n := len(l.node.Positional); n > 0 && at >= n && l.node.Positional[n-1].IsCumulative() {
		at = n - 1
	}
	if at >= len(l.node.Positional) {
		return words, false
	}
	more, files := l.of(l.node.Positional[at])
	return append(words, more...), files
}

// of returns the values that a flag or an argument may have.
func (l *line) of(value *kong.Value) ([]Word, bool) {
	var words []Word
	if value.Enum != "" {
		for _, one := range value.EnumSlice() {
			words = append(words, Word{Text: one})
		}
		return words, false
	}
	kind := value.Tag.Get("complete")
	switch {
	case kind == "file", slices.Contains([]string{"path", "existingfile", "existingdir", "filecontent"}, value.Tag.Type):
		return nil, true
	case kind != "" && l.values != nil:
		return l.values(kind), false
	}
	return nil, false
}

// firstSentence shortens a help text for a menu.
func firstSentence(help string) string {
	if i := strings.IndexAny(help, ".;\n"); i > 0 {
		help = help[:i]
	}
	return help
}
