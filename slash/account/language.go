// Package account has the slash commands for users' own data: language, profile, memory, linked accounts.
package account

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/settings"
)

// Settings is the store of the preferences of users.
type Settings interface {
	UserSetting(ctx context.Context, user chat.UserID, key settings.UserSetting) (string, error)
	SetUserSetting(ctx context.Context, user chat.UserID, key settings.UserSetting, value string) error
}

// Language is /language: the language of answers to a user. It is a part of the prompt.
type Language struct{ Settings Settings }

var _ slashcommand.Runner = Language{}

// Spec describes the command.
func (Language) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "language", Usage: "[zh|en|LANGUAGE|auto]", Help: i18n.HelpLanguage, Group: slashcommand.GroupYou}
}

// Run shows or chooses the language.
func (l Language) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	lang := in.Lang
	switch strings.ToLower(args) {
	case "":
		chosen, err := l.Settings.UserSetting(ctx, in.User, settings.Language)
		if err != nil {
			return "", err
		}
		if chosen == "" {
			return i18n.Say(lang, i18n.LanguageAuto), nil
		}
		return i18n.Say(lang, i18n.LanguageIs, i18n.LanguageName(lang, prompt.LanguageName(chosen))), nil
	case "auto", "default":
		return i18n.Say(lang, i18n.LanguageAuto), l.Settings.SetUserSetting(ctx, in.User, settings.Language, "")
	}
	name := prompt.LanguageName(args)
	if name == "" {
		return "", i18n.Fault(fault.Invalid, i18n.LanguageUsage)
	}
	lang = i18n.Chosen(args)
	return i18n.Say(lang, i18n.LanguageIs, i18n.LanguageName(lang, name)), l.Settings.SetUserSetting(ctx, in.User, settings.Language, args)
}
