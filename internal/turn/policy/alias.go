package policy

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// otherNames are alternative names of members that are not the same words in another case.
var otherNames = map[string]string{"create_feishu_thread": "createThread", "llm_profile": "model"}

// rename gives members that are written in snake_case the names that they have here: group_scenes is groupScenes. Names that
// people choose, such as those of channels and groups, stay. One that stands there under both names is a fault.
func (c *check) rename(path string, v any, want reflect.Type) {
	if want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	switch tree := v.(type) {
	case []any:
		if want.Kind() == reflect.Slice {
			for _, item := range tree {
				c.rename(path, item, want.Elem())
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			switch want.Kind() {
			case reflect.Map:
				c.rename(join(path, name), tree[name], want.Elem())
			case reflect.Struct:
				c.renameMember(path, name, tree, fieldsOf(want))
			}
		}
	}
}

func (c *check) renameMember(path, name string, tree map[string]any, known map[string]reflect.Type) {
	v, own := tree[name], name
	if _, ok := known[name]; !ok {
		own = camel(name)
		if other, ok := otherNames[name]; ok {
			own = other
		}
		if _, ok := known[own]; !ok {
			return // it is named as it is written
		}
		if _, both := tree[own]; both {
			c.fault(join(path, name), "is the same as %s, which stands here, too: write one of them", own)
			return
		}
		delete(tree, name)
		tree[own] = v
	}
	c.rename(join(path, own), v, known[own])
}

// camel is a name of words parted by _ as it is written here.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if i > 0 && w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}
