package account

import (
	"context"
	"strings"

	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Triggers manages the webhooks of users.
type Triggers interface {
	List(ctx context.Context, user chat.UserID) ([]chat.Trigger, error)
	Add(ctx context.Context, user chat.UserID, d chat.TriggerDraft, key string) (trigger.Made, error)
	Enable(ctx context.Context, user chat.UserID, name string, on bool) (chat.Trigger, error)
	Remove(ctx context.Context, user chat.UserID, name string) (chat.Trigger, error)
}

// Trigger is /trigger: the addresses at which other programs call a user's conversations.
type Trigger struct{ Triggers Triggers }

var _ slashcommand.Runner = Trigger{}

// Spec describes the command.
func (Trigger) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "trigger", Aliases: []string{"triggers"}, Usage: "[list|add NAME|add NAME github|add NAME gitlab|enable NAME|disable NAME|remove NAME]",
		Help: i18n.HelpTrigger, Group: slashcommand.GroupYou, Who: slashcommand.Owner, Whole: true,
	}
}

// Run runs the subcommand of the first word.
func (t Trigger) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	verb, name, _ := strings.Cut(strings.TrimSpace(args), " ")
	name = strings.TrimSpace(name)
	switch {
	case verb == "" || verb == "list":
		return t.list(ctx, in)
	case name == "":
	case verb == "add":
		return t.add(ctx, in, name)
	case verb == "enable", verb == "disable":
		done, err := t.Triggers.Enable(ctx, in.User, name, verb == "enable")
		if err != nil {
			return "", err
		}
		say := i18n.TriggerDisabled
		if verb == "enable" {
			say = i18n.TriggerEnabled
		}
		return i18n.Say(in.Lang, say, done.Name), nil
	case verb == "remove":
		gone, err := t.Triggers.Remove(ctx, in.User, name)
		if err != nil {
			return "", err
		}
		return i18n.Say(in.Lang, i18n.TriggerRemoved, gone.Name), nil
	}
	return "", i18n.Fault(fault.Invalid, i18n.TriggerUsage)
}

// add makes a trigger that calls the conversation. It does not show the secret: a transcript is kept, and a secret does not
// belong into it. A second run after a crash finds the trigger of the first one.
func (t Trigger) add(ctx context.Context, in slashcommand.Request, name string) (string, error) {
	source := chat.TriggerGeneric
	if words := strings.Fields(name); len(words) > 1 {
		switch last := chat.TriggerSource(words[len(words)-1]); last {
		case chat.TriggerGitHub, chat.TriggerGitLab, chat.TriggerGeneric:
			source, name = last, strings.Join(words[:len(words)-1], " ")
		}
	}
	made, err := t.Triggers.Add(ctx, in.User, chat.TriggerDraft{Name: name, Source: source, Session: in.Session}, "/trigger "+in.PlatformID)
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.TriggerMade, made.Trigger.Name, made.Trigger.URL, string(made.Trigger.Source)), nil
}

func (t Trigger) list(ctx context.Context, in slashcommand.Request) (string, error) {
	all, err := t.Triggers.List(ctx, in.User)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return i18n.Say(in.Lang, i18n.TriggerNone), nil
	}
	lines := make([]string, len(all))
	for i, one := range all {
		state := i18n.TriggerOn
		if one.Off {
			state = i18n.TriggerOff
		}
		lines[i] = "* " + i18n.Say(in.Lang, i18n.TriggerLine, one.Name, string(one.Source), i18n.Say(in.Lang, state), one.Fires, one.URL)
		if one.Refused != "" {
			lines[i] += "\n  " + i18n.Say(in.Lang, i18n.TriggerRefused, one.Refused)
		}
	}
	return strings.Join(lines, "\n"), nil
}
