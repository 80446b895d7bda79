package ingress

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/markdown"
	"xbot/internal/prompt"
	"xbot/internal/store"
)

// maxShownPrompt is how much of a prompt /prompt shows, in characters: its answer is kept in the transcript.
const maxShownPrompt = 20_000

// PromptViewer shows prompts without a call of a model.
type PromptViewer interface {
	Look(ctx context.Context, key chat.SessionKey, text string, at time.Time) (prompt.Look, error)
}

// Tastes keeps what people chose for themselves.
type Tastes interface {
	UserSetting(ctx context.Context, user chat.UserID, key store.UserSetting) (string, error)
	SetUserSetting(ctx context.Context, user chat.UserID, key store.UserSetting, value string) error
}

// PromptCommands returns /prompt, which shows what a model would be told, and /language, which is a part of it.
func PromptCommands(viewer PromptViewer, tastes Tastes) []Command {
	return []Command{
		{Name: "prompt", Usage: "[MESSAGE]", Help: i18n.HelpPrompt, Group: GroupContext, Who: Owner, Run: func(ctx context.Context, in Inbound, args string) (string, error) {
			look, err := viewer.Look(ctx, in.Session, args, time.Now())
			if err != nil {
				return "", err
			}
			return sayPrompt(look, in.Lang), nil
		}},
		{Name: "language", Usage: "[zh|en|LANGUAGE|auto]", Help: i18n.HelpLanguage, Group: GroupYou, Run: func(ctx context.Context, in Inbound, args string) (string, error) {
			return language(ctx, tastes, in, args)
		}},
	}
}

func sayPrompt(l prompt.Look, lang i18n.Lang) string {
	var b strings.Builder
	tools, bytes := 0, 0
	for _, t := range l.Tools {
		tools, bytes = tools+t.Tokens, bytes+t.Bytes
	}
	b.WriteString(i18n.Say(lang, i18n.PromptSize, l.Tokens))
	fmt.Fprintf(&b, "\n\n| %s |\n|---|--:|--:|\n", i18n.Say(lang, i18n.PromptHeads))
	for _, p := range l.Parts {
		held := ""
		if p.Held {
			held = " (" + i18n.Say(lang, i18n.PromptHeld) + ")"
		}
		b.WriteString(row("`"+p.Name+"`"+held, p.Bytes, p.Tokens) + "\n")
	}
	b.WriteString(row(i18n.Say(lang, i18n.PromptTools, len(l.Tools)), bytes, tools) + "\n")
	for _, note := range l.Notes {
		b.WriteString("\n* " + i18n.Explain(lang, note))
	}
	if len(l.Notes) > 0 {
		b.WriteString("\n")
	}
	text := l.System
	if l.UserMessage != "" {
		text += "\n\n---\n\n" + l.UserMessage
	}
	b.WriteString("\n" + markdown.Fenced(text))
	return b.String()
}

func language(ctx context.Context, tastes Tastes, in Inbound, args string) (string, error) {
	lang := in.Lang
	switch strings.ToLower(args) {
	case "":
		chosen, err := tastes.UserSetting(ctx, in.User, store.Language)
		if err != nil {
			return "", err
		}
		if chosen == "" {
			return i18n.Say(lang, i18n.LanguageAuto), nil
		}
		return i18n.Say(lang, i18n.LanguageIs, i18n.LanguageName(lang, prompt.LanguageName(chosen))), nil
	case "auto", "default":
		return i18n.Say(lang, i18n.LanguageAuto), tastes.SetUserSetting(ctx, in.User, store.Language, "")
	}
	name := prompt.LanguageName(args)
	if name == "" {
		return "", i18n.Fault(fault.Invalid, i18n.LanguageUsage)
	}
	lang = i18n.For(args, "", "")
	return i18n.Say(lang, i18n.LanguageIs, i18n.LanguageName(lang, name)), tastes.SetUserSetting(ctx, in.User, store.Language, args)
}
