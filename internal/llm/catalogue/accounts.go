package catalogue

import (
	"context"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/provider"
	"xbot/internal/llm/subscription"
	"xbot/internal/turn/policy"
)

// listing is what a user can choose, with what it was made of.
type listing struct {
	accounts  []subscription.Opened
	policy    *policy.Policy
	catalogue Catalogue
}

// At returns the models that a user can choose, where the version of the subscriptions is known.
func (l *Live) At(ctx context.Context, user chat.UserID, version int64) (Catalogue, error) {
	p, err := l.Policies.Get(ctx)
	if err != nil {
		return Catalogue{}, err
	}
	known, fresh := l.listed(user, version)
	if fresh && known.policy == p {
		return known.catalogue, nil
	}
	if !fresh && l.Subscriptions != nil {
		if known.accounts, version, err = l.Subscriptions.Opened(ctx, user); err != nil {
			return Catalogue{}, err
		}
	}
	known.policy, known.catalogue = p, New(l.Limits, p.Models, known.accounts...)
	if first := &known.catalogue.Entries[0]; first.account == nil {
		first.Price = l.Price
	}
	l.list(user, version, known)
	return known.catalogue, nil
}

// listed returns the cached listing of a user, if it is at least as new as a version.
func (l *Live) listed(user chat.UserID, version int64) (known listing, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.listings[user]
	return known, ok && l.version >= version
}

// list caches a listing. Listings older than the newest version are dropped.
func (l *Live) list(user chat.UserID, version int64, read listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if version > l.version || l.listings == nil {
		l.version, l.listings = version, map[chat.UserID]listing{}
	}
	if version == l.version {
		l.listings[user] = read
	}
	l.seen = Catalogue{slices.DeleteFunc(slices.Clone(read.catalogue.Entries), Entry.Own)}
}

// openAccount makes the client of a model of a subscription.
func (l *Live) openAccount(e Entry) llm.Client {
	if e.Own() {
		return own{l.connect(e)}
	}
	return l.connect(e)
}

// own is a client of a user's own subscription.
type own struct{ llm.Client }

// Generate marks an error as one of the user's account.
func (o own) Generate(ctx context.Context, r llm.Request, sink llm.Sink) (llm.Answer, error) {
	answer, err := o.Client.Generate(ctx, r, sink)
	if err != nil {
		err = llm.OfOwnAccount{Why: err}
	}
	return answer, err
}

func (l *Live) connect(e Entry) llm.Client {
	if e.account.Fault != nil {
		return refusing{e.ID, fault.Errorf(fault.Invalid, "the subscription %s cannot be used: %w", e.Subscription, e.account.Fault)}
	}
	client, err := provider.FromConfig(l.Subscriptions.Config(*e.account, e.name))
	if err != nil {
		return refusing{e.ID, fault.Errorf(fault.Invalid, "the subscription %s cannot be used: %w", e.Subscription, err)}
	}
	return namedClient{client, e.ID}
}
