package policy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/fault"
)

var sprintf = fmt.Sprintf

// check collects what is wrong and what is worth saying.
type check struct {
	faults Faults
	notes  []string
}

func (c *check) fault(path, format string, args ...any) {
	c.faults = append(c.faults, cmp.Or(path, "the document")+": "+fmt.Sprintf(format, args...))
}

func (c *check) note(path, format string, args ...any) {
	c.notes = append(c.notes, path+": "+fmt.Sprintf(format, args...))
}

func (c *check) err() error {
	return fault.Errorf(fault.Invalid, "%w", c.faults)
}

// shape compares what was read with the types of the document: names and kinds of values.
func (c *check) shape(tree any) {
	c.value("", tree, reflect.TypeFor[Policy]())
}

func (c *check) value(path string, v any, want reflect.Type) {
	if want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	switch want.Kind() {
	case reflect.Struct, reflect.Map:
		object, ok := v.(map[string]any)
		if !ok {
			c.fault(path, "an object { … } is expected, not %s", kindOf(v))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			c.member(path, name, object[name], want)
		}
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			c.fault(path, "a list [ … ] is expected, not %s", kindOf(v))
			return
		}
		for i, item := range list {
			c.value(path+"["+strconv.Itoa(i)+"]", item, want.Elem())
		}
	case reflect.String:
		c.text(path, v)
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			c.fault(path, "true or false is expected, not %s", kindOf(v))
		}
	default:
		c.number(path, v)
	}
}

func (c *check) member(path, name string, v any, of reflect.Type) {
	at := join(path, name)
	if of.Kind() == reflect.Map {
		if name == "" {
			c.fault(at, "a name is empty")
		}
		c.value(at, v, of.Elem())
		return
	}
	known := fieldsOf(of)
	if want, ok := known[name]; ok {
		c.value(at, v, want)
		return
	}
	if isKeyName(name) {
		c.fault(at, "keys do not stand in the policy: write apiKeyEnv with the name of a variable that the worker has")
		return
	}
	names := slices.Sorted(maps.Keys(known))
	if near := nearest(name, names); near != "" {
		c.fault(at, "is not known; did you mean %s?", near)
		return
	}
	c.fault(at, "is not known; known here: %s", strings.Join(names, ", "))
}

func (c *check) text(path string, v any) {
	s, ok := v.(string)
	switch {
	case ok && looksSecret(s):
		c.fault(path, "this looks like a key or a password; secrets do not stand in the policy: put it into a variable of the worker and write the variable's name (apiKeyEnv)")
	case !ok && kindOf(v) == "a number":
		c.fault(path, "a text is expected: put the number between quotes, as it may be longer than numbers are exact")
	case !ok:
		c.fault(path, "a text is expected, not %s", kindOf(v))
	}
}

func (c *check) number(path string, v any) {
	n, ok := v.(float64)
	switch {
	case !ok:
		c.fault(path, "a number is expected, not %s", kindOf(v))
	case n != math.Trunc(n) || math.Abs(n) > math.MaxInt32:
		c.fault(path, "a whole number up to %d is expected", math.MaxInt32)
	}
}

// join writes a path; names that are no identifiers are quoted.
func join(path, name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$") != "" || name == "" {
		return path + "[" + strconv.Quote(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	}
	return "an object"
}

func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" { // an embedded struct has none, its members have
			out[name] = field.Type
		}
	}
	return out
}
