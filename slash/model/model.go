// Package model has the slash commands that choose the model and its settings.
package model

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Known resolves and lists models.
type Known interface {
	// Resolve returns the id of the model that a word means; an error of kind Invalid lists what it may mean.
	Resolve(ctx context.Context, key chat.SessionKey, word string) (id string, err error)
	List(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error)
	Status(ctx context.Context, key chat.SessionKey, lang i18n.Lang) (string, error)
}

// Chooser sets the models of conversations, and answers commands of turns.
type Chooser interface {
	ChooseModel(ctx context.Context, turn chat.TurnID, model, say string) error
	AnswerTurnCommand(ctx context.Context, turn chat.TurnID, text string) error
}

// Model is /model: the model of the conversation from the next turn on.
type Model struct {
	Known    Known
	Sessions Chooser
}

var _ slashcommand.TurnRunner = Model{}

// Spec describes the command.
func (Model) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "model", Usage: "[NAME|list|status|default]", Help: i18n.HelpModel, Group: slashcommand.GroupModel, Who: slashcommand.Owner, When: slashcommand.InTurn}
}

// RunInTurn shows or chooses the model.
func (m Model) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	lang := i18n.Lang(o.Lang)
	var said string
	var err error
	switch strings.ToLower(args) {
	case "", "status":
		said, err = m.Known.Status(ctx, o.Session, lang)
	case "list":
		said, err = m.Known.List(ctx, o.Session, lang)
	case "default":
		return m.Sessions.ChooseModel(ctx, o.Turn, "", i18n.Say(lang, i18n.ModelDefault))
	default:
		return m.choose(ctx, o, args)
	}
	if err != nil {
		return err
	}
	return m.Sessions.AnswerTurnCommand(ctx, o.Turn, said)
}

func (m Model) choose(ctx context.Context, o chat.TurnCommand, word string) error {
	id, err := m.Known.Resolve(ctx, o.Session, word)
	if err != nil {
		return err
	}
	return m.Sessions.ChooseModel(ctx, o.Turn, id, i18n.Say(i18n.Lang(o.Lang), i18n.ModelChosen, id))
}
