// Package role reads who a model can hand work to: Markdown files whose front matter says what an agent of that role is for,
// which model it has and what it may do, and whose body is its own instructions. It does not run subagents.
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

// MaxFile bounds a file, in bytes.
const MaxFile = 64 << 10

// MaxName bounds a name, in characters.
const MaxName = 40

// The tiers of models that a role, or who hands it work, can ask for. Which models they are is the policy's (models by tier).
const (
	Vanguard = "vanguard" // the strongest
	Balance  = "balance"
	Swift    = "swift" // the fastest
)

// Tiers lists them, the strongest first.
func Tiers() []string { return []string{Vanguard, Balance, Swift} }

// Role is one of them.
type Role struct {
	Name        string
	Description string
	Model       string   // id or alias; wins over Tier; empty: that of whoever hands it work
	Tier        string   // one of Tiers; empty: none
	Tools       []string // it has those of whoever hands it work that these match; names may hold *; none: all of them
	// Memory, SendMessage and SpawnAgent are what it may do beside its tools: remember, write to others, hand work on.
	Memory, SendMessage, SpawnAgent bool
	// Conversations is that it reads the person's other conversations, where the policy has a role that does.
	Conversations bool
	Prompt        string // its instructions
	From          string // where it was read: a path; empty for those of the program and the person's own
	Own           bool   // the person keeps it in xbot
}

// front is the front matter of a file. Members that other products know and that mean nothing here are passed over.
type front struct {
	Model        string `yaml:"model"`
	Tier         string `yaml:"tier"`
	ModelTier    string `yaml:"model_tier"`
	Tools        words  `yaml:"tools"`
	Capabilities words  `yaml:"capabilities"`
}

// Parse reads a file, which is called fallback if it does not say its name. Invalid says what is wrong with it.
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

// allow notes what the role may do beside its tools.
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

// words is a list that may be written as one: [a, b], "a, b", or {a: true, b: false}.
type words []string

// UnmarshalYAML reads any of the three.
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
