package ingress

import (
	"context"
	"strings"

	"xbot/internal/i18n"
)

// ResetCommands returns the commands that begin a conversation anew: /new, also called /clear, whose first word may be a
// model, and about which it asks if it may be several, and /reset. What else stands behind them is the first message of the new conversation. Without models every word
// is text.
func ResetCommands(models Models) []Command {
	return []Command{
		{
			Name: "new", Aliases: []string{"clear"}, Usage: "[MODEL] [TEXT…]", Help: i18n.HelpNew, Group: GroupConversation, Queued: true,
			Split: func(ctx context.Context, args string) (own, text string) {
				word, rest := firstWord(args)
				if models == nil || word == "" {
					return "", args
				}
				id, ok := models.Resolve(ctx, word)
				if !ok {
					return "", args
				}
				return id, rest
			},
			Asks: func(ctx context.Context, lang i18n.Lang, args string) string {
				word, _ := firstWord(args)
				if models == nil || word == "" {
					return ""
				}
				found := models.Candidates(ctx, word)
				if len(found) < 2 {
					return ""
				}
				return i18n.Say(lang, i18n.NewAmbiguous, word, among(found))
			},
		},
		{
			Name: "reset", Usage: "[TEXT…]", Help: i18n.HelpReset, Group: GroupConversation, Queued: true,
			Split: func(_ context.Context, args string) (own, text string) { return "", args },
		},
	}
}

// maxAsked is how many models a question names.
const maxAsked = 20

// among names models, the first ones of many.
func among(ids []string) string {
	more := ""
	if len(ids) > maxAsked {
		ids, more = ids[:maxAsked], " …"
	}
	return "`" + strings.Join(ids, "`, `") + "`" + more
}

// firstWord cuts a text at its first white space.
func firstWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}
