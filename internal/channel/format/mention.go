package format

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/channel"
)

// Mentions replaces each @name in a text of a dialect, outside of code, by the platform's mark of a user. Names are by id.
// Of names with a common prefix the longest wins; after a name of letters that are written apart no such letter may follow,
// so that @Ann is not found in @Annabel, while 李雷 is in @李雷你好. A name that two users have is left unchanged.
func Mentions(d channel.Dialect, text string, names map[string]string, mark func(id, name string) string) string {
	if len(names) == 0 || !strings.Contains(text, "@") {
		return text
	}
	people := known(names)
	if d == channel.Plain {
		return marked(text, people, mark)
	}
	var b strings.Builder
	for _, p := range passages([]byte(text)) {
		if p.code {
			b.WriteString(p.text)
		} else {
			b.WriteString(marked(p.text, people, mark))
		}
	}
	return b.String()
}

// person is a name with its id; the id of a name that several have is empty.
type person struct{ id, name string }

// known returns the names, the longest first.
func known(names map[string]string) (people []person) {
	byName := map[string]string{}
	for id, name := range names {
		if _, twice := byName[name]; twice {
			id = ""
		}
		byName[name] = id
	}
	for name, id := range byName {
		if strings.TrimSpace(name) != "" {
			people = append(people, person{id: id, name: name})
		}
	}
	slices.SortFunc(people, func(x, y person) int { return cmp.Or(len(y.name)-len(x.name), strings.Compare(x.name, y.name)) })
	return people
}

func marked(text string, people []person, mark func(id, name string) string) string {
	var b strings.Builder
	before := ' '
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if r == '@' && !joins(before) {
			if i := slices.IndexFunc(people, func(p person) bool { return stands(text[1:], p.name) }); i >= 0 && people[i].id != "" {
				b.WriteString(mark(people[i].id, people[i].name))
				text, before = text[1+len(people[i].name):], ' '
				continue
			}
		}
		b.WriteString(text[:size])
		text, before = text[size:], r
	}
	return b.String()
}

// stands reports whether a text begins with a name that ends there.
func stands(text, name string) bool {
	if !strings.HasPrefix(text, name) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(name)
	next, _ := utf8.DecodeRuneInString(text[len(name):])
	return len(text) == len(name) || !joins(last) || !joins(next)
}

// joins reports whether a letter forms one word with its neighbours, which letters of Chinese and Japanese do not.
func joins(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_') &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
