package models

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/subscription"
)

// SubscriptionsBody lists subscriptions.
type SubscriptionsBody struct {
	Subscriptions []chat.Subscription `json:"subscriptions" doc:"Your entries; for administrators, preceded by those of the installation."`
}

// SubscriptionDraft is the definition of a subscription.
type SubscriptionDraft struct {
	Shared   bool                   `json:"shared,omitempty" doc:"Belongs to the installation and applies to all users. Administrators only."`
	Name     string                 `json:"name" maxLength:"64" doc:"1 to 32 small letters, digits, _ and -." example:"openrouter"`
	Provider string                 `json:"provider" enum:"openai,anthropic" doc:"Protocol of the provider; openai also for compatible services."`
	APIType  string                 `json:"api_type,omitempty" enum:"chat_completions,responses" default:"chat_completions"`
	BaseURL  string                 `json:"base_url,omitempty" maxLength:"512" doc:"Default: the provider's address. Subscriptions of users can only reach the public internet."`
	Key      string                 `json:"key,omitempty" maxLength:"4096" doc:"Empty: keep the stored key. It is never returned."`
	Forget   bool                   `json:"forget,omitempty" doc:"The stored key is removed."`
	Models   []chat.SubscribedModel `json:"models,omitempty" maxItems:"500"`
	Disabled bool                   `json:"disabled,omitempty" doc:"None of its models can be chosen."`
	Revision int64                  `json:"revision,omitempty" minimum:"0" doc:"Of a change: the revision that it was made from."`
}

// SubscriptionPath names the subscription of a request.
type SubscriptionPath struct {
	ID int64 `path:"id" minimum:"1"`
}

type (
	newSubscription struct{ Body SubscriptionDraft }
	changedOne      struct {
		SubscriptionPath

		Body SubscriptionDraft
	}
	subscriptionBody struct{ Body chat.Subscription }
	trial            struct {
		Body struct {
			SubscriptionDraft

			ID    int64  `json:"id,omitempty" minimum:"0" doc:"ID of a stored subscription, whose key is used if none is given; 0: none."`
			Model string `json:"model,omitempty" maxLength:"128" doc:"Which model is tried."`
		}
	}
)

// maxSubscriptionBody bounds a request with models, in bytes.
const maxSubscriptionBody = 1 << 20

func (a *Endpoints) registerSubscriptions(h huma.API) {
	const root, what = "/api/subscriptions", "Keys are never returned. In force for the next step, in every process."
	huma.Register(h, huma.Operation{OperationID: "list-subscriptions", Method: http.MethodGet, Path: root, Summary: "List model accounts", Security: endpoint.Secured}, a.list)
	huma.Register(h, huma.Operation{
		OperationID: "create-subscription", Method: http.MethodPost, Path: root, Summary: "Add an account at a provider",
		Description: what, DefaultStatus: http.StatusCreated, Security: endpoint.Secured, MaxBodyBytes: maxSubscriptionBody,
	}, a.create)
	huma.Register(h, huma.Operation{
		OperationID: "set-subscription", Method: http.MethodPut, Path: root + "/{id}", Summary: "Update an account at a provider",
		Description: "409: the account was changed in the meantime. A changed address requires the key again. " + what, Security: endpoint.Secured, MaxBodyBytes: maxSubscriptionBody,
	}, a.change)
	huma.Register(h, huma.Operation{
		OperationID: "delete-subscription", Method: http.MethodDelete, Path: root + "/{id}", Summary: "Remove an account at a provider and its key", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, a.remove)
	huma.Register(h, huma.Operation{
		OperationID: "try-subscription", Method: http.MethodPost, Path: root + "/try", Summary: "Test an account with one short call",
		Description: "Nothing is stored. The request takes up to a minute; the result has the problem.", Security: endpoint.Secured, MaxBodyBytes: maxSubscriptionBody,
	}, a.try)
	huma.Register(h, huma.Operation{
		OperationID: "list-offered-models", Method: http.MethodPost, Path: root + "/offered", Summary: "List the models of a provider",
		Description: "Nothing is stored.", Security: endpoint.Secured, MaxBodyBytes: maxSubscriptionBody,
	}, a.offered)
}

func (a *Endpoints) list(ctx context.Context, _ *struct{}) (*struct{ Body SubscriptionsBody }, error) {
	u := auth.User(ctx)
	all, err := a.Subscriptions.List(ctx, u.ID, u.Admin)
	return &struct{ Body SubscriptionsBody }{SubscriptionsBody{all}}, a.Problem(err)
}

func (a *Endpoints) create(ctx context.Context, in *newSubscription) (*subscriptionBody, error) {
	return a.save(ctx, in.Body, 0)
}

func (a *Endpoints) change(ctx context.Context, in *changedOne) (*subscriptionBody, error) {
	return a.save(ctx, in.Body, in.ID)
}

func (a *Endpoints) save(ctx context.Context, body SubscriptionDraft, id int64) (*subscriptionBody, error) {
	d, err := a.draft(ctx, body, id)
	if err != nil {
		return nil, err
	}
	saved, err := a.Subscriptions.Save(ctx, d, auth.User(ctx).ID)
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Log.Info("subscription saved", "subscription", saved, "name", d.Name, "shared", body.Shared, "by", auth.User(ctx).Name)
	all, err := a.Subscriptions.List(ctx, auth.User(ctx).ID, true)
	if err != nil {
		return nil, a.Problem(err)
	}
	for _, one := range all {
		if one.ID == saved {
			return &subscriptionBody{one}, nil
		}
	}
	return nil, a.Problem(fault.Errorf(fault.Conflict, "the subscription was removed at this moment"))
}

// draft returns the draft of a subscription of its owner: the installation only for administrators.
func (a *Endpoints) draft(ctx context.Context, body SubscriptionDraft, id int64) (subscription.Draft, error) {
	owner := auth.User(ctx).ID
	if body.Shared {
		if err := a.AdminOnly(ctx); err != nil {
			return subscription.Draft{}, err
		}
		owner = 0
	}
	return subscription.Draft{Key: body.Key, Forget: body.Forget, Subscription: chat.Subscription{
		ID: id, User: owner, Name: body.Name, Provider: body.Provider, APIType: body.APIType, BaseURL: body.BaseURL, Models: body.Models,
		Enabled: !body.Disabled, Revision: body.Revision,
	}}, nil
}

// remove removes one of the user's own; an administrator's request may be about one of the installation.
func (a *Endpoints) remove(ctx context.Context, in *SubscriptionPath) (*struct{}, error) {
	u := auth.User(ctx)
	err := a.Subscriptions.Remove(ctx, u.ID, in.ID)
	if fault.Is(err, fault.NotFound) && u.Admin {
		err = a.Subscriptions.Remove(ctx, 0, in.ID)
	}
	if err == nil {
		a.Log.Info("subscription removed", "subscription", in.ID, "by", u.Name)
	}
	return nil, a.Problem(err)
}

func (a *Endpoints) try(ctx context.Context, in *trial) (*struct{ Body subscription.Tried }, error) {
	d, err := a.draft(ctx, in.Body.SubscriptionDraft, in.Body.ID)
	if err != nil {
		return nil, err
	}
	out, err := a.Subscriptions.Try(ctx, d, in.Body.Model)
	return &struct{ Body subscription.Tried }{out}, a.Problem(err)
}

func (a *Endpoints) offered(ctx context.Context, in *trial) (*struct{ Body subscription.Offered }, error) {
	d, err := a.draft(ctx, in.Body.SubscriptionDraft, in.Body.ID)
	if err != nil {
		return nil, err
	}
	out, err := a.Subscriptions.Offered(ctx, d)
	return &struct{ Body subscription.Offered }{out}, a.Problem(err)
}
