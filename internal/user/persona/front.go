package persona

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"xbot/internal/turn/command"
)

// front is the front matter.
type front struct {
	ImageRefs []string `yaml:"image_refs"`
	Output    struct {
		HiddenTags     []string `yaml:"hidden_tags"`
		ReplyWillTag   string   `yaml:"reply_will_tag"`
		ReplyWillField string   `yaml:"reply_will_field"`
		MotionTag      string   `yaml:"motion_tag"`
		SuppressToken  string   `yaml:"suppress_token"`
	} `yaml:"output_contract"`
}

// The keys of the front matter, with the kind of their values.
var (
	frontKeys    = map[string]yaml.Kind{"image_refs": yaml.SequenceNode, "output_contract": yaml.MappingNode}
	contractKeys = map[string]yaml.Kind{
		"hidden_tags": yaml.SequenceNode, "reply_will_tag": yaml.ScalarNode, "reply_will_field": yaml.ScalarNode,
		"motion_tag": yaml.ScalarNode, "suppress_token": yaml.ScalarNode,
	}
	kindNames = map[yaml.Kind]string{
		yaml.SequenceNode: "a list", yaml.MappingNode: "a list of keys with values", yaml.ScalarNode: "a single text",
	}
)

// maxShown bounds a key in a note, in characters.
const maxShown = 40

// readFront reads a front matter as far as it is understood; the notes name the rest. An error completes "it is …".
func readFront(head string) (f front, notes []string, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(head), &doc); err != nil {
		return front{}, nil, fmt.Errorf("no YAML (%w)", err)
	}
	if len(doc.Content) == 0 {
		return front{}, nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		if root.Tag == "!!null" {
			return front{}, nil, nil
		}
		return front{}, nil, errors.New("no list of keys with values")
	}
	if err := root.Decode(&f); err != nil {
		if _, partly := errors.AsType[*yaml.TypeError](err); !partly {
			return front{}, nil, fmt.Errorf("no YAML (%w)", err)
		}
	}
	return f, misread("", root, frontKeys), nil
}

// misread names the keys of a mapping that are unknown, duplicate, or whose value is of another kind.
func misread(path string, n *yaml.Node, known map[string]yaml.Kind) (notes []string) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		at := path + fmt.Sprintf("%.*s", maxShown, key)
		want, ok := known[key]
		switch {
		case !ok:
			notes = append(notes, at+" is not known and has no effect; "+meant(key, known))
		case seen[key]:
			notes = append(notes, at+" stands there twice")
		case value.Kind != want && value.Tag != "!!null":
			notes = append(notes, fmt.Sprintf("%s has no effect: %s is expected", at, kindNames[want]))
		case want == yaml.MappingNode:
			notes = append(notes, misread(at+".", value, contractKeys)...)
		}
		seen[key] = true
	}
	return notes
}

// meant suggests which key was meant, or lists the keys there are.
func meant(key string, known map[string]yaml.Kind) string {
	names := slices.Sorted(maps.Keys(known))
	if near := command.Nearest(key, names, 1); len(near) > 0 {
		return "did you mean " + near[0] + "?"
	}
	return "known here: " + strings.Join(names, ", ")
}
