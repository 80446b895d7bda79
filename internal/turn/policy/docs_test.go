package policy_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/policy"
)

// understood are members that the example leaves out because they are old.
var understood = []string{"session.idleMinutes", "session.store"}

func TestDocs_TheExampleIsReadAndHasEveryMember(t *testing.T) {
	text, err := os.ReadFile("../../../docs/operate/policy.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "```json5\n")
	require.True(t, found)
	example, _, _ := strings.Cut(rest, "\n```")
	p, notes, err := policy.Parse([]byte(example))
	require.NoError(t, err)
	require.Empty(t, notes)

	var tree map[string]any
	require.NoError(t, json.Unmarshal(p.JSON(), &tree))
	shown := map[string]bool{}
	members(shown, "", tree, reflect.TypeFor[policy.Policy]())
	known := map[string]bool{}
	fields(known, "", reflect.TypeFor[policy.Policy]())
	for _, path := range slices.Sorted(maps.Keys(known)) {
		require.True(t, shown[path] || slices.Contains(understood, path), "docs/operate/policy.md does not show %s", path)
	}
}

// fields notes the paths of all members; those of an account are those of its channel.
func fields(into map[string]bool, path string, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || strings.HasSuffix(path, ".accounts") {
		return
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		at := place(path, f)
		into[at] = true
		fields(into, at, f.Type)
	}
}

// members notes the paths that a document has.
func members(into map[string]bool, path string, v any, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		for _, item := range v.([]any) {
			members(into, path, item, t.Elem())
		}
	case reflect.Map:
		for _, item := range v.(map[string]any) {
			members(into, path, item, t.Elem())
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if item, ok := v.(map[string]any)[name]; ok {
				into[place(path, f)] = true
				members(into, place(path, f), item, f.Type)
			}
		}
	}
}

// same are places that have the members of another one.
var same = strings.NewReplacer(
	".groupScenes.chat", ".scene", ".groupScenes.work", ".scene", ".privateScenes.chat", ".scene", ".privateScenes.work", ".scene",
	".resetByType", ".reset", ".resetByChannel", ".reset",
)

// place is the path of a member.
func place(path string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(same.Replace(path)+"."+name, ".")
}
