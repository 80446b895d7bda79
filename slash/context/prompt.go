package context

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/slashcommand"
)

// PromptViewer shows prompts without a call of a model.
type PromptViewer interface {
	Preview(ctx context.Context, key chat.SessionKey, text string, at time.Time) (prompt.Preview, error)
}

// Prompt is /prompt: the prompt that a model would get.
type Prompt struct{ Viewer PromptViewer }

var _ slashcommand.Runner = Prompt{}

// Spec describes the command.
func (Prompt) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "prompt", Usage: "[MESSAGE]", Help: i18n.HelpPrompt, Group: slashcommand.GroupContext, Who: slashcommand.Owner}
}

// Run shows it.
func (p Prompt) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	preview, err := p.Viewer.Preview(ctx, in.Session, args, time.Now())
	if err != nil {
		return "", err
	}
	return sayPrompt(preview, in.Lang), nil
}

func sayPrompt(l prompt.Preview, lang i18n.Lang) string {
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
