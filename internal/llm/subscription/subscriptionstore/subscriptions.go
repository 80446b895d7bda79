// Package subscriptionstore stores the accounts at providers of models: those of users and the installation's.
package subscriptionstore

import (
	"context"
	"encoding/json"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/dbsqlc"
	"xbot/internal/pg"
	"xbot/internal/secret/secretstore"
)

// Store stores the accounts at providers of models. It is safe for concurrent use.
type Store struct {
	db *pg.DB
}

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Subscription is one as it is stored: with its key, sealed.
type Subscription struct {
	chat.Subscription

	Secrets []byte
}

// MaxSubscriptions is how many a user may have, and how many the installation.
const MaxSubscriptions = 50

// SubscriptionsVersion counts the changes of all subscriptions.
func (s *Store) SubscriptionsVersion(ctx context.Context) (int64, error) {
	version, err := dbsqlc.Q.SubscriptionsVersion(ctx, s.db.Pool)
	return version, pg.Classify(err)
}

// Subscriptions lists those of the installation and, after them, those of a user; 0: no user. They are at least as new as the version.
func (s *Store) Subscriptions(ctx context.Context, user chat.UserID) (list []Subscription, version int64, err error) {
	if version, err = s.SubscriptionsVersion(ctx); err != nil {
		return nil, 0, fmt.Errorf("read subscriptions: %w", err)
	}
	rows, err := dbsqlc.Q.SubscriptionList(ctx, s.db.Pool, int64(user))
	if err != nil {
		return nil, 0, pg.Classify(fmt.Errorf("read subscriptions: %w", err))
	}
	for _, r := range rows {
		one := Subscription{Secrets: r.Secrets, Subscription: chat.Subscription{
			ID: r.ID, User: chat.UserID(r.Owner), Shared: r.Owner == 0, Name: r.Name, Provider: r.Provider, APIType: r.ApiType, BaseURL: r.BaseUrl, KeyHint: r.KeyHint,
			Enabled: r.Enabled, Revision: r.Revision, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy,
		}}
		if err := json.Unmarshal(r.Models, &one.Models); err != nil {
			return nil, 0, fmt.Errorf("read the models of subscription %d: %w", r.ID, err)
		}
		list = append(list, one)
	}
	return list, version, nil
}

// Subscription returns one of a person, or of the installation where user is 0: NotFound if there is none.
func (s *Store) Subscription(ctx context.Context, user chat.UserID, id int64) (Subscription, error) {
	all, _, err := s.Subscriptions(ctx, user)
	if err != nil {
		return Subscription{}, err
	}
	for _, one := range all {
		if one.ID == id && one.User == user {
			return one, nil
		}
	}
	return Subscription{}, fault.Errorf(fault.NotFound, "there is no such subscription")
}

// AddSubscription stores a new one, which was checked. It returns Conflict if its owner has one of that name.
func (s *Store) AddSubscription(ctx context.Context, in Subscription, by chat.UserID) (id int64, err error) {
	models, err := encode(in.Models)
	if err != nil {
		return 0, err
	}
	err = s.change(ctx, in.Secrets, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.SubscriptionCount(ctx, tx, owner(in.User))
		if err != nil {
			return fmt.Errorf("count subscriptions: %w", err)
		}
		if n >= MaxSubscriptions {
			return fault.Errorf(fault.Invalid, "there are %d subscriptions already: remove one that is not needed", n)
		}
		if err := free(ctx, tx, in); err != nil {
			return err
		}
		id, err = dbsqlc.Q.SubscriptionAdd(ctx, tx, dbsqlc.SubscriptionAddParams{
			Owner: owner(in.User), Name: in.Name, Provider: in.Provider, ApiType: in.APIType, BaseUrl: in.BaseURL, Secrets: in.Secrets, KeyHint: in.KeyHint,
			Models: models, Enabled: in.Enabled, ChangedBy: owner(by),
		})
		return err
	})
	return id, err
}

// ReplaceSubscription stores a change, which was checked, of the revision that in names. It returns Conflict if it was changed or removed concurrently, or
// its owner has another one of that name.
func (s *Store) ReplaceSubscription(ctx context.Context, in Subscription, by chat.UserID) error {
	models, err := encode(in.Models)
	if err != nil {
		return err
	}
	return s.change(ctx, in.Secrets, func(tx *pg.Tx) error {
		if err := free(ctx, tx, in); err != nil {
			return err
		}
		n, err := dbsqlc.Q.SubscriptionReplace(ctx, tx, dbsqlc.SubscriptionReplaceParams{
			ID: in.ID, Revision: in.Revision, Owner: owner(in.User), Name: in.Name, Provider: in.Provider, ApiType: in.APIType, BaseUrl: in.BaseURL,
			Secrets: in.Secrets, KeyHint: in.KeyHint, Models: models, Enabled: in.Enabled, ChangedBy: owner(by),
		})
		if err == nil && n == 0 {
			return fault.Errorf(fault.Conflict, "the subscription was changed or removed meanwhile: read it again")
		}
		return err
	})
}

// free refuses a name that another one of the same owner has.
func free(ctx context.Context, tx *pg.Tx, in Subscription) error {
	taken, err := dbsqlc.Q.SubscriptionNameTaken(ctx, tx, dbsqlc.SubscriptionNameTakenParams{Owner: owner(in.User), Name: in.Name, ID: in.ID})
	if err == nil && taken {
		return fault.Errorf(fault.Conflict, "there is a subscription %q already: choose another name, or change that one", in.Name)
	}
	return err
}

// RemoveSubscription removes one of a person, or of the installation where user is 0, with its key. It returns NotFound if there is none.
func (s *Store) RemoveSubscription(ctx context.Context, user chat.UserID, id int64) error {
	return s.change(ctx, nil, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.SubscriptionDelete(ctx, tx, dbsqlc.SubscriptionDeleteParams{ID: id, Owner: owner(user)})
		if err == nil && n == 0 {
			return fault.Errorf(fault.NotFound, "there is no such subscription")
		}
		return err
	})
}

// change runs a change and counts it. What reads the version afterwards sees the change.
func (s *Store) change(ctx context.Context, sealed []byte, do func(tx *pg.Tx) error) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.SubscriptionsBump(ctx, tx); err != nil { // first: changes go one after the other
			return fmt.Errorf("count a change of subscriptions: %w", err)
		}
		if err := secretstore.NoteKey(ctx, tx, sealed); err != nil {
			return err
		}
		return do(tx)
	})
}

func owner(user chat.UserID) *int64 {
	if user == 0 {
		return nil
	}
	return new(int64(user))
}

func encode(models []chat.SubscribedModel) ([]byte, error) {
	if models == nil {
		models = []chat.SubscribedModel{}
	}
	out, err := json.Marshal(models)
	if err != nil {
		return nil, fmt.Errorf("encode models: %w", err)
	}
	return out, nil
}
