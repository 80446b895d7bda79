package role

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory"
)

// Limits of a definition.
const (
	MaxDescription = 300    // characters: it is part of every prompt
	MaxPrompt      = 20_000 // characters: as much as a prompt takes of it
	MaxModel       = 200    // bytes
	MaxTools       = 200    // names
)

// AllTools is the only tool of a definition that gets all tools of the calling agent.
const AllTools = "*"

// noTool is the tool of a definition without tools: it matches none, where an empty list of a file would give all.
const noTool = "none"

// RoleDefinition is a role that a user defines in xbot.
type RoleDefinition struct { //nolint:revive // the name of its schema in the API
	Name        string   `json:"name" maxLength:"40" doc:"Letters, digits, - and _. Replaces roles of the program and the installation with the same name."`
	Description string   `json:"description" maxLength:"300" doc:"Description by which the model selects the role, in one line."`
	Prompt      string   `json:"prompt" maxLength:"20000" doc:"Its instructions."`
	Tools       []string `json:"tools" maxItems:"200" doc:"The tools of the role, from the pool; * alone: all tools of the parent agent; none: no tools."`
	Model       string   `json:"model,omitempty" maxLength:"200" doc:"ID or alias of a model, or a tier: vanguard, balance or swift. Empty: the model of the parent agent."`
	Enabled     bool     `json:"enabled"`
}

// Change describes a change of a role: the version, when, and by whom.
type Change struct {
	Revision  int64     `json:"revision" doc:"The version; 0: it is no role of your own."`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by" doc:"Name of the user; empty if deleted."`
}

// OwnRole is a role of a user.
type OwnRole struct {
	ID int64 `json:"id" doc:"0: it is a role of the program or the installation."`
	RoleDefinition
	Change
}

// OwnRoleVersion is a version of a user's role after a change.
type OwnRoleVersion struct {
	RoleDefinition
	Change
}

// Switch records whether a user has a role of the program or the installation.
type Switch struct {
	Key       string // the name in small letters
	Enabled   bool
	ChangedAt time.Time
	ChangedBy string
}

// UserRoles holds the roles and switches of a user, in addition to the files.
type UserRoles struct {
	Roles    []OwnRole
	Switches []Switch
}

// Key returns the name of a role as it is compared.
func Key(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Without returns the roles that the user has not switched off.
func (k UserRoles) Without(roles []Role) []Role {
	return slices.DeleteFunc(slices.Clone(roles), func(r Role) bool { return !k.Has(r.Name) })
}

// Has reports whether the user has a role of the program or the installation.
func (k UserRoles) Has(name string) bool {
	return !slices.ContainsFunc(k.Switches, func(s Switch) bool { return !s.Enabled && s.Key == Key(name) })
}

// InForce returns the enabled roles of the user.
func (k UserRoles) InForce() (roles []Role) {
	for _, own := range k.Roles {
		if own.Enabled {
			roles = append(roles, own.Role())
		}
	}
	return roles
}

// Clean returns the definition as it is stored: without invalid characters, and with each tool once.
func (d RoleDefinition) Clean() RoleDefinition {
	d.Name, d.Model = strings.TrimSpace(d.Name), strings.TrimSpace(d.Model)
	d.Description = strings.Join(strings.Fields(chat.Clean(d.Description)), " ")
	d.Prompt = strings.TrimSpace(strings.ReplaceAll(chat.Clean(d.Prompt), "\r\n", "\n"))
	tools := []string{}
	for _, t := range d.Tools {
		if t = strings.TrimSpace(t); t != "" && !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	slices.Sort(tools)
	d.Tools = tools
	return d
}

// Check validates a definition (Invalid, TooLarge), given the names of all tools.
func (d RoleDefinition) Check(pool []string) error {
	switch {
	case !ValidName(d.Name):
		return fault.Errorf(fault.Invalid, "the name %.60q is none: use at most %d letters, digits, - and _", d.Name, MaxName)
	case d.Description == "":
		return fault.Errorf(fault.Invalid, "the description is missing: the model chooses the role by it")
	case d.Prompt == "":
		return fault.Errorf(fault.Invalid, "the instructions are missing")
	case utf8.RuneCountInString(d.Description) > MaxDescription:
		return fault.Errorf(fault.TooLarge, "the description has more than %d characters", MaxDescription)
	case utf8.RuneCountInString(d.Prompt) > MaxPrompt:
		return fault.Errorf(fault.TooLarge, "the instructions have more than %d characters", MaxPrompt)
	case len(d.Model) > MaxModel || strings.ContainsFunc(d.Model, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fault.Errorf(fault.Invalid, "%.60q is no name of a model", d.Model)
	case len(d.Tools) > MaxTools:
		return fault.Errorf(fault.TooLarge, "there are more than %d tools", MaxTools)
	case len(d.Tools) == 1 && d.Tools[0] == AllTools:
		return nil
	}
	for _, t := range d.Tools {
		if !slices.Contains(pool, t) {
			return fault.Errorf(fault.Invalid, "there is no tool %.60q that a role can have", t)
		}
	}
	return nil
}

// Role returns the role of the definition. Its other permissions follow from its tools: with a tool of memory it remembers, and so on.
func (d RoleDefinition) Role() Role {
	r := Role{Name: d.Name, Description: d.Description, Model: d.Model, Prompt: d.Prompt, Own: true}
	if slices.Contains(Tiers(), d.Model) {
		r.Model, r.Tier = "", d.Model
	}
	if len(d.Tools) == 1 && d.Tools[0] == AllTools {
		r.Memory, r.SendMessage, r.SpawnAgent = true, true, true
		return r
	}
	r.Tools = d.Tools
	if len(r.Tools) == 0 {
		r.Tools = []string{noTool}
	}
	for _, t := range d.Tools {
		_, remembers := memory.ProviderOf(t)
		r.Memory = r.Memory || remembers
		r.SendMessage = r.SendMessage || t == "SendMessage"
		r.SpawnAgent = r.SpawnAgent || t == "SubAgent" || t == "CreateChat"
		r.Conversations = r.Conversations || memory.OfConversations(t) || memory.OfConsumers(t) || memory.OfSoul(t)
	}
	return r
}

// capabilities returns the capabilities of a role, by their names in files.
func (r Role) capabilities() (names []string) {
	for _, c := range []struct {
		has  bool
		name string
	}{{r.Memory, "memory"}, {r.SendMessage, "send_message"}, {r.SpawnAgent, "spawn_agent"}, {r.Conversations, "conversations"}} {
		if c.has {
			names = append(names, c.name)
		}
	}
	return names
}

// File writes a role as a Markdown file, which Parse reads as the same role.
func (r Role) File() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("---\n")
	err := yaml.NewEncoder(&b).Encode(struct {
		Name         string   `yaml:"name"`
		Description  string   `yaml:"description"`
		Model        string   `yaml:"model,omitempty"`
		Tier         string   `yaml:"tier,omitempty"`
		Tools        []string `yaml:"tools,flow,omitempty"`
		Capabilities []string `yaml:"capabilities,flow,omitempty"`
	}{r.Name, r.Description, r.Model, r.Tier, r.Tools, r.capabilities()})
	if err != nil {
		return nil, err
	}
	b.WriteString("---\n" + r.Prompt + "\n")
	return b.Bytes(), nil
}
