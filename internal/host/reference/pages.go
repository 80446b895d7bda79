package reference

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/automation/hook"
	"xbot/internal/host/config"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	"xbot/internal/turn/slashcommand"
)

// Settings lists the settings of all processes.
func Settings(groups []config.Group) string {
	p := newPage("Settings", "Every setting is an environment variable; [configure](../operate/configure.md) says where else it can stand. "+
		"`xbot config` prints the values in effect. Without a note in the last column, `serve`, `ingress` and `worker` read the setting.")
	for _, g := range groups {
		p.section(2, g.Name)
		var rows [][]string
		for _, s := range g.Settings {
			read := ""
			if len(s.Processes) < 3 {
				read = strings.Join(s.Processes, ", ")
			}
			rows = append(rows, []string{quoted(s.Name), quoted(s.Default), s.Help, read})
		}
		p.table([]string{"variable", "default", "meaning", "read by"}, rows)
	}
	p.section(2, "Bots")
	p.line("These variables set up the bot without a name of each platform: [bots on platforms](../channels/README.md).\n")
	for _, name := range config.ChannelVariables {
		p.line("* `%s`", name)
	}
	return p.String()
}

// Tools lists what models can call.
func Tools(specs []tool.Spec) string {
	p := newPage("Tools", "What models can call. The class says [what a crash may do](../concepts/turn.md#tool-classes) to a call. "+
		"The texts and parameters are those that the model reads.")
	for _, s := range specs {
		p.section(2, s.Name)
		p.line("Class `%s`.\n", s.Class)
		for line := range strings.Lines(strings.TrimSpace(s.Description)) {
			p.line("> %s", strings.TrimRight(line, "\n"))
		}
		p.line("")
		if rows := parameters(s.Parameters); len(rows) > 0 {
			p.table([]string{"parameter", "type", "meaning"}, rows)
		} else {
			p.line("No parameters.")
		}
	}
	return p.String()
}

// member is as much of a JSON Schema as a table shows.
type member struct {
	Type        any                `json:"type"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Items       *member            `json:"items"`
	Properties  map[string]*member `json:"properties"`
	Required    []string           `json:"required"`
}

func parameters(schema json.RawMessage) [][]string {
	var s member
	if err := json.Unmarshal(schema, &s); err != nil {
		panic(err) // made by the program
	}
	return s.rows("")
}

func (m *member) rows(prefix string) [][]string {
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(m.Properties)) {
		field := m.Properties[name]
		meaning := field.Description
		if slices.Contains(m.Required, name) {
			meaning = strings.TrimSpace("required. " + meaning)
		}
		rows = append(rows, []string{quoted(prefix + name), field.kind(), meaning})
		rows = append(rows, field.rows(prefix+name+".")...)
		if field.Items != nil {
			rows = append(rows, field.Items.rows(prefix+name+"[].")...)
		}
	}
	return rows
}

// kind returns the type in words.
func (m *member) kind() string {
	if len(m.Enum) > 0 {
		var words []string
		for _, word := range m.Enum {
			if text, ok := word.(string); ok {
				words = append(words, quoted(text))
			}
		}
		return strings.Join(words, ", ")
	}
	text, _ := m.Type.(string)
	if m.Items != nil {
		return "list of " + m.Items.kind()
	}
	return text
}

// Commands lists the slash commands, by group, in the order of specs.
func Commands(specs []slashcommand.Spec) string {
	p := newPage("Slash commands", "What people type in the page, in the terminal and on platforms. `/help` lists them in the person's language. "+
		"How they are read: [slash commands](../concepts/queue.md#slash-commands). The terminal has [some of its own](../guide/terminal.md#commands-of-the-terminal).")
	var groups []string
	for _, s := range specs {
		if !slices.Contains(groups, s.Group) {
			groups = append(groups, s.Group)
		}
	}
	for _, group := range groups {
		p.section(2, i18n.GroupName(i18n.English, group))
		var rows [][]string
		for _, s := range specs {
			if s.Group == group {
				rows = append(rows, []string{quoted(s.Line()), i18n.Say(i18n.English, s.Help), strings.Join(notes(s), "; ")})
			}
		}
		p.table([]string{"command", "what it does", "notes"}, rows)
	}
	return p.String()
}

func notes(s slashcommand.Spec) []string {
	var out []string
	if len(s.Aliases) > 0 {
		out = append(out, "also `/"+strings.Join(s.Aliases, "`, `/")+"`")
	}
	switch s.Who {
	case slashcommand.Owner:
		out = append(out, "for the conversation's own person and administrators")
	case slashcommand.Admin:
		out = append(out, "for administrators")
	}
	if s.When == slashcommand.InTurn {
		out = append(out, "waits for its place in the queue")
	}
	if s.Inline {
		out = append(out, "works inside a message, too")
	}
	return out
}

// API lists the endpoints.
func API(doc *huma.OpenAPI) string {
	p := newPage("API", "The endpoints of the server. The whole description, with every body, is at `/api/openapi.json` of a running server and in "+
		"[web/api/openapi.json](../../web/api/openapi.json). How a program signs in and follows a conversation: [over HTTP](../guide/http.md).")
	p.line("")
	var rows [][]string
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		for _, m := range []struct {
			method string
			op     *huma.Operation
		}{{"GET", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch}, {"DELETE", item.Delete}} {
			if m.op != nil {
				rows = append(rows, []string{quoted(m.method + " " + path), m.op.Summary, m.op.Description})
			}
		}
	}
	p.table([]string{"endpoint", "what it does", "notes"}, rows)
	return p.String()
}

// Hooks shows the payload of each event, and what an answer to it can do.
func Hooks() string {
	p := newPage("Payloads of hooks", "What a [hook](../operate/hooks.md) is told, as JSON, and what its answer can do. Members that are empty are left out. "+
		"`xbot hooks test EVENT` sends these samples to your hooks.")
	for _, e := range hook.Events() {
		p.section(2, string(e))
		subject := "Matchers do not apply."
		if e.Subject() != "" {
			subject = "Matchers are compared with `" + e.Subject() + "`."
		}
		p.line("%s %s\n", subject, answers(e))
		sample, err := json.MarshalIndent(hook.Sample(e, "Shell", `{"command": "ls"}`), "", "  ")
		if err != nil {
			panic(err) // made of texts and numbers
		}
		p.block("json", string(sample))
	}
	return p.String()
}

func answers(e hook.Event) string {
	var can []string
	if e.Denies() {
		can = append(can, "deny")
	}
	if e.Rules() {
		can = append(can, "ask", "defer", "change the arguments (`updatedInput`)")
	}
	if e.AddsContext() {
		can = append(can, "add context for the model")
	}
	if len(can) == 0 {
		return "An answer decides nothing."
	}
	text := "An answer can " + strings.Join(can, ", ") + "."
	if e.Closed() {
		text += " A hook that fails refuses the call."
	}
	return text
}
