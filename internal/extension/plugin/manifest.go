// Package plugin reads what a plugin says of itself and the archives that plugins come in. It is for what does not depend on an installation:
// package xbot/internal/extension/plugin/installed knows which there are, package bridge runs them, and package extend is what they add.
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

// ManifestName is the file in which a plugin says what it is.
const ManifestName = "plugin.json"

// Runtime is how a plugin is asked.
type Runtime string

// The runtimes.
const (
	Stdio  Runtime = "stdio"  // one process, which speaks JSON-RPC over its standard streams
	Script Runtime = "script" // a process for each request, which reads it and writes the answer
)

// Permission is what an administrator permits a plugin.
type Permission string

// The permissions. What a plugin has none for it cannot do.
const (
	Network Permission = "network" // open connections, also to programs of the same machine
	Files   Permission = "files"   // read homes, workspaces and other folders of people on the server's machine, as commands of the agent do
	Storage Permission = "storage" // keep values in the database
	Hooks   Permission = "hooks"   // see what people write and what tools do, and refuse it
	Prompt  Permission = "prompt"  // add text to what the model reads
)

// Permissions lists all permissions.
func Permissions() []Permission {
	return []Permission{Network, Files, Storage, Hooks, Prompt, Page, ReceivesMessages}
}

// Means says what a permission allows, for people who decide about it.
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

// Grant is what an administrator was shown of a plugin, and permits it.
type Grant struct {
	Permissions []Permission
	ReadOnly    []string // names (ToolName) of tools that it says change nothing; those that are missing count as acting
}

// Asks is the grant of all that a plugin asks for.
func (m Manifest) Asks() Grant {
	g := Grant{Permissions: m.Permissions}
	for _, t := range m.Contributes.Tools {
		if t.ReadOnly {
			g.ReadOnly = append(g.ReadOnly, ToolName(m.ID, t.Name))
		}
	}
	return g
}

// Manifest is what a plugin says of itself, checked.
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

// Contributes is what a plugin adds.
type Contributes struct {
	Tools     []Tool     `json:"tools"`
	Hooks     []Hook     `json:"hooks"`
	Enrichers []Enricher `json:"enrichers"`
	Commands  []Slash    `json:"commands"`
	Settings  []Setting  `json:"settings"`
	Channels  []Channel  `json:"channels,omitempty"`
	Widgets   []Widget   `json:"widgets,omitempty"`
}

// Tool is one that models can call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
	ReadOnly    bool            `json:"read_only"`  // it changes nothing
	Idempotent  bool            `json:"idempotent"` // done twice, it changes nothing the second time
}

// Class is what becomes of calls when something is killed, and whether conversations that only read have the tool. shown says that an
// administrator saw that it calls itself read-only: without that it counts as one that acts.
func (t Tool) Class(shown bool) chat.ToolClass {
	switch {
	case t.ReadOnly && shown:
		return chat.ClassRead
	case t.ReadOnly || t.Idempotent:
		return chat.ClassIdempotent
	}
	return chat.ClassOnce
}

// Hook says at which event the plugin is asked.
type Hook struct {
	Event   hook.Event    `json:"event"`
	Matcher string        `json:"matcher"`
	If      string        `json:"if"`
	OnError hook.Decision `json:"on_error"`
}

// Fails is what a failure of the hook means for what it was asked about.
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

// Words is a line for people in both languages.
type Words struct {
	English string `json:"en"`
	Chinese string `json:"zh"` // empty: as in English
}

// SettingType is what a value of a setting is.
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

// On returns the command for a system; nil: there is none.
func (c Command) On(os, arch string) []string {
	for _, system := range []string{os + "/" + arch, os, ""} {
		if found := c[system]; found != nil {
			return found
		}
	}
	return nil
}

// Here returns the command for this machine; nil: there is none.
func (c Command) Here() []string { return c.On(runtime.GOOS, runtime.GOARCH) }

// Timeout is how long a call of a tool or a command may take.
func (m Manifest) Timeout() time.Duration { return time.Duration(m.Seconds) * time.Second }

// ToolName is the name under which models call a tool of a plugin.
func ToolName(plugin, tool string) string { return "plugin_" + plugin + "_" + tool }

// Folded is a name as the names of tools are compared: without case, dashes and underscores.
func Folded(name string) string {
	return strings.ToLower(separators.Replace(name))
}

// separators removes the marks between words.
var separators = strings.NewReplacer("_", "", "-", "")

// Wants reports whether the plugin asks for a permission.
func (m Manifest) Wants(p Permission) bool { return slices.Contains(m.Permissions, p) }
