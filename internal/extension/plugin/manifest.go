// Package plugin reads manifests and archives of plugins. It does not depend on an installation:
// package xbot/internal/extension/plugin/installed knows the installed ones, package bridge runs them, and package extend adds their contributions.
package plugin

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"time"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
)

// ManifestName is the name of the manifest file.
const ManifestName = "plugin.json"

// Runtime is the way in which a plugin is run.
type Runtime string

// The runtimes.
const (
	Stdio  Runtime = "stdio"  // one process, which uses JSON-RPC over its standard streams
	Script Runtime = "script" // a process for each request, which reads it and writes the answer
)

// Permission is a right of a plugin that an administrator grants.
type Permission string

// The permissions. A plugin cannot act without the permission for it.
const (
	Network Permission = "network" // open connections, also to programs of the same machine
	Files   Permission = "files"   // read homes, workspaces and other folders of users on the server's machine, as commands of the agent do
	Storage Permission = "storage" // keep values in the database
	Hooks   Permission = "hooks"   // see messages of users and tool calls, and refuse them
	Prompt  Permission = "prompt"  // add text to the prompt
)

// Permissions lists all permissions.
func Permissions() []Permission {
	return []Permission{Network, Files, Storage, Hooks, Prompt, Page, ReceivesMessages}
}

// Means describes what a permission allows, for users who decide about it.
func (p Permission) Means() string {
	switch p {
	case Network:
		return "opens connections to other machines and to programs of this one"
	case Files:
		return "reads what people have on the server's machine, as commands of the agent do: homes, workspaces, /srv, /mnt and /media"
	case Storage:
		return "keeps values in the database of this installation"
	case Hooks:
		return "sees what people write and what tools do, in every conversation, and can refuse or change it"
	case ReceivesMessages:
		return "is a platform: receives and sends messages, as anybody there says they are"
	case Prompt:
		return "adds text to what the model reads, in every conversation"
	case Page:
		return "shows panels of its own on the page, to whoever opens one"
	}
	return string(p)
}

// Grant is the part of a manifest that an administrator was shown and has permitted.
type Grant struct {
	Permissions []Permission
	ReadOnly    []string // names (ToolName) of tools that change nothing according to the plugin; missing ones count as acting
}

// Asks returns the grant of all that a plugin asks for.
func (m Manifest) Asks() Grant {
	g := Grant{Permissions: m.Permissions}
	for _, t := range m.Contributes.Tools {
		if t.ReadOnly {
			g.ReadOnly = append(g.ReadOnly, ToolName(m.ID, t.Name))
		}
	}
	return g
}

// Manifest is the checked manifest of a plugin.
type Manifest struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Version     string       `json:"version"`
	Description string       `json:"description"`
	Runtime     Runtime      `json:"runtime"`
	Command     Command      `json:"command"`
	Permissions []Permission `json:"permissions"`
	Seconds     int          `json:"timeout"` // for a call of a tool or a command
	Contributes Contributes  `json:"contributes"`
}

// Contributes lists the contributions of a plugin.
type Contributes struct {
	Tools     []Tool     `json:"tools"`
	Hooks     []Hook     `json:"hooks"`
	Enrichers []Enricher `json:"enrichers"`
	Commands  []Slash    `json:"commands"`
	Settings  []Setting  `json:"settings"`
	Channels  []Channel  `json:"channels,omitempty"`
	Widgets   []Widget   `json:"widgets,omitempty"`
}

// Tool is a tool for models.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
	ReadOnly    bool            `json:"read_only"`  // it changes nothing
	Idempotent  bool            `json:"idempotent"` // a repeated call changes nothing
}

// Class decides about calls that a crash interrupts, and whether read-only conversations have the tool. shown: an
// administrator saw that it calls itself read-only; without that it counts as one that acts.
func (t Tool) Class(shown bool) chat.ToolClass {
	switch {
	case t.ReadOnly && shown:
		return chat.ClassRead
	case t.ReadOnly || t.Idempotent:
		return chat.ClassIdempotent
	}
	return chat.ClassOnce
}

// Hook describes an event at which the plugin is asked.
type Hook struct {
	Event   hook.Event    `json:"event"`
	Matcher string        `json:"matcher"`
	If      string        `json:"if"`
	OnError hook.Decision `json:"on_error"`
}

// Fails returns the decision if the hook fails.
func (h Hook) Fails() hook.Decision {
	switch {
	case h.OnError != "":
		return h.OnError
	case h.Event.Closed():
		return hook.Deny
	}
	return hook.Allow
}

// Enricher adds text to prompts.
type Enricher struct {
	Name string `json:"name"`
}

// Slash is a slash command.
type Slash struct {
	Name  string `json:"name"`
	Usage string `json:"usage"`
	Help  Words  `json:"help"`
	Admin bool   `json:"admin"` // it is for administrators
}

// Words is a line for users in both languages.
type Words struct {
	English string `json:"en"`
	Chinese string `json:"zh"` // empty: as in English
}

// SettingType is the type of a setting's value.
type SettingType string

// The types of settings.
const (
	String  SettingType = "string"
	Number  SettingType = "number"
	Boolean SettingType = "boolean"
	Choice  SettingType = "choice"
	Secret  SettingType = "secret" // a text that is never shown again
)

// Setting is a value that administrators give a plugin.
type Setting struct {
	Name     string      `json:"name"`
	Type     SettingType `json:"type"`
	Title    Words       `json:"title"`
	Choices  []string    `json:"choices"`
	Default  any         `json:"default"`
	Required bool        `json:"required"`
}

// Command is the program and its arguments, by system: "linux/amd64", "linux", or empty for all others.
type Command map[string][]string

// On returns the command for a system, or nil if there is none.
func (c Command) On(os, arch string) []string {
	for _, system := range []string{os + "/" + arch, os, ""} {
		if found := c[system]; found != nil {
			return found
		}
	}
	return nil
}

// Here returns the command for this machine, or nil if there is none.
func (c Command) Here() []string { return c.On(runtime.GOOS, runtime.GOARCH) }

// Timeout limits a call of a tool or a command.
func (m Manifest) Timeout() time.Duration { return time.Duration(m.Seconds) * time.Second }

// ToolName returns the name under which models call a tool of a plugin.
func ToolName(plugin, tool string) string { return "plugin_" + plugin + "_" + tool }

// Folded returns a name as the names of tools are compared: without case, dashes and underscores.
func Folded(name string) string {
	return strings.ToLower(separators.Replace(name))
}

// separators removes the marks between words.
var separators = strings.NewReplacer("_", "", "-", "")

// Wants reports whether the plugin asks for a permission.
func (m Manifest) Wants(p Permission) bool { return slices.Contains(m.Permissions, p) }
