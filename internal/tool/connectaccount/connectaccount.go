// Package connectaccount holds the tool with which a model asks its user to connect an account that they have elsewhere. The question is part of the
// call's row and the waiting is the turn's, as with AskUser; the call is answered by the transaction that stores the account.
package connectaccount

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
)

//go:embed connectaccount.md
var doc string

// Accounts are the connected accounts of users. Owner returns the owner of a conversation. It returns Invalid if no user who can have accounts owns it.
type Accounts interface {
	Owner(ctx context.Context, key chat.SessionKey) (chat.UserID, error)
	Provider(ctx context.Context, user chat.UserID, id string) (chat.OAuthProvider, error)
	Account(ctx context.Context, user chat.UserID, provider string) (found chat.OAuthAccount, ok bool, err error)
}

type params struct {
	Provider string   `json:"provider" jsonschema:"id of the service, such as github"`
	Reason   string   `json:"reason" jsonschema:"what it is for, for the user"`
	Scopes   []string `json:"scopes,omitempty" jsonschema:"beside those that are always asked for"`
}

type handler struct{ accounts Accounts }

// New returns the tool oauth_authorize.
func New(accounts Accounts) tool.Tool {
	return tool.Define("oauth_authorize", chat.ClassRead, doc, handler{accounts}, tool.Optional("settings"))
}

func (handler) Summary(p params) string { return strings.TrimSpace(p.Provider + " " + p.Reason) }

// QuestionsIn returns the question for the user; none where the account is connected, or cannot be.
func (h handler) QuestionsIn(ctx context.Context, in chat.SessionKey, p params) ([]chat.Inquiry, error) {
	at, err := h.look(ctx, in, p)
	if err != nil || at.connected() {
		return nil, err
	}
	return question.Check([]chat.Inquiry{{
		Text:    i18n.Say(i18n.Of(p.Reason), i18n.OAuthAsk, at.provider.Name, tool.OneLine(p.Reason, maxReason)),
		Connect: &chat.AccountAsk{Provider: at.provider.ID, Name: at.provider.Name, Scopes: at.wanted},
	}})
}

// maxReason bounds the reason in the question, in characters.
const maxReason = 500

// accountState is the state of a user's account at a provider.
type accountState struct {
	provider chat.OAuthProvider
	wanted   []string
	account  chat.OAuthAccount
	has      bool
}

// connected reports whether there is an account that works, for which all that is wanted was asked for. The granted scopes are unreliable:
// providers have other names for their scopes, leave some out and fold some into others.
func (s accountState) connected() bool {
	return s.has && s.account.Problem == "" && len(oauth.Lacking(s.account.Asked, s.wanted)) == 0
}

func (h handler) look(ctx context.Context, in chat.SessionKey, p params) (s accountState, err error) {
	user, err := h.accounts.Owner(ctx, in)
	if err != nil {
		return s, err
	}
	if s.provider, err = h.accounts.Provider(ctx, user, strings.ToLower(strings.TrimSpace(p.Provider))); err != nil {
		return s, err
	}
	allowed := slices.Concat(s.provider.Scopes, s.provider.MoreScopes)
	if extra := oauth.Lacking(allowed, p.Scopes); len(extra) > 0 {
		return s, fault.Errorf(fault.Invalid, "%s may not be asked for at %s; these may: %s", tool.OneLine(strings.Join(extra, ", "), 200), s.provider.Name, strings.Join(allowed, ", "))
	}
	s.wanted = slices.Clone(s.provider.Scopes)
	s.wanted = append(s.wanted, oauth.Lacking(s.wanted, p.Scopes)...)
	s.account, s.has, err = h.accounts.Account(ctx, user, s.provider.ID)
	return s, err
}

// Run returns which account is connected. The row of the account decides, not the answer to the question.
func (h handler) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	s, err := h.look(ctx, call.Session, p)
	switch {
	case err != nil:
		return tool.FromError(err)
	case !s.has:
		return tool.Fail("no account is connected at %s, and nobody was asked; call this again", s.provider.Name), nil
	case s.account.Problem != "":
		return tool.Fail("the account at %s must be connected again: %s; call this again", s.provider.Name, s.account.Problem), nil
	}
	text := question.ConnectedAs(i18n.English, s.provider.Name, s.account.Label)
	if len(s.account.Scopes) > 0 {
		text += "\nscopes: " + strings.Join(s.account.Scopes, " ")
	}
	if lacking := oauth.Lacking(s.account.Asked, s.wanted); len(lacking) > 0 {
		text += "\nnot asked for: " + strings.Join(lacking, " ")
	} else if len(oauth.Lacking(s.account.Scopes, s.wanted)) > 0 {
		text += "\nasked for: " + strings.Join(s.wanted, " ") + " (the provider may call them otherwise, or the user may have refused some)"
	}
	return tool.Text(text), nil
}
