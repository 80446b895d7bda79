package model

import (
	"context"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/settings"
)

// Words finds the models that a word means for a user.
type Words interface {
	Resolve(ctx context.Context, user chat.UserID, word string) (id string, ok bool)
	Candidates(ctx context.Context, user chat.UserID, word string) []string
}

// Usual returns the default model of a user.
type Usual interface {
	Of(ctx context.Context, user chat.UserID) (string, error)
}

// Accounts are a user's accounts at providers.
type Accounts interface {
	List(ctx context.Context, user chat.UserID, shared bool) ([]chat.Subscription, error)
}

// Settings sets the preferences of users.
type Settings interface {
	SetUserSetting(ctx context.Context, user chat.UserID, key settings.UserSetting, value string) error
}

// LLM is /llm: the model of all of a user's conversations, and their subscriptions.
type LLM struct {
	Words    Words
	Usual    Usual
	Accounts Accounts
	Settings Settings
}

var _ slashcommand.Runner = LLM{}

// Spec describes the command.
func (LLM) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "llm", Aliases: []string{"llms", "set-model"}, Usage: "[NAME|default]", Help: i18n.HelpLLM, Group: slashcommand.GroupModel}
}

// Run shows or chooses the model.
func (l LLM) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	switch strings.ToLower(args) {
	case "", "list":
	case "default":
		if err := l.Settings.SetUserSetting(ctx, in.User, settings.Model, ""); err != nil {
			return "", err
		}
	default:
		id, ok := l.Words.Resolve(ctx, in.User, args)
		if !ok {
			return l.unclear(ctx, in, args), nil
		}
		if err := l.Settings.SetUserSetting(ctx, in.User, settings.Model, id); err != nil {
			return "", err
		}
	}
	return l.status(ctx, in)
}

// unclear returns the reply to a word that means no model, or several.
func (l LLM) unclear(ctx context.Context, in slashcommand.Request, word string) string {
	if found := l.Words.Candidates(ctx, in.User, word); len(found) > 1 {
		return i18n.Say(in.Lang, i18n.ModelAmbiguous, chat.FirstWords(word, shownWord), "`"+strings.Join(found[:min(len(found), shownModels)], "`, `")+"`")
	}
	return i18n.Say(in.Lang, i18n.LLMUnknown, chat.FirstWords(word, shownWord))
}

// Limits of a shown word, in characters, and of the number of shown models.
const (
	shownWord   = 60
	shownModels = 8
)

func (l LLM) status(ctx context.Context, in slashcommand.Request) (string, error) {
	usual, err := l.Usual.Of(ctx, in.User)
	if err != nil {
		return "", err
	}
	own, err := l.Accounts.List(ctx, in.User, false)
	if err != nil {
		return "", err
	}
	lines := []string{i18n.Say(in.Lang, i18n.LLMIs, usual), ""}
	for _, s := range own {
		lines = append(lines, "* "+Shown(in.Lang, s))
	}
	if len(own) == 0 {
		lines = append(lines, i18n.Say(in.Lang, i18n.LLMNone))
	}
	return strings.Join(append(lines, "", i18n.Say(in.Lang, i18n.LLMHowTo)), "\n"), nil
}

// Shown returns a subscription in a line: its name, where it is, the end of its key, and some of its models.
func Shown(lang i18n.Lang, s chat.Subscription) string {
	words := []string{"**" + markdown.Escaped(s.Name) + "**", s.Provider}
	if s.BaseURL != "" {
		words = append(words, markdown.Code(s.BaseURL))
	}
	if s.KeyHint != "" {
		words = append(words, i18n.Say(lang, i18n.LLMKey, s.KeyHint))
	}
	var ids []string
	for _, m := range s.Models {
		if !m.Disabled {
			ids = append(ids, markdown.Code(s.Name+"/"+m.ID))
		}
	}
	more := ""
	if len(ids) > shownModels {
		ids, more = ids[:shownModels], " …"
	}
	return strings.Join(append(words, strings.Join(ids, ", ")+more), " · ")
}
