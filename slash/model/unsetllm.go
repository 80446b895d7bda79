package model

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// UnsetLLM is /unset-llm: it removes a subscription of a user, with its key.
type UnsetLLM struct{ Accounts Changer }

var _ slashcommand.Runner = UnsetLLM{}

// Spec describes the command.
func (UnsetLLM) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "unset-llm", Usage: "NAME", Help: i18n.HelpUnsetLLM, Group: slashcommand.GroupModel, Whole: true}
}

// Run removes it. One that is gone already is no error.
func (c UnsetLLM) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	name := strings.TrimSpace(args)
	if name == "" {
		return "", i18n.Fault(fault.Invalid, i18n.LLMUnsetUsage)
	}
	s, ok, err := named(ctx, c.Accounts, in.User, name)
	if err != nil {
		return "", err
	}
	if ok {
		err = c.Accounts.Remove(ctx, in.User, s.ID)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.LLMRemoved, chat.FirstWords(name, maxName)), nil
}
