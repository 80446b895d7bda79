package servicestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// NewConversation is one to be begun.
type NewConversation struct {
	Caller   Caller
	Source   service.Source
	Title    string
	External string // what it is found by: what the program calls its user, or a key of a request; empty: its id alone
	// Unnamed means that the program named neither a conversation nor a user, and so need not find it again: it is replaced first.
	Unnamed bool
}

// BeginConversation begins a conversation of a consumer: a session of a new user. With a name of the program's user it is the
// conversation that this one has already. It returns Conflict if the service, or the key, has as many as it may, and none of them can be replaced.
func (s *Store) BeginConversation(ctx context.Context, n NewConversation) (service.Conversation, error) {
	id := ""
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.ServiceHold(ctx, tx, n.Caller.Service.ID)
		now, err := found(n.Caller.Service.ID, row, err)
		if err != nil {
			return err
		}
		known, err := dbsqlc.Q.ServiceConversationByExternal(ctx, tx, dbsqlc.ServiceConversationByExternalParams{KeyID: n.Caller.Key, External: n.External})
		if err == nil {
			id = known
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("look for the conversation of a program's user: %w", err)
		}
		if err := s.freeConversation(ctx, tx, now, n.Caller.Key); err != nil {
			return err
		}
		id = service.NewConversationID()
		return begin(ctx, tx, now, id, n)
	})
	if err != nil {
		return service.Conversation{}, err
	}
	return s.ConsumerConversation(ctx, n.Caller, id)
}

func begin(ctx context.Context, tx *pg.Tx, of service.Service, id string, n NewConversation) error {
	user, err := dbsqlc.Q.ServiceUserAdd(ctx, tx, dbsqlc.ServiceUserAddParams{
		Name: service.ConsumerName(of.ID, n.Caller.Key, id), Kind: users.KindConsumer, OwnerID: &of.User,
	})
	if err != nil {
		return fmt.Errorf("add a consumer: %w", err)
	}
	key := service.SessionKey(of.ID, id)
	made, err := conversation.Create(ctx, tx, conversation.NewSession{
		Key: key, Owner: user, Channel: service.Channel, Title: n.Title, Agent: of.ID, Origin: chat.Origin{Provider: service.Channel, Label: of.Name},
	})
	if err == nil && !made {
		err = fault.Errorf(fault.Conflict, "there is a conversation %s already", id)
	}
	if err != nil {
		return fmt.Errorf("make the session of a consumer: %w", err)
	}
	return dbsqlc.Q.ServiceConversationAdd(ctx, tx, dbsqlc.ServiceConversationAddParams{
		SessionKey: key, ID: id, ServiceID: of.ID, KeyID: n.Caller.Key, UserID: user, Source: string(n.Source), External: n.External, Unnamed: n.Unnamed,
	})
}

// ConsumerConversation returns one that was begun with the caller's key. It returns NotFound if there is none, or it is another's.
func (s *Store) ConsumerConversation(ctx context.Context, by Caller, id string) (service.Conversation, error) {
	return s.conversation(ctx, dbsqlc.ServiceConversationGetParams{ID: id, ServiceID: by.Service.ID, KeyID: by.Key})
}

// NamedConversation returns the one of what a program calls its user. It returns NotFound if it has not begun.
func (s *Store) NamedConversation(ctx context.Context, by Caller, name string) (service.Conversation, error) {
	id, err := dbsqlc.Q.ServiceConversationByExternal(ctx, s.db.Pool, dbsqlc.ServiceConversationByExternalParams{KeyID: by.Key, External: name})
	if errors.Is(err, pgx.ErrNoRows) {
		return service.Conversation{}, fault.Errorf(fault.NotFound, "there is no conversation of %q", name)
	}
	if err != nil {
		return service.Conversation{}, pg.Classify(fmt.Errorf("look for the conversation of a program's user: %w", err))
	}
	return s.ConsumerConversation(ctx, by, id)
}

// ServiceConversation returns one of a service, whichever key it was begun with. It returns NotFound if there is none.
func (s *Store) ServiceConversation(ctx context.Context, of, id string) (service.Conversation, error) {
	return s.conversation(ctx, dbsqlc.ServiceConversationGetParams{ID: id, ServiceID: of})
}

func (s *Store) conversation(ctx context.Context, p dbsqlc.ServiceConversationGetParams) (service.Conversation, error) {
	row, err := dbsqlc.Q.ServiceConversationGet(ctx, s.db.Pool, p)
	if errors.Is(err, pgx.ErrNoRows) {
		return service.Conversation{}, fault.Errorf(fault.NotFound, "there is no conversation %q", p.ID)
	}
	if err != nil {
		return service.Conversation{}, pg.Classify(fmt.Errorf("read conversation %s: %w", p.ID, err))
	}
	return conversationOf(row), nil
}

func conversationOf(r dbsqlc.ServiceConversationGetRow) service.Conversation {
	return service.Conversation{
		ID: r.ID, Service: r.ServiceID, Key: r.KeyID, Session: r.SessionKey, User: r.UserID, Source: service.Source(r.Source), External: r.External,
		Title: r.Title, CreatedAt: r.CreatedAt, UpdatedAt: r.LastInteractionAt, Messages: int(r.Messages), Running: r.Running, Taken: r.Taken, Seq: r.FeedSeq,
	}
}

// Page is a part of a list, the newest first.
type Page struct {
	Before time.Time // those that were used before; zero: from the newest
	Query  string    // what their titles hold
	Limit  int
}

// ServiceConversations lists conversations of a service, for its administrators.
func (s *Store) ServiceConversations(ctx context.Context, of string, p Page) ([]service.Conversation, error) {
	var before *time.Time
	if !p.Before.IsZero() {
		before = &p.Before
	}
	rows, err := dbsqlc.Q.ServiceConversationList(ctx, s.db.Pool, dbsqlc.ServiceConversationListParams{ServiceID: of, Before: before, Q: chat.Clean(p.Query), N: int32(p.Limit)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list conversations of %s: %w", of, err))
	}
	out := make([]service.Conversation, len(rows))
	for i, r := range rows {
		out[i] = conversationOf(dbsqlc.ServiceConversationGetRow(r))
	}
	return out, nil
}

// DeleteConsumerConversation promises that a conversation is deleted with everything of it. It is not found from now on; the workflow of the
// deletion does the rest.
func (s *Store) DeleteConsumerConversation(ctx context.Context, c service.Conversation) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := end(ctx, tx, c.User); err != nil {
			return err
		}
		return tx.NotifyAccess(ctx)
	})
}

// end promises that the conversation of a consumer is deleted.
func end(ctx context.Context, tx *pg.Tx, consumer chat.UserID) error {
	if err := dbsqlc.Q.ServiceConversationFree(ctx, tx, consumer); err != nil {
		return fmt.Errorf("free the name of the conversation of user %d: %w", consumer, err)
	}
	return users.DeleteBelow(ctx, tx, consumer, nil)
}
