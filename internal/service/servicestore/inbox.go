package servicestore

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/service"
	"xbot/internal/service/dbsqlc"
	"xbot/internal/turn/inbox"
)

// ContactAdmin stores a consumer's question to an administrator, once for a call, and has the service's agent report it to the administrator
// where they last wrote to a bot alone. It returns NotFound if the session is no consumer's, Denied if the service has no inbox, and RateLimited if there is more
// than is wanted; nothing is kept.
func (s *Store) ContactAdmin(ctx context.Context, c service.Contact) (out service.Contacted, err error) {
	if c.Message = chat.Clean(c.Message); c.Message == "" || utf8.RuneCountInString(c.Message) > service.MaxItem {
		return out, fault.Errorf(fault.Invalid, "message has 1 to %d characters", service.MaxItem)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		out, err = s.contact(ctx, tx, c)
		return err
	})
	return out, err
}

func (s *Store) contact(ctx context.Context, tx *pg.Tx, c service.Contact) (service.Contacted, error) {
	h, ok, err := LockHandover(ctx, tx, c.Session)
	if err == nil && !ok {
		err = fault.Errorf(fault.NotFound, "there is nobody to contact from here")
	}
	if err != nil {
		return service.Contacted{}, err
	}
	if err := tx.LockName(ctx, "service inbox "+h.Service); err != nil {
		return service.Contacted{}, fmt.Errorf("lock the inbox of %s: %w", h.Service, err)
	}
	known, err := dbsqlc.Q.ServiceInboxByCall(ctx, tx, string(c.Call))
	if err == nil {
		return service.Contacted{ID: known.ID, Told: known.Told != nil}, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return service.Contacted{}, fmt.Errorf("look for the item of call %s: %w", c.Call, err)
	}
	one, err := s.open(ctx, tx, h)
	if err != nil {
		return service.Contacted{}, err
	}
	out := service.Contacted{ID: service.NewItemID()}
	if err := dbsqlc.Q.ServiceInboxAdd(ctx, tx, dbsqlc.ServiceInboxAddParams{
		ID: out.ID, ServiceID: h.Service, SessionKey: h.Session, CallID: string(c.Call), Message: c.Message,
	}); err != nil {
		return service.Contacted{}, fmt.Errorf("add an item: %w", err)
	}
	if err := dbsqlc.Q.ServiceContactAdd(ctx, tx, h.Session); err != nil {
		return service.Contacted{}, fmt.Errorf("count an item: %w", err)
	}
	out.Told, err = s.notify(ctx, tx, one, out.ID)
	return out, err
}

// open returns the service, if it takes another item.
func (s *Store) open(ctx context.Context, tx *pg.Tx, h Handover) (service.Service, error) {
	row, err := dbsqlc.Q.ServiceGet(ctx, tx, h.Service)
	one, err := found(h.Service, dbsqlc.ServiceHoldRow(row), err)
	if err != nil {
		return one, err
	}
	if !one.Can(service.HumanChat) {
		return one, fault.Errorf(fault.Denied, "nobody can be contacted from here")
	}
	n, err := dbsqlc.Q.ServiceInboxCount(ctx, tx, h.Session)
	switch {
	case err != nil:
		return one, fmt.Errorf("count the items of %s: %w", h.Service, err)
	case n.Hour >= service.ItemsPerHour:
		return one, fault.Errorf(fault.RateLimited, "%d messages were sent from this conversation in an hour, and no more are taken: they are being looked at", n.Hour)
	case n.OfKey >= service.KeyItems || n.OfService >= service.ServiceItems:
		return one, fault.Errorf(fault.RateLimited, "very many messages were sent to the administrator in this hour, and no more are taken now: try again in an hour")
	case n.Open >= service.MaxOpenItems:
		return one, fault.Errorf(fault.RateLimited, "too many messages wait for the administrator, and no more are taken now: try again tomorrow")
	}
	return one, nil
}

// notify has the agent of a service report a new item to its administrator. told is false where they never wrote to a bot alone.
func (s *Store) notify(ctx context.Context, tx *pg.Tx, of service.Service, item string) (told bool, err error) {
	to, err := place(ctx, tx, of.Admin)
	if err != nil || to == nil {
		return false, err
	}
	key, lang, err := inboxSession(ctx, tx, of.ID, of.Name, of.Admin)
	if err != nil {
		return false, err
	}
	rows, err := dbsqlc.Q.ServiceInboxNewest(ctx, tx, dbsqlc.ServiceInboxNewestParams{ServiceID: of.ID, Limit: service.NewestItems})
	if err != nil {
		return false, fmt.Errorf("read the newest items of %s: %w", of.ID, err)
	}
	items := make([]service.NoteItem, 0, len(rows))
	for _, r := range rows {
		one := service.NoteItem{ID: r.ID, Conversation: r.Conversation, Title: r.Title, Message: r.Message, At: r.CreatedAt}
		if r.ID == item { // of those of the same instant it is the first
			items = append([]service.NoteItem{one}, items...)
			continue
		}
		items = append(items, one)
	}
	id, err := inbox.PostRow(ctx, tx, chat.InternalMessage{
		Session: key, Key: item, Origin: chat.OriginHook, Text: service.NotificationOf(of.Name, languageName(lang), items), To: to,
	}, resetRun) // earlier texts of consumers are not read again
	if err != nil || id == 0 {
		return false, err
	}
	tx.WakeTurn(key, service.InboxChannel, "inbox "+item)
	return true, dbsqlc.Q.ServiceInboxTold(ctx, tx, dbsqlc.ServiceInboxToldParams{ID: item, Told: int64(id)})
}

// resetRun makes a conversation start over with a message, as that of a job does with each run.
const resetRun = "run"

func languageName(lang i18n.Lang) string {
	if lang == i18n.Chinese {
		return "Chinese"
	}
	return "English"
}

// AnyConversation finds a conversation of whichever service by its id. It returns NotFound if there is none.
func (s *Store) AnyConversation(ctx context.Context, id string) (service.Conversation, error) {
	of, err := dbsqlc.Q.ServiceOfConversation(ctx, s.db.Pool, id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return service.Conversation{}, pg.Classify(fmt.Errorf("look whose conversation %s is: %w", id, err))
	}
	return s.ServiceConversation(ctx, of, id)
}

// AdminPlace returns the chat where an administrator last wrote to a bot alone, or nil if there is none.
func (s *Store) AdminPlace(ctx context.Context, admin chat.UserID) (at *chat.Address, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err = place(ctx, tx, admin)
		return err
	})
	return at, err
}

// ItemPage is a part of an inbox, the newest first.
type ItemPage struct {
	Status  service.ItemStatus // empty: whichever
	Service string             // empty: of all services
	Before  time.Time          // zero: from the newest
	Limit   int
}

// InboxItems lists what consumers of all services have asked.
func (s *Store) InboxItems(ctx context.Context, p ItemPage) ([]service.Item, error) {
	q := dbsqlc.ServiceInboxListParams{Status: string(p.Status), ServiceID: p.Service, N: int32(p.Limit)}
	if !p.Before.IsZero() {
		q.Before = &p.Before
	}
	return s.items(ctx, q)
}

// InboxItem returns one. It returns NotFound if there is none.
func (s *Store) InboxItem(ctx context.Context, id string) (service.Item, error) {
	if service.IsItem(id) {
		found, err := s.items(ctx, dbsqlc.ServiceInboxListParams{ID: id, N: 1})
		if err != nil || len(found) > 0 {
			return append(found, service.Item{})[0], err
		}
	}
	return service.Item{}, noItem(id)
}

func noItem(id string) error {
	return fault.Errorf(fault.NotFound, "there is no item %q in the inbox", id)
}

func (s *Store) items(ctx context.Context, q dbsqlc.ServiceInboxListParams) ([]service.Item, error) {
	rows, err := dbsqlc.Q.ServiceInboxList(ctx, s.db.Pool, q)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list an inbox: %w", err))
	}
	out := make([]service.Item, len(rows))
	for i, r := range rows {
		out[i] = service.Item{
			ID: r.ID, Service: r.ServiceID, ServiceName: r.ServiceName, Conversation: r.Conversation, Session: r.SessionKey, Title: r.Title,
			Message: r.Message, Status: service.ItemStatus(r.Status), HandledBy: r.HandledBy, AgentSaid: r.AgentResponse,
			AnsweredBy: r.AnsweredBy, TakenBy: r.TakenBy, CreatedAt: r.CreatedAt, ChangedAt: r.ChangedAt,
		}
	}
	return out, nil
}

// Unread counts what waits for an administrator.
type Unread struct {
	Items   int // that were not looked at
	Waiting int // conversations under handover, in which the consumer has the last word
}

// InboxUnread counts what waits for the administrators.
func (s *Store) InboxUnread(ctx context.Context) (Unread, error) {
	row, err := dbsqlc.Q.ServiceInboxUnread(ctx, s.db.Pool)
	return Unread{int(row.Items), int(row.Waiting)}, pg.Classify(err)
}

// TakenConversations lists those under handover, those in which the consumer waits first.
func (s *Store) TakenConversations(ctx context.Context) ([]service.TakenConversation, error) {
	rows, err := dbsqlc.Q.ServiceInboxTaken(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list conversations that were taken: %w", err))
	}
	out := make([]service.TakenConversation, len(rows))
	for i, r := range rows {
		out[i] = service.TakenConversation{
			Service: r.ServiceID, ServiceName: r.ServiceName, Conversation: r.ID, Session: r.SessionKey, Title: r.Title, TakenBy: r.TakenBy,
			Waiting: r.LastRole == string(chat.RoleUser),
		}
		if r.TakenAt != nil {
			out[i].TakenAt = *r.TakenAt
		}
	}
	return out, nil
}

// SetInboxItem sets whether an item is handled, which then counts over the agent's report of it. It returns NotFound if there is none.
func (s *Store) SetInboxItem(ctx context.Context, id string, status service.ItemStatus) error {
	n, err := dbsqlc.Q.ServiceInboxSet(ctx, s.db.Pool, dbsqlc.ServiceInboxSetParams{ID: id, Status: string(status)})
	if err == nil && n == 0 {
		return noItem(id)
	}
	return pg.Classify(err)
}

// DeleteInboxItem deletes one; the conversation stays. It returns NotFound if there is none.
func (s *Store) DeleteInboxItem(ctx context.Context, id string) error {
	n, err := dbsqlc.Q.ServiceInboxDelete(ctx, s.db.Pool, id)
	if err == nil && n == 0 {
		return noItem(id)
	}
	return pg.Classify(err)
}

// AnswerInboxItem adds a message to the conversation of an item, which is handled by that. The same id again adds it once.
func (s *Store) AnswerInboxItem(ctx context.Context, item string, by Actor, id, text string) (service.Item, error) {
	one, err := s.InboxItem(ctx, item)
	if err != nil {
		return one, err
	}
	c, err := s.ServiceConversation(ctx, one.Service, one.Conversation)
	if err != nil {
		return one, err
	}
	_, err = s.sayAbout(ctx, c, by, id, text, item)
	return one, err
}

// SentMessage is a message that a bot has sent to an administrator.
type SentMessage struct {
	Session          chat.SessionKey // that it was sent of
	Channel, Account string
	ID               string // of the platform
}

// ItemContext is what such a message is about.
type ItemContext struct {
	Conversation service.Conversation
	Item         string // empty: what the consumer wrote in a conversation that is taken
}

// InboxSent finds the conversation of a consumer that a message is about. It returns NotFound if it is about none, or that is gone.
func (s *Store) InboxSent(ctx context.Context, m SentMessage) (ItemContext, error) {
	row, err := dbsqlc.Q.ServiceInboxSaid(ctx, s.db.Pool, dbsqlc.ServiceInboxSaidParams{SessionKey: m.Session, Channel: m.Channel, Account: m.Account, Piece: m.ID})
	if errors.Is(err, pgx.ErrNoRows) {
		return ItemContext{}, fault.Errorf(fault.NotFound, "it is not known any more whom this message was about")
	}
	if err != nil {
		return ItemContext{}, pg.Classify(fmt.Errorf("look what a message was about: %w", err))
	}
	c, err := s.ServiceConversation(ctx, row.ServiceID, row.ID)
	return ItemContext{Conversation: c, Item: row.Item}, err
}

// AnswerSent adds a message to the conversation of the consumer that m was about. The same id again adds it once.
func (s *Store) AnswerSent(ctx context.Context, m SentMessage, by Actor, id, text string) (service.Conversation, error) {
	about, err := s.InboxSent(ctx, m)
	if err != nil {
		return about.Conversation, err
	}
	if about.Item != "" {
		_, err = s.AnswerInboxItem(ctx, about.Item, by, id, text)
		return about.Conversation, err
	}
	_, err = s.Say(ctx, about.Conversation, by, id, text)
	return about.Conversation, err
}
