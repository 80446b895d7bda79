package conversation

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/turn/slashcommand"
)

// Models say which words mean a model.
type Models interface {
	Resolve(ctx context.Context, user chat.UserID, word string) (id string, ok bool)
	// Candidates returns the models that a word may mean.
	Candidates(ctx context.Context, user chat.UserID, word string) []string
	// Named returns the models of which a word is a whole name.
	Named(ctx context.Context, user chat.UserID, word string) []string
}

// Answering finds the model that answers in a conversation.
type Answering interface {
	For(ctx context.Context, key chat.SessionKey) (llm.Client, error)
}

// Resetter resets conversations.
type Resetter interface {
	ResetSession(ctx context.Context, turn chat.TurnID, reason, model, say string) error
}

// New is /new: it resets the conversation. Its first word may be a model, and it asks if that may be several; the rest is
// the first message of the new conversation.
type New struct {
	Models    Models // nil: every word is text
	Answering Answering
	Sessions  Resetter
}

var (
	_ slashcommand.TurnRunner = New{}
	_ slashcommand.Splitter   = New{}
	_ slashcommand.Asker      = New{}
)

// Spec describes the command.
func (New) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "new", Aliases: []string{"clear"}, Usage: "[MODEL] [TEXT…]", Help: i18n.HelpNew, Group: slashcommand.GroupConversation, Who: slashcommand.Resetter, Explained: true, When: slashcommand.InTurn}
}

// Split takes a model off the message. Where a message follows, only a whole name of a model is one: "/new code review" is a message.
func (n New) Split(ctx context.Context, user chat.UserID, args string) (own, text string) {
	word, rest := slashcommand.FirstWord(args)
	if n.Models == nil || word == "" {
		return "", args
	}
	if rest != "" {
		if named := n.Models.Named(ctx, user, word); len(named) == 1 {
			return named[0], rest
		}
		return "", args
	}
	id, ok := n.Models.Resolve(ctx, user, word)
	if !ok {
		return "", args
	}
	return id, rest
}

// Ask asks which of several models is meant.
func (n New) Ask(ctx context.Context, user chat.UserID, lang i18n.Lang, args string) string {
	word, rest := slashcommand.FirstWord(args)
	if n.Models == nil || word == "" {
		return ""
	}
	found := n.Models.Candidates(ctx, user, word)
	if rest != "" {
		found = n.Models.Named(ctx, user, word)
	}
	if len(found) < 2 {
		return ""
	}
	return i18n.Say(lang, i18n.NewAmbiguous, word, among(found))
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

// RunInTurn resets the conversation, with the model that the command names, if it names one.
func (n New) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	model, _, _ := strings.Cut(args, " ")
	return begin(ctx, n.Sessions, n.Answering, o, model)
}

// begin resets a conversation. The answer greets the user and names the model; none is called for it.
func begin(ctx context.Context, sessions Resetter, answering Answering, o chat.TurnCommand, model string) error {
	answers := model
	if answers == "" {
		client, err := answering.For(ctx, o.Session)
		if err != nil {
			return err
		}
		answers = client.Model()
	}
	return sessions.ResetSession(ctx, o.Turn, chat.ResetNew, model, i18n.Say(i18n.Lang(o.Lang), i18n.ResetGreet, answers))
}
