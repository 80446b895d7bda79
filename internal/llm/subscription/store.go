// Package subscription stores the accounts at providers of models: those of users and the installation's, with their keys sealed. It
// tries them and asks providers which models they offer. llm/choice decides which model answers which user.
package subscription

import (
	"context"
	"net/http"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription/subscriptionstore"
	"xbot/internal/secret"
)

// Rows keep subscriptions.
type Rows interface {
	SubscriptionsVersion(ctx context.Context) (int64, error)
	Subscriptions(ctx context.Context, user chat.UserID) (list []subscriptionstore.Subscription, version int64, err error)
	Subscription(ctx context.Context, user chat.UserID, id int64) (subscriptionstore.Subscription, error)
	AddSubscription(ctx context.Context, in subscriptionstore.Subscription, by chat.UserID) (id int64, err error)
	ReplaceSubscription(ctx context.Context, in subscriptionstore.Subscription, by chat.UserID) error
	RemoveSubscription(ctx context.Context, user chat.UserID, id int64) error
}

// Store reads, tries and writes subscriptions. It is safe for concurrent use.
type Store struct {
	Rows Rows
	Key  secret.Sealer
	// Public carries the requests of users' own subscriptions, whose address they chose: it reaches the public internet alone. Those of the
	// installation, which administrators write, may lead into its network.
	Public http.RoundTripper
	Idle   time.Duration // how long a call may make no progress; 0 means the adapters' default
}

// Opened is a subscription with its key.
type Opened struct {
	chat.Subscription

	Key   string
	Fault error // why the key cannot be read
}

// Version counts the changes of all subscriptions.
func (s *Store) Version(ctx context.Context) (int64, error) { return s.Rows.SubscriptionsVersion(ctx) }

// Opened lists those of the installation and of a user, with their keys.
func (s *Store) Opened(ctx context.Context, user chat.UserID) (list []Opened, version int64, err error) {
	rows, version, err := s.Rows.Subscriptions(ctx, user)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range rows {
		list = append(list, s.open(r))
	}
	return list, version, nil
}

func (s *Store) open(r subscriptionstore.Subscription) Opened {
	o := Opened{Subscription: r.Subscription}
	o.Key, o.Fault = secret.OpenAPIKey(s.Key, r.Secrets)
	return o
}

// List returns those of a user; with shared, those of the installation before them. Keys are left out.
func (s *Store) List(ctx context.Context, user chat.UserID, shared bool) ([]chat.Subscription, error) {
	rows, _, err := s.Rows.Subscriptions(ctx, user)
	if err != nil {
		return nil, err
	}
	out := []chat.Subscription{}
	for _, r := range rows {
		if shared || !r.Shared {
			out = append(out, r.Subscription)
		}
	}
	return out, nil
}

// Config returns how to call a model of a subscription.
func (s *Store) Config(o Opened, model string) provider.Config {
	cfg := provider.Config{Provider: o.Provider, Responses: o.APIType == chat.APIResponses, BaseURL: o.BaseURL, APIKey: o.Key, Model: model, IdleTimeout: s.Idle, Verbatim: true}
	if !o.Shared {
		cfg.Transport = s.Public
	}
	return cfg
}

// Draft is a new subscription or a change of one, not yet saved.
type Draft struct {
	chat.Subscription // of a change: its id and the revision that it was made from

	Key    string // empty: the stored one stays
	Forget bool   // the stored key is removed
}

// whole returns a draft with the stored key if it has none. A changed address takes no stored key along, as the key would be sent to
// the new address.
func (s *Store) whole(ctx context.Context, d Draft) (Opened, error) {
	d.Name, d.BaseURL, d.Key = strings.ToLower(strings.TrimSpace(d.Name)), strings.TrimSpace(d.BaseURL), strings.TrimSpace(d.Key)
	d.Shared = d.User == 0
	o := Opened{Subscription: d.Subscription, Key: d.Key}
	if o.APIType == "" {
		o.APIType = chat.APIChatCompletions
	}
	if err := Check(o.Subscription); err != nil {
		return o, err
	}
	if d.ID != 0 && d.Key == "" && !d.Forget {
		was, err := s.Rows.Subscription(ctx, d.User, d.ID)
		if err != nil {
			return o, err
		}
		if err := s.keep(&o, was); err != nil {
			return o, err
		}
	}
	o.KeyHint = secret.Hint(o.Key)
	return o, s.callable(o)
}
