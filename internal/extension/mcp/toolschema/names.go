package toolschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// namesKey is the keyword of a mended schema for the server's names of renamed arguments.
const namesKey = "x-xbot-names"

const maxArgumentName = 64

// argumentName is the form of argument names that providers accept.
var argumentName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// Split separates a mended schema into the schema that models read and the names of arguments that the server knows differently, by the name that
// models use. names is nil if there are none.
func Split(schema json.RawMessage) (parameters json.RawMessage, names map[string]string) {
	if !bytes.Contains(schema, []byte(namesKey)) {
		return schema, nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(schema, &object) != nil || json.Unmarshal(object[namesKey], &names) != nil {
		return schema, nil
	}
	delete(object, namesKey)
	parameters, err := json.Marshal(object)
	if err != nil {
		return schema, nil
	}
	return parameters, names
}

// Arguments gives arguments of a call the names that the server knows.
func Arguments[V any](arguments map[string]V, names map[string]string) map[string]V {
	if len(names) == 0 {
		return arguments
	}
	out := make(map[string]V, len(arguments))
	for name, value := range arguments {
		if theirs, ok := names[name]; ok {
			name = theirs
		}
		out[name] = value
	}
	return out
}

// renamed gives arguments names that providers accept. names has the server's name of each that changed.
func renamed(properties map[string]any, required []string) (_ map[string]any, _ []string, names map[string]string) {
	ours, out := map[string]string{}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if argumentName.MatchString(name) {
			out[name] = properties[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if argumentName.MatchString(name) {
			continue
		}
		plain := strings.Trim(strings.Map(plainRune, name), "_")
		plain = plain[:min(len(plain), maxArgumentName-8)]
		if plain == "" {
			plain = "argument"
		}
		for i, base := 2, plain; ; i++ {
			if _, taken := out[plain]; !taken {
				break
			}
			plain = fmt.Sprintf("%s_%d", base, i)
		}
		out[plain] = titled(properties[name], name)
		ours[name] = plain
		if names == nil {
			names = map[string]string{}
		}
		names[plain] = name
	}
	for i, name := range required {
		if plain, ok := ours[name]; ok {
			required[i] = plain
		}
	}
	return out, required, names
}

func plainRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
		return r
	}
	return '_'
}

// titled adds the server's name of the argument to a schema.
func titled(in any, name string) any {
	schema, ok := in.(map[string]any)
	if !ok || schema["title"] != nil {
		return in
	}
	out := maps.Clone(schema)
	out["title"] = chat.Clean(name)
	return out
}
