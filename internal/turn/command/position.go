package command

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// maxPlace bounds the depth of a place in a document.
const maxPlace = 32

// Place parses a place in a document at the beginning of a text, names separated by dots; a name with dots or spaces is in double quotes, an
// entry of a list is a number. An empty text is the whole document. ok is false for an invalid place.
func Place(text string) (place []string, rest string, ok bool) {
	if text == "" {
		return nil, "", true
	}
	for len(place) < maxPlace {
		var name string
		if inner, quoted := strings.CutPrefix(text, `"`); quoted {
			var closed bool
			if name, text, closed = strings.Cut(inner, `"`); !closed {
				return nil, "", false
			}
		} else {
			n := span(text, func(r rune) bool { return r != '.' && r != '"' && !unicode.IsSpace(r) })
			name, text = text[:n], text[n:]
		}
		if name == "" {
			return nil, "", false
		}
		place = append(place, name)
		next, dotted := strings.CutPrefix(text, ".")
		if !dotted {
			rest = strings.TrimSpace(text)
			return place, rest, text == "" || len(rest) < len(text) || rest == ""
		}
		text = next
	}
	return nil, "", false
}

// Value parses the new value of a place: JSON, or else the text itself.
func Value(text string) any {
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}

// At returns the value at a place.
func At(tree any, place []string) (any, bool) {
	for _, name := range place {
		switch t := tree.(type) {
		case map[string]any:
			var ok bool
			if tree, ok = t[name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(t) {
				return nil, false
			}
			tree = t[i]
		default:
			return nil, false
		}
	}
	return tree, true
}

// Put returns a document with a value at a place; missing parents are created. The number after the last entry of a list adds one. Invalid:
// the place leads through a value without members.
func Put(tree any, place []string, value any) (any, error) {
	if len(place) == 0 {
		return value, nil
	}
	name := place[0]
	switch t := tree.(type) {
	case nil, map[string]any:
		out := map[string]any{}
		m, _ := t.(map[string]any)
		maps.Copy(out, m)
		inner, err := Put(out[name], place[1:], value)
		out[name] = inner
		return out, err
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i > len(t) {
			return nil, i18n.Fault(fault.Invalid, i18n.ConfigEntry, name, len(t))
		}
		out := slices.Clone(t)
		if i == len(out) {
			out = append(out, nil)
		}
		out[i], err = Put(out[i], place[1:], value)
		return out, err
	}
	return nil, i18n.Fault(fault.Invalid, i18n.ConfigValue, name)
}

// Take returns a document without the value at a place; NotFound if there is none.
func Take(tree any, place []string) (any, error) {
	if _, ok := At(tree, place); !ok || len(place) == 0 {
		return nil, i18n.Fault(fault.NotFound, i18n.ConfigUnset, strings.Join(place, "."))
	}
	last := place[len(place)-1]
	around, _ := At(tree, place[:len(place)-1])
	switch t := around.(type) {
	case map[string]any:
		out := maps.Clone(t)
		delete(out, last)
		return Put(tree, place[:len(place)-1], out)
	case []any:
		i, _ := strconv.Atoi(last) // At has found it
		return Put(tree, place[:len(place)-1], slices.Delete(slices.Clone(t), i, i+1))
	}
	return tree, nil
}
