package conversation

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/slashcommand"
)

// Permissions is /permissions: what tools may do in a conversation.
type Permissions struct {
	Conversations Conversations
	Permissions   PermissionsStore
	Authorizers   permission.Authorizers
}

var _ slashcommand.Runner = Permissions{}

// Spec describes the command.
func (Permissions) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "permissions", Usage: "[read_only|ask|auto|default]", Help: i18n.HelpPermissions, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run sets or shows the preset.
func (p Permissions) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	preset := chat.Preset(strings.ReplaceAll(strings.ToLower(args), "-", "_"))
	switch {
	case preset == "":
	case preset == "default" || slices.Contains(chat.Presets, preset):
		if preset == "default" {
			preset = ""
		}
		if err := p.Conversations.Override(ctx, in.Session, conversation.Overrides{Preset: new(string(preset))}); err != nil {
			return "", err
		}
	default:
		return "", i18n.Fault(fault.Invalid, i18n.PermissionsUsage)
	}
	return p.status(ctx, in)
}

// status names the preset in force, who chose it, and the rules that come before it.
func (p Permissions) status(ctx context.Context, in slashcommand.Request) (string, error) {
	permits, err := p.Permissions.UserPermissions(ctx, in.Session)
	if err != nil {
		return "", err
	}
	installation, err := p.Authorizers.At(ctx, permits.At)
	if err != nil {
		return "", err
	}
	say := i18n.PresetFollows
	if permits.Here != "" || installation.Scene != "" {
		say = i18n.PresetHere
	}
	preset := installation.InForce(permits)
	lines := []string{i18n.Say(in.Lang, say, preset, i18n.Say(in.Lang, presetTexts[preset]))}
	for _, r := range permits.Rules {
		line := "- " + string(r.Rule) + " " + r.Tool
		if r.Pattern != "" {
			line += " " + markdown.Line(r.Pattern)
		}
		lines = append(lines, line)
	}
	if len(lines) > 1 {
		lines = slices.Insert(lines, 1, "", i18n.Say(in.Lang, i18n.PermissionsRules))
	}
	return strings.Join(lines, "\n"), nil
}

var presetTexts = map[chat.Preset]i18n.ID{
	chat.PresetReadOnly: i18n.PresetReadOnly, chat.PresetAsk: i18n.PresetAsk, chat.PresetAuto: i18n.PresetAuto,
}
