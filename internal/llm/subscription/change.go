package subscription

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription/subscriptionstore"
	"xbot/internal/secret"
)

const unnamed = "unnamed" // placeholder for a model that is not named yet

// keep takes the stored key over.
func (s *Store) keep(o *Opened, was subscriptionstore.Subscription) error {
	if len(was.Secrets) == 0 {
		return nil
	}
	if was.BaseURL != o.BaseURL || was.Provider != o.Provider {
		return fault.Errorf(fault.Invalid, "the address is another one: enter the key for it, so that the stored key goes to nobody else")
	}
	key, err := secret.OpenAPIKey(s.Key, was.Secrets)
	o.Key = key
	return err
}

// callable refuses what no client can be made of: an address or a key of a wrong form.
func (s *Store) callable(o Opened) error {
	if len(o.Key) > maxKey {
		return fault.Errorf(fault.Invalid, "the key has more than %d characters: copy it again", maxKey)
	}
	if o.Key == "" && o.BaseURL == "" {
		return fault.Errorf(fault.Invalid, "%s needs a key: enter it (a server of your own needs its address instead)", o.Provider)
	}
	_, err := provider.FromConfig(s.Config(o, unnamed))
	return err
}

// Save makes or changes a subscription and returns its id. It returns Invalid if its form is wrong, and Conflict if it was changed concurrently, or the name is taken.
func (s *Store) Save(ctx context.Context, d Draft, by chat.UserID) (id int64, err error) {
	o, err := s.whole(ctx, d)
	if err != nil {
		return 0, err
	}
	row := subscriptionstore.Subscription{Subscription: o.Subscription, Secrets: secret.SealAPIKey(s.Key, o.Key)}
	if d.ID == 0 {
		return s.Rows.AddSubscription(ctx, row, by)
	}
	return d.ID, s.Rows.ReplaceSubscription(ctx, row, by)
}

// Remove removes a subscription with its key.
func (s *Store) Remove(ctx context.Context, user chat.UserID, id int64) error {
	return s.Rows.RemoveSubscription(ctx, user, id)
}
