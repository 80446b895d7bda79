package account

import (
	"context"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/preference"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// Preferences are the settings of users.
type Preferences interface {
	List(ctx context.Context, user chat.UserID, lang i18n.Lang) (list []preference.Setting, version int64, err error)
	Set(ctx context.Context, user chat.UserID, lang i18n.Lang, name, value string) (preference.Setting, error)
}

// Owners know whose conversations are.
type Owners interface {
	SessionOwner(ctx context.Context, key chat.SessionKey) (users.User, error)
}

// SettingsCommand is /settings: the settings of a user.
type SettingsCommand struct {
	Preferences Preferences
	Owners      Owners
	Base        string // address of the page
	CardChannel string // the platform on which a card shows the settings; empty: none
}

var _ slashcommand.Runner = SettingsCommand{}

// Spec describes the command.
func (SettingsCommand) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "settings", Usage: "[NAME VALUE]", Help: i18n.HelpSettings, Group: slashcommand.GroupYou}
}

// Run lists the settings of the writer, or changes one, where no other user reads the answer.
func (s SettingsCommand) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	owner, err := s.Owners.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if owner.Group || in.SharesConversation(owner.ID, owner.Group) {
		return "", i18n.Fault(fault.Denied, i18n.PreferenceNotHere)
	}
	name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(args), "set "), " ")
	if value = strings.TrimSpace(value); name == "" {
		return s.list(ctx, in)
	}
	if value == "" {
		return s.one(ctx, in, name)
	}
	set, err := s.Preferences.Set(ctx, in.User, in.Lang, name, value)
	if err != nil {
		return "", err
	}
	lang := in.Lang
	if set.Name == string(settings.Language) && set.Value != "" {
		lang = i18n.Chosen(set.Value)
		set = preference.Localize(lang, set)
	}
	return i18n.Say(lang, i18n.PreferenceIs, set.Title, markdown.Escaped(set.Shown)), nil
}

func (s SettingsCommand) list(ctx context.Context, in slashcommand.Request) (string, error) {
	if in.Channel != "" && in.Channel == s.CardChannel {
		return i18n.Row(in.Lang, i18n.Say(in.Lang, i18n.PreferenceBelow), i18n.Say(in.Lang, i18n.PreferenceHow)), nil
	}
	all, _, err := s.Preferences.List(ctx, in.User, in.Lang)
	if err != nil {
		return "", err
	}
	lines := []string{"**" + i18n.Say(in.Lang, i18n.PreferenceTitle) + "**", ""}
	for _, set := range all {
		lines = append(lines, "* "+line(set))
	}
	lines = append(lines, "", i18n.Say(in.Lang, i18n.PreferenceHow))
	if s.Base != "" {
		lines = append(lines, "", s.Base+"/settings")
	}
	return strings.Join(lines, "\n"), nil
}

// one shows a setting with its possible values.
func (s SettingsCommand) one(ctx context.Context, in slashcommand.Request, name string) (string, error) {
	all, _, err := s.Preferences.List(ctx, in.User, in.Lang)
	if err != nil {
		return "", err
	}
	for _, set := range all {
		if !preference.Means(name, set.Name) {
			continue
		}
		out := []string{line(set)}
		for _, o := range set.Options[:min(len(set.Options), shownOptions)] {
			if o.Value != "" {
				out = append(out, "* `/settings "+set.Name+" "+o.Value+"` "+markdown.Escaped(o.Title))
			}
		}
		return strings.Join(append(out, "* `/settings "+set.Name+" default`"), "\n"), nil
	}
	return "", i18n.Fault(fault.NotFound, i18n.PreferenceUnknown, chat.FirstWords(name, searchWords), strings.Join(preference.Names(), ", "))
}

// shownOptions is how many values of a setting are listed.
const shownOptions = 20

func line(s preference.Setting) string {
	return s.Title + " (`" + s.Name + "`): " + markdown.Escaped(s.Shown)
}
