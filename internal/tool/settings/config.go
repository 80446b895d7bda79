// Package settings holds the tool with which a model shows and changes what its user may change.
package settings

import (
	"context"
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
	"xbot/internal/turn/slashcommand"
)

//go:embed config.md
var doc string

// Commands are the slash commands behind the tool: a model may not do for a user what the user may not do by them.
type Commands struct {
	Own    slashcommand.Runner // /settings
	Policy slashcommand.Runner // /config, for administrators
}

type params struct {
	Action string `json:"action" jsonschema:"list|get|set"`
	Name   string `json:"name,omitempty"`
	Value  string `json:"value,omitempty"`
	Reason string `json:"reason,omitempty" jsonschema:"for the user, in their language"`
}

type config struct {
	commands Commands
	people   slashcommand.People
}

// New returns the tool config. It is for conversations that one user alone reads. Each change needs approval, independent of the rules for tools,
// and is a version like one that the user made.
func New(c Commands, people slashcommand.People) tool.Tool {
	return tool.Define(chat.ConfigTool, chat.ClassIdempotent, doc, config{c, people}, tool.Inward, tool.Optional("settings"))
}

func (config) Summary(p params) string {
	return strings.Join(strings.Fields(p.Action+" "+p.Name+" "+p.Value), " ")
}

// Bounds of a change, in bytes: a user has to be able to read it.
const (
	maxName  = 200
	maxValue = 600
)

// The answers. They are in both languages, because a tool's question is written before its reader is known.
const (
	yes = "Yes · 是"
	no  = "No · 否"
)

// Questions asks before a change, and before the policy is shown, which not every token of an administrator may read. What is shown is the command.
func (c config) Questions(p params) ([]chat.Inquiry, error) {
	var text string
	lang := i18n.Of(p.Reason)
	switch _, policy := placeOf(strings.TrimSpace(p.Name)); {
	case p.Action == "set":
		change, err := c.change(p)
		if err != nil {
			return nil, err
		}
		text = i18n.Say(lang, i18n.ConfigChange, change.text)
	case p.Action == "get" && policy:
		text = i18n.Say(lang, i18n.ConfigShow, "/config "+tool.OneLine(c.look(p).args, maxName))
	default:
		return nil, nil
	}
	if reason := tool.OneLine(p.Reason, 150); reason != "" {
		text += "\n" + i18n.Say(lang, i18n.ConfigReason, reason)
	}
	return question.Check([]chat.Inquiry{{Text: text, Options: []chat.InquiryOption{{Label: yes}, {Label: no}}}})
}

// command is one to be carried out for a user.
type command struct {
	run  slashcommand.Runner
	args string
	text string // as the user would write it
}

// change returns the command that sets something.
func (c config) change(p params) (command, error) {
	name, value := strings.TrimSpace(p.Name), strings.TrimSpace(p.Value)
	switch {
	case name == "" || value == "":
		return command{}, fault.Errorf(fault.Invalid, "set needs name and value; list says what there is")
	case len(name) > maxName || len(value) > maxValue:
		return command{}, fault.Errorf(fault.Invalid, "name may have %d bytes and value %d: the user has to read them", maxName, maxValue)
	case name != tool.OneLine(name, maxName) || value != tool.OneLine(value, maxValue):
		return command{}, fault.Errorf(fault.Invalid, "name and value must be one line of characters that can be seen")
	}
	if place, ok := placeOf(name); ok {
		if place == "" {
			return command{}, fault.Errorf(fault.Invalid, "name a place in the policy, such as policy.limits")
		}
		return command{c.commands.Policy, "set " + place + " " + value, "/config set " + place + " " + value}, nil
	}
	if strings.ContainsAny(name, " \t") {
		return command{}, fault.Errorf(fault.Invalid, "there is no setting %q; list says which there are", name)
	}
	return command{c.commands.Own, name + " " + value, "/settings " + name + " " + value}, nil
}

// look returns the command that shows something.
func (c config) look(p params) command {
	name := strings.TrimSpace(p.Name)
	if place, ok := placeOf(name); ok {
		return command{run: c.commands.Policy, args: strings.TrimSpace("get " + place)}
	}
	if p.Action == "list" {
		name = ""
	}
	name, _, _ = strings.Cut(name, " ")
	return command{run: c.commands.Own, args: name}
}

// placeOf returns the place in the policy that a name means.
func placeOf(name string) (place string, ok bool) {
	if strings.EqualFold(name, "policy") {
		return "", true
	}
	head, place, dotted := strings.Cut(name, ".")
	return place, dotted && strings.EqualFold(head, "policy")
}

// Run looks, or makes a change that the user has allowed.
func (c config) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	var do command
	var err error
	switch p.Action {
	case "list", "get":
		do = c.look(p)
	case "set":
		do, err = c.change(p)
	default:
		return tool.Fail("action must be list, get or set"), nil
	}
	if err != nil {
		return tool.FromError(err)
	}
	asks, err := c.Questions(p)
	if err != nil {
		return tool.FromError(err)
	}
	if len(asks) > 0 && !allowed(call.Approval, asks[0]) {
		if call.Approval == nil {
			return tool.Fail("the user was not asked; nothing was done"), nil
		}
		return tool.Text("The user does not want that. Nothing was done."), nil
	}
	who, err := c.people.Caller(ctx, call.User, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	if !who.Direct || !who.Owner {
		return tool.Fail("settings are shown and changed where their person alone reads the conversation"), nil
	}
	if do.run == c.commands.Policy && !who.Admin {
		return tool.Fail("the policy is for administrators"), nil
	}
	said, err := do.run.Run(ctx, slashcommand.Request{Session: call.Session, User: call.User, Lang: i18n.English}, do.args)
	switch fault.KindOf(err) {
	case "":
		return tool.Text(said), nil
	case fault.Unavailable, fault.Internal:
		return chat.ToolResult{}, err
	}
	return tool.Fail("%s", i18n.Explain(i18n.English, err)), nil
}

// allowed reports whether the user approved exactly this question.
func allowed(a *chat.Approval, asked chat.Inquiry) bool {
	if a == nil || a.State != chat.ApprovalAllowed || len(a.Questions) != 1 || a.Questions[0].Text != asked.Text {
		return false
	}
	said := a.Answers[a.Questions[0].Name]
	return len(said) == 1 && said[0] == yes
}
