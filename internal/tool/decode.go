package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/fault"
)

// Decode reads the arguments that a model wrote into params, a pointer to a flat struct. Models slip in ways that
// leave no doubt about what they meant, and those are read as meant:
//
//   - no arguments at all, or null, are {}
//   - an object inside a JSON string is the object
//   - a raw line break or tab inside a string is itself
//   - "5", 5.0 and 5 are the same integer, "true" is a boolean, 42 is text where text is wanted
//   - a list inside a JSON string is the list, other text is a list of it alone where a list of texts is wanted, and
//     null is the value left out
//   - text where an object is wanted that needs one text alone is that object
//   - oldString, OldString and old-string are old_string
//
// Anything else is an error of kind Invalid whose sentence the model can act on. The keys that no field takes are
// returned in the order of their names; what they hold is ignored.
func Decode(arguments string, params any) (unknown []string, err error) {
	object, err := parseObject(arguments)
	if err != nil {
		return nil, err
	}
	target := reflect.ValueOf(params).Elem()
	fields, unknown := matchKeys(object, target.Type())
	var missing []string
	for i := range target.NumField() {
		name, required := fieldName(target.Type().Field(i))
		raw, given := fields[name]
		if !given || isNull(raw) {
			if required {
				missing = append(missing, name)
			}
			continue
		}
		if err := assign(raw, target.Field(i), name); err != nil {
			return nil, err
		}
	}
	if len(missing) > 0 {
		return nil, missingError(missing, unknown, fieldNames(target.Type()))
	}
	return unknown, nil
}

// Object reads the arguments that a model wrote as one JSON object, whose keys and values stay what they are. It tolerates the same slips as
// Decode, except those that depend on a field. An error is of kind Invalid, with a sentence that the model can act on.
func Object(arguments string) (map[string]json.RawMessage, error) {
	object, err := parseObject(arguments)
	if object == nil && err == nil {
		object = map[string]json.RawMessage{}
	}
	return object, err
}

func missingError(missing, unknown, known []string) error {
	text := "the argument " + strings.Join(missing, ", ") + " is missing"
	if len(missing) > 1 {
		text = "the arguments " + strings.Join(missing, ", ") + " are missing"
	}
	if len(unknown) > 0 {
		text += " and " + strings.Join(unknown, ", ") + " is not known"
	}
	return fault.Errorf(fault.Invalid, "%s; this tool takes %s", text, strings.Join(known, ", "))
}

// parseObject reads the text as one JSON object.
func parseObject(arguments string) (map[string]json.RawMessage, error) {
	text := strings.TrimSpace(arguments)
	if text == "" || text == "null" {
		return nil, nil
	}
	object, err := objectOf(text)
	if err != nil {
		// Only the original text is reported: the model knows that one.
		if repaired, repairErr := objectOf(escapeControls(text)); repairErr == nil {
			return repaired, nil
		}
		return nil, malformed(err, text)
	}
	return object, nil
}

func objectOf(text string) (map[string]json.RawMessage, error) {
	if text[0] == '"' {
		var inner string
		if err := json.Unmarshal([]byte(text), &inner); err != nil {
			return nil, err
		}
		if text = strings.TrimSpace(inner); text == "" {
			return nil, nil
		}
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	var object map[string]json.RawMessage
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return object, nil
}

var errTrailing = errors.New("more text follows the JSON object")

func malformed(err error, text string) error {
	const lead = "the arguments are not a valid JSON object: "
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fault.Errorf(fault.Invalid, lead+"they end too early, after %d bytes; if they were cut off, send less in one call", len(text))
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fault.Errorf(fault.Invalid, lead+"they are of kind %s; send an object such as {\"key\": \"value\"}", kind.Value)
	}
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fault.Errorf(fault.Invalid, lead+"%s near %q", at, around(text, int(at.Offset)))
	}
	return fault.Errorf(fault.Invalid, lead+"%s", err)
}

// around shows the text before and after a byte, so that the model finds the place.
func around(text string, at int) string {
	const width = 20
	at = min(max(at, 0), len(text))
	return strings.ToValidUTF8(text[max(0, at-width):min(len(text), at+width)], "")
}

// escapeControls escapes raw control characters inside the string literals of a JSON text.
func escapeControls(text string) string {
	var out strings.Builder
	inString, escaped := false, false
	for i := range len(text) {
		c := text[i]
		switch {
		case inString && c < 0x20:
			if escaped { // a backslash before a raw line break is a backslash
				out.WriteByte('\\')
			}
			out.WriteString(`\u00`)
			out.WriteByte("0123456789abcdef"[c>>4])
			out.WriteByte("0123456789abcdef"[c&15])
			escaped = false
			continue
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		}
		out.WriteByte(c)
	}
	return out.String()
}

// matchKeys gives each key of the object to the field it means. An exact name wins over one that only folds alike.
func matchKeys(object map[string]json.RawMessage, params reflect.Type) (fields map[string]json.RawMessage, unknown []string) {
	known := fieldNames(params)
	byFold := make(map[string]string, len(known))
	for _, name := range known {
		byFold[fold(name)] = name
	}
	fields = make(map[string]json.RawMessage, len(object))
	for key, raw := range object {
		name, meant := byFold[fold(key)]
		if !meant {
			unknown = append(unknown, key)
			continue
		}
		if _, taken := object[name]; taken && key != name {
			unknown = append(unknown, key)
			continue
		}
		fields[name] = raw
	}
	slices.Sort(unknown)
	return fields, unknown
}

// fold forgets case and the marks between words.
func fold(name string) string {
	return strings.ToLower(separators.Replace(name))
}

// separators removes the marks between words.
var separators = strings.NewReplacer("_", "", "-", "")

func fieldNames(params reflect.Type) []string {
	names := make([]string, 0, params.NumField())
	for field := range params.Fields() {
		name, _ := fieldName(field)
		names = append(names, name)
	}
	return names
}

func fieldName(field reflect.StructField) (name string, required bool) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name, !strings.Contains(options, "omitempty")
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// assign stores a value in a field, reading it as the kind of the field where that is safe.
func assign(raw json.RawMessage, field reflect.Value, name string) error {
	raw = bytes.TrimSpace(raw)
	switch field.Kind() {
	case reflect.String:
		return assignText(raw, field, name)
	case reflect.Int:
		return assignInt(raw, field, name)
	case reflect.Float64:
		return assignFloat(raw, field, name)
	case reflect.Bool:
		return assignBool(raw, field, name)
	case reflect.Slice:
		return assignList(raw, field, name)
	case reflect.Struct:
		return assignObject(raw, field, name)
	default:
		return fault.Errorf(fault.Internal, "%s: fields of kind %s are not supported", name, field.Kind())
	}
}

func assignText(raw json.RawMessage, field reflect.Value, name string) error {
	if raw[0] == '{' || raw[0] == '[' {
		return wrongKind(name, "text", raw)
	}
	field.SetString(unquote(raw))
	return nil
}

func assignInt(raw json.RawMessage, field reflect.Value, name string) error {
	text := strings.TrimSpace(unquote(raw))
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		field.SetInt(n)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != float64(int32(f)) {
		return wrongKind(name, "a whole number", raw)
	}
	field.SetInt(int64(f))
	return nil
}

func assignFloat(raw json.RawMessage, field reflect.Value, name string) error {
	f, err := strconv.ParseFloat(strings.TrimSpace(unquote(raw)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return wrongKind(name, "a number", raw)
	}
	field.SetFloat(f)
	return nil
}

func assignBool(raw json.RawMessage, field reflect.Value, name string) error {
	switch strings.ToLower(strings.TrimSpace(unquote(raw))) {
	case "true", "1", "yes":
		field.SetBool(true)
	case "false", "0", "no", "":
		field.SetBool(false)
	default:
		return wrongKind(name, "true or false", raw)
	}
	return nil
}

func assignList(raw json.RawMessage, field reflect.Value, name string) error {
	var items []json.RawMessage
	if text := strings.TrimSpace(unquote(raw)); raw[0] == '"' && text != "" && text[0] != '[' && field.Type().Elem().Kind() == reflect.String {
		items = []json.RawMessage{raw}
	} else if err := json.Unmarshal([]byte(unwrap(raw, '[')), &items); err != nil {
		return wrongKind(name, "a list", raw)
	}
	list := reflect.MakeSlice(field.Type(), len(items), len(items))
	for i, item := range items {
		if err := assign(item, list.Index(i), name+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	field.Set(list)
	return nil
}

func assignObject(raw json.RawMessage, field reflect.Value, name string) error {
	text := unwrap(raw, '{')
	if only, ok := onlyText(field); ok && raw[0] == '"' && !strings.HasPrefix(text, "{") {
		return assignText(raw, only, name)
	}
	if !strings.HasPrefix(text, "{") {
		return wrongKind(name, "an object", raw)
	}
	if _, err := Decode(text, field.Addr().Interface()); err != nil {
		return fault.Errorf(fault.KindOf(err), "%s: %w", name, err)
	}
	return nil
}

// onlyText finds the field of an object that is required, if it is the only one and a text.
func onlyText(object reflect.Value) (only reflect.Value, ok bool) {
	for i := range object.NumField() {
		if _, required := fieldName(object.Type().Field(i)); !required {
			continue
		}
		if ok || object.Field(i).Kind() != reflect.String {
			return reflect.Value{}, false
		}
		only, ok = object.Field(i), true
	}
	return only, ok
}

// unwrap returns the text inside a JSON string when it begins with the given mark, else the value as it is.
func unwrap(raw json.RawMessage, mark byte) string {
	if inner := strings.TrimSpace(unquote(raw)); raw[0] == '"' && inner != "" && inner[0] == mark {
		return inner
	}
	return string(raw)
}

// unquote returns the text of a JSON string, and of anything else its JSON text.
func unquote(raw json.RawMessage) string {
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func wrongKind(name, want string, raw json.RawMessage) error {
	return fault.Errorf(fault.Invalid, "%s must be %s, not %s", name, want, OneLine(string(raw), 60))
}
