// Package admin has the slash commands for administrators.
package admin

import (
	"context"
	"encoding/json"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/settings"
)

// Documents keeps the versions of the policy document.
type Documents interface {
	PolicyAfter(ctx context.Context, version int64) (newest int64, body []byte, err error)
	ReplacePolicy(ctx context.Context, change settings.PolicyChange) (version int64, err error)
}

// Config is /config: a look at the policy document, and a change of one place in it. The changed document is checked as a
// whole, and becomes a new version that names its author.
type Config struct{ Documents Documents }

var _ slashcommand.Runner = Config{}

// Spec describes the command.
func (Config) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "config", Usage: "get [PATH]|set PATH VALUE|unset PATH", Help: i18n.HelpConfig, Group: slashcommand.GroupServer, Who: slashcommand.Admin}
}

// Run shows a place or changes it.
func (c Config) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	place, value, ok := command.Place(strings.TrimSpace(rest))
	usage := i18n.Fault(fault.Invalid, i18n.ConfigUsage)
	if !ok {
		return "", usage
	}
	from, body, err := c.Documents.PolicyAfter(ctx, 0)
	if err != nil {
		return "", err
	}
	p, _, err := policy.Parse(body)
	if err != nil {
		return "", err
	}
	var tree any
	if err := json.Unmarshal(p.JSON(), &tree); err != nil {
		return "", err
	}
	switch {
	case (verb == "get" || verb == "") && value == "":
		return configGet(tree, place, in.Lang)
	case verb == "set" && len(place) > 0 && value != "":
		tree, err = command.Put(tree, place, command.Value(value))
	case verb == "unset" && len(place) > 0 && value == "":
		tree, err = command.Take(tree, place)
	default:
		return "", usage
	}
	if err != nil {
		return "", err
	}
	return configSet(ctx, c.Documents, in, p, tree, from)
}

func configGet(tree any, place []string, lang i18n.Lang) (string, error) {
	found, ok := command.At(tree, place)
	if !ok {
		return i18n.Say(lang, i18n.ConfigUnset, strings.Join(place, ".")), nil
	}
	text, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return "", err
	}
	return markdown.FencedAs("json", string(text)), nil
}

// configSet checks the whole document and stores it as a new version.
func configSet(ctx context.Context, documents Documents, in slashcommand.Request, before *policy.Policy, tree any, from int64) (string, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return "", err
	}
	p, _, err := policy.Parse(text)
	if err != nil {
		return "", i18n.Fault(fault.KindOf(err), i18n.ConfigWrong, "* "+strings.Join(policy.FaultsOf(err), "\n* "))
	}
	if string(p.JSON()) == string(before.JSON()) {
		return i18n.Say(in.Lang, i18n.ConfigSame), nil
	}
	version, err := documents.ReplacePolicy(ctx, settings.PolicyChange{By: in.User, Body: p.JSON(), From: from})
	if fault.Is(err, fault.Invalid) {
		return "", i18n.Fault(fault.Invalid, i18n.ConfigWrong, "* "+strings.Join(policy.FaultsOf(err), "\n* "))
	}
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.ConfigSet, version), nil
}
