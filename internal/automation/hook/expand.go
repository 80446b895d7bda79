package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	headerName = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+$`)
	variable   = regexp.MustCompile(`\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)
)

// variables lists the names of variables in a value.
func variables(value string) []string {
	var names []string
	for _, m := range variable.FindAllStringSubmatch(value, -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

// Expand replaces variables in the value of a header. A dollar sign before anything else stays.
func Expand(value string, env map[string]string) string {
	return variable.ReplaceAllStringFunc(value, func(found string) string {
		return env[strings.Trim(found, "${}")]
	})
}

// bareURL returns an address without the parts that may be secret.
func bareURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "?"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// where describes why a text is no object, with the line of a mistake.
func where(text []byte, err error) string {
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := text[:min(int(bad.Offset), len(text))]
		return fmt.Sprintf("line %d: %s", bytes.Count(before, []byte("\n"))+1, bad)
	}
	return plain(err)
}

// plain returns an error of the decoder in the terms of JSON.
func plain(err error) string {
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return "it is " + article(bad.Value) + ", not " + kindOf(bad)
	}
	return err.Error()
}

func article(word string) string {
	word, _, _ = strings.Cut(word, " ")
	if strings.HasPrefix(word, "a") || strings.HasPrefix(word, "o") {
		return "an " + word
	}
	if word == "bool" {
		return "true or false"
	}
	return "a " + word
}

func kindOf(bad *json.UnmarshalTypeError) string {
	switch bad.Type.Kind().String() {
	case "bool":
		return "true or false"
	case "string":
		return "a string"
	case "float64":
		return "a number"
	case "slice":
		return "a list"
	}
	return "an object"
}

func list[T ~string](items []T) string {
	out := make([]string, len(items))
	for i, item := range items {
		out[i] = string(item)
	}
	return strings.Join(out, ", ")
}
