package feishu

import (
	"context"
	"errors"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
)

// Params are the parameters of a tool.
type Params interface {
	// Needs returns the permissions of a call.
	Needs() []Scope
	Summary() string
}

// Action calls Feishu as a user.
type Action[P Params] func(ctx context.Context, as *Person, call tool.Call, params P) (chat.ToolResult, error)

// Define makes a tool of an action. A call of a user without an account, or without a permission that the call needs, asks the user to connect
// it, waits, and continues.
func Define[P Params](s *Service, name string, class chat.ToolClass, description string, action Action[P], traits ...tool.Trait) tool.Tool {
	return tool.Define(name, class, description, acting[P]{s, class, action}, append(traits, tool.Optional(Group))...)
}

type acting[P Params] struct {
	service *Service
	class   chat.ToolClass
	action  Action[P]
}

func (a acting[P]) Summary(params P) string { return strings.TrimSpace(params.Summary()) }

// QuestionsIn asks for the account; nothing where it is connected, or cannot be.
func (a acting[P]) QuestionsIn(ctx context.Context, in chat.SessionKey, params P) ([]chat.Inquiry, error) {
	as, err := a.service.person(ctx, in)
	if err != nil {
		return nil, err
	}
	missing, err := a.missing(ctx, as, params)
	if err != nil || missing == nil {
		return nil, err
	}
	return question.Check([]chat.Inquiry{{
		Text:    i18n.Say(i18n.English, i18n.OAuthAsk, as.provider.Name, tool.OneLine(a.Summary(params), maxReason)),
		Connect: &chat.AccountAsk{Provider: as.provider.ID, Name: as.provider.Name, Scopes: missing},
	}})
}

// maxReason bounds the subject of the call in the question, in characters.
const maxReason = 200

// missing returns the scopes to connect an account with; nil: one is connected that was asked for all of them.
func (a acting[P]) missing(ctx context.Context, as *Person, params P) ([]string, error) {
	account, has, err := a.service.accounts.Account(ctx, as.user, as.provider.ID)
	if err != nil {
		return nil, err
	}
	asked := account.Asked
	if !has {
		asked = nil
	}
	more, err := lacking(as.provider, asked, params.Needs())
	if err != nil || has && account.Problem == "" && len(more) == 0 {
		return nil, err
	}
	return append(slices.Clone(as.provider.Scopes), oauth.Lacking(as.provider.Scopes, more)...), nil
}

// Run acts as the owner of the conversation.
func (a acting[P]) Run(ctx context.Context, call tool.Call, params P) (chat.ToolResult, error) {
	as, err := a.service.person(ctx, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	missing, err := a.missing(ctx, as, params)
	if err != nil {
		return tool.FromError(err)
	}
	if missing != nil {
		return tool.Fail("it needs the user's own account at %s: call oauth_authorize with provider %s and scopes %s, then try again",
			as.provider.Name, as.provider.ID, strings.Join(missing, ", ")), nil
	}
	result, err := a.action(ctx, as, call, params)
	if err == nil {
		return result, nil
	}
	return a.failed(ctx, err)
}

// failed describes the failure of a call. Whether a write without an answer was carried out is unknown.
func (a acting[P]) failed(ctx context.Context, err error) (chat.ToolResult, error) {
	lost, ok := errors.AsType[*lostError](err)
	switch {
	case ctx.Err() != nil:
		return chat.ToolResult{}, err
	case ok && a.class == chat.ClassRead:
		return tool.Fail("%s", lost), nil
	case ok:
		return tool.Fail("%s. It is not known whether this was carried out: look before you do it again", lost), nil
	case fault.Is(err, fault.RateLimited):
		return tool.Fail("%s", err), nil
	}
	return tool.FromError(err)
}
