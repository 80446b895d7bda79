package config

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Setting is one setting as an operator sees it.
type Setting struct {
	Name   string // environment variable
	Field  string
	Value  string // masked if secret
	Help   string
	Secret bool
}

// Settings lists the settings of a process type with their defaults.
func Settings[T any]() []Setting {
	var zero T
	return Describe(&zero)
}

// Describe lists the settings of a struct with their values; secrets are masked.
func Describe(settings any) []Setting {
	var out []Setting
	walk(reflect.ValueOf(settings).Elem(), func(field reflect.StructField, v reflect.Value) {
		s := Setting{Name: field.Tag.Get("env"), Field: field.Name, Help: field.Tag.Get("help"), Secret: field.Tag.Get("secret") == "true"}
		s.Value = fmt.Sprint(v.Interface())
		if list, ok := reflect.TypeAssert[[]string](v); ok {
			s.Value = strings.Join(list, ",")
		}
		switch {
		case s.Secret && s.Value != "":
			s.Value = mask
		case strings.Contains(s.Value, "://"):
			s.Value = maskAddress(s.Value, field.Tag.Get("secret") == "inside")
		}
		out = append(out, s)
	})
	return out
}

// mask replaces a secret.
const mask = "********"

// maskAddress hides the user name and password in an address, and the values in its query if they may be keys.
func maskAddress(address string, query bool) string {
	u, err := url.Parse(address)
	if err != nil { // then the end of a password in it is unknown
		return mask
	}
	if u.User == nil && (u.RawQuery == "" || !query) {
		return address
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if u.User != nil {
		authority, _, _ := strings.Cut(rest, "/")
		at := strings.LastIndex(authority, "@")
		rest = mask + rest[max(at, 0):]
	}
	if query {
		rest, _, _ = strings.Cut(rest, "#")
		path, parameters, _ := strings.Cut(rest, "?")
		masked := []string{}
		for parameter := range strings.SplitSeq(parameters, "&") {
			name, _, _ := strings.Cut(parameter, "=")
			masked = append(masked, name+"="+mask)
		}
		if rest = path; parameters != "" {
			rest += "?" + strings.Join(masked, "&")
		}
	}
	return scheme + "://" + rest
}

func walk(v reflect.Value, visit func(reflect.StructField, reflect.Value)) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			walk(v.Field(i), visit)
			continue
		}
		visit(field, v.Field(i))
	}
}

// Foreign returns the variables that are no settings of any process, nor secrets of its channels: those that files of administrators may name.
// What libraries take from the environment to reach the database and the collector of traces is not among them either.
func Foreign(variables map[string]string) map[string]string {
	out := maps.Clone(variables)
	maps.DeleteFunc(out, func(name, _ string) bool {
		return strings.HasPrefix(name, "XBOT_") || strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "OTEL_") || known(name)
	})
	return out
}

// known reports whether any process has a setting of that name. Temporal's own variables pass through.
func known(name string) bool {
	if strings.HasPrefix(name, "TEMPORAL_") || slices.Contains(ChannelVariables, name) {
		return true
	}
	for _, s := range Settings[Serve]() {
		if s.Name == name {
			return true
		}
	}
	return false
}

// nearest names the setting that a mistaken name most likely means.
func nearest(name string) string {
	best, score, alike := "", 3, 0
	for _, s := range Settings[Serve]() {
		common := 0
		for part := range strings.SplitSeq(name, "_") {
			if len(part) > 2 && strings.Contains("_"+s.Name+"_", "_"+part+"_") {
				common += len(part)
			}
		}
		if head := commonHead(name, s.Name); common > score || common == score && head > alike {
			best, score, alike = s.Name, common, head
		}
	}
	if best == "" {
		return "; see \"xbot config\" for all of them"
	}
	return "; did you mean " + best + "?"
}

// commonHead returns the length of the common beginning of two texts, in bytes.
func commonHead(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
