package toolschema

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// aliases are names of types that servers write and JSON Schema does not have.
var aliases = map[string]string{
	"str": "string", "text": "string", "date": "string", "datetime": "string", "date-time": "string", "uuid": "string", "url": "string", "uri": "string", "email": "string",
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number", "decimal": "number", "bool": "boolean",
	"dict": "object", "map": "object", "struct": "object", "list": "array", "tuple": "array", "set": "array", "none": "null",
}

// types reads the keyword type: its types without null, and whether null is one of them. No types and no null mean any type. ok is false for a
// type that does not exist.
func types(in any) (kinds []string, null, ok bool) {
	switch v := in.(type) {
	case nil:
		return nil, false, true
	case string:
		name := strings.ToLower(strings.TrimSpace(v))
		if alias := aliases[name]; alias != "" {
			name = alias
		}
		switch name {
		case "string", "number", "integer", "boolean", "object", "array":
			return []string{name}, false, true
		case "null":
			return nil, true, true
		case "any", "":
			return nil, false, true
		}
	case []any:
		for _, item := range v {
			inner, isNull, ok := types(item)
			if _, nested := item.([]any); !ok || nested {
				return nil, false, false
			}
			null = null || isNull
			for _, kind := range inner {
				if !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
			}
		}
		return kinds, null, true
	}
	return nil, false, false
}

// counts copies keywords that count something.
func counts(out, in map[string]any, keys ...string) {
	for _, key := range keys {
		if n, ok := in[key].(float64); ok && n >= 0 && n == math.Trunc(n) && n <= math.MaxInt32 {
			out[key] = n
		}
	}
}

// bounds copies the limits of a number. An exclusive limit of integers becomes the next integer; of other numbers it becomes inclusive.
func bounds(out, in map[string]any, kind string) {
	for _, b := range []struct {
		key, exclusive string
		step           float64
	}{{"minimum", "exclusiveMinimum", 1}, {"maximum", "exclusiveMaximum", -1}} {
		limit, ok := in[b.key].(float64)
		without := in[b.exclusive] == true // as draft 4 writes it
		if n, is := in[b.exclusive].(float64); is && (!ok || (n-limit)*b.step >= 0) {
			limit, ok, without = n, true, true
		}
		if !ok {
			continue
		}
		if without && kind == "integer" {
			limit = map[bool]float64{true: math.Floor(limit), false: math.Ceil(limit)}[b.step > 0] + b.step
		}
		out[b.key] = limit
	}
	if format, ok := in["format"].(string); ok && slices.Contains([]string{"int32", "int64", "float", "double"}, format) {
		out["format"] = format
	}
}

// plainPattern matches patterns that every provider reads: some make a grammar of it that has anchors at both ends and no escapes of classes.
var plainPattern = regexp.MustCompile(`^\^[^\\]*\$$`)

// text copies the form of a text.
func text(out, in map[string]any) {
	if format, ok := in["format"].(string); ok {
		if format == "date-time" {
			out["format"] = format
		} else if _, said := in["description"].(string); !said && format != "" && len(format) <= 40 && format != "enum" {
			in["description"] = "Format: " + chat.Clean(format)
		}
	}
	pattern, ok := in["pattern"].(string)
	if !ok || len(pattern) > 500 || !plainPattern.MatchString(pattern) || strings.Contains(pattern, "(?") {
		return
	}
	if _, err := regexp.Compile(pattern); err == nil && chat.Clean(pattern) == pattern {
		out["pattern"] = pattern
	}
}

// maxValues limits the values that go into the description, in bytes.
const maxValues = 1000

// values copies the allowed values. Some providers accept only non-empty strings, so other values go into the description.
func values(out, in map[string]any, kind string) {
	given := list(in["enum"])
	if value, ok := in["const"]; ok {
		given = []any{value}
	}
	var allowed, words []any
	for _, value := range given {
		is := kindOf(value)
		if is != kind && (is != "integer" || kind != "number") || slices.ContainsFunc(words, func(other any) bool { return same(other, value) }) {
			continue
		}
		words = append(words, cleanValue(value))
		if text, ok := value.(string); ok && chat.Clean(text) != "" {
			allowed = append(allowed, chat.Clean(text))
		}
	}
	switch {
	case len(words) == 0:
	case kind == "string" && len(allowed) == len(words):
		out["enum"] = allowed
	default:
		raw, err := json.Marshal(words)
		if err != nil || len(raw) > maxValues {
			return
		}
		said, _ := in["description"].(string)
		in["description"] = strings.TrimSpace(said + " One of: " + strings.Trim(string(raw), "[]") + ".")
	}
}
