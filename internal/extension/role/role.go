// Package role reads the roles of subagents: Markdown files whose front matter has the purpose of an agent of that role,
// its model and its permissions, and whose body has its instructions. It does not run subagents.
package role

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"xbot/internal/extension/skill"
	"xbot/internal/fault"
)

// MaxFile limits a file, in bytes.
const MaxFile = 64 << 10

// MaxName limits a name, in characters.
const MaxName = 40

// The tiers of models that a role, or the calling agent, can ask for. The policy sets their models (models by tier).
const (
	Vanguard = "vanguard" // the strongest
	Balance  = "balance"
	Swift    = "swift" // the fastest
)

// Tiers lists the tiers, the strongest first.
func Tiers() []string { return []string{Vanguard, Balance, Swift} }

// Role is a role of subagents.
type Role struct {
	Name        string
	Description string
	Model       string   // id or alias; wins over Tier; empty: that of the calling agent
	Tier        string   // one of Tiers; empty: none
	Tools       []string // those of the calling agent's tools that these match; names may hold *; empty: all of them
	// Memory, SendMessage and SpawnAgent are permissions in addition to its tools: remember, write to others, start subagents.
	Memory, SendMessage, SpawnAgent bool
	// Conversations permits it to read the user's other conversations, where the policy has a role that does.
	Conversations bool
	Prompt        string // its instructions
	From          string // path of its file; empty for those of the program and the user's
	Own           bool   // the user stores it in xbot
}

// front is the front matter of a file. Members of other products that mean nothing here are skipped.
type front struct {
	Model        string `yaml:"model"`
	Tier         string `yaml:"tier"`
	ModelTier    string `yaml:"model_tier"`
	Tools        words  `yaml:"tools"`
	Capabilities words  `yaml:"capabilities"`
}

// Parse reads a file, which is called fallback if it has no name. Invalid describes the mistake.
func Parse(file []byte, fallback string) (Role, error) {
	if len(file) > MaxFile {
		return Role{}, fault.Errorf(fault.Invalid, "the file has more than %d bytes", MaxFile)
	}
	entry, err := skill.Parse(file, fallback)
	if err != nil {
		return Role{}, err
	}
	if !ValidName(entry.Name) {
		return Role{}, fault.Errorf(fault.Invalid, "the name %.60q is none: use at most %d letters, digits, - and _", entry.Name, MaxName)
	}
	head, body := skill.Split(file)
	var said front
	if err := yaml.Unmarshal(head, &said); err != nil {
		return Role{}, fault.Errorf(fault.Invalid, "the front matter cannot be read: %w", err)
	}
	r := Role{Name: entry.Name, Description: entry.Description, Model: strings.TrimSpace(said.Model), Tools: said.Tools, Prompt: string(body)}
	if r.Tier, err = tier(said.Tier + said.ModelTier); err != nil {
		return Role{}, err
	}
	if slices.Contains(Tiers(), r.Model) { // model: swift means the tier
		r.Model, r.Tier = "", r.Model
	}
	return r, r.allow(said.Capabilities)
}

// allow sets the permissions of the role in addition to its tools.
func (r *Role) allow(capabilities []string) error {
	for _, c := range capabilities {
		switch c {
		case "memory":
			r.Memory = true
		case "send_message":
			r.SendMessage = true
		case "spawn_agent":
			r.SpawnAgent = true
		case "conversations":
			r.Conversations = true
		default:
			return fault.Errorf(fault.Invalid, "there is no capability %.60q: there are memory, send_message, spawn_agent and conversations", c)
		}
	}
	return nil
}

func tier(name string) (string, error) {
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" || slices.Contains(Tiers(), name) {
		return name, nil
	}
	return "", fault.Errorf(fault.Invalid, "there is no tier %.60q: there are %s", name, strings.Join(Tiers(), ", "))
}

var valid = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_-]*$`)

// ValidName reports whether a text can be the name of a role or of an instance of one: it is part of ids.
func ValidName(name string) bool { return len([]rune(name)) <= MaxName && valid.MatchString(name) }

// words is a list in one of the forms [a, b], "a, b", or {a: true, b: false}.
type words []string

// UnmarshalYAML reads any of the three forms.
func (w *words) UnmarshalYAML(node *yaml.Node) error {
	var list []string
	switch node.Kind {
	case yaml.ScalarNode:
		list = strings.Split(node.Value, ",")
	case yaml.MappingNode:
		var on map[string]bool
		if err := node.Decode(&on); err != nil {
			return err
		}
		for name, yes := range on {
			if yes {
				list = append(list, name)
			}
		}
		slices.Sort(list)
	case yaml.SequenceNode:
		if err := node.Decode(&list); err != nil {
			return err
		}
	default:
		return fmt.Errorf("line %d: this is no list", node.Line)
	}
	for _, name := range list {
		if name = strings.TrimSpace(name); name != "" {
			*w = append(*w, name)
		}
	}
	return nil
}
